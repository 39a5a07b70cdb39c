/*
 * What would change the machine or how calls work for the whole process is refused, and the verdict names the call.
 *
 * heddle: args=hostname verdict=incomplete refused~="sethostname"
 * heddle: args=clock verdict=incomplete refused~="settime"
 * heddle: args=chroot verdict=incomplete refused~="chroot"
 * heddle: args=namespace verdict=incomplete refused~="unshare"
 * heddle: args=filter verdict=incomplete refused~="seccomp|prctl"
 * heddle: args=shm verdict=incomplete refused~="shmget"
 * heddle: args=queue verdict=incomplete refused~="mq_open"
 * heddle: args=owner verdict=incomplete refused~="fcntl"
 * heddle: args=lease verdict=incomplete refused~="leases"
 * native: skip
 */
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <sys/ipc.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/time.h>

#include "guest.h"

int main(int argc, char **argv)
{
	struct timespec now = {1000, 0};
	if (story(argc, argv, "hostname"))
		CHECK(sethostname("guest", 5) < 0);
	if (story(argc, argv, "clock"))
		CHECK(clock_settime(CLOCK_REALTIME, &now) < 0);
	if (story(argc, argv, "chroot"))
		CHECK(chroot("/tmp") < 0);
	if (story(argc, argv, "namespace"))
		CHECK(unshare(CLONE_FILES) < 0);
	if (story(argc, argv, "filter"))
		CHECK(prctl(PR_SET_SECCOMP, 1) < 0);
	if (story(argc, argv, "shm"))
		CHECK(shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600) < 0);
	if (story(argc, argv, "queue"))
		CHECK(mq_open("/guest", O_CREAT | O_RDWR, 0600, NULL) < 0);
	if (story(argc, argv, "lease"))
		fcntl(open("/dev/null", O_RDONLY), F_SETLEASE, F_RDLCK);
	if (story(argc, argv, "owner"))
		CHECK(fcntl(0, F_SETOWN, getpid()) < 0);
	return 0;
}

/* early.c: a library whose constructor reads a file and asks for time and process id, before the program has begun. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

char early_byte;
long early_pid, early_second;
int early_socket = -1;

__attribute__((constructor)) static void look_around(void)
{
	struct timespec now = {0};
	int fd = open("/proc/sys/kernel/ostype", O_RDONLY);
	if (fd < 0 || read(fd, &early_byte, 1) != 1 || close(fd))
		abort();
	early_socket = socket(AF_UNIX, SOCK_STREAM, 0);
	if (early_socket < 0 || close(early_socket))
		abort();
	clock_gettime(CLOCK_MONOTONIC, &now);
	early_second = now.tv_sec;
	early_pid = getpid();
}

/*
 * Locks on files between descriptions: flock, and fcntl with F_OFD_SETLK. Threads that open the file each for itself
 * keep each other out; those that share a description, or lock other bytes, don't.
 *
 * heddle: args=rules verdict=verified
 * heddle: args=flock verdict=verified
 * heddle: args=ofd verdict=verified
 * heddle: args=shared verdict=violation kind=assert
 * heddle: args=bytes verdict=violation kind=assert
 * heddle: args=readers verdict=violation kind=assert
 * heddle: args=busy verdict=verified outcomes=0,11
 * heddle: args=closed verdict=verified
 * heddle: args=abba verdict=violation kind=deadlock
 * heddle: args=upgrade verdict=violation kind=deadlock
 * heddle: args=mixed verdict=incomplete refused~="locks of the process"
 * native: args=rules
 * native: args=flock
 * native: args=ofd
 * native: args=busy any
 * native: args=closed
 */
#include <fcntl.h>
#include <sys/file.h>

#include "guest.h"

static const char *how;
static int common, inside;

static int is(const char *name)
{
	return !strcmp(how, name);
}

static int fails_with(int result, int error)
{
	return result == -1 && errno == error;
}

static int opened(void)
{
	int fd = open("locked", O_RDWR | O_CREAT, 0600);
	CHECK(fd >= 0);
	return fd;
}

static int set(int fd, int cmd, short type, off_t start, off_t len)
{
	struct flock l = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = len};
	return fcntl(fd, cmd, &l);
}

static struct flock asked(int fd, off_t start, off_t len)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = len};
	OK(fcntl(fd, F_OFD_GETLK, &l));
	return l;
}

static void rules(void)
{
	int a = opened(), b = opened(), copy = dup(a);
	OK(flock(a, LOCK_SH));
	OK(flock(b, LOCK_SH));
	CHECK(fails_with(flock(a, LOCK_EX | LOCK_NB), EWOULDBLOCK)); /* and has lost its own */
	OK(flock(b, LOCK_EX | LOCK_NB));
	OK(flock(b, LOCK_UN));
	OK(flock(copy, LOCK_EX)); /* the same description */
	OK(flock(a, LOCK_EX));
	CHECK(fails_with(flock(b, LOCK_SH | LOCK_NB), EWOULDBLOCK));
	OK(close(a));
	CHECK(fails_with(flock(b, LOCK_SH | LOCK_NB), EWOULDBLOCK));
	OK(close(copy));
	OK(flock(b, LOCK_EX | LOCK_NB));
	CHECK(fails_with(flock(b, 77), EINVAL));

	a = opened();
	OK(set(a, F_OFD_SETLK, F_WRLCK, 0, 100)); /* flock and fcntl don't see each other */
	OK(set(a, F_OFD_SETLK, F_UNLCK, 40, 10));
	CHECK(fails_with(set(b, F_OFD_SETLK, F_RDLCK, 30, 20), EAGAIN));
	OK(set(b, F_OFD_SETLK, F_RDLCK, 40, 10));
	struct flock l = asked(b, 0, 0);
	CHECK(l.l_type == F_WRLCK && l.l_start == 0 && l.l_len == 40 && l.l_pid == -1);
	l = asked(b, 45, 0);
	CHECK(l.l_type == F_WRLCK && l.l_start == 50 && l.l_len == 50);
	l = asked(b, 100, 0);
	CHECK(l.l_type == F_UNLCK);
	OK(set(b, F_OFD_SETLK, F_UNLCK, 0, 0));
	OK(set(a, F_OFD_SETLK, F_WRLCK, 40, 10));
	l = asked(b, 10, 1);
	CHECK(l.l_start == 0 && l.l_len == 100);
	OK(close(a));
	l = asked(b, 0, 0);
	CHECK(l.l_type == F_UNLCK);
	OK(set(b, F_SETLK, F_WRLCK, 0, 0)); /* of the process: nobody here is kept out */
	unlink("locked");
}

static void enter(int fd, int which)
{
	if (is("ofd"))
		OK(set(fd, F_OFD_SETLKW, F_WRLCK, 0, 0));
	else if (is("bytes"))
		OK(set(fd, F_OFD_SETLKW, F_WRLCK, which, 1));
	else
		OK(flock(fd, is("readers") ? LOCK_SH : LOCK_EX));
	CHECK(!inside++);
	sched_yield();
	inside--;
	if (is("ofd") || is("bytes"))
		OK(set(fd, F_OFD_SETLK, F_UNLCK, 0, 0));
	else if (is("closed"))
		OK(close(fd));
	else
		OK(flock(fd, LOCK_UN));
}

static void *second(void *arg)
{
	int fd = is("shared") ? common : opened();
	if (is("busy") || is("mixed")) {
		OK(flock(fd, LOCK_EX));
		OK(set(fd, is("mixed") ? F_OFD_SETLK : F_SETLK, F_WRLCK, 0, 0));
		OK(flock(fd, LOCK_UN));
	} else if (is("abba")) {
		int other = open("other", O_RDWR | O_CREAT, 0600);
		OK(flock(other, LOCK_EX));
		OK(flock(fd, LOCK_EX));
	} else if (is("upgrade")) {
		OK(flock(fd, LOCK_SH));
		OK(set(fd, F_OFD_SETLKW, F_RDLCK, 0, 0));
		OK(set(fd, F_OFD_SETLKW, F_WRLCK, 0, 0));
	} else {
		enter(fd, 1);
	}
	return arg;
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "rules";
	if (is("rules")) {
		rules();
		return 0;
	}
	common = opened();
	int other = open("other", O_RDWR | O_CREAT, 0600);
	pthread_t t = spawn(second, NULL);
	if (is("busy")) {
		int r = flock(common, LOCK_EX | LOCK_NB) ? errno : 0;
		heddle_outcome((unsigned long)r);
		flock(common, LOCK_UN);
	} else if (is("abba")) {
		OK(flock(common, LOCK_EX));
		OK(flock(other, LOCK_EX));
	} else if (is("upgrade")) {
		OK(set(common, F_OFD_SETLKW, F_RDLCK, 0, 0));
		OK(set(common, F_OFD_SETLKW, F_WRLCK, 0, 0));
	} else if (is("mixed")) {
		OK(set(common, F_SETLK, F_WRLCK, 0, 0));
	} else {
		enter(common, 0);
	}
	join(t);
	unlink("locked");
	unlink("other");
	return 0;
}

/*
 * conform_test.c: the virtual kernel against Linux. Random sequences of calls, from a fixed seed, are played
 * on both, each in its own copy of a small directory tree; return values, error numbers and data must
 * agree (sequences.h). At the end the virtual kernel's tree must still be as it was on the disk.
 *
 *   conform_test [SEQUENCES [SEED [KIND]]]        prints TAP; KIND: files, sockets or selectors alone
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../unit/fake_sched.h"
#include "fixed.h"
#include "play_address.h"
#include "play_selector.h"
#include "play_socket.h"
#include "runtime/rt.h"
#include "sequences.h"
#include "wire/wire.h"

static char base[256], real_world[300], virtual_world[300];
/* Both tests stand one level below, so that ".." is each world's own. */
#define INSIDE "inside"

/* ---- the two kernels ---- */

/* A datagram socket or listener that was shut down for reading says so only to those who would wait. */
static bool is_shut(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLRDHUP};
	int type = 0, listens = 0;
	socklen_t len = sizeof(type);
	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) ||
	    getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len))
		return false;
	return (type == SOCK_DGRAM || listens) && poll(&p, 1, 0) == 1 && (p.revents & POLLRDHUP);
}

/* A call that may wait is tried without waiting; EAGAIN then means: would wait. connect never does here. */
static bool may_block(long nr, int fd)
{
	static const long calls[] = {SYS_read,    SYS_write,   SYS_readv,   SYS_writev,  SYS_sendfile,
				     SYS_accept,  SYS_accept4, SYS_sendto,  SYS_sendmsg, SYS_recvfrom,
				     SYS_recvmsg, SYS_preadv2, SYS_pwritev2};
	struct stat st;
	bool found = false;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		found |= calls[i] == nr;
	if (!found || is_shut(fd))
		return false;
	int flags = fcntl(fd, F_GETFL);
	return flags >= 0 && !(flags & (O_NONBLOCK | O_PATH)) && !fstat(fd, &st) && !S_ISREG(st.st_mode) &&
	       !S_ISDIR(st.st_mode);
}

static long raw(long nr, long a, long b, long c, long d, long e, long f)
{
	long ret = syscall(nr, a, b, c, d, e, f);
	return ret < 0 ? -errno : ret;
}

/* The flags of a call that asks not to wait itself. */
static bool hurries(long nr, long c, long d)
{
	if (nr == SYS_sendto || nr == SYS_recvfrom)
		return d & MSG_DONTWAIT;
	return (nr == SYS_sendmsg || nr == SYS_recvmsg) && (c & MSG_DONTWAIT);
}

/* No process has memory there. */
#define NOWHERE 8l

static unsigned bad_argument;

void spoil_argument(unsigned number)
{
	bad_argument = number;
}

static long spoilt(unsigned number, long argument)
{
	bool points = argument > 1l << 32;
	return points && bad_argument == number ? NOWHERE : argument;
}

#define SPOIL_ALL() \
	(a = spoilt(1, a), b = spoilt(2, b), c = spoilt(3, c), d = spoilt(4, d), e = spoilt(5, e), \
	 f = spoilt(6, f))

/* Locks: the same without waiting. */
static long real_lock(long nr, long fd, long how, long arg)
{
	long ret = nr == SYS_flock ? raw(nr, fd, how | LOCK_NB, 0, 0, 0, 0)
				   : raw(nr, fd, F_OFD_SETLK, arg, 0, 0, 0);
	return ret == -EAGAIN ? BLOCKS : ret;
}

/* One that does not wait is given the moment that it needs on this machine. */
static long real_connect(long fd, long address, long len)
{
	long ret = raw(SYS_connect, fd, address, len, 0, 0, 0);
	struct pollfd p = {.fd = (int)fd, .events = POLLOUT};
	if (ret == -EINPROGRESS)
		poll(&p, 1, 1000);
	return ret;
}

/*
 * Nagle's algorithm keeps small pieces back for as long as the other end takes to acknowledge the last one.
 * Turning it off sends them; then it is as the sequence wants it again.
 */
static void push_out(int fd)
{
	int delays_not = 0, on = 1;
	socklen_t len = sizeof(delays_not);
	if (getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &delays_not, &len) || delays_not)
		return;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &delays_not, sizeof(delays_not));
}

static bool sends(long nr)
{
	return nr == SYS_write || nr == SYS_writev || nr == SYS_sendto || nr == SYS_sendmsg ||
	       nr == SYS_sendmmsg || nr == SYS_sendfile;
}

static long real_answer(long nr, long a, long b, long c, long d, long e, long f)
{
	if ((nr == SYS_flock && !(b & LOCK_NB)) || (nr == SYS_fcntl && b == F_OFD_SETLKW))
		return real_lock(nr, a, b, c);
	if (nr == SYS_connect)
		return real_connect(a, b, c);
	if (!may_block(nr, (int)a) || hurries(nr, c, d))
		return raw(nr, a, b, c, d, e, f);
	int flags = fcntl((int)a, F_GETFL);
	fcntl((int)a, F_SETFL, flags | O_NONBLOCK);
	long ret = raw(nr, a, b, c, d, e, f);
	fcntl((int)a, F_SETFL, flags);
	return ret == -EAGAIN ? BLOCKS : ret;
}

long real_kernel(long nr, long a, long b, long c, long d, long e, long f)
{
	SPOIL_ALL();
	long ret = real_answer(nr, a, b, c, d, e, f);
	if (ret > 0 && sends(nr))
		push_out((int)a);
	if (ret > 0 && nr == SYS_splice)
		push_out((int)c);
	return ret;
}

long virtual_kernel(long nr, long a, long b, long c, long d, long e, long f)
{
	SPOIL_ALL();
	long ret = fake_call(nr, a, b, c, d, e, f);
	return fake_how() == FAKE_BLOCKED ? BLOCKS : ret;
}

/* ---- the worlds ---- */

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(2);
}

static void put_file(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_EXCL, mode);
	must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), path);
	close(fd);
}

static void make_world(const char *root)
{
	umask(022);
	must(!mkdir(root, 0755) && !chdir(root) && !mkdir(INSIDE, 0755) && !chdir(INSIDE), root);
	put_file("a", "the quick brown fox jumps over the lazy dog\n", 0644);
	put_file("b", "", 0600);
	must(!mkdir("d", 0755), "d");
	put_file("d/x", "0123456789", 0644);
	must(!symlink("a", "to-a") && !symlink("d", "to-d") && !symlink("nowhere", "dangling") &&
		     !symlink("loop", "loop"),
	     "links");
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)where;
	return type == FTW_DP ? rmdir(path) : unlink(path);
}

static void remove_tree(const char *root)
{
	must(!chdir(base) && !nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS), root);
}

/* Those that sequences send: for who reads signals. */
static const unsigned long blocked = 1ul << (SIGUSR1 - 1) | 1ul << (SIGUSR2 - 1) | 1ul << 39;

static void fresh_worlds(void)
{
	syscall(SYS_close_range, 3, ~0u, 0);
	must(!chdir(virtual_world) && !chdir(INSIDE), virtual_world);
	fake_reset();
	/* On one machine the network is never late. */
	rt_wire->config.net.always = NET_ACCEPT_ALWAYS | NET_READ_ALWAYS | NET_WRITE_ALWAYS |
				     NET_CONNECT_ALWAYS;
	remove_tree(real_world);
	make_world(real_world);
	struct {
		unsigned long handler, flags, restorer, mask;
	} ignore = {.handler = 1};
	CALL_4(SYS_rt_sigaction, SIGPIPE, &ignore, 0, 8);
	CALL_4(SYS_rt_sigprocmask, SIG_BLOCK, &blocked, 0, 8);
	siginfo_t info;
	struct timespec now = {0};
	while (syscall(SYS_rt_sigtimedwait, &blocked, &info, &now, 8) > 0)
		; /* what the sequence before has left */
}

/* A digest of names, types, sizes, times and contents of a tree on the disk. */
static uint64_t digest;

static int digest_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	char buf[256] = {0};
	snprintf(buf, sizeof(buf), "%s %o %ld %ld.%ld", path, st->st_mode,
		 S_ISREG(st->st_mode) ? st->st_size : 0, st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
	uint64_t h = 1469598103934665603u;
	for (char *p = buf; *p; p++)
		h = (h ^ (unsigned char)*p) * 1099511628211u;
	digest += h; /* in any order */
	(void)type;
	(void)where;
	return 0;
}

static uint64_t digest_of(const char *root)
{
	digest = 0;
	must(!nftw(root, digest_one, 16, FTW_PHYS), root);
	return digest;
}

/* ---- sequences ---- */

/* Answers that are the file system's or the kernel version's own. */
static bool is_free_choice(const struct step *s)
{
	struct stat st;
	/* Linux moves data through a pipe inside: what it says of pipes depends on the version. */
	if (step_is(s, "sendfile") &&
	    (fstat(s->fd, &st) || S_ISFIFO(st.st_mode) || fstat(s->fd2, &st) || !S_ISREG(st.st_mode)))
		return true;
	/* Which devices can splice is the version's affair. */
	if (step_is(s, "splice") && ((!fstat(s->fd, &st) && !S_ISFIFO(st.st_mode) && !S_ISREG(st.st_mode)) ||
				     (!fstat(s->fd2, &st) && !S_ISFIFO(st.st_mode) && !S_ISREG(st.st_mode))))
		return true;
	if (fstat(s->fd, &st))
		return false;
	/* If a write behind the end fails because of its buffer, some file systems have grown the file. */
	if (s->bad && S_ISREG(st.st_mode) &&
	    (((step_is(s, "pwrite") || step_is(s, "pwritev")) && s->offset > st.st_size) ||
	     lseek(s->fd, 0, SEEK_CUR) > st.st_size))
		return true;
	return (S_ISDIR(st.st_mode) && step_is(s, "lseek")) ||
	       ((st.st_mode & S_IFMT) == 0 && step_is_unusual(s));
}

static const struct sequences file_sequences = {
	.name = "files",
	.length = 40,
	.tries = 1,
	.fresh = fresh_worlds,
	.random = random_step,
	.play = play_step,
	.is_free_choice = is_free_choice,
	.print = print_step,
};

/* Linux may deliver a moment later when it is busy; such a difference is not there twice. */
static const struct sequences socket_sequences = {
	.name = "sockets",
	.length = 40,
	.tries = 4,
	.fresh = fresh_worlds,
	.random = random_socket_step,
	.play = play_socket_step,
	.is_free_choice = is_odd_socket_step,
	.print = print_socket_step,
};

static const struct sequences selector_sequences = {
	.name = "selectors",
	.length = 40,
	.tries = 4,
	.fresh = fresh_worlds,
	.random = random_selector_step,
	.play = play_selector_step,
	.print = print_selector_step,
};

static const struct sequences *const kinds[] = {&file_sequences, &socket_sequences, &selector_sequences};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static int report(int number, int failed, const char *what)
{
	printf("%sok %d - %s\n", failed ? "not " : "", number, what);
	return failed;
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 0) : 1700;
	uint64_t seed = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
	const char *only = argc > 3 ? argv[3] : NULL;
	const char *tmp = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
	snprintf(base, sizeof(base), "%s/conform-XXXXXX", tmp);
	must(mkdtemp(base), base);
	snprintf(real_world, sizeof(real_world), "%s/world-r", base);
	snprintf(virtual_world, sizeof(virtual_world), "%s/world-v", base);
	make_world(real_world);
	make_world(virtual_world);
	signal(SIGPIPE, SIG_IGN);
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &blocked, NULL, 8);

	uint64_t before = digest_of(virtual_world);
	printf("1..%zu\n", KINDS + FIXED + 1);
	address_setup();
	int failed = 0, number = 0;
	for (size_t i = 0; i < KINDS; i++) {
		bool wanted = !only || !strcmp(only, kinds[i]->name);
		char what[100];
		snprintf(what, sizeof(what), "random sequences of calls on %s agree with Linux",
			 kinds[i]->name);
		failed += report(++number, wanted && sequences_compare(kinds[i], count, seed), what);
	}
	for (size_t i = 0; i < FIXED; i++) {
		fresh_worlds();
		failed += report(++number, fixed_compare(&fixed_cases[i]), fixed_cases[i].what);
	}
	failed += report(++number, digest_of(virtual_world) != before, "nothing was written to the disk");
	remove_tree(base);
	return failed != 0;
}

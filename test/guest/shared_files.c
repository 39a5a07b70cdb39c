/*
 * shared_files.c: files that are mapped shared: shared memory objects, memory files, a file that is read and written beside
 * its mapping. Two mappings are one memory; locks in it work.
 *
 * heddle: args=alone verdict=verified
 * heddle: args=lock verdict=verified
 * heddle: args=race verdict=verified outcomes=1,2
 * heddle: args=twice verdict=verified
 * heddle: args=gone verdict=verified
 * heddle: args=behind verdict=violation kind=crash
 * heddle: args=shorter verdict=violation kind=crash
 * heddle: args=longer verdict=verified
 * heddle: args=too_early verdict=violation kind=crash
 * native: args=alone
 * native: args=lock
 * native: args=twice
 * native: args=gone
 * native: args=longer
 */
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>

#include "guest.h"

struct shared {
	pthread_mutex_t lock;
	volatile int n;
};

static struct shared *map(int fd)
{
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(s != MAP_FAILED);
	return s;
}

static struct shared *make(void)
{
	int fd = shm_open("/heddle-guest", O_RDWR | O_CREAT | O_EXCL, 0600);
	CHECK(fd >= 0);
	OK(shm_unlink("/heddle-guest"));
	OK(ftruncate(fd, sizeof(struct shared)));
	struct shared *s = map(fd);
	OK(close(fd));
	return s;
}

static void alone(void)
{
	char text[8] = "";
	int fd = memfd_create("guest", 0);
	CHECK(fd >= 0);
	OK(ftruncate(fd, 5000));
	char *m = mmap(NULL, 5000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(m != MAP_FAILED && !m[0] && !m[4999]);
	memcpy(m, "memory", 6);
	CHECK(pread(fd, text, 6, 0) == 6 && !strcmp(text, "memory"));
	CHECK(pwrite(fd, "file", 4, 4096) == 4 && !memcmp(m + 4096, "file", 4));
	OK(msync(m, 5000, MS_SYNC));
	m[5000] = 'x'; /* behind the end, in its last page */
	CHECK(pread(fd, text, 1, 5000) == 0);
	OK(ftruncate(fd, 6000));
	OK(munmap(m, 5000));
	CHECK(pread(fd, text, 6, 0) == 6 && !memcmp(text, "memory", 6));
	OK(close(fd));
}

static void *counts(void *arg)
{
	struct shared *s = arg;
	OK(pthread_mutex_lock(&s->lock));
	s->n++;
	OK(pthread_mutex_unlock(&s->lock));
	return NULL;
}

static void *counts_wildly(void *arg)
{
	struct shared *s = arg;
	int n = s->n;
	sched_yield();
	s->n = n + 1;
	return NULL;
}

/* A file that grows and shrinks under its mapping; reading behind its end would be SIGBUS. */
static void longer(void)
{
	int fd = memfd_create("guest", 0);
	char text[4];
	OK(ftruncate(fd, 100));
	char *m = mmap(NULL, 4 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	m[99] = 'a';
	CHECK(pwrite(fd, "far", 3, 2 * 4096) == 3 && m[2 * 4096] == 'f' && !m[4096]);
	m[4096] = 'n';
	CHECK(read(fd, m + 3 * 4096, 1) == -1 && errno == EFAULT);
	OK(ftruncate(fd, 10));
	CHECK(write(fd, m + 4096, 1) == -1 && errno == EFAULT);
	OK(ftruncate(fd, 4 * 4096));
	CHECK(!m[99] && !m[4096] && !m[2 * 4096]);
	m[4 * 4096 - 1] = 'z';
	CHECK(pread(fd, text, 4, 4 * 4096 - 1) == 1 && text[0] == 'z');
	OK(munmap(m, 4 * 4096));
	OK(close(fd));
}

static volatile char *growing;

static void *grows(void *fd)
{
	OK(ftruncate(*(int *)fd, 2 * 4096));
	return NULL;
}

/* The main thread does not wait until the file is long enough. */
static void too_early(void)
{
	int fd = memfd_create("guest", 0);
	OK(ftruncate(fd, 4096));
	growing = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	pthread_t t = spawn(grows, &fd);
	sched_yield();
	growing[4096] = 1;
	join(t);
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "longer")) {
		longer();
		return 0;
	}
	if (story(argc, argv, "too_early")) {
		too_early();
		return 0;
	}
	if (story(argc, argv, "behind")) {
		int fd = memfd_create("guest", 0);
		OK(ftruncate(fd, 100));
		volatile char *m = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		m[4095] = 1;
		return m[4096];
	}
	if (story(argc, argv, "alone")) {
		alone();
		return 0;
	}
	struct shared *s = make();
	if (story(argc, argv, "twice")) {
		int fd = memfd_create("guest", 0);
		OK(ftruncate(fd, sizeof(*s)));
		struct shared *a = map(fd), *b = map(fd);
		a->n = 7;
		CHECK(b->n == 7);
		OK(munmap(a, sizeof(*a)));
		CHECK(b->n == 7);
		return 0;
	}
	if (story(argc, argv, "gone")) {
		s->n = 5;
		OK(munmap(s, sizeof(*s)));
		s = make();
		CHECK(s->n == 0); /* another object */
		return 0;
	}
	if (story(argc, argv, "shorter")) {
		int fd = memfd_create("guest", 0);
		OK(ftruncate(fd, 3 * 4096));
		struct shared *m = map(fd);
		OK(ftruncate(fd, 0));
		return m->n;
	}
	OK(pthread_mutex_init(&s->lock, NULL));
	int race = story(argc, argv, "race");
	pthread_t a = spawn(race ? counts_wildly : counts, s), b = spawn(race ? counts_wildly : counts, s);
	join(a);
	join(b);
	if (race)
		heddle_outcome(s->n);
	else
		CHECK(s->n == 2);
	return 0;
}

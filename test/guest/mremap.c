/*
 * Moving memory to a place of one's choice, and leaving the old one behind empty: mremap's flags; what can't be is EINVAL.
 * heddle: verdict=verified outcomes=0 args=flags
 *
 * Whoever else uses the old or the new place can tell when: before and after the move, by a system call.
 * heddle: verdict=verified outcomes=10,21 args=old
 * heddle: verdict=verified outcomes=10,21 args=new
 * heddle: verdict=verified outcomes=1,2 args=empty
 */
#include "guest.h"

#include <sys/mman.h>

enum { PAGE = 4096 };
static char *from, *to;
static int ends[2], seen;
static const char *what;

static char *map(size_t pages, int prot)
{
	char *p = mmap(NULL, pages * PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(p != MAP_FAILED);
	return p;
}

static int usable(const char *p)
{
	return write(ends[1], p, 1) == 1;
}

static void check_flags(void)
{
	const int fixed = MREMAP_MAYMOVE | MREMAP_FIXED, kept = MREMAP_MAYMOVE | MREMAP_DONTUNMAP;
	char *room = map(8, PROT_NONE), *far = map(1, PROT_NONE), *p = map(2, PROT_READ | PROT_WRITE);
	p[0] = 'a';
	p[PAGE] = 'b';
	CHECK(mremap(p, PAGE, PAGE, MREMAP_FIXED, room) == MAP_FAILED && errno == EINVAL);
	CHECK(mremap(p, PAGE, PAGE, MREMAP_DONTUNMAP) == MAP_FAILED && errno == EINVAL);
	CHECK(mremap(p, PAGE, 2 * PAGE, kept) == MAP_FAILED && errno == EINVAL);
	CHECK(mremap(p, 2 * PAGE, 2 * PAGE, fixed, p + PAGE) == MAP_FAILED && errno == EINVAL);
	CHECK(mremap(p, PAGE, PAGE, fixed, room + 1) == MAP_FAILED && errno == EINVAL);
	CHECK(mremap(p, PAGE, PAGE, 64 | MREMAP_MAYMOVE) == MAP_FAILED && errno == EINVAL);
	/* Only one of two pages, over what was there; the rest of both stays. */
	CHECK(mremap(p, PAGE, PAGE, fixed, room + PAGE) == room + PAGE);
	CHECK(room[PAGE] == 'a' && p[PAGE] == 'b' && !usable(p) && !usable(room) && !usable(room + 2 * PAGE));
	/* Larger than it was: zeros behind. */
	CHECK(mremap(room + PAGE, PAGE, 3 * PAGE, fixed, room + 4 * PAGE) == room + 4 * PAGE);
	CHECK(room[4 * PAGE] == 'a' && room[6 * PAGE] == 0 && !usable(room + PAGE) &&
	      usable(room + 6 * PAGE));
	/* Smaller: the rest is gone. */
	CHECK(mremap(room + 4 * PAGE, 3 * PAGE, PAGE, fixed, room) == room);
	CHECK(room[0] == 'a' && !usable(room + 4 * PAGE) && !usable(room + 5 * PAGE) && !usable(room + PAGE));
	/* Rights move along, and nothing is lost where nobody may look. */
	OK(mprotect(room, PAGE, PROT_NONE));
	CHECK(mremap(room, PAGE, PAGE, fixed, room + PAGE) == room + PAGE && !usable(room + PAGE));
	OK(mprotect(room + PAGE, PAGE, PROT_READ));
	CHECK(room[PAGE] == 'a');
	/* Left behind: zeros, with the same rights. */
	char *other = mremap(p + PAGE, PAGE, PAGE, kept);
	CHECK(other != MAP_FAILED && other != p + PAGE && other[0] == 'b' && p[PAGE] == 0);
	p[PAGE] = 'c';
	CHECK(mremap(p + PAGE, PAGE, PAGE, kept | MREMAP_FIXED, far) == far && far[0] == 'c' && p[PAGE] == 0);
	CHECK(mremap(other, PAGE, PAGE, fixed, far) == far && far[0] == 'b');
}

static void *looks(void *arg)
{
	char c = 0;
	const char *p = !strcmp(what, "new") ? to : from;
	if (usable(p) && read(ends[0], &c, 1) == 1)
		seen = c ? c - '0' : 2;
	return arg;
}

int main(int argc, char **argv)
{
	what = argc > 1 ? argv[1] : "flags";
	OK(pipe(ends));
	if (!strcmp(what, "flags")) {
		check_flags();
		heddle_outcome(0);
		return 0;
	}
	from = map(1, PROT_READ | PROT_WRITE);
	to = map(1, PROT_NONE);
	from[0] = '1';
	pthread_t t = spawn(looks, NULL);
	int flags = MREMAP_MAYMOVE | (!strcmp(what, "empty") ? MREMAP_DONTUNMAP : MREMAP_FIXED);
	CHECK(mremap(from, PAGE, PAGE, flags, to) != MAP_FAILED);
	join(t);
	if (!strcmp(what, "empty"))
		heddle_outcome((unsigned)seen);
	else
		heddle_outcome(seen ? 21 : 10);
	return 0;
}

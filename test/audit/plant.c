/*
 * plant.c: a runtime that forgets to declare something, for test/audit/run. Linked in front of the functions
 * of runtime/sched/access.h (ld --wrap); the rest of the library is the same as always.
 *
 * HEDDLE_PLANT=CLASS,FROM,TO,MODE in hexadecimal: uses of objects of this class with keys FROM … TO in this mode
 * (ffff: in any) are not declared.
 */
#include <fcntl.h>
#include <sys/syscall.h>

#include "base/sys.h"
#include "base/text.h"
#include "search/footprint.h"

#define ANY_MODE 0xffff

/* Those of runtime/sched/access.h. */
bool __real_access_use(u64 object, enum access_mode mode);
bool __real_access_learn(u64 object, enum access_mode mode);
void __real_access_declare(u64 object, u32 bytes, enum access_mode mode);
bool __real_access_cond_wait(u64 cond, u64 mutex);
bool __real_access_cond_signal(u64 cond, bool (*held)(u64 mutex));
bool __wrap_access_use(u64 object, enum access_mode mode);
bool __wrap_access_learn(u64 object, enum access_mode mode);
void __wrap_access_declare(u64 object, u32 bytes, enum access_mode mode);
bool __wrap_access_cond_wait(u64 cond, u64 mutex);
bool __wrap_access_cond_signal(u64 cond, bool (*held)(u64 mutex));

static struct {
	bool read, planted;
	u64 class, from, to, mode;
} plant;

static char environment[65536];

static u64 hex(const char **at)
{
	u64 n = 0;
	for (; **at && **at != ','; ++*at)
		n = n << 4 | (u64)(**at <= '9' ? **at - '0' : **at - 'a' + 10);
	if (**at)
		++*at;
	return n;
}

static void read_plant(void)
{
	static const char name[] = "HEDDLE_PLANT=";
	plant.read = true;
	long fd = sys_call3(SYS_open, (long)"/proc/self/environ", O_RDONLY, 0);
	long n = fd < 0 ? 0 : sys_call3(SYS_read, fd, (long)environment, sizeof(environment) - 1);
	sys_call3(SYS_close, fd, 0, 0);
	for (long i = 0; i < n; i += (long)str_len(environment + i) + 1) {
		if (!str_starts(environment + i, name))
			continue;
		const char *at = environment + i + sizeof(name) - 1;
		plant.class = hex(&at);
		plant.from = hex(&at);
		plant.to = hex(&at);
		plant.mode = hex(&at);
		plant.planted = true;
	}
}

static bool drops(u64 object, enum access_mode mode)
{
	if (!plant.read)
		read_plant();
	u64 key = object & OBJECT_KEY_MASK;
	return plant.planted && object_class(object) == plant.class && key >= plant.from && key <= plant.to &&
	       (plant.mode == ANY_MODE || plant.mode == mode);
}

bool __wrap_access_use(u64 object, enum access_mode mode)
{
	return !drops(object, mode) && __real_access_use(object, mode);
}

void __wrap_access_declare(u64 object, u32 bytes, enum access_mode mode)
{
	if (!drops(object, mode))
		__real_access_declare(object, bytes, mode);
}

bool __wrap_access_learn(u64 object, enum access_mode mode)
{
	return !drops(object, mode) && __real_access_learn(object, mode);
}

bool __wrap_access_cond_wait(u64 cond, u64 mutex)
{
	return !drops(cond, ACCESS_ADD) && __real_access_cond_wait(cond, mutex);
}

bool __wrap_access_cond_signal(u64 cond, bool (*held)(u64 mutex))
{
	return !drops(cond, ACCESS_WRITE) && __real_access_cond_signal(cond, held);
}

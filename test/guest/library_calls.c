/*
 * library_calls.c: calls that programs make in passing and that must not spoil the
 * verdict: ids, limits, names of things, locale, time formatting, dlopen, atexit.
 *
 * heddle: verdict=verified outcomes=1
 * build: -ldl -lm
 */
#include <dlfcn.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "guest.h"

static int at_exit_ran;

static void at_exit(void)
{
	CHECK(at_exit_ran == 0);
	heddle_outcome(1);
}

static void process_and_system(void)
{
	struct utsname u;
	struct rlimit r;
	struct rusage usage;
	cpu_set_t cpus;
	char path[PATH_MAX];
	CHECK(getpid() > 0 && getppid() >= 0 && gettid() == getpid());
	CHECK(getuid() == geteuid() && getgid() == getegid());
	OK(uname(&u));
	CHECK(sysconf(_SC_NPROCESSORS_ONLN) >= 1 && sysconf(_SC_PAGESIZE) == 4096);
	OK(getrlimit(RLIMIT_STACK, &r));
	OK(getrusage(RUSAGE_SELF, &usage));
	OK(sched_getaffinity(0, sizeof(cpus), &cpus));
	CHECK(CPU_COUNT(&cpus) >= 1 && sched_getcpu() >= 0);
	CHECK(getcwd(path, sizeof(path)) && realpath("input.txt", path));
	CHECK(readlink("/proc/self/exe", path, sizeof(path)) > 0);
	CHECK(isatty(0) == 0 || isatty(0) == 1);
	umask(umask(022));
}

static void formatting(void)
{
	char text[100];
	time_t t = 86400 * 365;
	struct tm tm;
	CHECK(setlocale(LC_ALL, "C"));
	CHECK(gmtime_r(&t, &tm) && strftime(text, sizeof(text), "%Y-%m-%d", &tm) == 10);
	CHECK(!strcmp(text, "1971-01-01"));
	CHECK(localtime_r(&t, &tm) != NULL);
	snprintf(text, sizeof(text), "%.3f %e %s", 3.14159, 1e300, strerror(ENOENT));
	CHECK(strstr(text, "3.142 1.000000e+300 No such file"));
	CHECK(strtod("2.5", NULL) == 2.5);
}

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void *body(void *arg)
{
	int numbers[] = {5, 3, 9, 1};
	qsort(numbers, 4, sizeof(int), by_value);
	CHECK(numbers[0] == 1 && numbers[3] == 9);
	void *lib = dlopen("libm.so.6", RTLD_NOW);
	CHECK(lib != NULL);
	double (*cosine)(double) = (double (*)(double))dlsym(lib, "cos");
	CHECK(cosine && fabs(cosine(0) - 1) < 1e-9);
	OK(dlclose(lib));
	CHECK(gettid() != getpid() && syscall(SYS_gettid) == gettid());
	return arg;
}

int main(void)
{
	OK(atexit(at_exit));
	process_and_system();
	formatting();
	pthread_t a = spawn(body, NULL), b = spawn(body, NULL);
	join(a);
	join(b);
	return 0;
}

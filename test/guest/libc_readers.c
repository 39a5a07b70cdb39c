/*
 * Functions that read state inside libc which other functions change: the locale, the time zone (and with it the
 * environment), the shift state of mbrtowc, signgam, the buffer of ecvt, stdout that leads to a file. One thread
 * changes it, the other one reads it: both orders.
 *
 * heddle: verdict=verified outcomes=0,1 args=mbtowc
 * heddle: verdict=verified outcomes=0,1 args=iswalpha
 * heddle: verdict=verified outcomes=0,1 args=zone
 * heddle: verdict=verified outcomes=0,1 args=mktime
 * heddle: verdict=verified outcomes=0,1 args=shift
 * heddle: verdict=verified outcomes=0,1 args=signgam
 * heddle: verdict=verified outcomes=0,1 args=ecvt
 * heddle: verdict=verified outcomes=0,1 args=printf
 * build: -lm
 */
#include <locale.h>
#include <math.h>
#include <sched.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

#include "guest.h"

static const char *what;
static char path[] = "/tmp/printfXXXXXX";

static int is(const char *name)
{
	return !strcmp(what, name);
}

static void change(void)
{
	int point, sign;
	wchar_t wide;
	volatile double number = -0.5;
	if (is("mbtowc") || is("iswalpha"))
		CHECK(setlocale(LC_ALL, "C.UTF-8"));
	else if (is("zone") || is("mktime"))
		OK(setenv("TZ", "UTC-5", 1));
	else if (is("shift"))
		CHECK(mbrtowc(&wide, "\xc3", 1, NULL) == (size_t)-2);
	else if (is("signgam"))
		CHECK(lgamma(number) > 1);
	else if (is("ecvt"))
		CHECK(ecvt(7.0, 3, &point, &sign));
	else
		CHECK(printf("c") == 1);
}

static int look(void)
{
	struct tm first_day = {.tm_year = 70, .tm_mday = 1};
	time_t zero = 0;
	int point, sign;
	wchar_t wide;
	volatile double number = 0.5;
	if (is("mbtowc"))
		return mbtowc(&wide, "\xc3\xa4", 2) == 2;
	if (is("iswalpha"))
		return iswalpha(0xe4) != 0;
	if (is("zone"))
		return localtime(&zero)->tm_hour != 0;
	if (is("mktime"))
		return mktime(&first_day) != 0;
	if (is("shift"))
		return mbrtowc(&wide, "a", 1, NULL) != 1;
	if (is("signgam")) {
		CHECK(lgamma(number) < 1);
		return signgam < 0;
	}
	if (is("ecvt")) {
		const char *text = ecvt(1.0, 3, &point, &sign);
		sched_yield();
		return text[0] == '7';
	}
	return printf("a") + printf("b") != 2;
}

static void *other(void *arg)
{
	change();
	return arg;
}

static void set_up(void)
{
	OK(setenv("TZ", "UTC0", 1));
	tzset();
	if (is("shift"))
		CHECK(setlocale(LC_ALL, "C.UTF-8"));
	if (is("printf"))
		CHECK(mkstemp(path) >= 0 && freopen(path, "w", stdout));
}

int main(int argc, char **argv)
{
	char text[8] = "";
	what = argc > 1 ? argv[1] : "mktime";
	set_up();
	pthread_t t = spawn(other, NULL);
	int seen = look();
	join(t);
	if (is("printf")) {
		OK(fflush(stdout));
		FILE *f = fopen(path, "r");
		CHECK(f && fgets(text, sizeof(text), f));
		seen = !strcmp(text, "acb");
	}
	heddle_outcome((unsigned)seen);
	return 0;
}

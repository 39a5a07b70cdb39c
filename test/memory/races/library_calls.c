/*
 * library_calls.c: functions of the C library and system calls read and write the program's memory for it; a thread
 * that uses the same bytes meanwhile races with them.
 *
 * heddle: args=printf verdict=violation kind=race message~="shared"
 * heddle: args=snprintf verdict=violation kind=race message~="shared"
 * heddle: args=wide verdict=violation kind=race message~="letters"
 * heddle: args=wide_scanned verdict=violation kind=race message~="letters"
 * heddle: args=wide_one verdict=violation kind=race message~="letters"
 * heddle: args=puts verdict=violation kind=race message~="shared"
 * heddle: args=sscanf verdict=violation kind=race message~="number"
 * heddle: args=sscanf_from verdict=violation kind=race message~="shared"
 * heddle: args=fwrite verdict=violation kind=race message~="shared"
 * heddle: args=fread verdict=violation kind=race message~="shared"
 * heddle: args=fgets verdict=violation kind=race message~="shared"
 * heddle: args=qsort verdict=violation kind=race message~="shared"
 * heddle: args=strtol verdict=violation kind=race message~="shared"
 * heddle: args=atoi verdict=violation kind=race message~="shared"
 * heddle: args=strtok_r verdict=violation kind=race message~="shared"
 * heddle: args=strsep verdict=violation kind=race message~="shared"
 * heddle: args=strspn verdict=violation kind=race message~="shared"
 * heddle: args=write verdict=violation kind=race message~="shared"
 * heddle: args=read verdict=violation kind=race message~="shared"
 * heddle: args=readv verdict=violation kind=race message~="shared"
 * heddle: args=clock verdict=violation kind=race message~="when"
 * heddle: args=pipe verdict=violation kind=race message~="number"
 * heddle: args=open verdict=violation kind=race message~="shared"
 * heddle: args=beyond verdict=verified
 * native: any
 */
#include <fcntl.h>
#include <sys/uio.h>
#include <wchar.h>

#include "guest.h"

static char shared[16] = "1 abc";
static wchar_t letters[16] = L"abc";
static int number[2];
static struct timespec when;
static const char *how;

static int is(const char *name)
{
	return !strcmp(how, name);
}

static int by_byte(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

static void call(void)
{
	char out[64], *rest = shared, *word;
	int ends[2];
	struct iovec v = {shared, 4};
	FILE *f = tmpfile();
	fputs("xyz\n", f);
	rewind(f);
	OK(pipe(ends));
	CHECK(write(ends[1], "wxyz", 4) == 4);
	if (is("printf"))
		printf("%3d %s\n", 1, shared);
	else if (is("snprintf"))
		snprintf(shared, sizeof(shared), "%d", 5);
	else if (is("wide"))
		snprintf(out, sizeof(out), "%d %ls", 5, letters);
	else if (is("wide_scanned"))
		sscanf("1 ab", "%d %l[a-z]", &number[0], letters);
	else if (is("wide_one"))
		sscanf("ab", "%lc", letters);
	else if (is("puts"))
		puts(shared);
	else if (is("sscanf"))
		sscanf("7 8", "%d %d", &number[0], &number[1]);
	else if (is("sscanf_from"))
		sscanf(shared, "%60s", out);
	else if (is("fwrite"))
		fwrite(shared, 1, 4, f);
	else if (is("fread"))
		CHECK(fread(shared, 1, 4, f) == 4);
	else if (is("fgets"))
		CHECK(fgets(shared, sizeof(shared), f));
	else if (is("qsort"))
		qsort(shared, 5, 1, by_byte);
	else if (is("strtol"))
		strtol(shared, NULL, 10);
	else if (is("atoi"))
		number[1] = atoi(shared);
	else if (is("strtok_r"))
		strtok_r(shared, " ", &word);
	else if (is("strsep"))
		strsep(&rest, " ");
	else if (is("strspn"))
		number[1] = (int)strspn(shared, "123");
	else if (is("write"))
		CHECK(write(ends[1], shared, 4) == 4);
	else if (is("read"))
		CHECK(read(ends[0], shared, 4) == 4);
	else if (is("readv"))
		CHECK(readv(ends[0], &v, 1) == 4);
	else if (is("clock"))
		OK(clock_gettime(CLOCK_MONOTONIC, &when));
	else if (is("pipe"))
		OK(pipe(number));
	else if (is("open"))
		CHECK(!fopen(shared, "r"));
	else if (is("beyond"))
		CHECK(read(ends[0], shared, 16) == 4);
}

static void *body(void *arg)
{
	call();
	return arg;
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "printf";
	pthread_t t = spawn(body, NULL);
	if (is("beyond"))
		shared[12] = 1; /* behind what was read */
	else if (is("clock"))
		when.tv_sec = 1;
	else if (!strncmp(how, "wide", 4))
		letters[0] = L'z';
	else if (is("sscanf") || is("pipe"))
		number[0] = 1;
	else
		shared[0] = '2';
	join(t);
	return 0;
}

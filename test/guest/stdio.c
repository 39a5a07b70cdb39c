/*
 * stdio.c: buffered streams: fopen modes, fprintf, fgets, getline, fscanf, ungetc,
 * fseek, setvbuf, memory streams, and printf from several threads.
 *
 * heddle: verdict=verified outcomes=3
 */
#include "guest.h"

static void write_and_read(void)
{
	char line[50];
	FILE *f = fopen("table.txt", "w+");
	CHECK(f != NULL);
	for (int i = 0; i < 1000; i++)
		CHECK(fprintf(f, "%4d %8.3f %s\n", i, i / 8.0, "text") > 0);
	CHECK(ftell(f) == 1000 * 19);
	OK(fseek(f, 19 * 500, SEEK_SET));
	CHECK(fgets(line, sizeof(line), f) && !strcmp(line, " 500   62.500 text\n"));
	CHECK(ungetc('x', f) == 'x' && fgetc(f) == 'x' && !feof(f));
	OK(fclose(f));
	f = fopen("table.txt", "a");
	CHECK(fputs("last", f) >= 0);
	OK(fflush(f));
	CHECK(ftell(f) == 19004);
	OK(fclose(f));
	OK(remove("table.txt"));
	CHECK(fopen("table.txt", "r") == NULL && errno == ENOENT);
}

static int count_lines(void)
{
	char *line = NULL;
	size_t room = 0;
	int n = 0;
	FILE *f = fopen("input.txt", "r");
	while (getline(&line, &room, f) > 0)
		n++;
	CHECK(feof(f) && !ferror(f) && !strcmp(line, "third line, without an end"));
	free(line);
	OK(fclose(f));
	return n;
}

static void memory_streams(void)
{
	char *text, fixed[20];
	size_t size;
	FILE *f = open_memstream(&text, &size);
	fprintf(f, "%s-%d", "mem", 7);
	OK(fclose(f));
	CHECK(size == 5 && !strcmp(text, "mem-7"));
	free(text);
	f = fmemopen(fixed, sizeof(fixed), "w");
	fputs("fixed", f);
	OK(fclose(f));
	CHECK(!strcmp(fixed, "fixed"));
}

static void *talker(void *arg)
{
	printf("thread %ld says something\n", (long)arg);
	fprintf(stderr, "and complains\n");
	return NULL;
}

int main(void)
{
	write_and_read();
	memory_streams();
	setvbuf(stdout, NULL, _IOLBF, 0);
	pthread_t a = spawn(talker, (void *)1), b = spawn(talker, (void *)2);
	join(a);
	join(b);
	heddle_outcome(count_lines());
	return 0;
}

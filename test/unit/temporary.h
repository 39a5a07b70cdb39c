/* temporary.h: a folder for one test, gone afterwards. */
#ifndef HEDDLE_TEST_TEMPORARY_H
#define HEDDLE_TEST_TEMPORARY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char temporary_dir[64];

static inline int temporary_make(void **state)
{
	(void)state;
	strcpy(temporary_dir, "/tmp/heddle-test-XXXXXX");
	return mkdtemp(temporary_dir) ? 0 : -1;
}

static inline int temporary_remove(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", temporary_dir);
	return system(command);
}

/* The path of a file in it; valid until four calls later. */
static inline const char *temporary_path(const char *name)
{
	static char path[4][256];
	static unsigned turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", temporary_dir, name);
	return path[turn];
}

static inline const char *temporary_file(const char *name, const void *bytes, size_t n)
{
	const char *path = temporary_path(name);
	FILE *f = fopen(path, "w");

	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f))
		abort();
	return path;
}

/* Owned by the caller. */
static inline char *temporary_read(const char *path, size_t *n)
{
	FILE *f = fopen(path, "r");
	char *bytes = malloc(1 << 20);

	if (!f || !bytes)
		abort();
	*n = fread(bytes, 1, (1 << 20) - 1, f);
	bytes[*n] = 0;
	fclose(f);
	return bytes;
}

#endif

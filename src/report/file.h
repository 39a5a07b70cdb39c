/* file.h: report files appear complete or not at all. */
#ifndef HEDDLE_REPORT_FILE_H
#define HEDDLE_REPORT_FILE_H

#include <jansson.h>
#include <stdio.h>

#include "launch/problem.h"

/* Written next to its place first, renamed by file_commit; unless a device or a pipe is there. */
struct file {
	FILE *stream;
	bool in_place;
	char path[4096], temporary[4096 + 16];
};

int file_create(struct file *f, const char *path, struct problem *p);
/* Everything on disk and in place, or (-1) nothing. */
int file_commit(struct file *f, struct problem *p);

/* Takes the reference to `json`; NULL counts as out of memory. */
int file_write_json(const char *path, json_t *json, struct problem *p);

#endif

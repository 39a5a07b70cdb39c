/*
 * modules.h: the files that a process of the program is made of, so that a place in its code means something
 * in another process: build-id and offset.
 */
#ifndef HEDDLE_SCRIPT_MODULES_H
#define HEDDLE_SCRIPT_MODULES_H

#include <jansson.h>
#include <sys/types.h>

#include "launch/problem.h"

#define MODULES_MAX 512u

struct script_module {
	u64 start, end; /* 0: not mapped in this process */
	char name[256]; /* without the folder */
	char path[4096];
	char build_id[80];
};

struct modules {
	struct script_module *module;
	u32 count;
};

/* Adds what the process has mapped and is not known yet; fails never. */
void modules_look(struct modules *m, pid_t pid);
/* 1 + its place in the list; 0: none. */
u32 modules_find(const struct modules *m, u64 pc);
json_t *modules_json(const struct modules *m);
/* As they stand in an index: names and build-ids alone. -1: not such a list. */
int modules_load(struct modules *m, const json_t *list);
/* The one with the same name and build-id; NULL: none. *other_build: there is one of that name alone. */
const struct script_module *modules_same(const struct modules *m, const struct script_module *like,
					 bool *other_build);
void modules_free(struct modules *m);

#endif

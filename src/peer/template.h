/*
 * template.h: commands with holes: {port}, {port:N}, {path}, {path:NAME}, {n}. Other braces are the shell's,
 * and so is ${n}.
 */
#ifndef HEDDLE_PEER_TEMPLATE_H
#define HEDDLE_PEER_TEMPLATE_H

#include "launch/problem.h"

enum hole_kind { HOLE_PORT, HOLE_PATH, HOLE_NUMBER };

struct hole {
	enum hole_kind kind;
	const char *text; /* in the template, its braces included */
	size_t len;
	const char *name; /* what stands behind the colon; NULL: no colon */
	size_t name_len;
};

/* The first hole at or behind `from`; false: none. */
bool hole_find(const char *from, struct hole *h);
/* The port it names; -1: it names none, or nonsense. */
int hole_port(const struct hole *h);

/* Writes what stands in the hole's place. */
typedef int (*hole_filler)(void *self, const struct hole *h, char *out, size_t cap, struct problem *p);
/* The command with its holes filled, to be freed; NULL: *p. */
char *template_fill(const char *text, hole_filler fill, void *self, struct problem *p);

#endif

/*
 * source_place.h: names of source files for other tools. Code hosts want them from the top of the repository,
 * editors and people from where they are.
 */
#ifndef HEDDLE_REPORT_SOURCE_PLACE_H
#define HEDDLE_REPORT_SOURCE_PLACE_H

#include "report/symbols.h"

/*
 * The top of the checked-out sources: $GITHUB_WORKSPACE or $CI_PROJECT_DIR, else the nearest folder above
 * with a .git, else where we are. Absolute, no slash at its end.
 */
void source_root(char *out, size_t cap);
/* From the top; false: the file lies elsewhere, and out is its name as it is. */
bool source_from_root(const char *file, char *out, size_t cap);
/* From the current folder where it lies below, as gcc would write it; else as it is. */
void source_from_here(const char *file, char *out, size_t cap);
/* A path as part of a URI: everything but plain characters as %XX. */
void source_uri(const char *path, char *out, size_t cap);

/* The path without . and .. where that can be told from the text; in place. */
void source_tidy(char *path);

#endif

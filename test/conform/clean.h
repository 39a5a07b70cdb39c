/*
 * clean.h: after a sequence: close everything, remove everything, and see that the virtual kernel has
 * forgotten it all.
 */
#ifndef HEDDLE_CONFORM_CLEAN_H
#define HEDDLE_CONFORM_CLEAN_H

/* What is left, in words; NULL: nothing. */
const char *clean_up(void);

#endif

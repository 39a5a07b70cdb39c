/*
 * notes.h: what a reader of the verdict should know besides: what was not looked for, and what may be a
 * mistake.
 */
#ifndef HEDDLE_RUNTIME_NOTES_H
#define HEDDLE_RUNTIME_NOTES_H

/* After the search: into the result on the wire. */
void notes_write(void);

#endif

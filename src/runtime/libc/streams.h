/*
 * streams.h: the order of libc's list of streams.
 *
 * libc links all streams (FILE) in a list, the newest first. In which order threads opened theirs would
 * tell states apart that are alike, and fopen and fclose of different threads would depend on each other.
 * The order shows only when all streams are flushed: by exit, fflush(NULL) or fcloseall. So between steps
 * the list is put in order: by threads, and those of one thread as they are. Where streams of several
 * threads have something to flush at that moment, the order shows, and from then on (a lesson) the list is
 * left alone.
 */
#ifndef HEDDLE_RUNTIME_STREAMS_H
#define HEDDLE_RUNTIME_STREAMS_H

#include "base/base.h"

/* Has the program streams of its own? */
bool libc_streams_open(void);
/* Between two steps. */
void libc_streams_sort(void);
/* Is there something to write in streams of several threads? */
bool libc_streams_order_shows(void);

#endif

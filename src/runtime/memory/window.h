/*
 * window.h: the windows of accesses. What a fiber accessed in its last step it could, as far as all others
 * can tell, still be about to access, until it takes its next step: this is the window of these accesses.
 * While it is open, no conflicting access of another fiber is ordered against them by anything but a lock
 * that both held. So two accesses race exactly if one of them is made in the window of the other; why, and
 * what follows from it, is told in memory.c.
 *
 * A window is a set of ranges of bytes: who accesses (a fiber), how, with which locks. Sets are kept once
 * each, for good; a fiber has the number of its set (fiber.window), a hash of what is in it, so that it is
 * part of the state.
 */
#ifndef HEDDLE_RUNTIME_WINDOW_H
#define HEDDLE_RUNTIME_WINDOW_H

#include "base/base.h"

/* The running fiber accesses these bytes, of cells that are CELL_SHARED or CELL_HANDED. */
void window_note(u64 address, u64 size, bool write);
/*
 * It gives back these bytes: that conflicts with what is in others' windows, but who gets them next does not
 * know of it, so nothing of them is kept.
 */
void window_note_freed(u64 address, u64 size);

/* Another worker's fiber has noted this cell. */
void window_noted_by(u64 address, u32 slot);
/* Cells have other regions than before (cell_more.region). */
void window_regions_moved(void);

/* cell_more.noted of a cell that was noted in the present moment, without its lowest 8 bits. */
u64 window_moment(void);

/*
 * Around each step, for the engine. Ends: compares what the step accessed with the windows of the others,
 * calls `conflict` for bytes that are in both, makes it the window of the fiber, and adds to the footprint.
 * aside: the fiber itself did nothing, only a timer that was put down to it.
 */
void window_step_begins(void);
void window_step_ends(u32 slot, bool aside, void (*conflict)(u64 start, u64 end));

#endif

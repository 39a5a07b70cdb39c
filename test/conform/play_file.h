/*
 * play_file.h: calls on files and pipes beyond the everyday ones of play.c: locks, holes, vectors with
 * positions, sizes of pipes, copies inside the kernel.
 */
#ifndef HEDDLE_CONFORM_PLAY_FILE_H
#define HEDDLE_CONFORM_PLAY_FILE_H

#include "play.h"

play_function play_flock, play_record_lock, play_hole, play_preadv, play_pwritev, play_fallocate,
	play_copy_range, play_pipe_size, play_sync, play_close_range, play_times;

#endif

/*
 * play_option.h: socket options in random sequences: those that are only remembered, those that change what
 * happens, and wrong ones.
 */
#ifndef HEDDLE_CONFORM_PLAY_OPTION_H
#define HEDDLE_CONFORM_PLAY_OPTION_H

#include "play.h"

play_function play_getsockopt, play_setsockopt, play_linger, play_tcp_info;

#endif

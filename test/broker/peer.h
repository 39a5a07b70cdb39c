/*
 * peer.h: the small peers of these tests, one program with many manners. All speak lines: "X\n" is answered
 * by "re X\n".
 */
#ifndef HEDDLE_TEST_PEER_H
#define HEDDLE_TEST_PEER_H

#include <stddef.h>

/*
 * Reads up to a line's end, byte by byte: nothing of the next line is lost. Returns its length without the
 * end; -1: no more.
 */
int peer_line(int fd, char *out, size_t cap);
void peer_answer(int fd, const char *line);
extern _Atomic int peer_answered; /* anything yet */
void peer_pause_ms(long ms);
void peer_write(int fd, const void *data, size_t n);

/* Each serves a listening socket and does not return. */
void serve_lines(int listener, const char *manner);
void serve_threads(int listener);
void serve_forks(int listener);
void serve_epoll(int listener);
void serve_pool(int listener);
void serve_ring(int listener);
void serve_child(int listener);
void serve_poller(int listener);
void serve_chat(int listener);
void serve_echo(int listener);

/* Datagrams that are sent at once, and their size. */
#define FLOOD 17
#define FLOOD_BYTES 60000

#endif

/*
 * sendfile_held.c: a thread waits in sendfile, because the pipe it sends to is full; meanwhile its input is
 * closed and another file opened in the same place. The call goes on with the file it has found: the other
 * one's position stays where it is. The thread may also come too late, and find the other file, which can't
 * be read.
 *
 * heddle: verdict=verified outcomes=0,1
 */
#include <fcntl.h>
#include <sys/sendfile.h>

#include "guest.h"

#define FULL 65536

static int in, pipe_ends[2];

static void *body(void *sent)
{
	ssize_t n = sendfile(pipe_ends[1], in, NULL, 4);
	CHECK(n == 4 || (n == -1 && errno == EBADF));
	*(int *)sent = n == 4;
	return NULL;
}

int main(void)
{
	static char bytes[FULL];
	int sent;
	in = open("a.txt", O_CREAT | O_RDWR, 0600);
	CHECK(write(in, "aaaa", 4) == 4);
	OK(lseek(in, 0, SEEK_SET));
	OK(pipe(pipe_ends));
	CHECK(write(pipe_ends[1], bytes, FULL) == FULL);
	pthread_t t = spawn(body, &sent);
	OK(close(in));
	int other = open("b.txt", O_CREAT | O_WRONLY, 0600);
	CHECK(other == in);
	CHECK(read(pipe_ends[0], bytes, FULL) == FULL);
	join(t);
	CHECK(lseek(other, 0, SEEK_CUR) == 0);
	if (sent)
		CHECK(read(pipe_ends[0], bytes, 4) == 4 && !memcmp(bytes, "aaaa", 4));
	heddle_outcome(sent);
	return 0;
}

/*
 * A client of answers.c, at port 7777. "order": two threads send a letter each over one connection, in either order; "wrong" takes one order
 * for granted; "stuck" waits for an answer to a question that was never asked; "more" sends a third letter.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int connection;

static void *ask(void *letter)
{
	assert(write(connection, letter, 1) == 1);
	return NULL;
}

static void ask_both(void)
{
	pthread_t other;

	pthread_create(&other, NULL, ask, "b");
	ask("a");
	pthread_join(other, NULL);
}

int main(int argc, char **argv)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(7777)};
	char answer[16] = "";
	size_t n = 0;
	ssize_t got;

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	connection = socket(AF_INET, SOCK_STREAM, 0);
	assert(argc == 2 && connect(connection, (struct sockaddr *)&to, sizeof(to)) == 0);
	if (strcmp(argv[1], "stuck"))
		ask_both();
	if (!strcmp(argv[1], "more"))
		ask("c");
	if (strcmp(argv[1], "stuck"))
		shutdown(connection, SHUT_WR);
	while ((got = read(connection, answer + n, sizeof(answer) - 1 - n)) > 0)
		n += (size_t)got;
	if (!strcmp(argv[1], "wrong"))
		assert(!strcmp(answer, "AB."));
	return 0;
}

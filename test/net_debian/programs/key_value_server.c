/*
 * A server of ours that speaks redis' protocol well enough for redis-cli: one key, a thread for each connection.
 *
 * heddle: verdict=verified outcomes=0,5 client1="redis-cli -p {port} SET n 5" client2="redis-cli -p {port} GET n"
 * heddle: verdict=verified outcomes=0,5 cache=none client1="redis-cli -p {port} SET n 5" client2="redis-cli -p {port} GET n"
 */
#include "net.h"

static long stored;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* "*3", "$3", "SET", "$1", "n", "$1", "5": the words of a command. 0: the connection ended. */
static int read_command(FILE *in, char word[4][16])
{
	char line[64];
	if (!fgets(line, sizeof(line), in))
		return 0;
	int words = atoi(line + 1);
	CHECK(line[0] == '*' && words > 0 && words <= 4);
	for (int i = 0; i < words; i++) {
		CHECK(fgets(line, sizeof(line), in) && line[0] == '$');
		CHECK(fgets(word[i], 16, in));
		word[i][strcspn(word[i], "\r")] = 0;
	}
	return words;
}

static void answer(int fd, char word[4][16])
{
	char text[32], out[64];
	OK(pthread_mutex_lock(&lock));
	if (!strcasecmp(word[0], "SET")) {
		stored = atol(word[2]);
		snprintf(out, sizeof(out), "+OK\r\n");
	} else {
		int n = snprintf(text, sizeof(text), "%ld", stored);
		snprintf(out, sizeof(out), "$%d\r\n%s\r\n", n, text);
		heddle_outcome(stored);
	}
	OK(pthread_mutex_unlock(&lock));
	say(fd, out);
}

static void *serve(void *arg)
{
	char word[4][16];
	FILE *in = fdopen((int)(long)arg, "r");
	while (read_command(in, word))
		answer((int)(long)arg, word);
	fclose(in);
	return NULL;
}

int main(void)
{
	for (int listener = listen_on(PORT);;)
		OK(pthread_detach(spawn(serve, (void *)(long)take_client(listener))));
}

/*
 * talkers.c: threads that talk, as their arguments say; the program whose results brute.py computes by other means.
 *
 *	talkers CONNECTIONS THREAD…
 *
 * CONNECTIONS is a digit per connection that is made first: the number of its server (port 7000 + digit); "-" if there is none.
 * Each THREAD is a list of actions, one character and an operand each:
 *	wCT  write token T to connection C        rCN  read at most N bytes from it
 *	eC   shut down the writing side of C      a    accept a client: it is connection 9 of this thread
 *	l u  take and give back the lock
 * An outcome is told at the end of each thread, made of its number and what it read, and one of all threads at the end of all.
 */
#include "net.h"

#define MOST 4
#define LISTEN_PORT (PORT + 9)

struct thread {
	const char *script;
	int number, client;
	unsigned hash;
};

static int connection[MOST], listener = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Tokens: whole lines, beginnings and ends of lines. */
static const char *const token[] = {"a\n", "b\n", "x", "\n", "x\n"};

static unsigned mix(unsigned hash, unsigned value)
{
	return (hash * 31 + value + 1) % 1000003;
}

static int connection_of(const struct thread *t, char digit)
{
	return digit == '9' ? t->client : connection[digit - '0'];
}

static void write_token(struct thread *t, const char *operand)
{
	const char *text = token[operand[1] - '0'];
	if (send(connection_of(t, operand[0]), text, strlen(text), MSG_NOSIGNAL) < 0)
		t->hash = mix(t->hash, 1000);
}

static void read_some(struct thread *t, const char *operand)
{
	char buffer[10];
	ssize_t n = read(connection_of(t, operand[0]), buffer, (size_t)(operand[1] - '0'));
	CHECK(n >= 0);
	for (ssize_t i = 0; i < n; i++)
		t->hash = mix(t->hash, (unsigned char)buffer[i]);
	t->hash = mix(t->hash, 2000);
}

/* Does one action; how many characters it had. */
static int act(struct thread *t, const char *action)
{
	switch (*action) {
	case 'w':
		write_token(t, action + 1);
		return 3;
	case 'r':
		read_some(t, action + 1);
		return 3;
	case 'e':
		shutdown(connection_of(t, action[1]), SHUT_WR);
		return 2;
	case 'a':
		t->client = take_client(listener);
		return 1;
	case 'l':
		OK(pthread_mutex_lock(&lock));
		return 1;
	default:
		OK(pthread_mutex_unlock(&lock));
		return 1;
	}
}

static void *run(void *arg)
{
	struct thread *t = arg;
	t->hash = (unsigned)t->number;
	for (const char *action = t->script; *action;)
		action += act(t, action);
	heddle_outcome(t->hash);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct thread thread[MOST];
	pthread_t id[MOST];
	int threads = argc - 2;
	CHECK(threads > 0 && threads <= MOST);
	for (int i = 2; i < argc; i++)
		if (strchr(argv[i], 'a') && listener < 0)
			listener = listen_on(LISTEN_PORT);
	for (int i = 0; argv[1][i] && argv[1][i] != '-'; i++)
		connection[i] = dial(PORT + argv[1][i] - '0');
	for (int i = 0; i < threads; i++) {
		thread[i] = (struct thread){.script = argv[2 + i], .number = i + 1};
		id[i] = spawn(run, &thread[i]);
	}
	unsigned all = 0;
	for (int i = 0; i < threads; i++) {
		join(id[i]);
		all = mix(all, thread[i].hash);
	}
	heddle_outcome(1000003 + (long)all);
	return 0;
}

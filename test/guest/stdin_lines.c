/*
 * stdin_lines.c: standard input comes from a file, or is empty; two threads share it
 * and each line goes to exactly one of them.
 *
 * heddle: verdict=verified outcomes=0
 * heddle: verdict=verified outcomes=3 stdin=input.txt
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int lines;

static void *reader(void *arg)
{
	char line[100];
	for (;;) {
		pthread_mutex_lock(&lock);
		char *got = fgets(line, sizeof(line), stdin);
		lines += got != NULL;
		pthread_mutex_unlock(&lock);
		if (!got)
			return arg;
	}
}

int main(void)
{
	pthread_t t = spawn(reader, NULL);
	reader(NULL);
	join(t);
	heddle_outcome(lines);
	return 0;
}

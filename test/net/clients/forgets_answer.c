/*
 * One thread changes what the server remembers, another one asks for it, and nobody keeps the answer: all orders end in the
 * same state, and the search keeps the first path alone. That asks the server in the order in which it was recorded. Executions
 * in other orders are chosen by chance, and show that the answer depends on another connection.
 *
 * heddle: verdict=verified text~="servers: shared" server="@peer listen {port:7000} line when:set send:%c~ when:get send:%t~ loop"
 * heddle: verdict=incomplete text~="fresh peers.*not deterministic" options="--peers independent" server="@peer listen {port:7000} line when:set send:%c~ when:get send:%t~ loop"
 * heddle: verdict=incomplete text~="fresh peers.*not deterministic" cache=linear server="@peer listen {port:7000} line when:set send:%c~ when:get send:%t~ loop"
 * heddle: verdict=verified text~="played again with fresh peers" server="@peer listen {port:7000} line send:%n~ loop"
 * native: skip
 */
#include "net.h"

static void *ask(void *line)
{
	char answer[16];
	int fd = dial(PORT);
	say(fd, line);
	hear(fd, answer, sizeof(answer));
	memset(answer, 0, sizeof(answer));
	OK(close(fd));
	return NULL;
}

int main(void)
{
	pthread_t a = spawn(ask, "set\n"), b = spawn(ask, "get\n");
	join(a);
	join(b);
	return 0;
}

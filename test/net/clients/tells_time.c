/*
 * A server that tells the time, as web servers do in each answer, says something else whenever it is asked again. That is no
 * reason to distrust its answers: readings of the clock that differ count as the same, and the program sees those of the first
 * answer. What else differs shows as before: a counter beside the time, or a number that only looks like a time.
 *
 * heddle: verdict=verified text~="peers tell the time" server="@peer listen {port:7000} line send:Date:_Mon,_%d_GMT~at_%e~ loop"
 * heddle: verdict=verified text~="peers tell the time" cache=none server="@peer listen {port:7000} line send:Date:_Mon,_%d_GMT~at_%e~ loop"
 * heddle: verdict=verified text~="peers tell the time" cache=linear server="@peer listen {port:7000} line send:Date:_Mon,_%d_GMT~at_%e~ loop"
 * heddle: verdict=verified text~="servers: shared" server="@peer listen {port:7000} line send:Date:_Mon,_%d_GMT_%c~at_%e~ loop"
 * heddle: verdict=incomplete text~="not deterministic" options="--peers independent" server="@peer listen {port:7000} line send:Date:_Mon,_%d_GMT_%c~at_%e~ loop"
 * heddle: verdict=incomplete text~="not deterministic" options="--peers independent" server="@peer listen {port:7000} line send:Date:_Mon,_%d_GMT~%r~ loop"
 * heddle: verdict=violation kind=assert args=bug server="@peer listen {port:7000} line send:Date:_Mon,_%d_GMT~at_%e~ loop"
 * native: skip
 */
#include "net.h"

static int answers;

static void ask(int fd, const char *line)
{
	char answer[100];
	say(fd, line);
	CHECK(!strncmp(hear(fd, answer, sizeof(answer)), "Date: ", 6));
}

static void *talk(void *line)
{
	int fd = dial(PORT);
	ask(fd, "hello\n");
	ask(fd, line);
	answers++;
	OK(close(fd));
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t a = spawn(talk, "a\n"), b = spawn(talk, "b\n");
	join(a);
	join(b);
	CHECK(!story(argc, argv, "bug") || answers != 2);
	return 0;
}

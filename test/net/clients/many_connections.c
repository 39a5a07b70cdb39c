/*
 * One after the other, a hundred connections to one server: the cache needs a single physical one, since no two are open at
 * once.
 *
 * heddle: verdict=verified connections=1 states<=1000 server="@peer listen {port:7000} send:hi~ line echo"
 * heddle: verdict=verified connections=1 cache=linear server="@peer listen {port:7000} send:hi~ line echo"
 */
#include "net.h"

int main(void)
{
	for (int i = 0; i < 100; i++) {
		int fd = dial(PORT);
		hear_text(fd, "hi\n");
		say(fd, "same\n");
		hear_text(fd, "same\n");
		hear_end(fd);
		OK(close(fd));
	}
	return 0;
}

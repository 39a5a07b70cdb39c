/*
 * The server closes: at once, after a greeting, after an answer, or only its writing side. Reading gives 0 then, again
 * and again. A write to a peer that has closed goes out, and brings a reset.
 *
 * heddle: verdict=verified connections=1 server="@peer listen {port:7000} close" args=atonce
 * heddle: verdict=verified connections=1 server="@peer listen {port:7000} send:hi~ close" args=greeting
 * heddle: verdict=verified connections=1 server="@peer listen {port:7000} line echo close" args=answer
 * heddle: verdict=verified connections=1 server="@peer listen {port:7000} line echo shut line eof" args=half
 * heddle: verdict=verified connections=1 server="@peer listen {port:7000} send:hi~ close" args=write
 * heddle: verdict=verified cache=none server="@peer listen {port:7000} line echo shut line eof" args=half
 */
#include "net.h"

static void answered(int fd)
{
	say(fd, "a line\n");
	hear_text(fd, "a line\n");
	hear_end(fd);
}

int main(int argc, char **argv)
{
	int fd = dial(PORT);
	if (story(argc, argv, "atonce")) {
		hear_end(fd);
	} else if (story(argc, argv, "greeting")) {
		hear_text(fd, "hi\n");
	} else if (story(argc, argv, "answer")) {
		answered(fd);
	} else if (story(argc, argv, "half")) {
		answered(fd);
		say(fd, "still open in this direction\n");
		say(fd, "and again\n");
	} else {
		hear_text(fd, "hi\n");
		hear_end(fd);
		say(fd, "too late\n");
		if (heddle_running()) /* natively the reset may come a moment later */
			FAILS(send(fd, "again", 5, MSG_NOSIGNAL), EPIPE);
	}
	if (!story(argc, argv, "write"))
		hear_end(fd);
	OK(close(fd));
	return 0;
}

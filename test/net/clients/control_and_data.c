/*
 * Two connections that belong together, as in FTP: what is asked on one is answered on the other. Outside of what trees of single
 * connections can hold, and it must be said; one tree of both holds it.
 *
 * heddle: verdict=verified text~="servers: shared.*another connection" server="@peer listen {port:7000} line when:get others:data~ unless:get echo loop"
 * heddle: verdict=incomplete options="--peers independent" text~="another connection" server="@peer listen {port:7000} line when:get others:data~ unless:get echo loop"
 */
#include "net.h"

int main(void)
{
	int control = dial(PORT), data = dial(PORT);
	say(control, "open\n");
	hear_text(control, "open\n");
	say(control, "get\n");
	hear_text(data, "data\n");
	return 0;
}

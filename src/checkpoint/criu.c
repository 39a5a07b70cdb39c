/*
 * criu.c: the backend that has the criu command write a peer to disk.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "checkpoint/checkpoint_priv.h"

/* Asked once; `criu check` takes a tenth of a second. */
static bool probe(char *why, size_t cap)
{
	static int known = -1;
	static char text[200];
	if (known < 0) {
		char line[160] = "", last[160] = "";
		FILE *f = popen("criu check 2>&1", "re");
		while (f && fgets(line, sizeof(line), f))
			memcpy(last, line, sizeof(line));
		int status = f ? pclose(f) : -1;
		last[strcspn(last, "\n")] = 0;
		known = status == 0;
		if (status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 127)
			snprintf(text, sizeof(text), "criu is not installed");
		else if (!known)
			snprintf(text, sizeof(text), "criu check says: %s", last);
	}
	snprintf(why, cap, "%s", text);
	return known;
}

static bool fits(struct checkpoints *s, struct saved_peer *t, char *why, size_t cap)
{
	(void)s;
	(void)t;
	snprintf(why, cap, "heddle can probe criu, and cannot use it yet");
	return false;
}

const struct checkpoint_backend backend_criu = {.name = "criu", .probe = probe, .fits = fits};

/* Whole command lines, one word per line: refused with a sentence, or complete. */
#include <stdlib.h>
#include <string.h>

#include "cli/check_options.h"
#include "fuzz.h"

#define MOST_WORDS 200

/* The words lie in the text, which loses its line ends. */
static int split(char *text, char **argv)
{
	int n = 0;
	char *rest = text, *word;

	argv[n++] = "check";
	while (n < MOST_WORDS - 1 && (word = strsep(&rest, "\n")))
		argv[n++] = word;
	argv[n] = NULL;
	return n;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text = fuzz_string(data, size), *argv[MOST_WORDS];
	int argc = split(text, argv);
	struct check_options o;
	struct problem p = {0};

	check_options_init(&o);
	if (check_options_parse(&o, argc, argv, &p)) {
		fuzz_expect(p.text[0]);
	} else {
		fuzz_accepted++;
		fuzz_expect(o.argv && o.argv[0] && o.out[0]);
		fuzz_expect(o.config.search.strategy <= SEARCH_PCT && o.config.search.sanity <= 3);
	}
	check_options_free(&o);
	free(text);
	return 0;
}

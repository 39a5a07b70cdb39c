/* Expressions of --invariant and --step, over the variables of this very program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "property/property_priv.h"

struct fuzz_list {
	int value;
	struct fuzz_list *next;
};
struct fuzz_list fuzz_first, *fuzz_head = &fuzz_first;
int fuzz_x, fuzz_grid[2][3];
double fuzz_d;

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct names names;
	static struct wire_properties all;
	struct problem p = {""};
	char *text = fuzz_string(data, size);

	fuzz_expect(text && (names.dwfl || !names_open(&names, getpid(), "", &p)));
	memset(&all, 0, sizeof(all));
	struct parser parser = {
		.names = &names, .text = text, .step = size % 2 && strstr(text, "next"), .problem = &p};
	struct expr *root = parser_run(&parser);

	all.property[0].step = parser.step;
	if (root)
		fuzz_accepted += !code_property(&all, &all.property[0], text, root, &p);
	else
		fuzz_expect(p.text[0]); /* not refused without a word */
	parser_free(&parser);
	free(text);
	return 0;
}

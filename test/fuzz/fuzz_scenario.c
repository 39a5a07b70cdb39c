/* heddle.yaml: refused with file and line, or options that make sense. */
#include <string.h>

#include "cli/check_options.h"
#include "fuzz.h"

static void expect_terminated(char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fuzz_expect(list[i]);
	fuzz_expect(!list || !list[n]);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	struct check_options o;
	struct problem p = {0};

	check_options_init(&o);
	if (scenario_load(&o, path, &p)) {
		fuzz_expect(!strncmp(p.text, path, strlen(path)));
	} else {
		fuzz_accepted++;
		fuzz_expect(!o.argv || o.argv[0]);
	}
	expect_terminated(o.extra, o.extras);
	expect_terminated(o.setting, o.settings);
	check_options_free(&o);
	return 0;
}

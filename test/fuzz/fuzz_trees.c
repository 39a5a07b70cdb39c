/* Communication trees: a file, or the memory itself, is refused or can be shown in every format. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "report/trees.h"
#include "report/trees_file.h"

static void show(const struct trees *t)
{
	static const char *const formats[] = {"text", "dot", "pcap"};
	FILE *f = fopen("/dev/null", "w");

	fuzz_expect(f);
	for (size_t i = 0; i < HD_ARRAY_LEN(formats); i++)
		fuzz_expect(trees_format_by_name(formats[i])->print(f, t));
	fclose(f);
}

static void as_file(const u8 *data, size_t size)
{
	struct problem p = {0};
	struct net_config config;
	struct trees_blob b;

	if (trees_file_load(fuzz_file(data, size), &b, &config, &p)) {
		fuzz_expect(p.text[0]);
		return;
	}
	fuzz_accepted++;
	show(trees_blob_trees(&b));
	trees_blob_free(&b);
}

/* Behind zstd's checksum no mutation gets through: here it does. */
static void as_memory(const u8 *data, size_t size)
{
	struct trees_blob b = {malloc(size + 1), size}, copy;

	fuzz_expect(b.memory);
	memcpy(b.memory, data, size);
	if (trees_blob_trees(&b)) {
		fuzz_accepted++;
		show(b.memory);
		fuzz_expect(trees_blob_copy(b.memory, b.len, &copy) == 0);
		trees_blob_free(&copy);
	}
	trees_blob_free(&b);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	as_file(data, size);
	as_memory(data, size);
	return 0;
}

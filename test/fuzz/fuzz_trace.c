/* Trace files: refused with a sentence, or loaded, shown, saved and loaded again as the same. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "report/plain_text.h"
#include "report/trace.h"

static void show(const struct trace *t)
{
	FILE *f = fopen("/dev/null", "w");

	fuzz_expect(f);
	plain_violation(f, t);
	plain_steps(f, t);
	fclose(f);
}

static void expect_same(const struct trace *a, const struct trace *b)
{
	size_t i;

	for (i = 0; a->argv[i] && b->argv[i]; i++)
		fuzz_expect(!strcmp(a->argv[i], b->argv[i]));
	fuzz_expect(!a->argv[i] && !b->argv[i]);
	fuzz_expect(!strcmp(a->program.path, b->program.path) &&
		    !strcmp(a->violation.message, b->violation.message));
	fuzz_expect(a->violation.found.kind == b->violation.found.kind &&
		    a->violation.thread == b->violation.thread && a->environment == b->environment);
	fuzz_expect(!memcmp(&a->config, &b->config, sizeof(a->config)));
	fuzz_expect(!memcmp(a->learnt, b->learnt, sizeof(*a->learnt)));
	fuzz_expect(!memcmp(a->violation.path, b->violation.path, a->violation.found.path_len * sizeof(u32)));
	fuzz_expect(a->log.lines == b->log.lines && a->log.fibers == b->log.fibers);
	for (i = 0; i < a->log.lines; i++)
		fuzz_expect(a->log.line[i].arg == b->log.line[i].arg &&
			    a->log.line[i].thread == b->log.line[i].thread &&
			    a->log.line[i].frames == b->log.line[i].frames &&
			    !strcmp(a->log.line[i].text, b->log.line[i].text));
}

static void save_and_load(const struct trace *t)
{
	struct problem p;
	struct trace again;

	fuzz_expect(trace_save(t, fuzz_second_file(), &p) == 0);
	fuzz_expect(trace_load(&again, fuzz_second_file(), &p) == 0);
	expect_same(t, &again);
	trace_free(&again);
}

static void actions(const char *text)
{
	u64 len, again;
	u32 *path = trace_actions_parse(text, &len), *second;
	char *written;

	if (!path)
		return;
	written = trace_actions_text(path, len);
	fuzz_expect(written);
	second = trace_actions_parse(written, &again);
	fuzz_expect(second && again == len && !memcmp(path, second, len * sizeof(u32)));
	free(path);
	free(second);
	free(written);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct problem p = {0};
	struct trace t;
	char *text = fuzz_string(data, size);

	actions(text);
	free(text);
	if (trace_load(&t, fuzz_file(data, size), &p)) {
		fuzz_expect(p.text[0]);
		return 0;
	}
	fuzz_accepted++;
	show(&t);
	save_and_load(&t);
	trace_free(&t);
	return 0;
}

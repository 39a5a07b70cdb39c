/* Trace files: refused with a sentence, or loaded, shown, saved and loaded again as the same. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "report/text.h"
#include "report/trace.h"

static void show(const struct trace *t)
{
	FILE *f = fopen("/dev/null", "w");

	fuzz_expect(f);
	text_violation(f, t);
	text_story(f, t);
	fclose(f);
}

static void expect_same(const struct trace *a, const struct trace *b)
{
	size_t i;

	for (i = 0; a->argv[i] && b->argv[i]; i++)
		fuzz_expect(!strcmp(a->argv[i], b->argv[i]));
	fuzz_expect(!a->argv[i] && !b->argv[i]);
	fuzz_expect(!strcmp(a->program.path, b->program.path) && !strcmp(a->message, b->message));
	fuzz_expect(a->kind == b->kind && a->thread == b->thread && a->environment == b->environment);
	fuzz_expect(!memcmp(&a->config, &b->config, sizeof(a->config)));
	fuzz_expect(!memcmp(a->learnt, b->learnt, sizeof(*a->learnt)));
	fuzz_expect(!memcmp(a->path, b->path, a->path_len * sizeof(u32)));
	fuzz_expect(a->story.lines == b->story.lines && a->story.fibers == b->story.fibers);
	for (i = 0; i < a->story.lines; i++)
		fuzz_expect(a->story.line[i].arg == b->story.line[i].arg &&
			    a->story.line[i].thread == b->story.line[i].thread &&
			    a->story.line[i].frames == b->story.line[i].frames &&
			    !strcmp(a->story.line[i].text, b->story.line[i].text));
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

#include "cli/trace_program.h"

#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "session/properties.h"

/* argv[0] may be relative to another directory: the recorded place counts, if the user gave no program. */
int trace_program(const struct trace *t, const struct verb_words *words, struct program *program,
		  struct problem *p)
{
	if (program_open(words->program ? words->program[0] : t->program.path, program, p))
		return -1;
	if (strcmp(program->identity, t->program.identity))
		return problem_set(
			p,
			"%s is not the program that %s was recorded with (build-id %s, recorded %s); "
			"check it again, or give the old one after --",
			program->path, words->operand, program->identity, t->program.identity);
	return 0;
}

struct launch trace_launch(const struct trace *t, const struct verb_words *words,
			   const struct program *program)
{
	return (struct launch){.program = program,
			       .argv = words->program ? words->program : t->argv,
			       .extra = t->extra,
			       .cwd = t->cwd[0] && access(t->cwd, X_OK) == 0 ? t->cwd : NULL,
			       .config = t->config,
			       .learnt = t->learnt,
			       .path = t->violation.path,
			       .trees = t->trees,
			       .trees_len = t->trees_len};
}

int trace_properties(struct trace *t, struct launch *l, struct problem *p)
{
	return properties_prepare(t->properties, l, &interrupt_observer, p);
}

int trace_verb(const char *verb, const struct verb_words *words, int (*run)(struct trace *t, void *call),
	       void *call)
{
	struct trace t;
	struct problem p;
	int code;

	if (!words->operand)
		return complain_usage(verb, "no trace given");
	if (trace_load(&t, words->operand, &p))
		return complain(&p);
	interrupt_install();
	code = run(&t, call);
	trace_free(&t);
	return code;
}

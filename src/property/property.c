#include "property/property.h"

#include <string.h>

#include "property/property_priv.h"

#define LONGEST 4096

int property_add(struct wire_properties *all, bool step, const char *text, struct problem *p)
{
	const char *option = step ? "--step" : "--invariant";
	size_t len;

	text += strspn(text, " \t\n");
	for (len = strlen(text); len && strchr(" \t\r\n", text[len - 1]); len--)
		;
	if (!len)
		return problem_set(p, "%s: an expression is expected, like 'used <= capacity'", option);
	if (len > LONGEST)
		return problem_set(p, "%s: the expression is longer than %d characters", option, LONGEST);
	if (all->count == PROPERTIES_MAX)
		return problem_set(p, "%s: more than %d properties", option, PROPERTIES_MAX);
	struct wire_property *of = &all->property[all->count];

	*of = (struct wire_property){.step = step, .text = code_text(all, text, len)};
	if (!of->text)
		return problem_set(p, "%s: all expressions together are too long", option);
	all->count++;
	return 0;
}

static int compile_one(struct wire_properties *all, struct wire_property *of, const struct names *names,
		       struct problem *p)
{
	struct parser parser = {.names = names, .text = all->text + of->text, .step = of->step, .problem = p};
	struct expr *root = parser_run(&parser);
	int ret = root ? code_property(all, of, parser.text, root, p) : -1;

	parser_free(&parser);
	return ret;
}

/* What an earlier compilation left is forgotten. */
static void forget(struct wire_properties *all)
{
	all->compiled = all->terms = all->ranges = all->code_len = all->names = 0;
	all->text_len = 1;
	for (u32 i = 0; i < all->count; i++) {
		const struct wire_property *of = &all->property[i];
		u32 end = of->text + (u32)strlen(all->text + of->text) + 1;

		all->text_len = HD_MAX(all->text_len, end);
	}
}

int property_compile(struct wire_properties *all, pid_t pid, const char *runtime_path, struct problem *p)
{
	struct names names;
	int ret = 0;

	forget(all);
	if (names_open(&names, pid, runtime_path, p))
		return -1;
	for (u32 i = 0; i < all->count && ret == 0; i++)
		ret = compile_one(all, &all->property[i], &names, p);
	names_close(&names);
	all->compiled = ret == 0;
	return ret;
}

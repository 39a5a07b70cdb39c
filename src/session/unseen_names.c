#include "session/unseen_names.h"

#include <stdio.h>
#include <string.h>

#include "launch/unseen_places.h"
#include "report/symbols.h"
#include "script/modules.h"

static void add_unseen_place(void *self, const char *what, const char *where)
{
	struct outcome *o = self;
	const char *slash = strrchr(where, '/');

	where = slash ? slash + 1 : where;
	for (size_t i = 0; i < o->unseen_count; i++)
		if (!strcmp(o->unseen[i].where, where) && !strcmp(o->unseen[i].call, what))
			return;
	if (o->unseen_count == HD_ARRAY_LEN(o->unseen))
		return;
	snprintf(o->unseen[o->unseen_count].call, sizeof(o->unseen[0].call), "%s", what);
	snprintf(o->unseen[o->unseen_count++].where, sizeof(o->unseen[0].where), "%.500s", where);
}

void unseen_names_copy(const struct findings *found, const struct program *program, struct outcome *o)
{
	o->unseen_count = found->unseen_count;
	for (size_t i = 0; i < found->unseen_count; i++) {
		symbols_demangle_short(found->unseen[i].call, o->unseen[i].call, sizeof(o->unseen[i].call));
		if (found->unseen[i].pc)
			snprintf(o->unseen[i].where, sizeof(o->unseen[i].where), "0x%lx",
				 found->unseen[i].pc);
	}
	if (program->has_hooks)
		unseen_places(program->path, add_unseen_place, o);
}

void unseen_names_add(pid_t pid, struct outcome *o)
{
	struct modules all = {0};

	modules_look(&all, pid);
	for (u32 i = 0; i < all.count; i++)
		unseen_places(all.module[i].path, add_unseen_place, o);
	modules_free(&all);
}

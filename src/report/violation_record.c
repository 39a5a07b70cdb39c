#include "report/violation_record.h"

#include <stdlib.h>
#include <string.h>

bool violation_describe(struct violation *v, u32 thread, const char *message, const char *where)
{
	free(v->message);
	free(v->where);
	v->thread = thread;
	v->message = strdup(message);
	v->where = strdup(where);
	return v->message && v->where;
}

void violation_free(struct violation *v)
{
	free(v->path);
	free(v->message);
	free(v->where);
	memset(v, 0, sizeof(*v));
}

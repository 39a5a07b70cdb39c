#include <stdlib.h>
#include <string.h>

#include "report/file.h"
#include "report/json.h"
#include "report/trace.h"
#include "report/trace_json.h"
#include "report/trees_file.h"

/* Frames repeat from step to step: they are written once, steps refer to them by number. */
struct frame_table {
	json_t *list;
	struct frame *known;
	size_t n, room;
};

static bool same_frame(const struct frame *a, const struct frame *b)
{
	return a->pc == b->pc && a->line == b->line && !strcmp(a->function, b->function);
}

static json_t *frame_json(const struct frame *f)
{
	return json_pack("{s:o, s:o, s:i, s:o, s:o}", "function", json_text(f->function), "file",
			 json_text(f->file), "line", f->line, "module", json_text(f->module), "offset",
			 json_hex(f->offset));
}

static size_t frame_number(struct frame_table *t, const struct frame *f)
{
	for (size_t i = 0; i < t->n; i++)
		if (same_frame(&t->known[i], f))
			return i;
	if (t->n == t->room) {
		size_t room = t->room ? 2 * t->room : 64;
		struct frame *grown = realloc(t->known, room * sizeof(*grown));

		if (!grown)
			return 0;
		t->known = grown;
		t->room = room;
	}
	t->known[t->n] = *f;
	json_array_append_new(t->list, frame_json(f));
	return t->n++;
}

/* What most lines have none of. */
static void add_details(json_t *j, const struct log_entry *l)
{
	if (l->object)
		json_object_set_new(j, "object", json_hex(l->object));
	if (l->object2)
		json_object_set_new(j, "object2", json_hex(l->object2));
	if (l->waits)
		json_object_set_new(j, "waits", json_integer(l->waits));
	if (l->waits_thread)
		json_object_set_new(j, "waits_thread", json_integer(l->waits_thread));
	if (l->patient)
		json_object_set_new(j, "patient", json_integer(1));
	if (l->changed)
		json_object_set_new(j, "changed", json_text(l->changed));
}

static json_t *line_json(struct frame_table *t, const struct log_entry *l)
{
	json_t *frames = json_array(), *j;

	for (u32 i = 0; i < l->frames; i++)
		json_array_append_new(frames, json_integer((json_int_t)frame_number(t, &l->frame[i])));
	j = json_pack("{s:i, s:i, s:I, s:i, s:i, s:I, s:o, s:o, s:o}", "kind", (int)l->kind, "thread",
		      (int)l->thread, "step", (json_int_t)l->step, "op", (int)l->op, "alt", (int)l->alt,
		      "arg", (json_int_t)l->arg, "name", json_text(l->name), "text", json_text(l->text),
		      "frames", frames);
	if (j)
		add_details(j, l);
	return j;
}

static json_t *lines_json(struct frame_table *t, const struct log_entry *l, size_t n)
{
	json_t *j = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(j, line_json(t, &l[i]));
	return j;
}

static json_t *log_json(const struct execution_log *s)
{
	struct frame_table t = {.list = json_array()};
	json_t *lines = lines_json(&t, s->line, s->lines);
	json_t *fibers = lines_json(&t, s->fiber, s->fibers);
	json_t *violation = s->violation.text ? line_json(&t, &s->violation) : json_null();
	json_t *j = json_pack("{s:I, s:o, s:o, s:o, s:o}", "omitted", (json_int_t)s->omitted, "frames",
			      t.list, "lines", lines, "threads", fibers, "violation", violation);

	free(t.known);
	return j;
}

static json_t *hex_list(const u64 *v, size_t n)
{
	json_t *j = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(j, json_hex(v[i]));
	return j;
}

_Static_assert(sizeof(struct wire_ignored) == 3 * sizeof(u64), "written and read as three numbers each");

/* What a replay must know of the peers; it has none, only what they said. */
static json_t *net_json(const struct net_config *n)
{
	json_t *ports = json_array(), *classes = json_array();

	for (u32 i = 0; i < n->clients && i < NET_MAX_CLIENTS; i++) {
		json_array_append_new(ports, json_integer(n->client_port[i]));
		json_array_append_new(classes, json_integer(n->client_class[i]));
	}
	return json_pack("{s:i, s:b, s:b, s:b, s:i, s:b, s:i, s:i, s:i, s:o, s:o}", "mode", (int)n->mode,
			 "identical_clients", n->identical_clients, "allow_refused", n->allow_refused,
			 "short_io", n->short_io, "always", (int)n->always, "all_subsets", n->all_subsets,
			 "retries", (int)n->retries, "faults", (int)n->faults, "fault_budget",
			 (int)n->fault_budget, "client_ports", ports, "client_classes", classes);
}

json_t *trace_config_json(const struct wire_config *c)
{
	return json_pack(
		"{s:o, s:o, s:o, s:I, s:I, s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:I, s:o, s:b, s:i, s:o}",
		"net", net_json(&c->net), "seed", json_hex(c->search.seed), "random_seed",
		json_hex(c->random_seed), "hang_ms", (json_int_t)c->hang_ms, "heap_limit",
		(json_int_t)c->heap_limit, "timeouts_never", c->timeouts_never, "spurious", c->spurious,
		"check_exit", c->check_exit, "check_fds", c->check_fds, "fds_by_thread", c->fds_by_thread,
		"check_deadlock", c->check_deadlock, "atomics", c->atomics, "time_horizon_ms",
		(json_int_t)c->time_horizon_ms, "stdin", json_text(c->stdin_path), "races", c->races,
		"heap_reuse", (int)c->heap_reuse, "ignored_races",
		hex_list(c->ignored_race[0].pc, 3 * (size_t)c->ignored));
}

static json_t *properties_json(const struct wire_properties *all)
{
	json_t *j = json_array();

	for (u32 i = 0; all && i < all->count; i++)
		json_array_append_new(j, json_pack("{s:b, s:o}", "step", (int)all->property[i].step, "text",
						   json_text(all->text + all->property[i].text)));
	return j;
}

json_t *trace_learnt_json(const struct wire_learnt *l)
{
	json_t *names = json_array();

	/* Main has no parent. */
	json_array_append_new(names, json_pack("[i, i]", 0, 0));
	for (u32 i = 1; i < l->names; i++)
		json_array_append_new(names, json_pack("[i, i]", (int)WIRE_NAME_PARENT(l->name[i]),
						       (int)WIRE_NAME_INDEX(l->name[i])));
	return json_pack("{s:o, s:o, s:o, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:o, s:o}", "names",
			 names, "observed", hex_list(l->observed_addr, l->observed), "cells",
			 hex_list(l->cell_range, l->cells), "clock_read", (int)l->clock_read, "cancel_used",
			 (int)l->cancel_used, "signals_used", (int)l->signals_used, "fair", (int)l->fair,
			 "weak", (int)l->weak, "shared", (int)l->shared, "peer_time", (int)l->peer_time,
			 "heap_reused", (int)l->heap_reused, "recycles", (int)l->recycles, "ordered",
			 hex_list(l->ordered_unit, l->ordered), "joint_clients",
			 hex_list(l->joint_clients, HD_ARRAY_LEN(l->joint_clients)));
}

/* The communication, as text. */
static json_t *trees_json(const struct trace *t)
{
	char *text = trees_blob_text(&(struct trees_blob){t->trees, t->trees_len});
	json_t *j = text ? json_string(text) : NULL;

	free(text);
	return j;
}

int trace_save(const struct trace *t, const char *path, struct problem *p)
{
	char *actions = trace_actions_text(t->violation.path, t->violation.found.path_len);
	json_t *j = json_pack("{s:i, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "heddle_trace", TRACE_VERSION,
			      "heddle_version", HEDDLE_VERSION, "program", json_texts(t->argv), "path",
			      json_text(t->program.path), "identity", json_text(t->program.identity), "cwd",
			      json_text(t->cwd), "env", json_texts(t->extra), "environment",
			      json_hex(t->environment));

	if (j) {
		json_object_set_new(j, "kind", json_text(violation_traits(t->violation.found.kind)->name));
		json_object_set_new(j, "thread", json_integer(t->violation.thread));
		json_object_set_new(j, "message", json_text(t->violation.message));
		json_object_set_new(j, "where", json_text(t->violation.where));
		json_object_set_new(j, "config", trace_config_json(&t->config));
		json_object_set_new(j, "properties", properties_json(t->properties));
		json_object_set_new(j, "learnt", trace_learnt_json(t->learnt));
		json_object_set_new(j, "length", json_integer((json_int_t)t->violation.found.path_len));
		json_object_set_new(j, "actions", json_text(actions));
		json_object_set_new(j, "story", log_json(&t->log));
	}
	if (!actions || (j && t->trees && json_object_set_new(j, "trees", trees_json(t)))) {
		json_decref(j);
		j = NULL;
	}
	free(actions);
	return file_write_json(path, j, p);
}

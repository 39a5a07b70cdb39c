#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/json.h"
#include "report/trace.h"
#include "report/trace_json.h"
#include "report/trees_file.h"

static bool copy_text(const json_t *object, const char *key, char *to, size_t cap)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s && snprintf(to, cap, "%s", s) < (int)cap;
}

static bool copy_number(const json_t *object, const char *key, u64 most, u64 *to)
{
	const json_t *j = json_object_get(object, key);

	if (!json_is_integer(j) || json_integer_value(j) < 0 || (u64)json_integer_value(j) > most)
		return false;
	*to = (u64)json_integer_value(j);
	return true;
}

/* All 64 bits: addresses may lie in the upper half. */
static bool copy_bits(const json_t *object, const char *key, u64 *to)
{
	const json_t *j = json_object_get(object, key);

	if (!json_is_integer(j))
		return false;
	*to = (u64)json_integer_value(j);
	return true;
}

static bool copy_u32(const json_t *object, const char *key, u32 *to)
{
	u64 v;

	if (!copy_number(object, key, UINT32_MAX, &v))
		return false;
	*to = (u32)v;
	return true;
}

static char **copy_list(const json_t *list)
{
	size_t n = json_array_size(list), i;
	char **out;

	if (!json_is_array(list) || !(out = calloc(n + 1, sizeof(*out))))
		return NULL;
	for (i = 0; i < n; i++) {
		const char *s = json_string_value(json_array_get(list, i));

		out[i] = s ? strdup(s) : NULL;
		if (!out[i]) {
			while (i-- > 0)
				free(out[i]);
			free(out);
			return NULL;
		}
	}
	return out;
}

static bool load_hex_list(const json_t *list, u64 *to, size_t room)
{
	if (!json_is_array(list) || json_array_size(list) > room)
		return false;
	for (size_t i = 0; i < json_array_size(list); i++)
		if (!json_hex_value(json_array_get(list, i), &to[i]))
			return false;
	return true;
}

/* Three numbers each; traces of older versions have none. */
static bool load_ignored(const json_t *list, struct wire_config *c)
{
	u64 number[3 * WIRE_MAX_IGNORED];
	size_t n = json_array_size(list);

	if (!list)
		return true;
	if (n % 3 || !load_hex_list(list, number, HD_ARRAY_LEN(number)))
		return false;
	c->ignored = (u32)(n / 3);
	memcpy(c->ignored_race, number, n * sizeof(u64));
	return true;
}

/* Traces of older versions have none. */
static bool load_net(const json_t *j, struct net_config *n)
{
	const json_t *ports = json_object_get(j, "client_ports");

	if (!j)
		return true;
	if (!json_is_array(ports) || json_array_size(ports) > NET_MAX_CLIENTS ||
	    !copy_u32(j, "mode", &n->mode) || n->mode > CACHE_NONE)
		return false;
	n->identical_clients = json_is_true(json_object_get(j, "identical_clients"));
	n->allow_refused = json_is_true(json_object_get(j, "allow_refused"));
	n->short_io = json_is_true(json_object_get(j, "short_io"));
	n->always = (u32)json_integer_value(json_object_get(j, "always"));
	n->faults = (u32)json_integer_value(json_object_get(j, "faults"));
	n->fault_budget = (u32)json_integer_value(json_object_get(j, "fault_budget"));
	n->retries = (u32)json_integer_value(json_object_get(j, "retries"));
	n->all_subsets = json_is_true(json_object_get(j, "all_subsets"));
	n->clients = (u32)json_array_size(ports);
	for (size_t i = 0; i < n->clients; i++) {
		json_int_t port = json_integer_value(json_array_get(ports, i));

		if (!json_is_integer(json_array_get(ports, i)) || port < 0 || port > UINT16_MAX)
			return false;
		n->client_port[i] = (u16)port;
		n->client_class[i] = (u16)json_integer_value(
			json_array_get(json_object_get(j, "client_classes"), i));
	}
	return true;
}

bool trace_config_load(const json_t *j, struct wire_config *c)
{
	c->timeouts_never = json_is_true(json_object_get(j, "timeouts_never"));
	c->spurious = json_is_true(json_object_get(j, "spurious"));
	c->check_exit = json_is_true(json_object_get(j, "check_exit"));
	c->check_fds = json_is_true(json_object_get(j, "check_fds"));
	c->fds_by_thread = json_is_true(json_object_get(j, "fds_by_thread"));
	c->check_deadlock = json_is_true(json_object_get(j, "check_deadlock"));
	c->races = json_is_true(json_object_get(j, "races"));
	c->atomics = json_is_true(json_object_get(j, "atomics"));
	return load_ignored(json_object_get(j, "ignored_races"), c) &&
	       (!json_object_get(j, "heap_reuse") || copy_u32(j, "heap_reuse", &c->heap_reuse)) &&
	       load_net(json_object_get(j, "net"), &c->net) &&
	       json_hex_value(json_object_get(j, "seed"), &c->search.seed) &&
	       json_hex_value(json_object_get(j, "random_seed"), &c->random_seed) &&
	       copy_number(j, "hang_ms", INT64_MAX, &c->hang_ms) &&
	       copy_number(j, "heap_limit", INT64_MAX, &c->heap_limit) &&
	       copy_number(j, "time_horizon_ms", INT64_MAX, &c->time_horizon_ms) &&
	       copy_text(j, "stdin", c->stdin_path, sizeof(c->stdin_path));
}

static bool load_names(const json_t *list, struct wire_learnt *l)
{
	if (!json_is_array(list) || json_array_size(list) > LAYOUT_MAX_FIBERS)
		return false;
	l->names = (u32)json_array_size(list);
	for (size_t i = 0; i < l->names; i++) {
		json_int_t parent, index;

		if (json_unpack(json_array_get(list, i), "[I, I]", &parent, &index) || parent < 0 ||
		    index < 0 || parent >= LAYOUT_MAX_FIBERS || index > UINT32_MAX)
			return false;
		l->name[i] = i ? WIRE_NAME(parent, index) : 0;
	}
	return true;
}

bool trace_learnt_load(const json_t *j, struct wire_learnt *l)
{
	const json_t *observed = json_object_get(j, "observed"), *cells = json_object_get(j, "cells"),
		     *ordered = json_object_get(j, "ordered"), *joint = json_object_get(j, "joint_clients");

	l->observed = (u32)json_array_size(observed);
	l->cells = (u32)json_array_size(cells);
	l->ordered = (u32)json_array_size(ordered);
	return load_names(json_object_get(j, "names"), l) &&
	       load_hex_list(observed, l->observed_addr, WIRE_MAX_OBSERVED) &&
	       (!cells || load_hex_list(cells, l->cell_range, WIRE_MAX_CELLS)) &&
	       (!ordered || load_hex_list(ordered, l->ordered_unit, WIRE_MAX_ORDERED)) &&
	       (!joint || load_hex_list(joint, l->joint_clients, HD_ARRAY_LEN(l->joint_clients))) &&
	       (!json_object_get(j, "weak") || copy_u32(j, "weak", &l->weak)) &&
	       (!json_object_get(j, "shared") || copy_u32(j, "shared", &l->shared)) &&
	       (!json_object_get(j, "peer_time") || copy_u32(j, "peer_time", &l->peer_time)) &&
	       (!json_object_get(j, "heap_reused") || copy_u32(j, "heap_reused", &l->heap_reused)) &&
	       (!json_object_get(j, "recycles") || copy_u32(j, "recycles", &l->recycles)) &&
	       (!json_object_get(j, "fair") || copy_u32(j, "fair", &l->fair)) &&
	       (!json_object_get(j, "signals_used") || copy_u32(j, "signals_used", &l->signals_used)) &&
	       copy_u32(j, "clock_read", &l->clock_read) && copy_u32(j, "cancel_used", &l->cancel_used);
}

static bool load_frame(const json_t *j, struct frame *f)
{
	u64 line;

	memset(f, 0, sizeof(*f));
	if (!copy_number(j, "line", INT_MAX, &line))
		return false;
	f->line = (int)line;
	return copy_text(j, "function", f->function, sizeof(f->function)) &&
	       copy_text(j, "file", f->file, sizeof(f->file)) &&
	       copy_text(j, "module", f->module, sizeof(f->module)) &&
	       json_hex_value(json_object_get(j, "offset"), &f->offset);
}

/* Those that are there must make sense; traces of before have none. */
static bool load_details(const json_t *j, struct log_entry *l)
{
	const json_t *object = json_object_get(j, "object"), *second = json_object_get(j, "object2");
	const json_t *changed = json_object_get(j, "changed");
	u32 patient = 0;

	if ((object && !json_hex_value(object, &l->object)) ||
	    (second && !json_hex_value(second, &l->object2)))
		return false;
	if ((json_object_get(j, "waits") &&
	     (!copy_u32(j, "waits", &l->waits) || l->waits >= WIRE_WAITS_KINDS)) ||
	    (json_object_get(j, "waits_thread") && !copy_u32(j, "waits_thread", &l->waits_thread)) ||
	    (json_object_get(j, "patient") && !copy_u32(j, "patient", &patient)))
		return false;
	l->patient = patient;
	l->changed = (char *)json_string_value(changed);
	return !changed || l->changed;
}

static bool load_line(const json_t *j, const json_t *table, struct execution_log *s)
{
	struct frame frames[FRAMES_MAX];
	struct log_entry l = {.frame = frames};
	const json_t *list = json_object_get(j, "frames");

	if (!copy_u32(j, "kind", &l.kind) || !copy_u32(j, "thread", &l.thread) || !copy_u32(j, "op", &l.op) ||
	    !copy_u32(j, "alt", &l.alt) || !copy_number(j, "step", INT64_MAX, &l.step) ||
	    !copy_bits(j, "arg", &l.arg) || !copy_text(j, "name", l.name, sizeof(l.name)) ||
	    !load_details(j, &l))
		return false;
	l.text = (char *)json_string_value(json_object_get(j, "text"));
	if (!l.text || !json_is_array(list) || json_array_size(list) > FRAMES_MAX)
		return false;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *number = json_array_get(list, i);

		if (!json_is_integer(number) || json_integer_value(number) < 0 ||
		    !load_frame(json_array_get(table, (size_t)json_integer_value(number)), &frames[i]))
			return false;
	}
	l.frames = (u32)json_array_size(list);
	return execution_log_add(s, &l);
}

static bool load_lines(const json_t *list, const json_t *table, struct execution_log *s)
{
	if (!json_is_array(list))
		return false;
	for (size_t i = 0; i < json_array_size(list); i++)
		if (!load_line(json_array_get(list, i), table, s))
			return false;
	return true;
}

static bool load_log(const json_t *j, struct execution_log *s)
{
	const json_t *table = json_object_get(j, "frames"), *violation = json_object_get(j, "violation");

	return copy_number(j, "omitted", INT64_MAX, &s->omitted) &&
	       load_lines(json_object_get(j, "lines"), table, s) &&
	       load_lines(json_object_get(j, "threads"), table, s) &&
	       (json_is_null(violation) || load_line(violation, table, s));
}

static bool load_actions(const json_t *j, struct trace *t)
{
	const char *text = json_string_value(json_object_get(j, "actions"));
	u64 len, told;

	if (!text || !copy_number(j, "length", INT64_MAX, &told))
		return false;
	t->violation.path = trace_actions_parse(text, &len);
	t->violation.found.path_len = len;
	return t->violation.path && len == told;
}

/* Traces of older versions have none. */
static bool load_properties(const json_t *list, struct trace *t)
{
	struct wire_properties *all;

	if (!json_array_size(list))
		return true;
	all = t->properties = calloc(1, sizeof(*all));
	if (!all || json_array_size(list) > PROPERTIES_MAX)
		return false;
	for (all->text_len = 1; all->count < json_array_size(list); all->count++) {
		const json_t *one = json_array_get(list, all->count);
		const char *text = json_string_value(json_object_get(one, "text"));

		if (!text || strlen(text) >= sizeof(all->text) - all->text_len)
			return false;
		all->property[all->count].step = json_is_true(json_object_get(one, "step"));
		all->property[all->count].text = all->text_len;
		strcpy(all->text + all->text_len, text);
		all->text_len += (u32)strlen(text) + 1;
	}
	return true;
}

static bool load_trees(const json_t *j, struct trace *t)
{
	const json_t *text = json_object_get(j, "trees");
	struct trees_blob b;

	if (!text)
		return true;
	if (!json_is_string(text) || trees_blob_parse(json_string_value(text), &b))
		return false;
	t->trees = b.memory;
	t->trees_len = b.len;
	return true;
}

static bool load_violation(const json_t *j, struct violation *v)
{
	const char *message = json_string_value(json_object_get(j, "message"));
	const char *where = json_string_value(json_object_get(j, "where"));
	char kind[32];
	u32 thread;

	if (!copy_text(j, "kind", kind, sizeof(kind)) || !copy_u32(j, "thread", &thread) || !message ||
	    !where)
		return false;
	v->found.kind = violation_kind_named(kind);
	return violation_describe(v, thread, message, where);
}

static bool load(const json_t *j, struct trace *t)
{
	t->learnt = calloc(1, sizeof(*t->learnt));
	t->argv = copy_list(json_object_get(j, "program"));
	t->extra = copy_list(json_object_get(j, "env"));
	if (!t->learnt || !t->argv || !t->argv[0] || !t->extra || !load_violation(j, &t->violation))
		return false;
	t->log.violation_kind = t->violation.found.kind;
	return copy_text(j, "path", t->program.path, sizeof(t->program.path)) &&
	       copy_text(j, "identity", t->program.identity, sizeof(t->program.identity)) &&
	       copy_text(j, "cwd", t->cwd, sizeof(t->cwd)) &&
	       json_hex_value(json_object_get(j, "environment"), &t->environment) &&
	       trace_config_load(json_object_get(j, "config"), &t->config) &&
	       trace_learnt_load(json_object_get(j, "learnt"), t->learnt) && load_actions(j, t) &&
	       load_log(json_object_get(j, "story"), &t->log) && load_trees(j, t) &&
	       load_properties(json_object_get(j, "properties"), t);
}

int trace_load(struct trace *t, const char *path, struct problem *p)
{
	json_error_t error;
	json_t *j = json_load_file(path, 0, &error);
	json_int_t version = 0;
	struct stat st;
	int ret = 0;

	memset(t, 0, sizeof(*t));
	if (!j && error.line < 0)
		return problem_set(p,
				   "%s cannot be read: %s; heddle check leaves traces in its folder: "
				   "heddle-out/violation-1.trace",
				   path, strerror(errno));
	if (!j && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return problem_set(p, "%s is a folder; give one of its traces, like %s/violation-1.trace",
				   path, path);
	if (!j)
		return problem_set(p, "%s is not a trace, or damaged (line %d: %s)", path, error.line,
				   error.text);
	if (json_unpack(j, "{s:I}", "heddle_trace", &version))
		ret = problem_set(p, "%s is not a heddle trace", path);
	else if (version != TRACE_VERSION)
		ret = problem_set(
			p,
			"%s is a trace of version %d; this heddle reads version %d: check the program again",
			path, (int)version, TRACE_VERSION);
	else if (!load(j, t))
		ret = problem_set(
			p, "%s is damaged, or of another version; check the program again to get a new one",
			path);
	json_decref(j);
	if (ret)
		trace_free(t);
	return ret;
}

static void free_list(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

void trace_free(struct trace *t)
{
	free_list(t->argv);
	free_list(t->extra);
	free(t->learnt);
	free(t->properties);
	free(t->trees);
	violation_free(&t->violation);
	execution_log_free(&t->log);
	memset(t, 0, sizeof(*t));
}

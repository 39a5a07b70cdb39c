/* sarif.c: SARIF 2.1.0, for code hosts and editors that show findings at source lines. */
#include <string.h>

#include "report/formats.h"
#include "report/json.h"

static json_t *location(const struct frame *at)
{
	if (!at || !at->file[0])
		return NULL;
	return json_pack("{s:{s:{s:o}, s:{s:i}}}", "physicalLocation", "artifactLocation", "uri",
			 json_text(at->file), "region", "startLine", at->line);
}

static json_t *flow_step(const struct log_entry *l)
{
	json_t *loc = location(frames_source(l->frame, l->frames));
	char who[64], text[4096];

	log_entry_thread(l, who, sizeof(who));
	snprintf(text, sizeof(text), "%s: %s", who, l->text);
	if (!loc)
		loc = json_object();
	json_object_set_new(loc, "message", json_pack("{s:o}", "text", json_text(text)));
	return json_pack("{s:o}", "location", loc);
}

static json_t *code_flow(const struct trace *t)
{
	json_t *steps = json_array();

	for (size_t i = 0; i < t->log.lines; i++)
		if (t->log.line[i].kind == WIRE_EV_STEP)
			json_array_append_new(steps, flow_step(&t->log.line[i]));
	return json_pack("[{s:[{s:o}]}]", "threadFlows", "locations", steps);
}

static json_t *result(const struct trace *t)
{
	const struct log_entry *v = &t->log.violation;
	json_t *at = v->text ? location(frames_source(v->frame, v->frames)) : NULL;
	json_t *r = json_pack("{s:s, s:s, s:{s:o}}", "ruleId",
			      violation_traits(t->violation.found.kind)->name, "level", "error", "message",
			      "text", json_text(t->violation.message));

	if (at)
		json_object_set_new(r, "locations", json_pack("[o]", at));
	json_object_set_new(r, "codeFlows", code_flow(t));
	return r;
}

static int write_bytes(const char *bytes, size_t n, void *stream)
{
	return fwrite(bytes, 1, n, stream) == n ? 0 : -1;
}

void sarif_print(FILE *f, const struct outcome *o)
{
	json_t *results = json_array(), *j;

	for (size_t i = 0; i < o->violations; i++)
		json_array_append_new(results, result(&o->trace[i]));
	j = json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s}}, s:o, s:{s:s}}]}", "$schema",
		      "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs", "tool",
		      "driver", "name", "heddle", "version", HEDDLE_VERSION, "results", results, "properties",
		      "verdict", verdict_name(outcome_verdict(o)));
	json_dump_callback(j, write_bytes, f, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
	putc('\n', f);
	json_decref(j);
}

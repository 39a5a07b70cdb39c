/*
 * sarif.c: SARIF 2.1.0, for code hosts and editors that show findings at source lines. What GitHub asks for
 * beyond the standard: every result has a place, uris count from the top of the repository, rules explain
 * themselves, and a fingerprint that survives moved lines tells old findings from new ones.
 */
#include <limits.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "report/formats.h"
#include "report/json.h"
#include "report/source_place.h"

static json_t *artifact(const char *file)
{
	char path[2 * PATH_MAX], uri[6 * PATH_MAX];

	if (source_from_root(file, path, sizeof(path))) {
		source_uri(path, uri, sizeof(uri));
		return json_pack("{s:o, s:s}", "uri", json_text(uri), "uriBaseId", "SRCROOT");
	}
	memcpy(uri, "file://", 8);
	source_uri(path, uri + 7, sizeof(uri) - 7);
	return json_pack("{s:o}", "uri", json_text(uri));
}

static json_t *location(const struct frame *at)
{
	if (!at || !at->file[0])
		return NULL;
	return json_pack("{s:{s:o, s:{s:i}}, s:[{s:o, s:s}]}", "physicalLocation", "artifactLocation",
			 artifact(at->file), "region", "startLine", at->line > 0 ? at->line : 1,
			 "logicalLocations", "fullyQualifiedName",
			 json_text(at->function[0] ? at->function : "?"), "kind", "function");
}

/* Where it says nothing, at the program: a result without a place is not shown. */
static json_t *location_or_program(const struct frame *at, const struct trace *t)
{
	json_t *there = location(at);

	return there ? there
		     : json_pack("{s:{s:o, s:{s:i}}}", "physicalLocation", "artifactLocation",
				 artifact(t->argv ? t->argv[0] : "?"), "region", "startLine", 1);
}

static json_t *with_message(json_t *place, const char *text)
{
	if (!place)
		place = json_object();
	json_object_set_new(place, "message", json_pack("{s:o}", "text", json_text(text[0] ? text : "runs")));
	return place;
}

/* The steps of one thread; NULL: it has none. */
static json_t *thread_flow(const struct execution_log *s, const struct log_entry *any)
{
	json_t *steps = json_array();
	char who[64];

	for (size_t i = 0; i < s->lines; i++) {
		const struct log_entry *l = &s->line[i];

		if (l->kind != WIRE_EV_STEP || l->thread != any->thread)
			continue;
		json_array_append_new(
			steps, json_pack("{s:o, s:I}", "location",
					 with_message(location(frames_source(l->frame, l->frames)), l->text),
					 "executionOrder", (json_int_t)i + 1));
	}
	log_entry_thread(any, who, sizeof(who));
	return json_pack("{s:o, s:o}", "id", json_text(who), "locations", steps);
}

static bool is_first_of_thread(const struct execution_log *s, size_t i)
{
	if (s->line[i].kind != WIRE_EV_STEP)
		return false;
	for (size_t k = 0; k < i; k++)
		if (s->line[k].kind == WIRE_EV_STEP && s->line[k].thread == s->line[i].thread)
			return false;
	return true;
}

static json_t *thread_flows(const struct execution_log *s)
{
	json_t *flows = json_array();

	for (size_t i = 0; i < s->lines; i++)
		if (is_first_of_thread(s, i))
			json_array_append_new(flows, thread_flow(s, &s->line[i]));
	return flows;
}

/* Where the other threads stand. */
static json_t *related(const struct trace *t, const struct log_entry *who)
{
	json_t *list = json_array();
	int id = 1;

	for (size_t i = 0; i < t->log.fibers; i++) {
		const struct log_entry *l = &t->log.fiber[i];
		json_t *place = l->thread == who->thread ? NULL
							 : location(frames_source(l->frame, l->frames));
		char name[64], text[4096];

		if (!place)
			continue;
		log_entry_thread(l, name, sizeof(name));
		snprintf(text, sizeof(text), "%s: %s", name, l->text[0] ? l->text : "runs");
		json_object_set_new(place, "id", json_integer(id++));
		json_array_append_new(list, with_message(place, text));
	}
	return list;
}

/* Lines move, threads are numbered otherwise: kind, file, function and the words of the message stay. */
static json_t *fingerprints(const struct trace *t, const struct frame *at)
{
	char text[8192], path[2 * PATH_MAX] = "", hash[24];
	size_t n;

	if (at)
		source_from_root(at->file, path, sizeof(path));
	n = (size_t)snprintf(text, sizeof(text), "%s\n%s\n%s\n",
			     violation_traits(t->violation.found.kind)->name, path, at ? at->function : "");
	n = HD_MIN(n, sizeof(text) - 1);
	for (const char *c = t->violation.message; *c && n < sizeof(text); c++)
		if (*c < '0' || *c > '9')
			text[n++] = *c;
	snprintf(hash, sizeof(hash), "%016lx", (u64)XXH3_64bits(text, n));
	return json_pack("{s:s, s:s}", "primaryLocationLineHash", hash, "heddle/v1", hash);
}

static json_t *result(const struct trace *t)
{
	const struct log_entry *who = execution_log_culprit(&t->log);
	const struct frame *at = who->text ? frames_source(who->frame, who->frames) : NULL;
	json_t *flows = thread_flows(&t->log), *others = related(t, who);
	json_t *r = json_pack("{s:s, s:i, s:s, s:{s:o}, s:[o], s:o}", "ruleId",
			      violation_traits(t->violation.found.kind)->name, "ruleIndex",
			      (int)t->violation.found.kind - 1, "level", "error", "message", "text",
			      json_text(t->violation.message), "locations", location_or_program(at, t),
			      "partialFingerprints", fingerprints(t, at));

	if (json_array_size(others))
		json_object_set(r, "relatedLocations", others);
	if (json_array_size(flows))
		json_object_set_new(r, "codeFlows", json_pack("[{s:O}]", "threadFlows", flows));
	json_decref(others);
	json_decref(flows);
	return r;
}

static const struct {
	const char *name, *summary;
} rule_texts[] = {
	[VIOLATION_DEADLOCK] = {"DeadlockOfThreads", "Threads wait for each other, and nobody can go on."},
	[VIOLATION_CRASH] = {"CrashBySignal",
			     "A thread dies of a signal, such as an access to memory that is not there."},
	[VIOLATION_ABORT] = {"ProgramAborts",
			     "The program aborts: a failed check of its own, or an exception that nobody "
			     "catches."},
	[VIOLATION_ASSERT] = {"AssertionFails",
			      "An assertion of the program does not hold under some schedule."},
	[VIOLATION_RACE] = {"DataRace",
			    "Two threads access the same memory at a time, and one of them writes."},
	[VIOLATION_LOCK_MISUSE] = {"LockMisuse", "A lock is used in a way that its manual page forbids."},
	[VIOLATION_COMM_DEADLOCK] = {"CommunicationDeadlock",
				     "The program and its peer wait for each other."},
	[VIOLATION_HANG] = {"RunsWithoutEnd", "A thread runs on without end."},
	[VIOLATION_INVARIANT] = {"InvariantBroken", "A condition that was to hold in every state does not."},
	[VIOLATION_EXIT_STATUS] = {"StatusNotZero",
				   "The program ends with a status other than 0 under some schedule."},
	[VIOLATION_FD_MISUSE] =
		{"DescriptorMisuse",
		 "A descriptor is used, or closed again, after another thread has closed it."},
	[VIOLATION_LIVELOCK] = {"LivelockOfThreads", "Threads are busy for ever without getting anywhere."},
};
_Static_assert(HD_ARRAY_LEN(rule_texts) == VIOLATION_KINDS, "every kind has its rule");

/* One for each kind, in the order of their numbers. */
static json_t *rules(void)
{
	json_t *list = json_array();

	for (u32 kind = VIOLATION_NONE + 1; kind < VIOLATION_KINDS; kind++) {
		json_array_append_new(
			list,
			json_pack("{s:s, s:s, s:{s:s}, s:{s:s}, s:{s:s}, s:{s:s}, s:{s:[s,s], s:s}}", "id",
				  violation_traits(kind)->name, "name", rule_texts[kind].name,
				  "shortDescription", "text", rule_texts[kind].summary, "fullDescription",
				  "text", rule_texts[kind].summary, "help", "text",
				  "heddle replay runs the recorded execution again, heddle show prints it; "
				  "docs/VERDICTS.md says what each kind means.",
				  "defaultConfiguration", "level", "error", "properties", "tags",
				  "concurrency", "correctness", "precision", "very-high"));
	}
	return list;
}

static int write_bytes(const char *bytes, size_t n, void *stream)
{
	return fwrite(bytes, 1, n, stream) == n ? 0 : -1;
}

static json_t *run(const struct outcome *o)
{
	json_t *results = json_array();
	char root[PATH_MAX], base[3 * PATH_MAX] = "file://", reason[OUTCOME_REASON];

	for (size_t i = 0; i < o->violations; i++)
		json_array_append_new(results, result(&o->trace[i]));
	source_root(root, sizeof(root));
	source_uri(root, base + 7, sizeof(base) - 8);
	strcat(base, "/");
	outcome_reason(o, reason, sizeof(reason));
	return json_pack("{s:{s:{s:s, s:s, s:s, s:o}}, s:{s:{s:o}}, s:[{s:b, s:i}], s:s, s:o, s:{s:s, s:o}}",
			 "tool", "driver", "name", "heddle", "version", HEDDLE_VERSION, "semanticVersion",
			 HEDDLE_VERSION, "rules", rules(), "originalUriBaseIds", "SRCROOT", "uri",
			 json_text(base), "invocations", "executionSuccessful", 1, "exitCode",
			 verdict_exit_code(outcome_verdict(o)), "columnKind", "utf16CodeUnits", "results",
			 results, "properties", "verdict", verdict_name(outcome_verdict(o)), "reason",
			 json_text(reason));
}

void sarif_print(FILE *f, const struct outcome *o)
{
	json_t *j = json_pack("{s:s, s:s, s:[o]}", "$schema", "https://json.schemastore.org/sarif-2.1.0.json",
			      "version", "2.1.0", "runs", run(o));

	json_dump_callback(j, write_bytes, f, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
	putc('\n', f);
	json_decref(j);
}

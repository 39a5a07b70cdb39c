#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/certify.h"
#include "cli/cli.h"
#include "cli/ranks_option.h"
#include "cli/tell_outcome.h"

double certify_now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- options ---- */

static const char *value_of(int argc, char **argv, int *at, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(argv[*at], name, len))
		return NULL;
	if (argv[*at][len] == '=')
		return argv[*at] + len + 1;
	if (argv[*at][len] || *at + 1 >= argc)
		return NULL;
	return argv[++*at];
}

/* I/K */
static bool take_part(struct certify_options *o, const char *value)
{
	char *end;
	u64 part = strtoul(value, &end, 10), parts = *end == '/' ? strtoul(end + 1, &end, 10) : 0;

	if (*end || !part || part > parts || parts > MAX_PARTS)
		return false;
	o->part = (u32)part;
	o->parts = (u32)parts;
	return true;
}

/* Own options and files are taken out; the rest is as for heddle check. *n: words that are left. */
static int take_own(struct certify_options *o, int argc, char **argv, char **left, int *n, struct problem *p)
{
	struct option_given unused;
	bool merge = false;

	for (int i = 1; i < argc; i++)
		merge |= !strcmp(argv[i], "--merge");
	left[(*n)++] = argv[0];
	for (int at = 1; at < argc; at++) {
		const char *value;
		int first = at;

		if (!strcmp(argv[at], "--")) {
			for (; at < argc; at++)
				left[(*n)++] = argv[at];
			break;
		}
		if (!strcmp(argv[at], "--trustful"))
			o->trustful = true;
		else if (!strcmp(argv[at], "--live"))
			o->live = true;
		else if (!strcmp(argv[at], "--merge"))
			o->merge = true;
		else if ((value = value_of(argc, argv, &at, "--fp-out")))
			o->fp_out = value;
		else if ((value = value_of(argc, argv, &at, "--part"))) {
			if (!take_part(o, value))
				return problem_set(p, "--part %s: which part of how many, as in --part 2/10",
						   value);
		} else if (argv[at][0] != '-' || !argv[at][1])
			o->file[o->files++] = argv[at];
		else if (option_take(&check_option_list, argc, argv, &at, &unused, p))
			return -1;
		else
			for (; first <= at; first++)
				left[(*n)++] = argv[first];
	}
	if (!o->files)
		return problem_set(p,
				   "no script given: heddle certify SCRIPT [options] -- PROGRAM ARGUMENTS");
	if (!merge && o->files > 1)
		return problem_set(p,
				   "one script at a time, and -- before the program: heddle certify %s "
				   "[options] -- PROGRAM ARGUMENTS",
				   o->file[0]);
	return 0;
}

static int refuse(const struct certify_options *o, struct problem *p)
{
	const struct search_options *s = &o->check.config.search;

	if (o->check.script[0])
		return problem_set(p, "--script is for heddle check: a script is followed here, not written");
	if (s->strategy != SEARCH_DFS || s->no_matching || s->max_depth)
		return problem_set(
			p, "--strategy, --no-matching and --max-depth have no meaning here: the script "
			   "says where to go");
	for (u32 i = 0; o->trustful && o->check.properties && i < o->check.properties->count; i++)
		if (o->check.properties->property[i].step)
			return problem_set(
				p, "--step: a trusted script leads through every state, but not along every "
				   "transition; certify a full script");
	if (o->trustful && o->fp_out)
		return problem_set(p, "--fp-out: a trusted script is followed without fingerprints");
	bool peers = o->check.config.net.clients || o->check.config.net.servers;

	if (o->live && !peers)
		return problem_set(p, "--live needs the peers: --server or --client");
	if (!o->live && peers)
		return problem_set(
			p, "peers are started with --live only; without it the script's own record of "
			   "them is used");
	return 0;
}

/* ---- one process ---- */

static void tell_where(struct outcome *o, const struct certify_input *in)
{
	struct outcome_certified *c = &o->certified;
	const struct script_label *label = in->is_part ? in->part.label : in->script.label;
	u32 labels = in->is_part ? in->part.labels : in->script.labels, id = c->followed.label - 1;
	size_t n = (size_t)snprintf(c->where, sizeof(c->where), "(state %u", c->followed.state);

	if (c->followed.thread && n < sizeof(c->where))
		n += (size_t)snprintf(c->where + n, sizeof(c->where) - n, ", thread %u", c->followed.thread);
	if (c->followed.label && id < labels && n < sizeof(c->where))
		n += (size_t)snprintf(c->where + n, sizeof(c->where) - n, ", operation %u at +0x%lx",
				      label[id].kind, label[id].offset);
	if (n < sizeof(c->where))
		snprintf(c->where + n, sizeof(c->where) - n, ", after %lu transitions)",
			 c->followed.transitions);
}

static int write_map(const struct certify_options *o, const struct certify_input *in,
		     const struct outcome *out, int prints, u64 number, u64 parts, const char *path,
		     struct problem *p)
{
	struct part_result r = {.script = in->is_part ? in->part.script : in->script.file.id,
				.states = in->is_part ? in->part.states : in->script.states,
				.number = number,
				.parts = parts,
				.transitions = out->stats.transitions,
				.ranges = out->certified.followed.ranges,
				/* Of a whole script livelocks were looked for on the way. */
				.busy = out->certified.followed.busy && out->certified.part,
				.busy_lost = out->certified.followed.busy_lost && out->certified.part,
				.busy_edges = out->certified.followed.busy_edges};
	u64 bytes;
	enum verdict v = outcome_verdict(out);

	(void)o;
	r.good = v == VERDICT_CERTIFIED && !out->certified.followed.ranges_lost;
	snprintf(r.verdict, sizeof(r.verdict), "%s", verdict_name(v));
	snprintf(r.program, sizeof(r.program), "%.79s",
		 json_string_value(json_object_get(in->index, "identity")));
	return part_prints_write(&r, prints, path, &bytes, p);
}

int certify_follow(struct certify_options *o, const struct program *program,
		   const struct partition_part *part, u32 number, u32 parts, const char *map,
		   struct outcome *out, struct problem *p)
{
	struct check_options *c = &o->check;
	struct launch l = {.program = program, .argv = c->argv, .extra = c->extra, .config = c->config};
	struct certify_input *in = calloc(1, sizeof(*in));
	struct script_plan plan = {.prints = -1};
	int ret = in ? certify_open(in, o, program, &l.config, p) : problem_set(p, "out of memory");

	if (ret == 0 && !o->trustful && (in->is_part ? in->part.trustful : in->script.trustful))
		ret = problem_set(
			p,
			"%s is a trustful script: it says nothing that could be checked but the states "
			"themselves; --trustful follows it",
			o->file[0]);
	if (ret == 0 && o->trustful && in->is_part && !in->part.trustful)
		ret = problem_set(p, "--trustful: %s is part of a full script", o->file[0]);
	if (ret == 0) {
		l.learnt = in->learnt;
		l.trees = in->trees.memory;
		l.trees_len = in->trees.len;
		plan.trustful = o->trustful;
		plan.script = in->is_part ? NULL : &in->script;
		plan.part_file = in->is_part ? &in->part : NULL;
		/* A full script, trusted: its spanning tree. */
		if (o->trustful && plan.script)
			in->script.trusted = true;
		if (part) {
			plan.part = part->interval;
			plan.intervals = part->intervals;
		}
		out->certified.on = true;
		out->certified.trustful = o->trustful;
		out->certified.live = o->live;
		out->certified.part = part || in->is_part;
		out->certified.has_trees = in->trees.memory;
		out->certified.processes = out->certified.parts = 1;
		snprintf(out->certified.producer, sizeof(out->certified.producer), "%s", in->narrow);
		ret = check_run(c, &l, &plan, out, p);
	}
	if (ret == 0) {
		if (out->certified.followed.deviation)
			tell_where(out, in);
		if (map && plan.prints >= 0)
			ret = write_map(o, in, out, plan.prints, in->is_part ? in->part.number : number,
					in->is_part ? in->part.parts : parts, map, p);
	}
	if (plan.prints >= 0)
		close(plan.prints);
	if (in)
		certify_close(in);
	free(in);
	return ret;
}

struct outcome *certify_outcome_new(struct certify_options *o, const struct program *program)
{
	struct outcome *out = calloc(1, sizeof(*out));

	if (!out)
		return NULL;
	out->argv = o->check.argv;
	out->options = o->check.config.search;
	out->hooks = program->has_hooks;
	out->races_ignored = !o->check.config.races;
	out->allow_trivial = o->check.config.allow_trivial;
	return out;
}

int certify_report(struct certify_options *o, struct outcome *out, struct problem *p)
{
	bool lost = check_write_reports(&o->check, out, p);

	if (!lost || out->violations)
		tell_outcome(&o->check, out);
	return lost ? complain(p) : verdict_exit_code(outcome_verdict(out));
}

/* --part: which transitions it is. */
static int look_up_part(const struct certify_options *o, struct partition *parts, struct problem *p)
{
	struct script s;
	int ret;

	if (script_open(&s, o->file[0], p))
		return -1;
	ret = s.reduced
		      ? problem_set(p, "--part: a script with reduction is followed as a whole; heddle check "
				       "--por off makes one that can be cut")
	      : s.transitions < o->parts
		      ? problem_set(p, "--part: the script has only %lu transitions", s.transitions)
		      : partition_make(parts, &s, o->parts, false, p);
	script_close(&s);
	return ret;
}

int certify_one(struct certify_options *o, const struct program *program)
{
	struct outcome *out = certify_outcome_new(o, program);
	struct partition parts = {0};
	struct problem p = {.text = "out of memory"};
	int code;

	if (!out || (o->part && look_up_part(o, &parts, &p)) ||
	    certify_follow(o, program, o->part ? &parts.part[o->part - 1] : NULL, HD_MAX(o->part, 1u),
			   HD_MAX(o->parts, 1u), o->fp_out, out, &p))
		code = complain(&p);
	else
		code = certify_report(o, out, &p);
	partition_free(&parts);
	if (out)
		outcome_free(out);
	free(out);
	return code;
}

/* ---- several processes ---- */

/* In a process of its own: the parts number, number + jobs … Its exit code says how it went. */
static int certify_share(struct certify_options *o, const struct program *program,
			 const struct certify_team *t, u32 number, u32 jobs)
{
	o->check.jobs = 1;
	o->check.no_progress = true;
	for (u32 i = number; i < t->parts.parts; i += jobs) {
		struct outcome *out = certify_outcome_new(o, program);
		struct problem p;
		int code;

		if (!out ||
		    certify_follow(o, program, &t->parts.part[i], i + 1, t->parts.parts, t->map[i], out, &p))
			return complain(&p);
		code = outcome_verdict(out) == VERDICT_CERTIFIED ? 0 : certify_report(o, out, &p);
		outcome_free(out);
		free(out);
		if (code)
			return code;
	}
	return 0;
}

static int wait_for_all(const pid_t *pid, u32 jobs)
{
	int worst = 0;

	for (u32 i = 0; i < jobs; i++) {
		int status = 0;
		while (waitpid(pid[i], &status, 0) < 0 && errno == EINTR)
			;
		if (!WIFEXITED(status)) {
			say("process %u of %u was killed by signal %d; its parts were not certified", i + 1,
			    jobs, WTERMSIG(status));
			worst = EXIT_TOOL_ERROR;
		} else if (WEXITSTATUS(status) && worst != EXIT_TOOL_ERROR && worst != 1) {
			worst = WEXITSTATUS(status);
		}
	}
	return worst;
}

/* One process finds it again, and gives a trace. */
static int certify_livelock(struct certify_options *o, const struct program *program, u64 state)
{
	int code;

	say("from state %lu on the program only waits, for ever; the script is followed once more by one "
	    "process, for a trace",
	    state);
	o->check.jobs = 1;
	code = certify_one(o, program);
	return code ? code : 3;
}

int certify_conclude(struct certify_options *o, const struct program *program, const struct certify_team *t,
		     u32 jobs, const struct script *s, double started)
{
	struct outcome *out = certify_outcome_new(o, program);
	struct part_result r = {.good = true, .states = s->states, .transitions = s->transitions};
	char why[512] = "";
	struct problem p;
	double before = certify_now_s();
	int code;

	if (!out)
		return EXIT_TOOL_ERROR;
	if (!o->trustful && part_prints_merge(t->map, t->parts.parts, &r, why, sizeof(why), &p)) {
		code = complain(&p);
	} else if (r.livelock) {
		code = certify_livelock(o, program, r.livelock);
	} else {
		struct outcome_certified *c = &out->certified;
		*c = (struct outcome_certified){.on = true,
						.trustful = o->trustful,
						.live = o->live,
						.has_trees = json_object_get(s->file.index, "trees"),
						.processes = jobs,
						.parts = t->parts.parts};
		for (u32 i = 0; i < t->parts.parts; i++)
			c->largest = HD_MAX(c->largest, t->parts.part[i].transitions);
		c->compare_s = certify_now_s() - before;
		c->followed.whole = r.good;
		c->livelocks_unknown = r.busy && r.busy_lost && !o->trustful;
		out->net.config = o->check.config.net; /* what parts left out was asked for here, too */
		if (!r.good) {
			c->followed.deviation = DEVIATION_DAMAGED;
			snprintf(c->where, sizeof(c->where), "(%s)", why);
		}
		out->stats.states = r.states;
		out->stats.transitions = r.transitions;
		out->stats.revisited = o->trustful ? 0 : r.transitions - (r.states - 1);
		out->workers = jobs;
		out->wall_s = certify_now_s() - started;
		code = certify_report(o, out, &p);
	}
	outcome_free(out);
	free(out);
	return code;
}

int certify_team_begin(struct certify_team *t, struct script *s, u32 jobs, struct problem *p)
{
	snprintf(t->dir, sizeof(t->dir), "/tmp/heddle-certify.XXXXXX");
	if (!mkdtemp(t->dir))
		return problem_set(p, "no temporary folder in /tmp (%s)", strerror(errno));
	t->map = calloc(jobs + 1, sizeof(*t->map));
	if (!t->map || partition_make(&t->parts, s, jobs, false, p))
		return t->map ? -1 : problem_set(p, "out of memory");
	for (u32 i = 0; i < jobs; i++)
		if (asprintf(&t->map[i], "%s/%u", t->dir, i) < 0)
			return problem_set(p, "out of memory");
	return 0;
}

void certify_team_end(struct certify_team *t)
{
	for (u32 i = 0; t->map && t->map[i]; i++) {
		unlink(t->map[i]);
		free(t->map[i]);
	}
	free(t->map);
	partition_free(&t->parts);
	rmdir(t->dir);
}

static int certify_parts(struct certify_options *o, const struct program *program, struct script *s)
{
	double started = certify_now_s();
	u32 jobs = o->check.jobs;
	struct certify_team t = {0};
	struct problem p;
	pid_t *pid = calloc(jobs, sizeof(*pid));
	int code = EXIT_TOOL_ERROR;

	if (!pid || certify_team_begin(&t, s, jobs, &p)) {
		code = complain(&p);
	} else {
		for (u32 i = 0; i < jobs; i++) {
			pid[i] = fork();
			if (pid[i] == 0)
				_exit(certify_share(o, program, &t, i, jobs));
			interrupt_watch(pid[i], true);
		}
		code = wait_for_all(pid, jobs);
		for (u32 i = 0; i < jobs; i++)
			interrupt_watch(pid[i], false);
		if (code == 0)
			code = certify_conclude(o, program, &t, jobs, s, started);
	}
	certify_team_end(&t);
	free(pid);
	return code;
}

bool certify_divisible(const struct certify_options *o, const struct script *s)
{
	if (o->check.jobs < 2 || o->live || (s->trustful && !o->trustful))
		return false;
	if (s->reduced)
		say("a script with reduction is followed by one process: --por off makes one that can be "
		    "cut");
	return !s->reduced && s->transitions >= o->check.jobs;
}

static int certify(struct certify_options *o)
{
	struct program program;
	struct script s;
	struct problem p;
	bool parts;
	int code;

	if (program_open(o->check.argv[0], &program, &p) || check_prepare_out(&o->check, &p))
		return complain(&p);
	if (o->check.jobs > 1 && !o->fp_out && !o->part && script_open(&s, o->file[0], &p) == 0) {
		parts = certify_divisible(o, &s);
		code = parts ? certify_parts(o, &program, &s) : 0;
		script_close(&s);
		if (parts)
			return code;
	}
	o->check.jobs = 1;
	return certify_one(o, &program);
}

static int merge(const struct certify_options *o)
{
	struct part_result r;
	char why[512];
	struct problem p;

	if (part_prints_merge((char *const *)o->file, o->files, &r, why, sizeof(why), &p))
		return complain(&p);
	if (r.livelock) {
		say("Violation: from state %lu on the program only waits, for ever (livelock); heddle "
		    "certify of "
		    "the whole script gives a trace",
		    r.livelock);
		return 1;
	}
	if (!r.good) {
		say("Deviation: the parts do not make a certified whole: %s", why);
		return 3;
	}
	if (r.busy && r.busy_lost) {
		say("Not certified (bounded): the program waits busily, and parts of a script do not show "
		    "livelocks; certify the whole script");
		return 3;
	}
	say("Certified: %lu parts are all of one script, %lu states and %lu transitions, and agree on every "
	    "state",
	    r.parts, r.states, r.transitions);
	return 0;
}

int verb_certify(int argc, char **argv)
{
	struct certify_options o = {.merge = false};
	char **left = calloc((size_t)argc + 2, sizeof(*left));
	struct problem p = {""};
	int n = 0, code;

	o.file = calloc((size_t)argc + 1, sizeof(*o.file));
	check_options_init(&o.check);
	bool wrong = !left || !o.file ? problem_set(&p, "out of memory")
				      : take_own(&o, argc, argv, left, &n, &p);
	if (!wrong && !o.merge)
		wrong = check_options_parse(&o.check, n, left, &p) || refuse(&o, &p);
	wrong = wrong || certify_refuse_ranks(&o, &p);
	if (ranks_agree(cli_ranks, wrong, &p)) {
		code = ranks_complain_usage("certify", &p);
	} else if (o.merge) {
		code = merge(&o);
	} else {
		interrupt_install();
		code = cli_ranks ? certify_on_ranks(&o) : certify(&o);
	}
	check_options_free(&o.check);
	free(left);
	free(o.file);
	return code;
}

#include "session/script_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "report/json.h"
#include "report/trace_json.h"

#define READ_WORDS (64u << 10)

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Above the standard ones, which a child has for other things. */
static int raise_fd(int fd)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	close(fd);
	return high;
}

static int make_pipe(struct script_run *r, struct problem *p)
{
	int fd[2];
	bool records = r->plan->record;

	/* Who follows may ask for the words once more. */
	if (records ? pipe2(fd, O_CLOEXEC) : socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd))
		return problem_set(p, "no pipe (%s); raise ulimit -n", strerror(errno));
	r->mine = raise_fd(fd[records ? 0 : 1]);
	r->childs = raise_fd(fd[records ? 1 : 0]);
	if (r->mine < 0 || r->childs < 0)
		return problem_set(p, "no pipe (%s); raise ulimit -n", strerror(errno));
	fcntl(r->mine, F_SETPIPE_SZ, 1 << 20); /* fewer switches, where it is allowed */
	return 0;
}

/* Of a part: no more than it has transitions. */
static u64 busy_room(const struct script_plan *plan)
{
	u64 all = plan->part_file ? plan->part_file->transitions : 0;

	for (u32 i = 0; plan->part && i < plan->intervals; i++)
		all += plan->part[i].to - plan->part[i].from;
	return HD_MIN(all, WIRE_MAX_BUSY_EDGES);
}

static int make_prints(struct script_run *r, u64 numbers, struct launch *l, struct problem *p)
{
	u64 room = busy_room(r->plan);
	int fd = memfd_create("heddle-prints", MFD_CLOEXEC);

	fd = fd < 0 ? -1 : raise_fd(fd);
	r->plan->prints = fd;
	if (fd < 0 || ftruncate(fd, (off_t)WIRE_PRINTS_BYTES(numbers, room)))
		return problem_set(p, "no memory for %lu fingerprints (%s)", numbers, strerror(errno));
	l->prints = fd;
	l->task.numbers = numbers;
	l->task.busy_room = room;
	return 0;
}

int script_run_prepare(struct script_run *r, struct script_plan *plan, struct launch *l, struct problem *p)
{
	*r = (struct script_run){.plan = plan, .mine = -1, .childs = -1};
	plan->prints = -1;
	if (make_pipe(r, p))
		return -1;
	l->tape = r->childs;
	if (plan->record) {
		l->task.script = WIRE_SCRIPT_RECORD;
		r->writer = script_writer_new(plan->record, plan->trustful, p);
		return r->writer ? 0 : -1;
	}
	l->task.script = plan->trustful ? WIRE_SCRIPT_TRUST : WIRE_SCRIPT_FOLLOW;
	l->task.part = plan->part || plan->part_file;
	u64 states = plan->script ? plan->script->states : plan->part_file->states;
	return plan->trustful ? 0 : make_prints(r, states + 1, l, p);
}

/* All that comes is taken, even if nobody has a use for it: the other side must not be held up. */
static void *record(void *self)
{
	struct script_run *r = self;
	u32 *word = malloc(READ_WORDS * sizeof(*word));
	size_t have = 0;
	ssize_t n;

	while (word && ((n = read(r->mine, (char *)word + have, READ_WORDS * sizeof(*word) - have)) > 0 ||
			(n < 0 && errno == EINTR))) {
		have += n > 0 ? (size_t)n : 0;
		script_writer_take(r->writer, word, (u32)(have / sizeof(*word)));
		memmove(word, (char *)word + have / sizeof(*word) * sizeof(*word), have % sizeof(*word));
		have %= sizeof(*word);
	}
	free(word);
	return NULL;
}

static bool send_words(void *self, const u32 *word, u32 n)
{
	struct script_run *r = self;
	const char *from = (const char *)word;

	if (recv(r->mine, &r->again, 1, MSG_DONTWAIT) == 1)
		return false;
	for (size_t left = n * sizeof(*word); left;) {
		ssize_t done = send(r->mine, from, left, MSG_NOSIGNAL);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		from += done;
		left -= (size_t)done;
	}
	return true;
}

static void *feed(void *self)
{
	struct script_run *r = self;
	struct script_plan *plan = r->plan;
	const struct tape_sink sink = {send_words, r};
	static const u32 marks[TAPE_MARKS] = {TAPE_MARK, TAPE_MARK, TAPE_MARK, TAPE_MARK};

	do {
		bool once_more = r->again;
		r->again = 0;
		if (once_more && !send_words(r, marks, TAPE_MARKS))
			continue;
		if (plan->part_file)
			script_part_feed(plan->part_file, &sink, &r->problem);
		else if (plan->part)
			script_feed_part(plan->script, plan->part, plan->intervals, &sink,
					 &plan->longest_path, &plan->paths, &r->problem);
		else
			script_feed(plan->script, &sink, &r->problem);
		/* All was said: it has enough, or wants it once more. */
	} while (r->again || (!r->problem.text[0] && recv(r->mine, &r->again, 1, 0) == 1 && r->again));
	shutdown(r->mine, SHUT_RDWR);
	close_end(&r->mine);
	return NULL;
}

/* The script names places by modules: those of this process have to be the same. */
static int place(struct script_run *r, pid_t pid, u64 environment, struct problem *p)
{
	struct script *s = r->plan->script;
	u64 theirs;
	const struct modules *of = s ? &s->modules : &r->plan->part_file->modules;
	struct modules here = {0};
	bool other;
	int ret = 0;

	/*
	 * What the reduction learnt goes by addresses, and where main's stack is depends on the
	 * environment.
	 */
	if (s && s->reduced &&
	    (!json_hex_value(json_object_get(s->file.index, "environment"), &theirs) ||
	     theirs != environment))
		return problem_set(
			p, "the script was made with partial-order reduction, and with other environment "
			   "variables: certify it with the same ones (env -i), or have one made with "
			   "--por off");
	modules_look(&here, pid);
	for (u32 i = 0; ret == 0 && i < of->count; i++)
		if (!modules_same(&here, &of->module[i], &other) && other)
			ret = problem_set(p,
					  "the script was made with another build of %s (build-id %s); check "
					  "that build, or make a new script",
					  of->module[i].name, of->module[i].build_id);
	if (ret == 0 && s)
		script_place_labels(s, &here);
	else if (ret == 0)
		script_part_place(r->plan->part_file, &here);
	modules_free(&here);
	return ret;
}

int script_run_begin(struct script_run *r, const struct sut *s, struct problem *p)
{
	sigset_t all, before;

	close_end(&r->childs);
	if (r->writer)
		script_writer_process(r->writer, s->pid);
	else if (place(r, s->pid, s->environment, p))
		return -1;
	/* ^C is the main thread's, and who reads no more is told by an error. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r->running = !pthread_create(&r->thread, NULL, r->writer ? record : feed, r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r->running ? 0 : problem_set(p, "no thread (%s)", strerror(errno));
}

int script_run_end(struct script_run *r, struct problem *p)
{
	close_end(&r->childs);
	if (r->running)
		pthread_join(r->thread, NULL);
	r->running = false;
	close_end(&r->mine);
	if (!r->problem.text[0])
		return 0;
	*p = r->problem;
	return -1;
}

void script_run_keep(struct script_run *r, const struct launch *l, const struct wire_learnt *learnt,
		     u64 environment, struct outcome *o)
{
	enum verdict v = outcome_verdict(o);
	struct outcome_script *to = &o->script;
	struct script_sizes sizes = {0};
	struct problem p = {.text = ""};
	json_t *about;

	if (!r->writer)
		return;
	snprintf(to->path, sizeof(to->path), "%s", r->plan->record);
	to->trustful = r->plan->trustful;
	if (v == VERDICT_VIOLATION || v == VERDICT_INCOMPLETE || o->interrupted) {
		snprintf(to->why_not, sizeof(to->why_not),
			 v == VERDICT_VIOLATION ? "there is nothing to certify in a program with a violation"
						: "the search has no result that could be certified");
		return;
	}
	about = json_deep_copy(r->plan->about);
	json_object_set_new(about, "config", trace_config_json(&l->config));
	json_object_set_new(about, "learnt", trace_learnt_json(learnt));
	json_object_set_new(about, "environment", json_hex(environment));
	json_object_set_new(about, "verdict", json_string(verdict_name(v)));
	char *trees = o->net.trees.memory ? trees_blob_text(&o->net.trees) : NULL;
	if (trees)
		json_object_set_new(about, "has_trees", json_true());
	if (script_writer_end(r->writer, about, trees, trees ? strlen(trees) : 0, &sizes, &p)) {
		snprintf(to->why_not, sizeof(to->why_not), "%.1000s", p.text);
		to->lost = true;
	}
	free(trees);
	r->writer = NULL;
	to->states = sizes.states;
	to->transitions = sizes.transitions;
	to->bytes = sizes.bytes;
	to->script_bytes = sizes.script_bytes;
	to->subgraph_bytes = sizes.subgraph_bytes;
}

void script_run_drop(struct script_run *r)
{
	struct problem unused;
	struct script_sizes none;

	if (!r->plan)
		return;
	script_run_end(r, &unused);
	if (r->writer)
		script_writer_end(r->writer, NULL, NULL, 0, &none, &unused);
	r->writer = NULL;
}

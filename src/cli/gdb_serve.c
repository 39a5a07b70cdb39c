#include "cli/gdb_serve.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "report/json.h"
#include "report/plain_text.h"

enum standing { STANDS_BEFORE, STANDS_IN, STANDS_END };

/* One process, as its events describe it. */
struct stand {
	struct replay *replay; /* NULL: none */
	struct launch launch;
	struct replay_listener listener;
	struct problem problem;
	int socket;
	bool running; /* gdb lets it */
	bool shows;   /* what the program writes */
	enum standing place;
	u64 step;
	u32 thread;
	char text[512];
};

struct debugging {
	const struct gdb_call *call;
	int socket;
	struct stand stand[2]; /* the one that gdb has, and the one before or after it */
	unsigned now;
};

static void on_started(void *self, pid_t pid)
{
	(void)self;
	interrupt_watch(pid, true);
}

static void on_line(void *self, const struct log_entry *l)
{
	struct stand *s = self;

	if (l->kind == WIRE_EV_OUTPUT) {
		if (s->shows)
			plain_entry(stdout, l);
		fflush(stdout);
		return;
	}
	if (l->kind == WIRE_EV_FIBER || l->kind == WIRE_EV_ASIDE)
		return;
	s->place = l->kind == WIRE_EV_PAUSE  ? STANDS_BEFORE
		   : l->kind == WIRE_EV_STEP ? STANDS_IN
					     : STANDS_END;
	if (s->place != STANDS_END)
		s->step = l->step;
	s->thread = l->thread;
	snprintf(s->text, sizeof(s->text), "%s", l->text);
}

/* Something to read: the request comes first. */
static bool on_give_up(void *self)
{
	const struct stand *s = self;
	struct pollfd fd = {s->socket, POLLIN, 0};

	return s->running && poll(&fd, 1, 0) > 0;
}

static void stand_close(struct stand *s)
{
	if (!s->replay)
		return;
	interrupt_watch(replay_pid(s->replay), false);
	replay_close(s->replay);
	s->replay = NULL;
}

/* A fresh process, up to the pause before `step`. */
static bool stand_open(struct stand *s, const struct debugging *d, u64 step, struct problem *p)
{
	enum replay_end end;

	*s = (struct stand){.launch = d->call->launch, .socket = d->socket};
	s->listener = (struct replay_listener){
		.self = s, .started = on_started, .line = on_line, .give_up = on_give_up};
	s->launch.task.gdb = 1;
	s->launch.task.pause_at = step;
	s->replay = replay_open(&s->launch, &s->listener, &s->problem);
	if (!s->replay) {
		*p = s->problem;
		return false;
	}
	end = replay_listen(s->replay);
	if (end == REPLAY_PAUSED || end == REPLAY_VIOLATION)
		return true;
	if (end == REPLAY_NO_VIOLATION)
		problem_set(p, "the replay ended without a violation");
	else
		*p = s->problem;
	stand_close(s);
	return false;
}

static json_t *registers(const struct wire_regs *r)
{
	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "rsp", (json_int_t)r->rsp, "rip",
			 (json_int_t)r->rip, "rbp", (json_int_t)r->rbp, "rbx", (json_int_t)r->rbx, "r12",
			 (json_int_t)r->r12, "r13", (json_int_t)r->r13, "r14", (json_int_t)r->r14, "r15",
			 (json_int_t)r->r15);
}

static json_t *thread_object(const struct log_entry *l, bool exact)
{
	return json_pack("{s:i,s:o,s:o,s:o,s:b}", "number", (int)l->thread, "name", json_text(l->name),
			 "text", json_text(l->text), "regs", registers(&l->regs), "exact", exact);
}

/* Where it failed is nearer to the truth than where its last operation began. */
static const struct log_entry *failed_here(const struct stand *s, const struct execution_log *log)
{
	const struct log_entry *who = execution_log_culprit(log);

	return s->place == STANDS_END && who == &log->violation && who->text && who->regs.rip ? who : NULL;
}

static json_t *thread_list(const struct stand *s)
{
	const struct execution_log *log = replay_log(s->replay);
	const struct log_entry *who = failed_here(s, log);
	json_t *list = json_array();

	for (size_t i = 0; i < log->fibers; i++)
		if (!who || log->fiber[i].thread != who->thread)
			json_array_append_new(list, thread_object(&log->fiber[i], false));
	if (who)
		json_array_append_new(list, thread_object(who, true));
	return list;
}

static json_t *status(const struct stand *s)
{
	static const char *const places[] = {"before", "in", "end"};
	const struct execution_log *log = replay_log(s->replay);
	u32 thread = s->place == STANDS_END ? execution_log_culprit(log)->thread : s->thread;
	const char *violation = s->place == STANDS_END ? violation_traits(log->violation_kind)->name : "";

	return json_pack("{s:s,s:I,s:I,s:i,s:i,s:o,s:s,s:o}", "at", places[s->place], "step",
			 (json_int_t)s->step, "steps", (json_int_t)s->launch.task.path_len, "pid",
			 (int)replay_pid(s->replay), "thread", (int)thread, "text", json_text(s->text),
			 "violation", violation, "threads", thread_list(s));
}

static json_t *error_object(const char *text)
{
	return json_pack("{s:o}", "error", json_text(text));
}

static u64 step_of(const json_t *request)
{
	const json_t *step = json_object_get(request, "step");

	return json_is_integer(step) && json_integer_value(step) >= 0 ? (u64)json_integer_value(step)
								      : REPLAY_NO_PAUSE;
}

static json_t *start(struct debugging *d, const json_t *request)
{
	struct stand *next = &d->stand[!d->now];
	struct problem p = {0};

	stand_close(next);
	if (!stand_open(next, d, step_of(request), &p))
		return error_object(p.text);
	d->now = !d->now;
	return status(next);
}

static json_t *until(struct stand *s, const json_t *request)
{
	replay_pause_at(s->replay, step_of(request));
	s->running = s->shows = true;
	return json_object();
}

static json_t *threads_before(struct debugging *d, const struct stand *s)
{
	struct stand *other = &d->stand[!d->now];
	struct problem p = {0};
	json_t *answer;

	stand_close(other);
	if (!stand_open(other, d, s->step, &p))
		return error_object(p.text);
	answer = status(other);
	stand_close(other);
	return answer;
}

static json_t *answer_to(struct debugging *d, const json_t *request)
{
	const char *what = json_string_value(json_object_get(request, "do"));
	struct stand *s = &d->stand[d->now];

	if (!what)
		return error_object("a request without a verb");
	if (!strcmp(what, "first"))
		return d->call->at == REPLAY_NO_PAUSE ? json_object()
						      : json_pack("{s:I}", "step", (json_int_t)d->call->at);
	if (!strcmp(what, "start"))
		return start(d, request);
	if (!s->replay)
		return error_object("there is no process; heddle goto N starts one");
	if (!strcmp(what, "until"))
		return until(s, request);
	if (!strcmp(what, "status"))
		return status(s);
	if (!strcmp(what, "threads"))
		return threads_before(d, s);
	if (!strcmp(what, "attached"))
		stand_close(&d->stand[!d->now]);
	return json_object();
}

/* False: the other side has ended. */
static bool serve_one(struct debugging *d, FILE *in)
{
	char line[4096];
	json_t *request, *answer;
	char *text;

	if (!fgets(line, sizeof(line), in))
		return false;
	request = json_loads(line, 0, NULL);
	answer = answer_to(d, request);
	text = answer ? json_dumps(answer, JSON_COMPACT) : NULL;
	dprintf(d->socket, "%s\n", text ? text : "{\"error\": \"out of memory\"}");
	free(text);
	json_decref(answer);
	json_decref(request);
	return true;
}

void gdb_serve(const struct gdb_call *call, int socket)
{
	struct debugging d = {.call = call, .socket = socket};
	FILE *in = fdopen(dup(socket), "r");
	bool alive = in != NULL;

	if (in)
		setvbuf(in, NULL, _IOLBF, 0);
	while (alive) {
		struct stand *s = &d.stand[d.now];

		/* Its events have to be heard, or it would wait for ever. */
		if (s->replay && s->running && replay_listen(s->replay) != REPLAY_GIVEN_UP)
			s->running = false;
		alive = serve_one(&d, in);
	}
	stand_close(&d.stand[0]);
	stand_close(&d.stand[1]);
	if (in)
		fclose(in);
}

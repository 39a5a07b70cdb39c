#include "session/properties.h"

#include "property/property.h"
#include "session/replay_run.h"

struct preparation {
	const struct session_observer *observer;
	struct wire_properties *all;
	struct sut sut;
	struct problem *problem;
	int ret;
};

static void on_started(void *self, pid_t pid)
{
	const struct preparation *c = self;

	c->observer->process(c->observer->self, pid, true);
}

static bool on_give_up(void *self)
{
	const struct preparation *c = self;

	return c->observer->stop_requests(c->observer->self) >= 1;
}

static void on_initial_state(void *self, struct symbols *symbols)
{
	struct preparation *c = self;

	(void)symbols;
	c->ret = property_compile(c->all, c->sut.pid, c->sut.shared->config.runtime_path, c->problem);
}

int properties_prepare(struct wire_properties *all, struct launch *l, const struct session_observer *observer,
		       struct problem *p)
{
	struct preparation c = {.observer = observer, .all = all, .problem = p, .ret = 1};
	const struct replay_listener listener = {
		.self = &c, .started = on_started, .at_end = on_initial_state, .give_up = on_give_up};
	const u32 no_steps[1] = {0};
	struct execution_log log = {0};
	struct problem why = {0};
	enum replay_end end;

	if (!all || !all->count)
		return 0;
	struct launch standing = *l;

	standing.task = (struct wire_task){.mode = WIRE_REPLAY};
	standing.config.net.live = 0;
	standing.path = no_steps;
	standing.properties = NULL;
	end = replay_process(&c.sut, &standing, &listener, &log, &why);
	if (c.sut.pid)
		observer->process(observer->self, c.sut.pid, false);
	sut_end(&c.sut);
	execution_log_free(&log);
	if (c.ret == 1)
		return problem_set(p, "%s", end == REPLAY_GIVEN_UP ? "interrupted" : why.text);
	l->properties = all;
	return c.ret;
}

#include "session/saver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was seen of one command's processes. */
static struct outcome_peer *place_of(struct saver *s, pid_t pid)
{
	u32 n = 0;
	bool client = false;
	if (!peers_number(s->peers, pid, &n, &client) || n > SAVER_PEERS)
		return NULL;
	return client ? &s->client[n - 1] : &s->server[n - 1];
}

/* Time-outs, threads and the like may matter, and mostly don't: answers are compared. Dice always do. */
static bool is_chance(const char *call)
{
	static const char *const calls[] = {"getrandom", "read of /dev/urandom", "ephemeral port"};
	for (size_t i = 0; i < HD_ARRAY_LEN(calls); i++)
		if (!strcmp(call, calls[i]))
			return true;
	return false;
}

static void add_act(struct outcome_peer *o, const struct checkpoint_act *a)
{
	u32 i = 0;
	while (i < o->acts && strcmp(o->act[i].call, a->call) != 0)
		i++;
	if (i == HD_ARRAY_LEN(o->act))
		return;
	if (i == o->acts)
		snprintf(o->act[o->acts++].call, sizeof(o->act[0].call), "%s", a->call);
	o->act[i].count += a->count;
	o->act[i].tamed = a->tamed;
	o->act[i].chance = is_chance(a->call);
	o->act[i].start = !strcmp(a->call, "random bytes at its start");
}

/* Before it is ended, or when all is over. */
static void note(struct saver *s, pid_t pid)
{
	struct checkpoint_act act[64];
	struct outcome_peer *o = place_of(s, pid);
	const char *reason = "";
	if (!o)
		return;
	snprintf(o->backend, sizeof(o->backend), "%s", checkpoint_backend(s->lib, pid, &reason));
	snprintf(o->reason, sizeof(o->reason), "%s", reason);
	u32 n = checkpoint_acts(s->lib, pid, act, HD_ARRAY_LEN(act));
	for (u32 i = 0; i < HD_MIN(n, (u32)HD_ARRAY_LEN(act)); i++)
		add_act(o, &act[i]);
}

static void forget_pid(struct saver *s, pid_t pid)
{
	for (u32 i = 0; i < s->adopted; i++)
		if (s->pid[i] == pid) {
			s->chances[i] = s->chances[--s->adopted];
			s->pid[i--] = s->pid[s->adopted];
		}
}

/* Numbers that it drew since it talks to somebody, and ports that it was given; or those alone. */
static u64 chances(const struct saver *s, pid_t peer, bool ports_only)
{
	struct checkpoint_act act[64];
	u64 sum = 0;
	u32 n = checkpoint_acts(s->lib, peer, act, HD_ARRAY_LEN(act));
	for (u32 i = 0; i < HD_MIN(n, (u32)HD_ARRAY_LEN(act)); i++)
		if (is_chance(act[i].call) && (!ports_only || !strcmp(act[i].call, "ephemeral port")))
			sum += act[i].count;
	return sum;
}

static void adopt(void *self, pid_t peer)
{
	struct saver *s = self;
	for (u32 i = 0; i < s->adopted; i++)
		if (s->pid[i] == peer)
			return;
	if (s->adopted == HD_ARRAY_LEN(s->pid) || checkpoint_adopt(s->lib, peer, &s->problem))
		return;
	/* What it did until now is done again by each that is started; what it drew is not. */
	checkpoint_acted(s->lib, peer);
	s->chances[s->adopted] = chances(s, peer, true);
	s->pid[s->adopted++] = peer;
}

static int save(void *self, pid_t peer, const int *fd, u32 n, u64 *id, struct problem *p)
{
	struct saver *s = self;
	adopt(s, peer);
	if (!checkpoint_can_save(s->lib, peer)) {
		const char *reason;
		checkpoint_backend(s->lib, peer, &reason);
		problem_set(p, "it can only be started again (%.300s)",
			    s->problem.text[0] ? s->problem.text : reason);
		return -1;
	}
	return checkpoint_save(s->lib, peer, fd, n, id, p);
}

static int restore(void *self, u64 id, int *fd, pid_t *now, struct problem *p)
{
	const struct saver *s = self;
	return checkpoint_restore(s->lib, id, fd, now, p);
}

static void join(void *self, pid_t peer, pid_t with)
{
	struct saver *s = self;
	adopt(s, peer);
	adopt(s, with);
	checkpoint_join(s->lib, peer, with);
}

static void drop(void *self, u64 id)
{
	const struct saver *s = self;
	checkpoint_drop(s->lib, id);
}

static u32 acted(void *self, pid_t peer)
{
	struct saver *s = self;
	u32 i = 0;
	adopt(s, peer);
	if (!checkpoint_notices(s->lib, peer)) /* nobody knows: it may have done anything */
		return checkpoint_can_save(s->lib, peer) ? NET_ACTED | NET_CHOSE : 0;
	u32 acts = checkpoint_acted(s->lib, peer) ? NET_ACTED : 0;
	while (i < s->adopted && s->pid[i] != peer)
		i++;
	if (i == s->adopted)
		return acts;
	u64 before = s->chances[i];
	s->chances[i] = chances(s, peer, false);
	return s->chances[i] != before ? NET_ACTED | NET_CHOSE : acts;
}

static bool can_save(void *self, pid_t peer)
{
	const struct saver *s = self;
	return checkpoint_can_save(s->lib, peer);
}

static void forget(void *self, pid_t peer)
{
	struct saver *s = self;
	note(s, peer);
	forget_pid(s, peer);
	checkpoint_forget(s->lib, peer);
}

static void prepare(void *self, bool on)
{
	struct saver *s = self;
	s->prepared = on;
}

static char *wrap(void *self)
{
	struct saver *s = self;
	return s->wrap && (s->prepared || s->for_broker.all) ? s->wrap(s->wrap_self) : strdup("");
}

struct saver *saver_create(const struct checkpoint_options *o, bool all, struct peer_options *peers,
			   struct problem *p)
{
	struct saver *s = calloc(1, sizeof(*s));
	if (!s) {
		problem_set(p, "out of memory");
		return NULL;
	}
	s->lib = checkpoints_create(o, peers, p);
	if (!s->lib) {
		free(s);
		return NULL;
	}
	s->wrap = peers->wrap;
	s->wrap_self = peers->wrap_self;
	peers->wrap = wrap;
	peers->wrap_self = s;
	s->for_broker = (struct broker_saver){.self = s,
					      .all = all,
					      .prepare = prepare,
					      .save = save,
					      .restore = restore,
					      .join = join,
					      .drop = drop,
					      .acted = acted,
					      .can_save = can_save,
					      .adopt = adopt,
					      .forget = forget};
	return s;
}

void saver_set_peers(struct saver *s, struct peers *peers, struct broker *b)
{
	s->peers = peers;
	checkpoints_set_peers(s->lib, peers, b);
	broker_set_saver(b, &s->for_broker);
}

void saver_report(struct saver *s, struct outcome_checkpoints *o)
{
	struct checkpoint_cost all;
	while (s->adopted) {
		pid_t pid = s->pid[s->adopted - 1];
		checkpoint_cost(s->lib, 0, &all);
		o->bytes = HD_MAX(o->bytes, all.bytes);
		forget(s, pid);
	}
	checkpoint_cost(s->lib, 0, &all);
	o->save_ns = all.save_ns;
	o->restore_ns = all.restore_ns;
	memcpy(o->server, s->server, sizeof(o->server));
	memcpy(o->client, s->client, sizeof(o->client));
}

void saver_free(struct saver *s)
{
	if (!s)
		return;
	checkpoints_free(s->lib);
	free(s);
}

/*
 * checkpoint.c: the peers and what is saved of them; the choice of a backend; what it costs.
 */
#include "checkpoint/checkpoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "checkpoint/checkpoint_priv.h"
#include "checkpoint/criu.h"
#include "checkpoint/members.h"
#include "checkpoint/process_tree.h"
#include "checkpoint/shim_link.h"

#define WATCHED 64u

static const struct checkpoint_backend *const by_choice[] = {
	[CHECKPOINT_FORK] = &backend_fork,
	[CHECKPOINT_CRIU] = &backend_criu,
	[CHECKPOINT_RESTART] = &backend_restart,
};

static u64 now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000ull + (u64)t.tv_nsec;
}

static u64 quarter_of_memory(void)
{
	struct sysinfo i;
	return sysinfo(&i) ? 1ull << 30 : (u64)i.totalram * i.mem_unit / 4;
}

static struct saved_peer *find_peer(const struct checkpoints *s, pid_t pid)
{
	for (struct saved_peer *t = s->peer; t; t = t->next)
		if (t->pid == pid)
			return t;
	return NULL;
}

void checkpoint_join(struct checkpoints *s, pid_t peer, pid_t with)
{
	struct saved_peer *t = find_peer(s, peer), *u = find_peer(s, with);
	if (!t || !u || t == u)
		return;
	while (t->joined && t->joined != u)
		t = t->joined;
	t->joined = u;
}

/* It is forgotten: out of the list, and those with whom it was saved are not whole without it. */
static void leave(struct checkpoints *s, const struct saved_peer *gone)
{
	for (struct saved_peer **at = &s->peer; *at;) {
		struct saved_peer *t = *at;
		if (t->joined == gone)
			t->joined = NULL;
		if (t == gone)
			*at = t->next;
		else
			at = &t->next;
	}
}

static struct saved *find_saved(const struct checkpoints *s, u64 id)
{
	for (struct saved *v = s->saved; v; v = v->next)
		if (v->id == id)
			return v;
	return NULL;
}

bool checkpoint_probe(enum checkpoint_choice backend, char *why, size_t cap)
{
	why[0] = 0;
	return by_choice[backend]->probe(why, cap);
}

/* The warden removes it in the end, whatever happens to us. */
static int make_folder(struct checkpoints *s, struct problem *p)
{
	const char *tmp = getenv("TMPDIR");
	if (!tmp || strlen(tmp) > 80 || strchr(tmp, '\''))
		tmp = "/tmp";
	snprintf(s->folder, sizeof(s->folder), "%s/heddle-criu-XXXXXX", tmp);
	if (mkdtemp(s->folder))
		return 0;
	s->folder[0] = 0;
	return problem_set(p, "no folder for saved peers in %s (%s); set TMPDIR", tmp, strerror(errno));
}

static char *wrap(void *self)
{
	const struct checkpoints *s = self;
	if (s->folder[0])
		return criu_wrap(s->folder);
	return s->shim ? shim_host_wrap(s->shim) : strdup("");
}

struct checkpoints *checkpoints_create(const struct checkpoint_options *o, struct peer_options *peers,
				       struct problem *p)
{
	struct checkpoints *s = calloc(1, sizeof(*s));
	char why[256];
	if (!s) {
		problem_set(p, "out of memory");
		return NULL;
	}
	s->options = *o;
	if (!s->options.max_bytes)
		s->options.max_bytes = quarter_of_memory();
	if (o->choice != CHECKPOINT_AUTO && !checkpoint_probe(o->choice, why, sizeof(why))) {
		problem_set(p, "--checkpoint-backend %s does not work here: %s", by_choice[o->choice]->name,
			    why);
		free(s);
		return NULL;
	}
	if (o->choice == CHECKPOINT_AUTO || o->choice == CHECKPOINT_FORK)
		s->shim = shim_host_create(o->start_chance, s->no_shim, sizeof(s->no_shim));
	else
		snprintf(s->no_shim, sizeof(s->no_shim), "--checkpoint-backend %s was asked for",
			 by_choice[o->choice]->name);
	if (o->choice == CHECKPOINT_FORK && !s->shim) {
		problem_set(p, "--checkpoint-backend fork does not work here: %s", s->no_shim);
		free(s);
		return NULL;
	}
	if (o->choice == CHECKPOINT_CRIU && make_folder(s, p)) {
		free(s);
		return NULL;
	}
	if (s->shim || s->folder[0]) {
		peers->wrap = wrap;
		peers->wrap_self = s;
	}
	peers->folder = s->folder;
	return s;
}

static void hold(void *self, pid_t peer, bool held)
{
	struct saved_peer *t = find_peer(self, peer);
	if (!t || !t->shim)
		return;
	members_gather(self, t);
	members_hold(t, held);
}

static bool pass(void *self, pid_t peer, u64 ns)
{
	struct checkpoints *s = self;
	struct saved_peer *t = find_peer(s, peer);
	if (!t || !t->shim)
		return false;
	members_gather(s, t);
	return members_pass(t, ns);
}

void checkpoints_set_peers(struct checkpoints *s, struct peers *peers, struct broker *b)
{
	s->peers = peers;
	s->broker = b;
	broker_set_hold(b, hold, pass, s);
}

static void unlink_saved(struct checkpoints *s, struct saved *v)
{
	struct saved **at = &s->saved;
	while (*at != v)
		at = &(*at)->next;
	*at = v->next;
}

static void drop(struct checkpoints *s, struct saved *v)
{
	unlink_saved(s, v);
	v->of->cost.bytes -= v->bytes;
	v->of->backend->drop(s, v);
	free(v);
}

void checkpoint_drop(struct checkpoints *s, u64 id)
{
	struct saved *v = find_saved(s, id);
	if (v)
		drop(s, v);
}

static void add_average(u64 *average, u64 *count, u64 value)
{
	*average = (*average * *count + value) / (*count + 1);
	++*count;
}

static void add_cost(struct checkpoint_cost *sum, const struct checkpoint_cost *c)
{
	u64 saves = sum->saves + c->saves, restores = sum->restores + c->restores,
	    restarts = sum->restarts + c->restarts;
	if (saves)
		sum->save_ns = (sum->save_ns * sum->saves + c->save_ns * c->saves) / saves;
	if (restores)
		sum->restore_ns = (sum->restore_ns * sum->restores + c->restore_ns * c->restores) / restores;
	if (restarts)
		sum->restart_ns = (sum->restart_ns * sum->restarts + c->restart_ns * c->restarts) / restarts;
	sum->saves = saves;
	sum->restores = restores;
	sum->restarts = restarts;
	sum->bytes += c->bytes;
}

void checkpoint_forget(struct checkpoints *s, pid_t peer)
{
	struct saved_peer *t = find_peer(s, peer);
	if (!t)
		return;
	for (struct saved *v = s->saved, *next; v; v = next) {
		next = v->next;
		for (const struct saved_peer *u = v->of; u; u = u->joined)
			if (u == t) {
				drop(s, v);
				break;
			}
	}
	leave(s, t);
	add_cost(&s->gone, &t->cost);
	members_free(t);
	criu_forget(s, t);
	free(t);
}

void checkpoints_free(struct checkpoints *s)
{
	if (!s)
		return;
	while (s->peer)
		checkpoint_forget(s, s->peer->pid);
	shim_host_free(s->shim);
	if (s->folder[0])
		rmdir(s->folder);
	free(s);
}

/* The first that fits; the reason says what stands against the others. */
static void choose(struct checkpoints *s, struct saved_peer *t)
{
	static const struct checkpoint_backend *const order[] = {&backend_fork, &backend_criu,
								 &backend_restart};
	char why[160], text[sizeof(t->reason)] = "";
	size_t at = 0;
	for (size_t i = 0; i < HD_ARRAY_LEN(order); i++) {
		t->backend = order[i];
		why[0] = 0;
		if (order[i]->probe(why, sizeof(why)) && order[i]->fits(s, t, why, sizeof(why))) {
			if (at < sizeof(text))
				snprintf(text + at, sizeof(text) - at, "%s%s", at ? "; " : "", why);
			break;
		}
		int n = snprintf(text + at, sizeof(text) - at, "%snot %s: %s", at ? "; " : "", order[i]->name,
				 why);
		at = at + (size_t)n < sizeof(text) ? at + (size_t)n : sizeof(text) - 1;
	}
	memcpy(t->reason, text, sizeof(text));
}

/*
 * What the keeper has started, and what was left to it; but not the keeper, whose children saved copies will
 * be. Not what has reported first either: of a script with several programs that may be any of them.
 */
static void watch(struct checkpoints *s, struct saved_peer *t)
{
	pid_t was[WATCHED] = {t->pid}, now[WATCHED];
	u32 n = tree_children(t->pid, now, WATCHED);
	if (!n || !s->broker)
		return;
	t->watched = now[0];
	broker_watch_all(s->broker, t->pid, was, now, n);
}

int checkpoint_adopt(struct checkpoints *s, pid_t peer, struct problem *p)
{
	struct saved_peer *t = find_peer(s, peer);
	char why[256] = "";
	if (t)
		return 0;
	t = calloc(1, sizeof(*t));
	if (!t)
		return problem_set(p, "out of memory");
	t->pid = peer;
	t->shim = s->shim ? shim_host_find(s->shim, peer) : NULL;
	if (s->options.choice == CHECKPOINT_AUTO) {
		choose(s, t);
	} else {
		t->backend = by_choice[s->options.choice];
		if (!t->backend->fits(s, t, why, sizeof(why))) {
			members_free(t);
			free(t);
			return problem_set(p, "--checkpoint-backend %s cannot hold this peer: %s",
					   by_choice[s->options.choice]->name, why);
		}
		snprintf(t->reason, sizeof(t->reason), "asked for");
	}
	members_gather(s, t);
	t->next = s->peer;
	s->peer = t;
	if (t->shim)
		watch(s, t);
	return 0;
}

const char *checkpoint_backend(const struct checkpoints *s, pid_t peer, const char **reason)
{
	const struct saved_peer *t = find_peer(s, peer);
	if (reason)
		*reason = t ? t->reason : "it is not a peer that was started";
	return t ? t->backend->name : "none";
}

bool checkpoint_can_save(const struct checkpoints *s, pid_t peer)
{
	const struct saved_peer *t = find_peer(s, peer);
	return t && t->backend->anywhere;
}

int checkpoint_save(struct checkpoints *s, pid_t peer, const int *fd, u32 n, u64 *id, struct problem *p)
{
	struct saved_peer *t = find_peer(s, peer);
	u64 start = now_ns(), bytes = 0;
	if (!t) {
		problem_set(p, "a peer that heddle did not start cannot be saved");
		return -EOPNOTSUPP;
	}
	for (const struct saved_peer *each = s->peer; each; each = each->next)
		bytes += each->cost.bytes;
	if (bytes > s->options.max_bytes) {
		problem_set(p, "saved peers need %llu MB already", (unsigned long long)bytes >> 20);
		return -ENOSPC;
	}
	struct saved *v = calloc(1, sizeof(*v));
	if (!v) {
		problem_set(p, "out of memory");
		return -ENOMEM;
	}
	for (struct saved_peer *u = t; u; u = u->joined)
		members_gather(s, u);
	v->of = t;
	v->connections = n;
	int ret = t->backend->save(s, t, fd, n, v, p);
	if (ret) {
		free(v);
		return ret;
	}
	*id = v->id = ++s->last_id;
	v->next = s->saved;
	s->saved = v;
	t->cost.bytes += v->bytes;
	add_average(&t->cost.save_ns, &t->cost.saves, now_ns() - start);
	return 0;
}

int checkpoint_restore(struct checkpoints *s, u64 id, int *fd, pid_t *now, struct problem *p)
{
	struct saved *v = find_saved(s, id);
	u64 start = now_ns();
	if (!v) {
		problem_set(p, "there is no checkpoint %llu", (unsigned long long)id);
		return -ENOENT;
	}
	struct saved_peer *t = v->of;
	int ret = t->backend->restore(s, v, fd, now, p);
	if (ret)
		return ret;
	if (t->backend == &backend_restart)
		add_average(&t->cost.restart_ns, &t->cost.restarts, now_ns() - start);
	else
		add_average(&t->cost.restore_ns, &t->cost.restores, now_ns() - start);
	return 0;
}

pid_t checkpoint_of(const struct checkpoints *s, u64 id, u32 *connections)
{
	const struct saved *v = find_saved(s, id);
	if (connections)
		*connections = v ? v->connections : 0;
	return v ? v->of->pid : 0;
}

pid_t checkpoint_process(const struct checkpoints *s, pid_t peer)
{
	const struct saved_peer *t = find_peer(s, peer);
	if (!t)
		return 0;
	return t->shim ? shim_link_process(t->shim) : criu_process(t);
}

bool checkpoint_notices(const struct checkpoints *s, pid_t peer)
{
	const struct saved_peer *t = find_peer(s, peer);
	return t && t->shim;
}

bool checkpoint_acted(struct checkpoints *s, pid_t peer)
{
	struct saved_peer *t = find_peer(s, peer);
	if (!t || !t->shim)
		return true;
	members_gather(s, t);
	u64 acts = members_acts(t), before = t->acts_seen;
	t->acts_seen = acts;
	return acts != before;
}

u32 checkpoint_acts(const struct checkpoints *s, pid_t peer, struct checkpoint_act *out, u32 cap)
{
	const struct saved_peer *t = find_peer(s, peer);
	return t && t->shim ? members_list(t, out, cap) : 0;
}

void checkpoint_cost(const struct checkpoints *s, pid_t peer, struct checkpoint_cost *out)
{
	const struct saved_peer *one = find_peer(s, peer);
	*out = one ? one->cost : (struct checkpoint_cost){0};
	if (peer)
		return;
	*out = s->gone;
	for (const struct saved_peer *t = s->peer; t; t = t->next)
		add_cost(out, &t->cost);
}

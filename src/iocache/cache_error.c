/*
 * What went wrong, in whole sentences: which connection, what was asked, what was answered, and the way on.
 */
#include "cache_priv.h"

#define SHOWN 120u /* bytes of a conversation that are looked at */

static struct text begin(struct cache *c, int code)
{
	struct text t;
	c->error.code = code;
	c->error.of_server = c->error.of_client = false;
	text_init(&t, c->error.text, sizeof(c->error.text));
	return t;
}

/* May it be wrong to take the server's connections for independent? */
static void suspect(struct cache *c, u32 tree)
{
	const struct tree_key *k = tree_key_of(c->t, tree);
	c->error.of_server = !k->client && !k->joint;
	c->error.of_client = k->client != 0;
}

int error_out_of_memory(struct cache *c)
{
	struct text t = begin(c, CACHE_TOOL);
	text_str(&t, "The memory for recorded communication is full.");
	return CACHE_TOOL;
}

int error_refused(struct cache *c, u32 error)
{
	begin(c, -(int)error);
	return c->error.code;
}

/* A peer that was there before and is gone: what was explored until then holds. */
static bool was_there(const struct cache *c, u32 tree)
{
	return tree_opened(c->t, tree) ||
	       (!tree_key_of(c->t, tree)->client && trees_stats(c->t)->connections);
}

static int code_of(const struct cache *c, u32 tree)
{
	int status = c->reply.status;
	switch (status) {
	case NET_ERROR_NO_PEER:
		return was_there(c, tree) ? CACHE_INCOMPLETE : CACHE_TOOL;
	case NET_ERROR_STUCK:
	case NET_ERROR_UNSERVED:
	case NET_ERROR_CROSSTALK:
	case NET_ERROR_SLOW:
		return CACHE_INCOMPLETE;
	case NET_ERROR_ANOTHER:
		return c->reply.client && !c->confirm ? CACHE_JOINT : CACHE_INCOMPLETE;
	default:
		return NET_IS_ERRNO(status) ? status : CACHE_TOOL;
	}
}

static void put_schedule(struct cache *c, struct text *t)
{
	char schedule[CACHE_SCHEDULE];
	schedule[0] = 0;
	if (c->tell)
		c->tell(c->tell_self, schedule, sizeof(schedule));
	text_str(t, schedule[0] ? schedule : "unknown");
}

int error_of_reply(struct cache *c, u32 tree)
{
	struct text t = begin(c, code_of(c, tree));
	c->error.client = c->reply.client;
	suspect(c, tree);
	if (c->reply.text && c->reply.text[0]) {
		text_str(&t, c->reply.text);
		if (c->reply.status == NET_ERROR_NO_PEER && c->error.code == CACHE_INCOMPLETE) {
			text_str(&t, ". The program's steps until then: ");
			put_schedule(c, &t);
		}
	} else {
		text_fmt(&t, "Error %d on ", c->reply.status);
		error_put_key(&t, tree_key_of(c->t, tree));
		text_str(&t, ".");
	}
	return c->error.code;
}

int error_refused_again(struct cache *c, u32 tree)
{
	int error = -c->error.code;
	struct text t = begin(c, CACHE_NONDETERMINISTIC);
	suspect(c, tree);
	text_fmt(&t,
		 "The peer was to be connected again, to bring it where the program stands, and refused "
		 "(error %d): ",
		 error);
	error_put_key(&t, tree_key_of(c->t, tree));
	text_str(
		&t,
		". Before, it had accepted. If it serves a limited number of connections, try --checkpoint.");
	return CACHE_NONDETERMINISTIC;
}

/* ---- what was said ---- */

static void put_written(struct cache *c, struct text *t, const struct tree_at *at);

int error_acted(struct cache *c, u32 tree, const struct tree_at *at)
{
	struct text t = begin(c, CACHE_INCOMPLETE);
	suspect(c, tree);
	text_str(&t, "A peer acts by chance (");
	error_put_key(&t, tree_key_of(c->t, tree));
	text_str(&t, "; after ");
	put_written(c, &t, at);
	text_str(&t, c->error.of_server ? "), and can only be brought back with all its connections"
					: "), and --checkpoint none does not bring it back");
	return CACHE_INCOMPLETE;
}

static void put_bytes(const struct cache *c, struct text *t, u32 tree, const u8 *data, u64 n)
{
	if (!tree_key_of(c->t, tree)->joint) {
		error_put_bytes(t, data, n);
		return;
	}
	joint_put(t, data, HD_MIN(n, (u64)SHOWN));
	text_str(t, n > SHOWN ? " …" : "");
}

/* Bytes [from, end) that were written on the way to at, or (reply) answered; the last SHOWN of them. */
static void put_way(struct cache *c, struct text *t, const struct tree_at *at, u64 from, u64 end, bool reply)
{
	u8 buf[SHOWN];
	u64 start = end - from > sizeof(buf) ? end - sizeof(buf) : from;
	size_t n = (size_t)(end - start);
	if (start > from)
		text_fmt(t, "%lu bytes and ", start - from);
	if (reply)
		tree_reply_copy(c->t, at, start, buf, n);
	else
		tree_bytes_copy(c->t, at, start, buf, n);
	struct branch_view b;
	branch_get(c->t, at->branch, &b);
	put_bytes(c, t, b.tree, buf, n);
}

static void put_written(struct cache *c, struct text *t, const struct tree_at *at)
{
	if (at->written == 0)
		text_str(t, "nothing");
	else
		put_way(c, t, at, 0, at->written, false);
	if (at->ended)
		text_str(t, " and the end of writing");
}

static void put_closed(struct text *t, u32 flags)
{
	if (flags & NET_RESET)
		text_str(t, " and a reset");
	else if (flags & NET_EOF)
		text_str(t, " and its end");
}

int error_left(struct cache *c, const struct tree_key *k, const struct tree_at *at)
{
	struct text t = begin(c, CACHE_LEFT);
	text_str(&t, "The recorded communication does not go on: ");
	error_put_key(&t, k);
	if (at) {
		text_str(&t, " after ");
		put_written(c, &t, at);
	} else {
		text_str(&t, " was never opened");
	}
	text_str(&t, ", and there is no peer to ask.");
	return CACHE_LEFT;
}

/* Both answers are shown from a little before the first difference. */
int error_nondeterministic(struct cache *c, u32 tree, const struct tree_at *at, u64 said,
			   const struct tree_at *against)
{
	const struct transport_reply *r = &c->reply;
	struct mark_view m;
	hd_assert(tree_mark_at(c->t, against, &m));
	struct text t = begin(c, CACHE_NONDETERMINISTIC);
	suspect(c, tree);
	u64 recorded = m.reply > said ? m.reply - said : 0;
	u64 same = tree_reply_same(c->t, against, said, r->data, (size_t)HD_MIN(recorded, r->len));
	u64 skip = same > SHOWN / 4 ? (same - SHOWN / 4) & ~1ull : 0; /* symbols of joint clients are whole */
	text_str(&t, "The peer is not deterministic: ");
	error_put_key(&t, tree_key_of(c->t, tree));
	text_str(&t, ". Request so far: ");
	put_written(c, &t, at);
	text_str(&t, at_equal(at, against) ? ". Recorded answer: "
					   : ". Recorded answer, to more or less of the request: ");
	put_way(c, &t, against, said + HD_MIN(skip, recorded), said + HD_MIN(recorded, skip + SHOWN), true);
	put_closed(&t, m.flags);
	text_str(&t, "; answer of a replay: ");
	put_bytes(c, &t, tree, (const u8 *)r->data + skip, r->len - skip);
	put_closed(&t, r->flags);
	if (skip)
		text_fmt(&t, " (both behind %lu equal bytes)", skip);
	if (c->common->counts.unsaved[0]) {
		text_fmt(&t, ". It could not be saved: %s.", c->common->counts.unsaved);
		return CACHE_NONDETERMINISTIC;
	}
	text_str(&t, tree_key_of(c->t, tree)->joint
			     ? ". A peer whose answers depend on chance or time is brought back by a "
			       "checkpoint: --checkpoint nd or io."
			     : ". If its answers depend on what other connections did before, try --peers "
			       "shared; if "
			       "on chance or time, --checkpoint io.");
	return CACHE_NONDETERMINISTIC;
}

int error_spoke_late(struct cache *c, u32 tree, const struct tree_at *at, bool patient)
{
	struct text t = begin(c, CACHE_INCOMPLETE);
	suspect(c, tree);
	text_str(&t, c->reply.len ? "A peer sends data although nothing was sent to it: "
				  : "A peer closes a connection although nothing was sent to it: ");
	error_put_key(&t, tree_key_of(c->t, tree));
	text_str(&t, ", after ");
	put_written(c, &t, at);
	text_str(&t, ". The program waits for it, and no other thread can go on; but ");
	text_str(&t, patient ? "after a while "
			     : "once the connections that the program has closed were closed, ");
	if (c->reply.len) {
		text_str(&t, "it sent ");
		put_bytes(c, &t, tree, c->reply.data, c->reply.len);
		put_closed(&t, c->reply.flags);
	} else {
		text_str(&t, c->reply.flags & NET_RESET ? "it reset the connection" : "it closed its side");
	}
	text_str(&t, ". What a peer sends by itself, or because of other connections, is not explored.");
	return CACHE_INCOMPLETE;
}

/* ---- linear ---- */

struct recorded {
	u32 tree, pad;
	u64 from; /* bytes written before */
	char schedule[CACHE_SCHEDULE];
};

void error_note_schedule(struct cache *c, u32 tree, u64 from)
{
	struct recorded *r = pages_vec_push(&c->schedules, sizeof(*r));
	if (!r)
		return;
	*r = (struct recorded){.tree = tree, .from = from};
	if (c->tell)
		c->tell(c->tell_self, r->schedule, sizeof(r->schedule));
}

/* The schedule that recorded what lies behind `from`. */
static const char *recorded_by(const struct cache *c, u32 tree, u64 from)
{
	const struct recorded *r = (const struct recorded *)c->schedules.data;
	const char *found = "unknown";
	for (size_t i = 0; i < c->schedules.len / sizeof(*r); i++)
		if (r[i].tree == tree && r[i].from <= from && r[i].schedule[0])
			found = r[i].schedule;
	return found;
}

static void put_schedules(struct cache *c, struct text *t, u32 tree, u64 from)
{
	text_fmt(t, ". Recorded by: %s. Now: ", recorded_by(c, tree, from));
	put_schedule(c, t);
	text_str(t, ". A linear cache knows one conversation for each connection; use --cache branching.");
}

static struct text begin_diverged(struct cache *c, u32 tree, const struct tree_at *at)
{
	struct text t = begin(c, CACHE_DIVERGED);
	text_str(&t, "The program's communication depends on the schedule: ");
	error_put_key(&t, tree_key_of(c->t, tree));
	text_str(&t, ", after ");
	put_written(c, &t, at);
	return t;
}

/* What was recorded behind `at`, in a tree of one branch. */
static void put_recorded_behind(struct cache *c, struct text *t, const struct tree_at *at)
{
	struct branch_view b;
	branch_get(c->t, at->branch, &b);
	u64 skip = at->written - b.fork;
	text_str(t, ": recorded is ");
	if (skip < b.len)
		error_put_bytes(t, b.bytes + skip, b.len - skip);
	else
		text_str(t, "the end of writing");
}

int error_diverged_write(struct cache *c, u32 tree, const struct tree_at *at, const void *data, size_t n,
			 bool end)
{
	struct text t = begin_diverged(c, tree, at);
	put_recorded_behind(c, &t, at);
	text_str(&t, ", now it sends ");
	if (n)
		error_put_bytes(&t, data, n);
	else
		text_str(&t, end ? "the end of writing" : "nothing");
	put_schedules(c, &t, tree, at->written);
	return CACHE_DIVERGED;
}

int error_diverged_cut(struct cache *c, u32 tree, const struct tree_at *at)
{
	struct text t = begin_diverged(c, tree, at);
	put_recorded_behind(c, &t, at);
	text_str(&t, ", in the same piece, and what the peer answers to the first part alone was never seen: "
		     "the program now reads in between");
	put_schedules(c, &t, tree, at->written);
	return CACHE_DIVERGED;
}

int error_diverged_close(struct cache *c, u32 tree, const struct tree_at *at)
{
	struct text t = begin_diverged(c, tree, at);
	put_recorded_behind(c, &t, at);
	text_str(&t, ", now the connection is closed");
	put_schedules(c, &t, tree, at->written);
	return CACHE_DIVERGED;
}

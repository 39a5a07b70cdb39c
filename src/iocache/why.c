/* What went wrong, in whole sentences: which connection, what was asked, what was answered, and the way on. */
#include "cache_priv.h"

#define SHOWN 120u /* bytes of a conversation that are looked at */

static struct text begin(struct cache *c, enum cache_problem problem, int error)
{
	struct text t;
	c->why.problem = problem;
	c->why.error = error;
	text_init(&t, c->why.text, sizeof c->why.text);
	return t;
}

enum cache_problem why_out_of_memory(struct cache *c)
{
	struct text t = begin(c, CACHE_TOOL, 0);
	text_str(&t, "The memory for recorded communication is full.");
	return CACHE_TOOL;
}

enum cache_problem why_refused(struct cache *c, u32 error)
{
	begin(c, CACHE_REFUSED, (int)error);
	return CACHE_REFUSED;
}

static enum cache_problem problem_of(int status)
{
	switch (status) {
	case NET_TROUBLE_STUCK:
	case NET_TROUBLE_UNSERVED:
	case NET_TROUBLE_CROSSTALK:
	case NET_TROUBLE_ANOTHER:
	case NET_TROUBLE_SLOW:
		return CACHE_INCOMPLETE;
	default:
		return status < 0 ? CACHE_REFUSED : CACHE_TOOL;
	}
}

enum cache_problem why_trouble(struct cache *c, u32 tree)
{
	int status = c->reply.status;
	enum cache_problem problem = problem_of(status);
	struct text t = begin(c, problem, status < 0 ? -status : 0);
	if (c->reply.text && c->reply.text[0]) {
		text_str(&t, c->reply.text);
	} else {
		text_str(&t, status == NET_TROUBLE_GONE ? "Lost again and again: " : "Trouble with ");
		why_put_key(&t, tree_key_of(c->t, tree));
		text_str(&t, ".");
	}
	return problem;
}

enum cache_problem why_refused_again(struct cache *c, u32 tree)
{
	int error = c->why.error;
	struct text t = begin(c, CACHE_NONDETERMINISTIC, error);
	text_str(&t, "The peer was to be connected again, to bring it where the program stands, and refused "
		     "(error ");
	text_dec(&t, error);
	text_str(&t, "): ");
	why_put_key(&t, tree_key_of(c->t, tree));
	text_str(
		&t,
		". Before, it had accepted. If it serves a limited number of connections, try --checkpoint.");
	return CACHE_NONDETERMINISTIC;
}

/* ---- what was said ---- */

/* Bytes [from, end) that were written on the way to at, or (reply) answered; the last SHOWN of them. */
static void put_way(struct cache *c, struct text *t, const struct tree_at *at, u64 from, u64 end, bool reply)
{
	u8 buf[SHOWN];
	u64 start = end - from > sizeof buf ? end - sizeof buf : from;
	size_t n = (size_t)(end - start);
	if (start > from) {
		text_dec(t, (long)(start - from));
		text_str(t, " bytes and ");
	}
	if (reply)
		tree_reply_copy(c->t, at, start, buf, n);
	else
		tree_bytes_copy(c->t, at, start, buf, n);
	why_put_bytes(t, buf, n);
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

static void put_schedule(struct cache *c, struct text *t)
{
	char schedule[CACHE_SCHEDULE];
	schedule[0] = 0;
	if (c->tell)
		c->tell(c->tell_self, schedule, sizeof schedule);
	text_str(t, schedule[0] ? schedule : "unknown");
}

enum cache_problem why_left(struct cache *c, const struct tree_key *k, const struct tree_at *at)
{
	struct text t = begin(c, CACHE_LEFT, 0);
	text_str(&t, "The recorded communication does not go on: ");
	why_put_key(&t, k);
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
enum cache_problem why_nondeterministic(struct cache *c, u32 tree, const struct tree_at *at, u64 said,
					const struct tree_at *against)
{
	const struct transport_reply *r = &c->reply;
	struct mark_view m;
	hd_assert(tree_mark_at(c->t, against, &m));
	struct text t = begin(c, CACHE_NONDETERMINISTIC, 0);
	u64 recorded = m.reply > said ? m.reply - said : 0;
	u64 same = tree_reply_same(c->t, against, said, r->data, (size_t)HD_MIN(recorded, r->len));
	u64 skip = same > SHOWN / 4 ? same - SHOWN / 4 : 0;
	text_str(&t, "The peer is not deterministic: ");
	why_put_key(&t, tree_key_of(c->t, tree));
	text_str(&t, ". Request so far: ");
	put_written(c, &t, at);
	text_str(&t, at_equal(at, against) ? ". Recorded answer: "
					   : ". Recorded answer, to more or less of the request: ");
	put_way(c, &t, against, said + HD_MIN(skip, recorded), said + HD_MIN(recorded, skip + SHOWN), true);
	put_closed(&t, m.flags);
	text_str(&t, "; answer of a replay: ");
	why_put_bytes(&t, (const u8 *)r->data + skip, r->len - skip);
	put_closed(&t, r->flags);
	if (skip) {
		text_str(&t, " (both behind ");
		text_dec(&t, (long)skip);
		text_str(&t, " equal bytes)");
	}
	text_str(&t, ". If its answers depend on what other connections did before, try --checkpoint, "
		     "which brings the peer back instead of connecting again.");
	return CACHE_NONDETERMINISTIC;
}

enum cache_problem why_spoke_late(struct cache *c, u32 tree, const struct tree_at *at, bool patient)
{
	struct text t = begin(c, CACHE_INCOMPLETE, 0);
	text_str(&t, "A peer speaks when nobody has asked it: ");
	why_put_key(&t, tree_key_of(c->t, tree));
	text_str(&t, ", after ");
	put_written(c, &t, at);
	text_str(&t, ". The program waits for it, and nobody else can go on; but ");
	text_str(&t,
		 patient ? "after a while it said "
			 : "heard once more, without the connections that the program has closed, it said ");
	why_put_bytes(&t, c->reply.data, c->reply.len);
	put_closed(&t, c->reply.flags);
	text_str(&t, ". What a peer says by itself, or because of other connections, is not explored.");
	return CACHE_INCOMPLETE;
}

/* ---- linear ---- */

struct recorded {
	u32 tree, pad;
	u64 from; /* bytes written before */
	char schedule[CACHE_SCHEDULE];
};

void why_remember(struct cache *c, u32 tree, u64 from)
{
	struct recorded *r = pages_vec_push(&c->schedules, sizeof *r);
	if (!r)
		return;
	*r = (struct recorded){.tree = tree, .from = from};
	if (c->tell)
		c->tell(c->tell_self, r->schedule, sizeof r->schedule);
}

/* The schedule that recorded what lies behind `from`. */
static const char *recorded_by(const struct cache *c, u32 tree, u64 from)
{
	const struct recorded *r = (const struct recorded *)c->schedules.data;
	const char *found = "unknown";
	for (size_t i = 0; i < c->schedules.len / sizeof *r; i++)
		if (r[i].tree == tree && r[i].from <= from && r[i].schedule[0])
			found = r[i].schedule;
	return found;
}

static void put_schedules(struct cache *c, struct text *t, u32 tree, u64 from)
{
	text_str(t, ". Recorded by: ");
	text_str(t, recorded_by(c, tree, from));
	text_str(t, ". Now: ");
	put_schedule(c, t);
	text_str(t, ". A linear cache knows one conversation for each connection; use --cache branching.");
}

static struct text begin_diverged(struct cache *c, u32 tree, const struct tree_at *at)
{
	struct text t = begin(c, CACHE_DIVERGED, 0);
	text_str(&t, "The program's communication depends on the schedule: ");
	why_put_key(&t, tree_key_of(c->t, tree));
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
		why_put_bytes(t, b.bytes + skip, b.len - skip);
	else
		text_str(t, "the end of writing");
}

enum cache_problem why_diverged_write(struct cache *c, u32 tree, const struct tree_at *at, const void *data,
				      size_t n, bool end)
{
	struct text t = begin_diverged(c, tree, at);
	put_recorded_behind(c, &t, at);
	text_str(&t, ", now it sends ");
	if (n)
		why_put_bytes(&t, data, n);
	else
		text_str(&t, end ? "the end of writing" : "nothing");
	put_schedules(c, &t, tree, at->written);
	return CACHE_DIVERGED;
}

enum cache_problem why_diverged_cut(struct cache *c, u32 tree, const struct tree_at *at)
{
	struct text t = begin_diverged(c, tree, at);
	put_recorded_behind(c, &t, at);
	text_str(&t, ", in the same piece, and what the peer answers to the first part alone was never seen: "
		     "the program now reads in between");
	put_schedules(c, &t, tree, at->written);
	return CACHE_DIVERGED;
}

enum cache_problem why_diverged_close(struct cache *c, u32 tree, const struct tree_at *at)
{
	struct text t = begin_diverged(c, tree, at);
	put_recorded_behind(c, &t, at);
	text_str(&t, ", now the connection is closed");
	put_schedules(c, &t, tree, at->written);
	return CACHE_DIVERGED;
}

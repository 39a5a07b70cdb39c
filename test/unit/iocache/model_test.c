/*
 * The cache against an oracle: a program that opens, writes, looks, reads, closes and is rolled back at
 * random must see exactly what a peer would say that was sent its bytes and nothing else; and equal bytes
 * must lead to equal positions.
 */
#include "iocache_peer.h"

#define SLOTS 4u
#define MAX_WRITTEN 24u
#define SAVED 12u
#define SEEN 20000u
#define PORTS 3u
#define TRIALS 60u
#define STEPS 500u

/* A connection of the program, as the model checker saves and restores it. */
struct slot {
	struct cache_pos pos;
	struct tree_key key;
	u32 n;
	bool ended;
	u8 bytes[MAX_WRITTEN];
};
struct sut {
	struct slot slot[SLOTS];
};
struct seen {
	struct cache_pos pos; /* read is 0 */
	u32 n;
	bool ended;
	u8 bytes[MAX_WRITTEN];
};
struct model {
	struct world *w;
	struct cache *c;
	enum cache_mode mode;
	struct sut now, saved[SAVED];
	u32 saves, seens;
	struct seen seen[SEEN];
};

static u32 list_open(void *self, const struct cache_pos **out, u32 room)
{
	struct model *m = self;
	u32 n = 0;
	for (u32 i = 0; i < SLOTS && n < room; i++)
		if (m->now.slot[i].pos.tree)
			out[n++] = &m->now.slot[i].pos;
	return n;
}

/* ---- invariants ---- */

/* Within a tree: same position if and only if same bytes. */
static void check_canonical(struct model *m, const struct slot *s)
{
	struct seen now = {.pos = s->pos, .n = s->n, .ended = s->ended};
	now.pos.read = 0;
	memcpy(now.bytes, s->bytes, s->n);
	assert_int_equal(now.pos.written, s->n);
	for (u32 i = 0; i < m->seens; i++) {
		const struct seen *old = &m->seen[i];
		if (old->pos.tree != now.pos.tree)
			continue;
		bool bytes = old->n == now.n && old->ended == now.ended &&
			     !memcmp(old->bytes, now.bytes, now.n);
		bool pos = !memcmp(&old->pos, &now.pos, sizeof(now.pos));
		assert_int_equal(bytes, pos);
		if (bytes)
			return;
	}
	assert_true(m->seens < SEEN);
	m->seen[m->seens++] = now;
}

static void check_answer(struct cache *c, struct slot *s)
{
	struct machine o;
	u64 bytes;
	u32 flags;
	u8 copy[PEER_SAYS];
	assert_int_equal(cache_resolve(c, &s->pos), 0);
	assert_true(cache_look(c, &s->pos, &bytes, &flags));
	machine_run(&o, world_seed(&s->key), s->bytes, s->n, s->ended);
	assert_int_equal(bytes, o.len - s->pos.read);
	assert_int_equal(flags, o.flags);
	cache_copy(c, &s->pos, 0, copy, bytes);
	assert_memory_equal(copy, o.said + s->pos.read, bytes);
	if (bytes > 2) {
		cache_copy(c, &s->pos, 1, copy, bytes - 2);
		assert_memory_equal(copy, o.said + s->pos.read + 1, bytes - 2);
	}
}

/* Nodes once more, the slow way: the written bytes cut at marks and forks. */
static u64 count_nodes(const struct trees *t)
{
	u64 nodes = 0;
	for (u32 i = 0; i < branches_count(t); i++) {
		struct branch_view b, child;
		bool cut[MAX_WRITTEN + 1] = {0};
		branch_get(t, i, &b);
		for (u32 n = 0; n < b.marks; n++) {
			struct mark_view mark;
			mark_get(t, i, n, &mark);
			cut[mark.at - b.fork] = true;
		}
		for (u32 n = branch_first_child(t, i); n != TREE_NONE; n = branch_next_sibling(t, n)) {
			branch_get(t, n, &child);
			cut[child.fork - b.fork] = true;
		}
		for (u64 at = 1; at <= b.len; at++)
			nodes += cut[at] || at == b.len;
	}
	return nodes;
}

static void check_stats(struct model *m)
{
	struct trees *t = cache_trees(m->c);
	const struct cache_stats *s = trees_stats(t);
	assert_int_equal(s->connections, m->w->opens);
	assert_int_equal(s->bytes_sent, m->w->sent);
	assert_int_equal(s->bytes_received, m->w->received);
	assert_int_equal(s->polls, m->w->exchanges);
	assert_true(s->bytes_replayed <= s->bytes_sent);
	assert_int_equal(s->trees, trees_count(t));
	assert_int_equal(s->branches, branches_count(t));
	assert_int_equal(s->nodes, count_nodes(t));
	if (m->mode == CACHE_NONE)
		assert_int_equal(s->hits, 0);
	assert_ptr_equal(trees_attach(t, TREES_SIZE), t);
}

/* ---- what the program does ---- */

static void do_open(struct model *m, struct slot *s)
{
	u32 port = world_random(m->w, PORTS);
	struct tree_key k = world_key((u16)(80 + port), port == 2 ? 1 + world_random(m->w, 2) : 0);
	*s = (struct slot){.key = k};
	assert_int_equal(cache_open(m->c, &k, &s->pos), 0);
}

static void do_write(struct model *m, struct slot *s)
{
	static const char alphabet[] = "aaabb\n\nabqr";
	u8 bytes[6];
	u32 n = 1 + world_random(m->w, sizeof(bytes));
	if (s->ended || s->n + n > MAX_WRITTEN)
		return;
	for (u32 i = 0; i < n; i++)
		bytes[i] = (u8)
			alphabet[world_random(m->w, sizeof(alphabet) - 1 - (world_random(m->w, 8) ? 2 : 0))];
	assert_int_equal(cache_write(m->c, &s->pos, bytes, n), 0);
	memcpy(s->bytes + s->n, bytes, n);
	s->n += n;
}

static void do_read(struct model *m, struct slot *s)
{
	u64 bytes;
	u32 flags;
	check_answer(m->c, s);
	assert_true(cache_look(m->c, &s->pos, &bytes, &flags));
	s->pos.read += bytes ? world_random(m->w, (u32)bytes + 1) : 0;
}

static void do_backtrack(struct model *m)
{
	if (m->saves == 0)
		return;
	m->now = m->saved[world_random(m->w, m->saves)];
	cache_backtracked(m->c);
}

static void do_save(struct model *m)
{
	u32 n = m->saves < SAVED ? m->saves++ : world_random(m->w, SAVED);
	m->saved[n] = m->now;
}

static void step(struct model *m)
{
	struct slot *s = &m->now.slot[world_random(m->w, SLOTS)];
	u32 what = world_random(m->w, 20);
	if (what < 3)
		do_backtrack(m);
	else if (what < 6)
		do_save(m);
	else if (!s->pos.tree)
		do_open(m, s);
	else if (what < 13)
		do_write(m, s);
	else if (what < 18)
		do_read(m, s);
	else if (what < 19 && !s->ended) {
		assert_int_equal(cache_end(m->c, &s->pos), 0);
		s->ended = true;
	} else {
		assert_int_equal(cache_close(m->c, &s->pos), 0);
		struct cache_pos closed = {0};
		assert_memory_equal(&s->pos, &closed, sizeof(closed));
	}
	if (s->pos.tree)
		check_canonical(m, s);
}

static struct model *model_new(u64 seed, enum cache_mode mode)
{
	struct model *m = calloc(1, sizeof(*m));
	assert_non_null(m);
	m->w = world_new(seed);
	m->mode = mode;
	struct transport t = world_transport(m->w);
	m->c = cache_create(m->w->memory, mode, &t);
	assert_non_null(m->c);
	cache_set_open_list(m->c, list_open, m);
	return m;
}

static void model_free(struct model *m)
{
	world_free(m->w);
	free(m);
}

static void run(enum cache_mode mode, u32 room)
{
	for (u64 seed = 1; seed <= TRIALS; seed++) {
		struct model *m = model_new(seed, mode);
		m->w->room = room;
		for (u32 i = 0; i < STEPS; i++)
			step(m);
		check_stats(m);
		model_free(m);
	}
}

static void branching_is_exact(void **state)
{
	(void)state;
	run(CACHE_BRANCHING, 0);
}

static void branching_is_exact_when_there_is_little_room(void **state)
{
	(void)state;
	run(CACHE_BRANCHING, 2);
}

static void none_is_exact(void **state)
{
	(void)state;
	run(CACHE_NONE, 0);
}

static void none_is_exact_when_there_is_little_room(void **state)
{
	(void)state;
	run(CACHE_NONE, 2);
}

/* ---- linear: each simultaneous connection has one script, cut as it is ---- */

static const char *const script[2][3] = {{"a", "b\n", "ab\nq"}, {"bb\n", "\n", "aab"}};

static void linear_step(struct model *m)
{
	struct slot *s = &m->now.slot[world_random(m->w, SLOTS)];
	u32 what = world_random(m->w, 20);
	if (what < 3)
		do_backtrack(m);
	else if (what < 6)
		do_save(m);
	else if (!s->pos.tree) {
		struct tree_key k = world_key(81, 0);
		*s = (struct slot){.key = k};
		assert_int_equal(cache_open(m->c, &k, &s->pos), 0);
	} else if (what < 12) {
		u32 done = 0, instance = tree_key_of(cache_trees(m->c), s->pos.tree - 1)->instance;
		for (u32 i = 0; i < 3; done += (u32)strlen(script[instance % 2][i++])) {
			const char *piece = script[instance % 2][i];
			if (done != s->n)
				continue;
			assert_int_equal(cache_write(m->c, &s->pos, piece, strlen(piece)), 0);
			memcpy(s->bytes + s->n, piece, strlen(piece));
			s->n += (u32)strlen(piece);
			break;
		}
	} else if (what < 18)
		do_read(m, s);
	else if (s->n >= 7) { /* all was written */
		assert_int_equal(cache_close(m->c, &s->pos), 0);
	}
	if (s->pos.tree)
		check_canonical(m, s);
}

static void linear_is_exact(void **state)
{
	(void)state;
	for (u64 seed = 1; seed <= TRIALS; seed++) {
		struct model *m = model_new(seed, CACHE_LINEAR);
		for (u32 i = 0; i < STEPS; i++)
			linear_step(m);
		check_stats(m);
		assert_int_equal(m->w->opens, trees_count(cache_trees(m->c)));
		assert_true(m->w->opens <= SLOTS);
		model_free(m);
	}
}

/* ---- copies ---- */

/*
 * Go to a position that was seen, by other cuts, on trees without a peer. CACHE_LEFT, or the answer is right.
 */
static int revisit(struct cache *c, const struct seen *seen, const struct tree_key *key, u32 cut)
{
	struct slot s = {.key = *key, .n = seen->n, .ended = seen->ended};
	memcpy(s.bytes, seen->bytes, seen->n);
	int err = cache_open(c, key, &s.pos);
	for (u32 at = 0; !err && at < seen->n; at += cut)
		err = cache_write(c, &s.pos, seen->bytes + at, HD_MIN(cut, seen->n - at));
	if (!err && seen->ended)
		err = cache_end(c, &s.pos);
	if (!err)
		err = cache_resolve(c, &s.pos);
	if (!err)
		check_answer(c, &s);
	return err;
}

static struct cache *open_copy(const struct trees *from, void *memory, bool used_only)
{
	u64 bytes = trees_copy(from, memory, TREES_SIZE, used_only);
	assert_true(bytes > 0);
	assert_ptr_equal(trees_attach(memory, bytes), memory);
	assert_int_equal(trees_bytes(memory), bytes);
	struct cache *c = cache_create(memory, CACHE_BRANCHING, NULL);
	assert_non_null(c);
	return c;
}

static u32 revisit_all(struct cache *c, struct model *m, u32 every, u32 cut)
{
	u32 fine = 0;
	for (u32 i = 0; i < m->seens; i += every) {
		const struct tree_key *k = tree_key_of(cache_trees(m->c), m->seen[i].pos.tree - 1);
		int err = revisit(c, &m->seen[i], k, cut);
		assert_true(!err || err == CACHE_LEFT);
		fine += !err;
	}
	return fine;
}

static void copies_answer_what_was_recorded(void **state)
{
	(void)state;
	for (u64 seed = 1; seed <= 20; seed++) {
		struct model *m = model_new(seed, CACHE_BRANCHING);
		for (u32 i = 0; i < STEPS; i++)
			step(m);
		struct trees *t = cache_trees(m->c);
		void *all = world_map(TREES_SIZE), *part = world_map(TREES_SIZE),
		     *again = world_map(TREES_SIZE);
		struct cache *c = open_copy(t, all, false);
		u32 fine = revisit_all(c, m, 1, 3);
		assert_true(fine > m->seens / 2); /* the others were never looked at */
		assert_int_equal(trees_stats(all)->nodes, trees_stats(t)->nodes);
		assert_true(trees_bytes(all) <= trees_bytes(t));

		trees_use_nothing(all);
		u32 some = revisit_all(c, m, 7, 2);
		struct cache *p = open_copy(all, part, true);
		assert_int_equal(revisit_all(p, m, 7, 1), some);
		assert_true(trees_bytes(part) < trees_bytes(all));
		assert_int_equal(trees_stats(part)->nodes, count_nodes(part));
		assert_int_equal(trees_stats(part)->branches, branches_count(part));
		assert_true(revisit_all(p, m, 1, 1) < fine);
		open_copy(part, again, false);
		munmap(all, TREES_SIZE);
		munmap(part, TREES_SIZE);
		munmap(again, TREES_SIZE);
		model_free(m);
	}
}

/* A copy that does not fit says so, whatever the size. */
static void a_copy_without_room_fails(void **state)
{
	(void)state;
	struct model *m = model_new(3, CACHE_BRANCHING);
	for (u32 i = 0; i < STEPS; i++)
		step(m);
	void *to = world_map(TREES_SIZE);
	u64 bytes = trees_copy(cache_trees(m->c), to, TREES_SIZE, false);
	for (u64 size = 0; size < bytes; size += 1 + bytes / 50) {
		memset(to, 0, bytes);
		assert_int_equal(trees_copy(cache_trees(m->c), to, size, false), 0);
	}
	memset(to, 0, bytes);
	assert_int_equal(trees_copy(cache_trees(m->c), to, bytes, false), bytes);
	munmap(to, TREES_SIZE);
	model_free(m);
}

/* ---- damaged memory ---- */

/* Everything that readers do. It must not crash; what it answers is no matter. */
static void read_everything(struct trees *t)
{
	u8 buf[PEER_SAYS];
	for (u32 i = 0; i < trees_count(t); i++) {
		const struct tree_key *k = tree_key_of(t, i);
		struct tree_at at = {.branch = tree_root(t, i)};
		tree_find(t, k);
		tree_follow(t, &at, "ab\naab\nq", 8);
		tree_follow_end(t, &at);
	}
	for (u32 i = 0; i < branches_count(t); i++) {
		struct branch_view b;
		struct mark_view m;
		branch_get(t, i, &b);
		for (u32 n = branch_first_child(t, i); n != TREE_NONE; n = branch_next_sibling(t, n))
			;
		for (u32 n = 0; n < b.marks; n++) {
			mark_get(t, i, n, &m);
			struct tree_at at = {i, m.ended, m.at};
			assert_true(strlen(m.note) < trees_bytes(t));
			tree_reply_copy(t, &at, 0, buf, HD_MIN(m.reply, sizeof(buf)));
			tree_bytes_copy(t, &at, 0, buf, HD_MIN(m.at, sizeof(buf)));
			tree_mark_before(t, &at, &m);
			tree_use(t, &at);
		}
	}
}

static u32 try_damaged(struct model *m, void *memory, void *copy, u64 bytes)
{
	struct trees *t = trees_attach(memory, bytes);
	if (!t)
		return 0;
	trees_copy(t, copy, bytes * 2, true);
	memset(copy, 0, bytes * 2);
	struct cache *c = cache_create(memory, CACHE_BRANCHING, NULL);
	u64 looked;
	u32 flags;
	for (u32 i = 0; c && i < m->seens; i += 5) {
		const struct seen *s = &m->seen[i];
		struct cache_pos pos = {0};
		if (cache_open(c, tree_key_of(cache_trees(m->c), s->pos.tree - 1), &pos) == 0 &&
		    cache_write(c, &pos, s->bytes, s->n) == 0 && cache_resolve(c, &pos) == 0)
			cache_look(c, &pos, &looked, &flags);
	}
	read_everything(t);
	trees_copy(t, copy, bytes * 2, false);
	memset(copy, 0, bytes * 2);
	return 1;
}

static void damaged_memory_is_refused_or_harmless(void **state)
{
	(void)state;
	static const u64 values[] = {0, 1, 7, 0xffffffff, 0x80000000, 0xffffffffffffffff, 0x1000};
	struct model *m = model_new(11, CACHE_BRANCHING);
	m->w->note = "thread 1 waits in read";
	for (u32 i = 0; i < 60; i++)
		step(m);
	void *whole = world_map(TREES_SIZE), *memory = world_map(TREES_SIZE), *copy = world_map(TREES_SIZE);
	u64 bytes = trees_copy(cache_trees(m->c), whole, TREES_SIZE, false);
	u32 taken = 0, tries = 0;
	for (u64 at = 0; at + 8 <= bytes; at += 4)
		for (u32 v = 0; v < HD_ARRAY_LEN(values); v++, tries++) {
			memcpy(memory, whole, bytes);
			memcpy((u8 *)memory + at, &values[v], v % 2 ? 4 : 8);
			taken += try_damaged(m, memory, copy, bytes);
		}
	for (u32 i = 0; i < 4000; i++, tries++) {
		memcpy(memory, whole, bytes);
		for (u32 n = 1 + world_random(m->w, 4); n > 0; n--)
			((u8 *)memory)[world_random(m->w, (u32)bytes)] ^= (u8)(1u << world_random(m->w, 8));
		taken += try_damaged(m, memory, copy, bytes);
	}
	for (u64 size = 0; size < bytes; size += 16) {
		memcpy(memory, whole, bytes);
		assert_null(trees_attach(memory, size));
	}
	assert_true(taken > 0 && taken < tries); /* letters may change, places may not */
	munmap(whole, TREES_SIZE);
	munmap(memory, TREES_SIZE);
	munmap(copy, TREES_SIZE);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(branching_is_exact),
		cmocka_unit_test(branching_is_exact_when_there_is_little_room),
		cmocka_unit_test(none_is_exact),
		cmocka_unit_test(none_is_exact_when_there_is_little_room),
		cmocka_unit_test(linear_is_exact),
		cmocka_unit_test(copies_answer_what_was_recorded),
		cmocka_unit_test(a_copy_without_room_fails),
		cmocka_unit_test(damaged_memory_is_refused_or_harmless),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

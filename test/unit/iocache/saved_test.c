/* Checkpoints: when a peer is saved, and that the nearest one is brought back. The peer acts by chance. */
#include "iocache_peer.h"

/* A client that answers each request by a number that it never says again, and can be saved. */
static struct {
	u32 opened, saves, restores, dropped, next;
	u64 now, restore_takes;
	bool acts, repeats;
	char say[16];
} peer;

static void peer_open(void *self, const struct tree_key *k, struct transport_reply *r)
{
	(void)self;
	(void)k;
	peer.opened++;
	peer.now += 2000000;
	*r = (struct transport_reply){.conn = peer.opened, .group = peer.opened, .text = ""};
}

static void peer_exchange(void *self, u32 conn, const void *data, u64 n, bool end, struct transport_reply *r)
{
	(void)self;
	(void)conn;
	(void)data;
	(void)end;
	*r = (struct transport_reply){.text = "", .data = peer.say};
	if (!n)
		return;
	peer.now += 100000;
	if (peer.repeats) {
		r->len = 1;
		memcpy(peer.say, "x", 2);
		return;
	}
	r->len = (u64)snprintf(peer.say, sizeof(peer.say), "%u\n", ++peer.next);
	r->flags = peer.acts ? NET_ACTED | NET_CHOSE : 0;
}

static void peer_close(void *self, u32 conn)
{
	(void)self;
	(void)conn;
}

static void peer_save(void *self, u32 conn, struct transport_reply *r)
{
	(void)self;
	(void)conn;
	*r = (struct transport_reply){.saved = ++peer.saves, .text = ""};
}

static void peer_restore(void *self, u64 saved, struct transport_reply *r)
{
	(void)self;
	(void)saved;
	peer.restores++;
	peer.now += peer.restore_takes;
	*r = (struct transport_reply){.conn = peer.opened, .text = ""};
}

static void peer_drop(void *self, u64 saved)
{
	(void)self;
	(void)saved;
	peer.dropped++;
}

static u64 peer_now(void *self)
{
	(void)self;
	return peer.now;
}

static const struct tree_key key = {.to = {.family = NET_INET, .type = NET_STREAM, .port = 80}, .client = 1};

static struct cache *start(enum net_checkpoint strategy, struct world **w, struct cache_pos *root)
{
	static const struct transport t = {.open = peer_open,
					   .exchange = peer_exchange,
					   .close = peer_close,
					   .save = peer_save,
					   .restore = peer_restore,
					   .drop = peer_drop,
					   .now = peer_now};
	memset(&peer, 0, sizeof(peer));
	peer.acts = true;
	*w = world_new(1);
	struct cache *c = cache_create((*w)->memory, CACHE_BRANCHING, &t);
	assert_non_null(c);
	cache_set_checkpoint(c, strategy, true);
	*root = (struct cache_pos){0};
	assert_int_equal(cache_open(c, &key, root), 0);
	cache_step_ended(c);
	return c;
}

static struct cache_pos say(struct cache *c, struct cache_pos from, const char *text)
{
	assert_int_equal(cache_write(c, &from, text, strlen(text)), 0);
	cache_step_ended(c);
	return from;
}

static void test_nearest(void **state)
{
	struct world *w;
	struct cache_pos root;
	struct cache *c = start(NET_CHECKPOINT_ND, &w, &root);
	(void)state;
	assert_int_equal(peer.saves, 1); /* the beginning */
	struct cache_pos a = say(c, root, "a\n");
	say(c, a, "b\n");
	assert_int_equal(peer.saves, 3);
	say(c, a, "c\n"); /* from where it was saved, and not from the beginning */
	assert_int_equal(peer.restores, 1);
	assert_int_equal(peer.opened, 1);
	assert_int_equal(cache_checkpoints(c)->replayed, 0);
	say(c, a, "b\n"); /* known */
	assert_int_equal(peer.next, 3);
	world_free(w);
}

static void test_no_chance(void **state)
{
	struct world *w;
	struct cache_pos root;
	struct cache *c = start(NET_CHECKPOINT_ND, &w, &root);
	(void)state;
	peer.acts = false;
	say(c, say(c, root, "a\n"), "b\n");
	assert_int_equal(peer.saves, 1);
	world_free(w);
}

static void test_io(void **state)
{
	struct world *w;
	struct cache_pos root;
	struct cache *c = start(NET_CHECKPOINT_IO, &w, &root);
	(void)state;
	peer.acts = false;
	struct cache_pos a = say(c, root, "a\n");
	cache_step_ended(c); /* a step without I/O */
	cache_step_ended(c);
	assert_int_equal(peer.saves, 2);
	say(c, a, "b\n");
	assert_int_equal(peer.saves, 3);
	world_free(w);
}

static void test_none(void **state)
{
	struct world *w;
	struct cache_pos root;
	struct cache *c = start(NET_CHECKPOINT_NONE, &w, &root);
	(void)state;
	assert_int_equal(cache_write(c, &root, "a\n", 2), CACHE_INCOMPLETE);
	assert_non_null(strstr(cache_error(c)->text, "chance"));
	assert_int_equal(peer.saves, 0);
	world_free(w);
}

/* No more than 128 at a time; the first stays, and those that replaying can't bring back stay longest. */
static void test_bound(void **state)
{
	struct world *w;
	struct cache_pos root;
	char text[16];
	struct cache *c = start(NET_CHECKPOINT_IO, &w, &root);
	(void)state;
	struct cache_pos chosen = say(c, root, "chance\n");
	peer.acts = false;
	for (u32 i = 0; i < 200; i++) {
		snprintf(text, sizeof(text), "%u\n", i);
		say(c, chosen, text);
	}
	assert_int_equal(cache_checkpoints(c)->peak, 128);
	assert_int_equal(peer.saves - peer.dropped, 128);
	u32 before = peer.restores;
	say(c, chosen, "last\n");
	assert_int_equal(peer.restores, before + 1);
	assert_int_equal(peer.opened, 1);
	world_free(w);
}

/* The cost model: measured times decide, when there are enough of them, but for peers that act by chance. */
static void restore_or_start(u64 takes, bool acts, u32 opened)
{
	struct world *w;
	struct cache_pos root;
	char text[16];
	struct cache *c = start(NET_CHECKPOINT_IO, &w, &root);
	peer.restore_takes = takes;
	peer.acts = acts;
	peer.repeats = !acts;
	struct cache_pos b = say(c, say(c, root, "a\n"), "b\n");
	for (u32 i = 0; i < 40; i++) {
		snprintf(text, sizeof(text), "%u\n", i);
		say(c, b, text);
		if (i < 33)
			assert_int_equal(peer.opened, 1);
	}
	assert_int_equal(peer.opened, opened);
	assert_int_equal(cache_checkpoints(c)->cheaper, opened - 1);
	world_free(w);
}

static void test_cost(void **state)
{
	(void)state;
	restore_or_start(400000, false, 1);
	restore_or_start(2199999, false, 1); /* a start and two requests: 2200000 */
	restore_or_start(2200001, false, 8);
	restore_or_start(9000000, true, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nearest), cmocka_unit_test(test_no_chance), cmocka_unit_test(test_io),
		cmocka_unit_test(test_none),    cmocka_unit_test(test_bound),     cmocka_unit_test(test_cost),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

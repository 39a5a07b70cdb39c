/*
 * What is known of peers and of what is saved of them; the choice of a backend. Processes: test/checkpoint.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "checkpoint/checkpoint.h"

#define PEER 4711
#define OTHER 4712

static struct checkpoints *create(enum checkpoint_choice choice, struct peer_options *peers)
{
	struct checkpoint_options o = {.choice = choice};
	struct problem p;
	struct checkpoints *s = checkpoints_create(&o, peers, &p);
	assert_non_null(s);
	return s;
}

static void test_restart_saves_the_beginning_only(void **state)
{
	struct peer_options peers = {0};
	struct checkpoints *s = create(CHECKPOINT_RESTART, &peers);
	struct checkpoint_cost cost;
	struct problem p;
	const char *reason;
	int fd[1] = {0};
	u64 first = 0, second = 0;
	u32 n = 9;
	assert_null(peers.wrap);
	assert_int_equal(checkpoint_save(s, PEER, fd, 0, &first, &p), -EOPNOTSUPP); /* not known */
	assert_int_equal(checkpoint_adopt(s, PEER, &p), 0);
	assert_string_equal(checkpoint_backend(s, PEER, &reason), "restart");
	assert_string_equal(reason, "asked for");
	assert_false(checkpoint_can_save(s, PEER));
	assert_int_equal(checkpoint_save(s, PEER, fd, 0, &first, &p), 0);
	assert_int_equal(checkpoint_save(s, PEER, fd, 0, &second, &p), 0);
	assert_int_not_equal(first, second);
	assert_int_equal(checkpoint_save(s, PEER, fd, 1, &second, &p), -EOPNOTSUPP);
	assert_non_null(strstr(p.text, "only be started again"));
	assert_int_equal(checkpoint_of(s, first, &n), PEER);
	assert_int_equal(n, 0);
	checkpoint_cost(s, 0, &cost);
	assert_int_equal(cost.saves, 2);
	checkpoint_drop(s, first);
	assert_int_equal(checkpoint_of(s, first, NULL), 0);
	checkpoint_forget(s, PEER);
	assert_int_equal(checkpoint_of(s, second, NULL), 0);
	checkpoint_cost(s, 0, &cost);
	assert_int_equal(cost.saves, 2); /* what the peer has cost is not forgotten */
	checkpoints_free(s);
}

/* Whatever is not seen counts as done, and then a restart leads elsewhere. */
static void test_without_shim_all_is_suspect(void **state)
{
	struct peer_options peers = {0};
	struct checkpoints *s = create(CHECKPOINT_RESTART, &peers);
	struct checkpoint_act act[4];
	struct problem p;
	checkpoint_adopt(s, PEER, &p);
	assert_true(checkpoint_acted(s, PEER));
	assert_true(checkpoint_acted(s, PEER));
	assert_false(checkpoint_notices(s, PEER));
	assert_int_equal(checkpoint_acts(s, PEER, act, 4), 0);
	assert_int_equal(checkpoint_process(s, PEER), 0);
	assert_string_equal(checkpoint_backend(s, OTHER, NULL), "none");
	checkpoints_free(s);
}

static void test_backend_that_does_not_work_says_why(void **state)
{
	struct checkpoint_options o = {.choice = CHECKPOINT_FORK};
	struct peer_options peers = {0};
	struct problem p;
	char why[256];
	setenv("HEDDLE_PEER_LIBRARY", "/a path/with a space", 1);
	assert_false(checkpoint_probe(CHECKPOINT_FORK, why, sizeof(why)));
	assert_non_null(strstr(why, "cannot be preloaded"));
	assert_null(checkpoints_create(&o, &peers, &p));
	assert_non_null(strstr(p.text, "--checkpoint-backend fork does not work here"));
	o.choice = CHECKPOINT_AUTO; /* goes on with another one */
	struct checkpoints *s = checkpoints_create(&o, &peers, &p);
	assert_non_null(s);
	const char *reason;
	assert_int_equal(checkpoint_adopt(s, PEER, &p), 0);
	assert_string_equal(checkpoint_backend(s, PEER, &reason), "restart");
	assert_non_null(strstr(reason, "not fork: "));
	checkpoints_free(s);
	unsetenv("HEDDLE_PEER_LIBRARY");
	assert_true(checkpoint_probe(CHECKPOINT_RESTART, why, sizeof(why)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_restart_saves_the_beginning_only),
		cmocka_unit_test(test_without_shim_all_is_suspect),
		cmocka_unit_test(test_backend_that_does_not_work_says_why),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

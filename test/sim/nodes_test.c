/* The nodes of a breadth-first search: room for any delta, kept while needed, used again afterwards. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "search/nodes.h"

static void deltas_do_not_overlap(void **state)
{
	(void)state;
	static struct node *made[6000];
	struct nodes all = {0};
	for (size_t size = 0; size < 6000; size++) {
		made[size] = node_new(&all, NULL, (u32)size, size);
		assert_non_null(made[size]);
		memset(made[size]->delta, (int)(size % 251), size);
	}
	for (size_t size = 0; size < 6000; size++) {
		assert_int_equal(made[size]->action, size);
		for (size_t i = 0; i < size; i++)
			assert_int_equal((unsigned char)made[size]->delta[i], size % 251);
	}
	nodes_free(&all);
}

/* Rounding up to classes loses a fifth at most, beyond the smallest nodes. */
static void little_is_lost_to_rounding(void **state)
{
	(void)state;
	for (size_t size = 64; size < 100000; size = size * 17 / 16) {
		struct nodes all = {0};
		u64 wanted = 0;
		while (wanted < 4 << 20) {
			assert_non_null(node_new(&all, NULL, 0, size));
			wanted += sizeof(struct node) + size;
		}
		assert_true(all.bytes <= wanted + wanted / 3 + (2 << 20));
		nodes_free(&all);
	}
}

static void large_deltas_have_room(void **state)
{
	(void)state;
	struct nodes all = {0};
	for (size_t size = 1 << 20; size <= 64 << 20; size *= 4) {
		struct node *n = node_new(&all, NULL, 1, size);
		assert_non_null(n);
		memset(n->delta, 1, size);
	}
	nodes_free(&all);
	assert_int_equal(all.bytes, 0);
}

static void depth_and_parent(void **state)
{
	(void)state;
	struct nodes all = {0};
	struct node *root = node_new(&all, NULL, 0, 0);
	struct node *child = node_new(&all, root, 5, 10), *grandchild = node_new(&all, child, 6, 10);
	assert_int_equal(root->depth, 0);
	assert_int_equal(grandchild->depth, 2);
	assert_ptr_equal(grandchild->parent, child);
	assert_int_equal(root->refs, 2);
	assert_int_equal(child->refs, 2);
	nodes_free(&all);
}

/* A freed descendant frees ancestors that nobody else needs, and only those. */
static void freeing_goes_upwards(void **state)
{
	(void)state;
	struct nodes all = {0};
	struct node *root = node_new(&all, NULL, 0, 0);
	struct node *child = node_new(&all, root, 1, 0);
	struct node *first = node_new(&all, child, 2, 0), *second = node_new(&all, child, 3, 0);
	node_put(&all, child);
	node_put(&all, first);
	assert_int_equal(child->refs, 1);
	assert_int_equal(root->refs, 2);
	node_put(&all, second);
	assert_int_equal(root->refs, 1);
	/* first, second and child are used again before anything new. */
	u64 bytes_left = (u64)(all.chunk_end - all.chunk);
	for (int i = 0; i < 3; i++)
		assert_non_null(node_new(&all, root, 0, 0));
	assert_int_equal(all.chunk_end - all.chunk, bytes_left);
	nodes_free(&all);
}

static void memory_is_used_again(void **state)
{
	(void)state;
	struct nodes all = {0};
	for (u32 i = 0; i < 200000; i++) {
		struct node *n = node_new(&all, NULL, i, i % 700);
		assert_non_null(n);
		memset(n->delta, 0xff, i % 700);
		node_put(&all, n);
	}
	assert_int_equal(all.bytes, 1 << 20);
	nodes_free(&all);
}

static void no_memory_is_null(void **state)
{
	(void)state;
	struct nodes all = {0};
	struct node *root = node_new(&all, NULL, 0, 0);
	assert_null(node_new(&all, root, 0, (size_t)1 << 60));
	assert_int_equal(root->refs, 1);
	nodes_free(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deltas_do_not_overlap),  cmocka_unit_test(little_is_lost_to_rounding),
		cmocka_unit_test(large_deltas_have_room), cmocka_unit_test(depth_and_parent),
		cmocka_unit_test(freeing_goes_upwards),   cmocka_unit_test(memory_is_used_again),
		cmocka_unit_test(no_memory_is_null),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

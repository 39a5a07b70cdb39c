/* The graph of states: read from records that may be damaged, written for dot. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "temporary.h"
#include "report/state_graph.h"

struct records {
	u64 len;
	_Alignas(8) char bytes[4096];
};

static struct wire_graph_record *add(struct records *r, u32 kind, u32 from, u32 to, const char *text)
{
	struct wire_graph_record *at = (void *)(r->bytes + r->len);

	*at = (struct wire_graph_record){
		.kind = kind, .from = from, .to = to, .thread = 2, .len = (u32)strlen(text)};
	memcpy(at + 1, text, at->len);
	r->len += sizeof(*at) + HD_ROUND_UP(at->len, 8);
	return at;
}

static void make(struct records *r)
{
	memset(r, 0, sizeof(*r));
	add(r, WIRE_GRAPH_STATE, 0, 0, "1: has not started yet");
	add(r, WIRE_GRAPH_STATE, 0, 1, "1: a \"quoted\"\n2: b");
	add(r, WIRE_GRAPH_EDGE, 0, 1, "starts");
	add(r, WIRE_GRAPH_END, 0, 0, "");
	add(r, WIRE_GRAPH_VIOLATION, 0, 1, "deadlock");
}

static void test_read_and_write(void **state)
{
	struct records r;
	struct state_graph g;
	struct problem p;
	char text[2048];
	FILE *f;
	size_t n;

	(void)state;
	make(&r);
	assert_int_equal(state_graph_read(&g, r.bytes, r.len, NULL), 0);
	assert_int_equal(g.states, 2);
	assert_int_equal(g.edges, 1);
	assert_true(g.state[0].is_end && !g.state[1].is_end);
	assert_int_equal(state_graph_write(&g, temporary_path("graph.dot"), &p), 0);
	state_graph_free(&g);
	f = fopen(temporary_path("graph.dot"), "r");
	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = 0;
	assert_non_null(strstr(text, "s1 [label=\"1\\n1: a \\\"quoted\\\"\\l2: b\\ldeadlock\\l\""));
	assert_non_null(strstr(text, "s0 -> s1 [label=\"2: starts\"]"));
	assert_non_null(strstr(text, "peripheries=2"));
}

static void refuse(const struct records *r, u64 len)
{
	struct state_graph g;

	assert_int_equal(state_graph_read(&g, r->bytes, len, NULL), -1);
	state_graph_free(&g);
}

static void test_damaged(void **state)
{
	struct records r;

	(void)state;
	make(&r);
	refuse(&r, r.len - 8);
	make(&r);
	add(&r, WIRE_GRAPH_EDGE, 0, 2, "nowhere");
	refuse(&r, r.len);
	make(&r);
	add(&r, WIRE_GRAPH_EDGE, 7, 1, "from nowhere");
	refuse(&r, r.len);
	make(&r);
	add(&r, WIRE_GRAPH_STATE, 0, 5, "not the next one");
	refuse(&r, r.len);
	make(&r);
	add(&r, 99, 0, 0, "");
	refuse(&r, r.len);
	make(&r);
	add(&r, WIRE_GRAPH_EDGE, 0, 1, "x")->len = 0xfffffff0u;
	refuse(&r, r.len);
	make(&r);
	add(&r, WIRE_GRAPH_END, 0, 1, "x")->len = 0xffffffffu;
	refuse(&r, r.len);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_read_and_write, temporary_make, temporary_remove),
		cmocka_unit_test(test_damaged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Communication trees: what text, dot and pcap show of them; files that are whole, and files that are not. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <arpa/inet.h>

#include "report/trees.h"
#include "report/trees_file.h"
#include "report/trees_pack.h"
#include "temporary.h"
#include "trees_world.h"
#include "wire/net_joint.h"

/* Owned by the caller. */
static char *printed(bool (*print)(FILE *, const struct trees *), const struct trees *t, size_t *n)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, n);

	assert_non_null(f);
	assert_true(print(f, t));
	fclose(f);
	return text;
}

static void test_text(void **state)
{
	struct trees *t = world_example();
	size_t n;
	char *text = printed(trees_text, t, &n);

	assert_string_equal(text, "to 127.0.0.1:8080: 2 traces\n"
				  "  < \"220 \\\"hi\\\"\\r\\n\"\n"
				  "  > \"GET /\"\n"
				  "  < nothing yet\n"
				  "  way 1 of 2, behind 5 bytes\n"
				  "      > \"a\\n\"\n"
				  "      < \"A\\x01\"\n"
				  "      < end: the peer closed\n"
				  "  way 2 of 2, behind 5 bytes\n"
				  "      > \"b\\n\"\n"
				  "      < \"wait\"\n"
				  "        (the peer waits with a time-out: it may say more later)\n"
				  "      > end of writing\n"
				  "      < \"bye\"\n"
				  "      < reset by the peer\n"
				  "\n"
				  "client 2 of port 9000: 1 trace\n"
				  "  < \"one\\n\"\n"
				  "  < \"two\\n\"\n"
				  "  > \"12\"\n"
				  "  ? the peer was not waited for here\n");
	free(text);
	world_free(t);
}

/* A position that was heard only after a branch had left behind it: no byte twice, none lost. */
static void test_heard_later(void **state)
{
	struct trees *t = world_make();
	struct tree_at root = world_open(t, world_key("\x7f\0\0\1", 1, 0)), at = root, early = root;
	size_t n;
	char *text;

	world_hear(t, &at, "", 0);
	world_write(t, &at, "abc1");
	world_hear(t, &at, "xy1", 0);
	at = root;
	world_write(t, &at, "abc2");
	world_hear(t, &at, "xy2", 0);
	world_write(t, &early, "ab");
	world_hear(t, &early, "x", 0);
	text = printed(trees_text, t, &n);
	assert_string_equal(text, "to 127.0.0.1:1: 2 traces\n"
				  "  < nothing yet\n"
				  "  > \"ab\"\n"
				  "  < \"x\"\n"
				  "  > \"c\"\n"
				  "  way 1 of 2, behind 3 bytes\n"
				  "      > \"1\"\n"
				  "      < \"y1\"\n"
				  "  way 2 of 2, behind 3 bytes\n"
				  "      > \"2\"\n"
				  "      < \"y2\"\n");
	free(text);
	world_free(t);
}

static void titled(struct tree_key k, const char *expected)
{
	char title[640];

	tree_title(&k, title, sizeof(title));
	assert_string_equal(title, expected);
}

static void test_titles(void **state)
{
	struct tree_key k = world_key("\x0a\0\0\7", 80, 0);

	titled(k, "to 10.0.0.7:80");
	k.instance = 1;
	titled(k, "to 10.0.0.7:80, connection 2");
	k.to.type = NET_DGRAM;
	k.client = 3;
	titled(k, "client 3 of port 80, connection 2, datagrams");
	k = world_key("\0\0\0\0", 53, 0);
	k.to.family = NET_INET6;
	k.to.ip[15] = 1;
	titled(k, "to [::1]:53");
	k = world_key("\0\0\0\0", 0, 0);
	k.to.family = NET_UNIX;
	k.to.path_len = 7;
	memcpy(k.to.path, "/run/x", 7);
	titled(k, "to socket /run/x");
	memcpy(k.to.path, "\0ab\"cde", 7);
	titled(k, "to socket @ab\\\"cde");
	k.client = 1;
	titled(k, "client 1 of socket @ab\\\"cde");
}

static size_t count(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		n++;
	return n;
}

static void test_dot(void **state)
{
	struct trees *t = world_example();
	size_t n;
	char *text = printed(trees_dot, t, &n);

	assert_int_equal(strncmp(text, "digraph trees {", 15), 0);
	assert_string_equal(text + n - 2, "}\n");
	assert_non_null(strstr(text, "label=\"to 127.0.0.1:8080\""));
	assert_non_null(strstr(text, "label=\"220 \\\\\\\"hi\\\\\\\"\\\\r\\\\n\\l\""));
	/* A tree has one edge less than nodes. */
	assert_int_equal(count(text, "[label="), count(text, " -> ") + 2);
	/* Both ways on start at the node of the fork: open, greeting, GET /, nothing. */
	assert_non_null(strstr(text, "n3 -> n4;"));
	assert_non_null(strstr(text, "n3 -> n7;"));
	assert_int_equal(count(text, "n3 -> "), 2);
	free(text);
	world_free(t);
}

/* A chain of forks, deeper than a stack would like; and bytes beyond what text shows. */
static void test_large(void **state)
{
	struct trees *t = world_make();
	struct tree_at at = world_open(t, world_key("\x7f\0\0\1", 1, 0)), side;
	char *text, *data = malloc(100001);
	size_t n;

	for (int i = 0; i < 3000; i++) {
		side = at;
		world_write(t, &at, "a");
		world_write(t, &side, "b");
		at = i % 2 ? at : side;
	}
	memset(data, 'x', 100000);
	data[100000] = 0;
	world_hear(t, &at, data, 0);
	text = printed(trees_text, t, &n);
	assert_int_equal(count(text, "way 1 of 2"), 3000);
	assert_int_equal(count(text, "way 2 of 2"), 3000);
	assert_non_null(strstr(text, "more bytes (--format pcap has them)"));
	assert_true(n < 5000000);
	free(text);
	text = printed(trees_dot, t, &n);
	assert_int_equal(count(text, " -> "), count(text, "[label=") - 1);
	free(text);
	free(data);
	world_free(t);
}

/* ---- pcap, read again by other code than what wrote it ---- */

struct flow {
	u16 port; /* of the side that connects */
	char bytes[2][256];
	size_t len[2];
	u32 next[2];
	u8 last_flags;
	bool syn[2], fin[2], reset;
	size_t datagrams;
};

static u16 get16(const u8 *p)
{
	return (u16)(p[0] << 8 | p[1]);
}

static u32 get32(const u8 *p)
{
	return (u32)get16(p) << 16 | get16(p + 2);
}

/* Over data that has its checksum in it. */
static u32 ones_sum(const u8 *p, size_t n, u32 sum)
{
	for (size_t i = 0; i < n; i++)
		sum += i % 2 ? p[i] : (u32)p[i] << 8;
	while (sum > 0xffff)
		sum = (sum >> 16) + (sum & 0xffff);
	return sum;
}

static struct flow *flow_of(struct flow *list, u16 a, u16 b)
{
	u16 port = a >= 10000 ? a : b;

	assert_in_range(port, 10000, 10009);
	list[port - 10000].port = port;
	return &list[port - 10000];
}

static void read_tcp(struct flow *list, const u8 *p, size_t n)
{
	struct flow *f = flow_of(list, get16(p), get16(p + 2));
	int who = get16(p) == f->port;
	u8 flags = p[13];
	size_t data = n - (p[12] >> 4) * 4;

	if (f->syn[who])
		assert_int_equal(get32(p + 4), f->next[who]);
	if (flags & 16)
		assert_int_equal(get32(p + 8), f->next[!who]);
	assert_false(f->fin[who] || f->reset);
	f->syn[who] |= flags & 2;
	f->fin[who] |= flags & 1;
	f->reset |= flags & 4;
	f->next[who] = get32(p + 4) + (u32)data + !!(flags & 3);
	memcpy(f->bytes[who] + f->len[who], p + n - data, data);
	f->len[who] += data;
}

static void read_udp(struct flow *list, const u8 *p, size_t n)
{
	struct flow *f = flow_of(list, get16(p), get16(p + 2));
	int who = get16(p) == f->port;

	assert_int_equal(get16(p + 4), n);
	memcpy(f->bytes[who] + f->len[who], p + 8, n - 8);
	f->len[who] += n - 8;
	f->datagrams++;
}

static void read_packet(struct flow *list, const u8 *p, size_t n)
{
	bool v6 = p[0] >> 4 == 6;
	size_t head = v6 ? 40 : 20, size = v6 ? 32 : 8;
	u8 protocol = v6 ? p[6] : p[9];

	if (v6) {
		assert_int_equal(get16(p + 4), n - 40);
	} else {
		assert_int_equal(p[0], 0x45);
		assert_int_equal(get16(p + 2), n);
		assert_int_equal(ones_sum(p, 20, 0), 0xffff);
	}
	assert_int_equal(
		ones_sum(p + head, n - head, ones_sum(p + head - size, size, protocol + (u32)(n - head))),
		0xffff);
	if (protocol == IPPROTO_TCP)
		read_tcp(list, p + head, n - head);
	else
		read_udp(list, p + head, n - head);
}

static void read_capture(const u8 *p, size_t n, struct flow list[10])
{
	static const u32 head[6] = {0xa1b2c3d4, 4 << 16 | 2, 0, 0, 262144, 101};
	u32 record[4];
	size_t at = sizeof(head);

	memset(list, 0, 10 * sizeof(*list));
	assert_memory_equal(p, head, sizeof(head));
	while (at < n) {
		assert_true(n - at >= sizeof(record));
		memcpy(record, p + at, sizeof(record));
		at += sizeof(record);
		assert_int_equal(record[2], record[3]);
		assert_true(n - at >= record[2]);
		read_packet(list, p + at, record[2]);
		at += record[2];
	}
}

static void expect_flow(const struct flow *f, const char *from_connecting, const char *from_listening)
{
	assert_string_equal(f->bytes[1], from_connecting);
	assert_string_equal(f->bytes[0], from_listening);
}

static void test_pcap(void **state)
{
	struct trees *t = world_example();
	struct flow list[10];
	size_t n;
	char *bytes = printed(trees_pcap, t, &n);

	read_capture((u8 *)bytes, n, list);
	expect_flow(&list[0], "GET /a\n", "220 \"hi\"\r\nA\x01");
	assert_true(list[0].fin[0] && !list[0].fin[1]);
	expect_flow(&list[1], "GET /b\n", "220 \"hi\"\r\nwaitbye");
	assert_true(list[1].fin[1] && list[1].reset);
	/* Here the peer is the one that connects. */
	expect_flow(&list[2], "one\ntwo\n", "12");
	assert_int_equal(list[3].port, 0);
	free(bytes);
	world_free(t);
}

static void test_pcap_datagrams(void **state)
{
	struct trees *t = world_make();
	struct tree_key k = world_key("\0\0\0\0", 53, 0);
	struct tree_at at;
	struct flow list[10];
	size_t n;
	char *bytes;

	k.to.type = NET_DGRAM;
	k.to.family = NET_INET6;
	k.to.ip[15] = 1;
	at = world_open(t, k);
	assert_true(tree_append(t, &at, "\2\0\0\0ab\0\0\0\0\1\0\0\0", 14));
	assert_true(tree_mark_add(t, &at, "\3\0\0\0xyz", 7, 0, ""));
	assert_true(tree_append(t, &at, "c", 1));
	bytes = printed(trees_pcap, t, &n);
	read_capture((u8 *)bytes, n, list);
	expect_flow(&list[0], "abc", "xyz");
	assert_int_equal(list[0].datagrams, 4);
	free(bytes);
	world_free(t);
}

/* ---- joint conversations ---- */

/* A client with two connections; what it is told on the first one forks within a symbol. */
static void test_joint_client(void **state)
{
	struct trees *t = world_make();
	struct tree_key k = world_key("\0\0\0\0", 9000, 1);
	struct flow list[10];
	size_t n;

	k.joint = 1;
	struct tree_at root = world_open(t, k), at = root;
	world_hear(t, &at, "\x81\1\1o\1k\x82\1\2!", 0);
	world_write(t, &at, "\1A");
	world_hear(t, &at, "\x81\2", 0);
	world_write(t, &at, "\2C\x82\5");
	world_hear(t, &at, "", 0);
	at = root;
	world_write(t, &at, "\1B");
	world_hear(t, &at, "\1-\2+", 0);

	char *text = printed(trees_text, t, &n);
	assert_non_null(strstr(text, "client 1 of port 9000, all its connections: 2 traces\n"
				     "  < [1] opens a connection\n"
				     "  < [1] \"ok\"\n"
				     "  < [2] opens a connection\n"
				     "  < [2] \"!\"\n"));
	assert_non_null(strstr(text, "> [1] \"A\"\n      < [1] end: the peer closed\n"
				     "      > [2] \"C\"\n      > [2] closes it\n"));
	assert_non_null(strstr(text, "> [1] \"B\"\n      < [1] \"-\"\n      < [2] \"+\"\n"));
	free(text);
	text = printed(trees_dot, t, &n);
	assert_int_equal(count(text, " -> "), count(text, "[label=") - 1);
	assert_non_null(
		strstr(text, "\"[1] opens a connection\\l[1] ok\\l[2] opens a connection\\l[2] !\\l\""));
	assert_non_null(strstr(text, "\"[1] B\\l\""));
	free(text);
	text = printed(trees_pcap, t, &n);
	read_capture((u8 *)text, n, list);
	expect_flow(&list[0], "ok", "A");
	assert_true(list[0].syn[1] && list[0].fin[1] && !list[0].fin[0]);
	expect_flow(&list[1], "!", "C");
	assert_true(list[1].fin[0] && !list[1].fin[1]);
	expect_flow(&list[2], "ok-", "B");
	expect_flow(&list[3], "!+", "");
	assert_int_equal(list[4].port, 0);
	free(text);
	world_free(t);
}

/* Server peers: one connection, one that is refused, and the first number again. */
static void test_joint_servers(void **state)
{
	struct trees *t = world_make();
	struct tree_key k = world_key("\0\0\0\0", 0, 0);
	struct net_address to = world_key("\x7f\0\0\1", 80, 0).to;
	u8 packed[NET_PACKED_MAX], connect[2 * NET_PACKED_MAX + 2] = {0x81, NET_JOINT_CONNECT};
	u32 len = net_address_pack(&to, packed);
	struct flow list[10];
	size_t n;

	for (u32 i = 0; i < len; i++) {
		connect[2 + 2 * i] = 1;
		connect[3 + 2 * i] = packed[i];
	}
	k.joint = 1;
	struct tree_at at = world_open(t, k);
	assert_true(tree_append(t, &at, (char *)connect, 2 + 2 * len));
	world_hear(t, &at, "\x81\1", 0);
	world_write(t, &at, "\1q\x81\5");
	world_hear(t, &at, "", 0);
	assert_true(tree_append(t, &at, (char *)connect, 2 + 2 * len));
	world_hear(t, &at, "\x81\x08\1o", 0);

	char *text = printed(trees_text, t, &n);
	assert_string_equal(text, "all connections to the server peers: 1 trace\n"
				  "  > [1] connects to 127.0.0.1:80\n"
				  "  < [1] opens a connection\n"
				  "  > [1] \"q\"\n"
				  "  > [1] closes it\n"
				  "  < nothing yet\n"
				  "  > [1] connects to 127.0.0.1:80\n"
				  "  < [1] refused\n"
				  "  < [1] \"o\"\n");
	free(text);
	text = printed(trees_dot, t, &n);
	assert_int_equal(count(text, "connects to 127.0.0.1:80"), 2);
	free(text);
	text = printed(trees_pcap, t, &n);
	read_capture((u8 *)text, n, list);
	expect_flow(&list[0], "q", "");
	assert_true(list[0].fin[1] && !list[0].reset);
	expect_flow(&list[1], "", "");
	assert_true(list[1].reset);
	assert_int_equal(list[2].port, 0);
	free(text);
	world_free(t);
}

/* ---- files ---- */

static void test_file(void **state)
{
	struct trees *t = world_example();
	const struct net_config recorded = {
		.mode = CACHE_LINEAR, .live = 1, .clients = 2, .client_port = {9000, 9001}};
	const char *path = temporary_path("trees.bin");
	struct trees_blob b;
	struct net_config config;
	struct problem p = {""};
	size_t n;
	char *before = printed(trees_text, t, &n), *after;

	trees_stats(t)->hits = 17;
	assert_int_equal(trees_file_save(t, &recorded, path, &p), 0);
	assert_int_equal(trees_file_load(path, &b, &config, &p), 0);
	after = printed(trees_text, trees_blob_trees(&b), &n);
	assert_string_equal(before, after);
	assert_int_equal(trees_stats(trees_blob_trees(&b))->hits, 17);
	assert_int_equal(trees_mode(trees_blob_trees(&b)), CACHE_BRANCHING);
	assert_int_equal(config.mode, CACHE_LINEAR);
	assert_int_equal(config.live, 0);
	assert_int_equal(config.clients, 2);
	assert_int_equal(config.client_port[1], 9001);
	trees_blob_free(&b);
	free(before);
	free(after);
	world_free(t);
}

static void refused(const void *bytes, size_t n, const char *why)
{
	const char *path = temporary_file("mutant.bin", bytes, n);
	struct problem p = {""};
	struct net_config config;
	struct trees_blob b;

	assert_int_equal(trees_file_load(path, &b, &config, &p), -1);
	assert_non_null(strstr(p.text, "mutant.bin"));
	if (!strstr(p.text, why))
		fail_msg("\"%s\" does not say \"%s\"", p.text, why);
}

/* One of zstd's header bits may be another and the content the same; then that is what must be read. */
static bool harmless(const char *bytes, size_t n, const struct trees *t)
{
	struct problem p = {""};
	struct net_config config;
	struct trees_blob b;
	bool same;

	if (trees_file_load(temporary_file("mutant.bin", bytes, n), &b, &config, &p))
		return false;
	same = b.len == trees_bytes(t) && !memcmp(b.memory, t, b.len);
	trees_blob_free(&b);
	return same;
}

static void test_damaged_files(void **state)
{
	struct trees *t = world_example();
	struct problem p = {""};
	size_t n, passed = 0;
	char *bytes;

	assert_int_equal(trees_file_save(t, &(struct net_config){.clients = 3}, temporary_path("t.bin"), &p),
			 0);
	bytes = temporary_read(temporary_path("t.bin"), &n);
	for (size_t i = 0; i < n; i++)
		refused(bytes, i, i < 8 ? "is no file with communication trees" : "cut off");
	for (size_t i = 0; i < n; i++) {
		bytes[i] ^= 0x20;
		if (harmless(bytes, n, t))
			passed++;
		else
			refused(bytes, n, i < 8 ? "is no file" : i < 12 ? "of version" : "damaged");
		bytes[i] ^= 0x20;
	}
	assert_true(passed < 8);
	free(bytes);
	world_free(t);
}

static void test_no_files(void **state)
{
	struct trees_blob b;
	struct net_config config;
	struct problem p = {""};

	refused("[]", 2, "is no file");
	assert_int_equal(trees_file_load(temporary_dir, &b, &config, &p), -1);
	assert_int_equal(trees_file_load("/nonexistent.bin", &b, &config, &p), -1);
	assert_non_null(strstr(p.text, "/nonexistent.bin cannot be read: No such file"));
}

static void test_blob_text(void **state)
{
	struct trees *t = world_example();
	struct trees_blob b, again;
	char *text;

	assert_int_equal(trees_blob_copy(t, TREES_SIZE, &b), 0);
	text = trees_blob_text(&b);
	assert_int_equal(trees_blob_parse(text, &again), 0);
	assert_int_equal(again.len, b.len);
	assert_memory_equal(again.memory, b.memory, b.len);
	trees_blob_free(&again);
	text[strlen(text) / 2] ^= 1;
	assert_int_equal(trees_blob_parse(text, &again), -1);
	assert_int_equal(trees_blob_parse("", &again), -1);
	assert_int_equal(trees_blob_parse("AAAA", &again), -1);
	free(text);
	/* What was written over is no trees any more. */
	memset(b.memory, 0, 8);
	assert_int_equal(trees_blob_copy(b.memory, b.len, &again), -1);
	trees_blob_free(&b);
	world_free(t);
}

/* A part is smaller, and still trees; of trees that nobody used nothing is left. */
static void test_used_part(void **state)
{
	struct trees *t = world_example();
	struct tree_at at = {.branch = tree_root(t, 0)};
	struct trees_blob b;
	char *text;
	size_t n;

	assert_int_equal(tree_follow(t, &at, "GET /b\n", 7), 7);
	tree_use(t, &at);
	assert_int_equal(trees_blob_copy_used(t, &b), 0);
	text = printed(trees_text, trees_blob_trees(&b), &n);
	assert_string_equal(text, "to 127.0.0.1:8080: 1 trace\n"
				  "  < \"220 \\\"hi\\\"\\r\\n\"\n"
				  "  > \"GET /\"\n"
				  "  < nothing yet\n"
				  "  > \"b\\n\"\n"
				  "  < \"wait\"\n"
				  "    (the peer waits with a time-out: it may say more later)\n");
	free(text);
	trees_blob_free(&b);
	world_free(t);
}

static void test_base64(void **state)
{
	static const char *const pairs[][2] = {{"", ""},
					       {"f", "Zg=="},
					       {"fo", "Zm8="},
					       {"foo", "Zm9v"},
					       {"foob", "Zm9vYg=="},
					       {"fooba", "Zm9vYmE="},
					       {"\xff\xef", "/+8="}};
	static const char *const bad[] = {"Z", "Zg=", "Zg=a", "Zg==Zg==", "Z===", "Zm9\n", "Zm9\xff", "===="};
	size_t n;

	for (size_t i = 0; i < HD_ARRAY_LEN(pairs); i++) {
		char *text = base64_text((const u8 *)pairs[i][0], strlen(pairs[i][0]));
		u8 *back = base64_parse(pairs[i][1], &n);

		assert_string_equal(text, pairs[i][1]);
		assert_non_null(back);
		assert_int_equal(n, strlen(pairs[i][0]));
		assert_memory_equal(back, pairs[i][0], n);
		free(text);
		free(back);
	}
	for (size_t i = 0; i < HD_ARRAY_LEN(bad); i++)
		if (base64_parse(bad[i], &n))
			fail_msg("\"%s\" was accepted", bad[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),           cmocka_unit_test(test_heard_later),
		cmocka_unit_test(test_titles),         cmocka_unit_test(test_dot),
		cmocka_unit_test(test_large),          cmocka_unit_test(test_pcap),
		cmocka_unit_test(test_pcap_datagrams), cmocka_unit_test(test_file),
		cmocka_unit_test(test_damaged_files),  cmocka_unit_test(test_no_files),
		cmocka_unit_test(test_blob_text),      cmocka_unit_test(test_used_part),
		cmocka_unit_test(test_base64),         cmocka_unit_test(test_joint_client),
		cmocka_unit_test(test_joint_servers),
	};

	return cmocka_run_group_tests(tests, temporary_make, temporary_remove);
}

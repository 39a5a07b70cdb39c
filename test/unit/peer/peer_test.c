/* Commands with holes, and the places that stand for what the program names. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "peer/listening.h"
#include "peer/peer_priv.h"
#include "peer/template.h"

static int tell_hole(void *self, const struct hole *h, char *out, size_t cap, struct problem *p)
{
	snprintf(out, cap, "<%d|%.*s>", h->kind, h->name ? (int)h->name_len : 1, h->name ? h->name : "-");
	return 0;
}

static void test_holes(void **state)
{
	static const struct {
		const char *text, *filled;
	} cases[] = {
		{"", ""},
		{"a {port} b", "a <0|-> b"},
		{"{port:80}{path:/x y}{n}", "<0|80><1|/x y><2|->"},
		{"{path}", "<1|->"},
		{"{port:}", "<0|>"},
		{"awk '{print $1}' {}", "awk '{print $1}' {}"},
		{"${port} ${n} $${n}", "${port} ${n} $${n}"},
		{"{n:1} {ports} {Port} { port}", "{n:1} {ports} {Port} { port}"},
		{"{{port}}", "{<0|->}"},
		{"{port", "{port"},
		{"{", "{"},
		{"{port:8", "{port:8"},
		{"f() { nc {port}; }", "f() { nc <0|->; }"},
	};
	struct problem p;

	for (size_t i = 0; i < HD_ARRAY_LEN(cases); i++) {
		char *got = template_fill(cases[i].text, tell_hole, NULL, &p);

		assert_string_equal(got, cases[i].filled);
		free(got);
	}
}

static void test_ports_of_holes(void **state)
{
	static const struct {
		const char *text;
		int port;
	} cases[] = {{"{port}", -1},     {"{port:}", -1},   {"{port:0}", -1},         {"{port:80}", 80},
		     {"{port:065}", 65}, {"{port:x}", -1},  {"{port:65535}", 65535},  {"{port:65536}", -1},
		     {"{port:8 0}", -1}, {"{port:-1}", -1}, {"{port:4294967376}", -1}};
	struct hole h;

	for (size_t i = 0; i < HD_ARRAY_LEN(cases); i++) {
		assert_true(hole_find(cases[i].text, &h));
		assert_int_equal(hole_port(&h), cases[i].port);
	}
}

static struct net_address inet(u16 port, u8 first)
{
	return (struct net_address){
		.family = NET_INET, .type = NET_STREAM, .port = port, .ip = {first, 0, 0, 1}};
}

static void test_client_commands(void **state)
{
	char *templates[] = {"c {port} {n} {port:99}", "d {path} {n}"};
	struct peers s = {.options = {.client = templates, .clients = 2}};
	struct net_address port = inet(4711, 127);
	struct net_address path = {.family = NET_UNIX, .type = NET_STREAM, .path_len = 4, .path = "/a/b"};
	struct problem p;
	char *got = client_command(&s, 1, &port, &p);

	assert_string_equal(got, "c 4711 1 4711");
	free(got);
	got = client_command(&s, 2, &path, &p);
	assert_string_equal(got, "d /a/b 2");
	free(got);
	assert_null(client_command(&s, 2, &port, &p));
	assert_string_equal(p.text,
			    "client 2: the program accepts at a port: write {port} instead of {path}");
	assert_null(client_command(&s, 1, &path, &p));
	assert_string_equal(p.text,
			    "client 1: the program accepts at a path: write {path} instead of {port}");
	assert_null(client_command(&s, 3, &path, &p));
}

static void test_server_places(void **state)
{
	char *templates[] = {"a {port:80} {port:81} {n}", "b {port:80}"};
	struct peers s = {.options = {.server = templates, .servers = 2}};
	struct net_address to = inet(80, 10), at;
	struct problem p;
	unsigned first, second, again;
	char *a = server_command(&s, &s.set[0], 1, &p), *b = server_command(&s, &s.set[0], 2, &p);

	assert_int_equal(sscanf(a, "a %u %u {n}", &first, &second), 2);
	assert_int_equal(sscanf(b, "b %u", &again), 1);
	assert_int_not_equal(first, second);
	assert_int_equal(first, again);
	free(a);
	free(b);
	/* The first that names it; on this machine, whatever address the program chose. */
	assert_int_equal(places_find(&s.set[0].places, &to, &at)->server, 1);
	assert_int_equal(at.port, first);
	assert_int_equal(at.ip[0], 127);
	to = inet(82, 127);
	assert_null(places_find(&s.set[0].places, &to, &at));
}

static void test_ipv6_places(void **state)
{
	struct places s = {.places = 0};
	struct net_address to = {.family = NET_INET6, .type = NET_STREAM, .port = 80, .ip = {0x20, 1}}, at;
	static const u8 loopback[16] = {[15] = 1};
	struct problem p;

	assert_non_null(places_port(&s, 80, 1, &p));
	assert_non_null(places_find(&s, &to, &at));
	assert_memory_equal(at.ip, loopback, 16);
	to = (struct net_address){.family = NET_INET6, .port = 80, .ip = {[10] = 255, 255, 10, 1, 2, 3}};
	assert_non_null(places_find(&s, &to, &at));
	assert_int_equal(at.ip[11], 255);
	assert_int_equal(at.ip[12], 127);
}

static void test_path_places(void **state)
{
	struct places s = {.places = 0};
	struct net_address to = {.family = NET_UNIX, .type = NET_STREAM, .path_len = 6, .path = "/run/x"}, at;
	struct problem p;
	struct stat st;
	char path[108];

	assert_non_null(places_path(&s, "/run/x", 6, 1, &p));
	place_path(&s, &s.place[0], path, sizeof(path));
	assert_int_equal(stat(s.folder, &st), 0);
	assert_non_null(places_find(&s, &to, &at));
	assert_string_equal(at.path, path);
	assert_int_equal(at.path_len, strlen(path));
	/* An abstract name is another address. */
	memcpy(to.path, "\0run/x", 6);
	assert_null(places_find(&s, &to, &at));
	rmdir(s.folder);
}

static void test_chosen_ports_are_free(void **state)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	struct places s = {.places = 0};
	struct problem p;
	int fd;

	for (u16 port = 1; port <= 20; port++) {
		in.sin_port = htons(places_port(&s, port, 1, &p)->stands_at);
		fd = socket(AF_INET, SOCK_STREAM, 0);
		assert_int_equal(bind(fd, (struct sockaddr *)&in, sizeof(in)), 0);
		close(fd);
	}
}

/* Of so many out of 4,536, chosen by chance, some would be the same if nobody claimed them. */
static void test_chosen_ports_are_kept(void **state)
{
	enum { RUNS = 300 };
	static struct places run[RUNS];
	u16 port[RUNS];
	struct problem p;

	for (u32 i = 0; i < RUNS; i++) {
		const struct place *l = places_port(&run[i], 80, 1, &p);

		assert_non_null(l);
		port[i] = l->stands_at;
		for (u32 k = 0; k < i; k++)
			assert_int_not_equal(port[k], port[i]);
	}
	for (u32 i = 0; i < RUNS; i++)
		places_release(&run[i]);
}

static void test_listener(void **state)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(in);
	struct net_address at;

	assert_int_equal(bind(fd, (struct sockaddr *)&in, sizeof(in)), 0);
	getsockname(fd, (struct sockaddr *)&in, &len);
	at = inet(ntohs(in.sin_port), 127);
	assert_false(listening_is_below(getpid(), &at));
	listen(fd, 1);
	assert_true(listening_is_below(getpid(), &at));
	assert_true(listening_is_below(getppid(), &at));
	at.type = NET_DGRAM;
	assert_false(listening_is_below(getpid(), &at));
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_holes),
		cmocka_unit_test(test_ports_of_holes),
		cmocka_unit_test(test_client_commands),
		cmocka_unit_test(test_server_places),
		cmocka_unit_test(test_ipv6_places),
		cmocka_unit_test(test_path_places),
		cmocka_unit_test(test_chosen_ports_are_free),
		cmocka_unit_test(test_chosen_ports_are_kept),
		cmocka_unit_test(test_listener),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

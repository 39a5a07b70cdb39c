/* Options and scenario keys that speak of peers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cli/check_options.h"
#include "parse_options.h"
#include "temporary.h"

static void test_defaults(void **state)
{
	struct check_options o;
	struct problem p;

	assert_int_equal(PARSE(&o, &p, "--", "x"), 0);
	assert_int_equal(o.peers.servers + o.peers.clients, 0);
	assert_int_equal(o.config.net.clients, 0);
	assert_int_equal(o.config.net.mode, CACHE_BRANCHING);
	assert_int_equal(o.config.net.live, 1);
	assert_int_equal(o.config.net.identical_clients, 0);
	assert_int_equal(o.config.net.allow_refused, 0);
	assert_int_equal(o.broker.response_timeout_ms, 100);
	assert_int_equal(o.broker.peer_timeout_ms, 10000);
	assert_string_equal(o.save_trees, "");
	check_options_free(&o);
}

static void test_all(void **state)
{
	struct check_options o;
	struct problem p;

	assert_int_equal(PARSE(&o, &p, "--server", "a {port:80}", "--server=b", "--client", "c {port}",
			       "--client", "d {port:99} {n}", "--cache", "linear", "--client-order", "given",
			       "--allow-refused", "--response-timeout", "0.5", "--peer-timeout", "200ms",
			       "--save-trees", "f", "--", "x"),
			 0);
	assert_int_equal(o.peers.servers, 2);
	assert_string_equal(o.peers.server[0], "a {port:80}");
	assert_string_equal(o.peers.server[1], "b");
	assert_int_equal(o.peers.clients, 2);
	assert_int_equal(o.config.net.clients, 2);
	assert_int_equal(o.config.net.client_port[0], 0);
	assert_int_equal(o.config.net.client_port[1], 99);
	assert_int_equal(o.config.net.mode, CACHE_LINEAR);
	assert_int_equal(o.config.net.client_class[1], 0);
	assert_int_equal(o.config.net.allow_refused, 1);
	assert_int_equal(o.broker.response_timeout_ms, 500);
	assert_int_equal(o.broker.peer_timeout_ms, 200);
	assert_string_equal(o.save_trees, "f");
	assert_string_equal(o.setting[0], "--server=a {port:80}");
	check_options_free(&o);
}

/* Clients with the same command are alike; whether {n} makes a difference is for the user to say. */
static void test_client_order(void **state)
{
	struct check_options o;
	struct problem p;

	assert_int_equal(PARSE(&o, &p, "--client", "a {port}", "--client", "b {n} {port}", "--client",
			       "a {port}", "--client", "b {n} {port}", "--", "x"),
			 0);
	assert_int_equal(o.config.net.client_class[0], o.config.net.client_class[2]);
	assert_int_equal(o.config.net.client_class[1], o.config.net.client_class[3]);
	assert_int_not_equal(o.config.net.client_class[0], o.config.net.client_class[1]);
	check_options_free(&o);
	assert_int_equal(PARSE(&o, &p, "--client", "b {n} {port}", "--clients", "2", "--client-order", "any",
			       "--", "x"),
			 0);
	assert_int_not_equal(o.config.net.client_class[0], o.config.net.client_class[1]);
	check_options_free(&o);
	REFUSED("--client-order: x is none", "--client-order", "x", "--", "x");
	REFUSED("--identical-clients: the commands of client 1 and client 2 differ", "--identical-clients",
		"--client", "a {port}", "--client", "b {port}", "--", "x");
	REFUSED("--identical-clients: the commands of client 1 and client 2 differ", "--identical-clients",
		"--client", "a {n} {port}", "--clients", "2", "--", "x");
}

static void test_clients_are_repeated(void **state)
{
	struct check_options o;
	struct problem p;

	assert_int_equal(PARSE(&o, &p, "--client", "a {port}", "--clients", "3", "--", "x"), 0);
	assert_int_equal(o.config.net.clients, 3);
	assert_string_equal(o.peers.client[2], "a {port}");
	check_options_free(&o);
	assert_int_equal(PARSE(&o, &p, "--clients", "3", "--client", "a {port:1}", "--client", "b {port:2}",
			       "--", "x"),
			 0);
	assert_string_equal(o.peers.client[0], "a {port:1}");
	assert_string_equal(o.peers.client[1], "b {port:2}");
	assert_string_equal(o.peers.client[2], "b {port:2}");
	assert_int_equal(o.config.net.client_port[0], 1);
	assert_int_equal(o.config.net.client_port[2], 2);
	check_options_free(&o);
}

static const char *scenario(const char *text)
{
	return temporary_file("heddle.yaml", text, strlen(text));
}

static void test_faults(void **state)
{
	const char *path = scenario("sut: x\nnetwork: {faults: [reset, refuse], fault-budget: 2}\n");
	struct check_options o;
	struct problem p;

	assert_int_equal(PARSE(&o, &p, "--net-faults", "reset,timeout,loss,reorder", "--", "x"), 0);
	assert_int_equal(o.config.net.faults,
			 NET_FAULT_RESET | NET_FAULT_TIMEOUT | NET_FAULT_LOSS | NET_FAULT_REORDER);
	assert_int_equal(o.config.net.fault_budget, 0);
	check_options_free(&o);
	assert_int_equal(PARSE(&o, &p, "--net-faults", "duplicate", "-f", (char *)path), 0);
	assert_int_equal(o.config.net.faults, NET_FAULT_RESET | NET_FAULT_REFUSE | NET_FAULT_DUPLICATE);
	assert_int_equal(o.config.net.fault_budget, 2);
	check_options_free(&o);
	assert_int_equal(PARSE(&o, &p, "--net-faults", "none", "-f", (char *)path), 0);
	assert_int_equal(o.config.net.faults, 0);
	check_options_free(&o);
	REFUSED("--net-faults: lost is none of reset, refuse", "--net-faults", "reset,lost", "--", "x");
	REFUSED("--net-faults:  is none of", "--net-faults", "", "--", "x");
	REFUSED("--fault-budget: 0 is not a number from 1", "--fault-budget", "0", "--", "x");
	REFUSED("--fault-budget: 65536 is not a number", "--fault-budget", "65536", "--", "x");
}

static void test_recorded_trees_need_no_peer(void **state)
{
	struct check_options o;
	struct problem p;

	assert_int_equal(PARSE(&o, &p, "--load-trees", "f", "--", "x"), 0);
	assert_string_equal(o.load_trees, "f");
	assert_int_equal(o.config.net.live, 0);
	check_options_free(&o);
}

static void test_errors(void **state)
{
	REFUSED("none of branching, linear, none", "--cache", "some", "--", "x");
	REFUSED("--server: the command is empty", "--server", " ", "--", "x");
	REFUSED("--client: the command is empty", "--client", "", "--", "x");
	REFUSED("needs --client", "--clients", "2", "--", "x");
	REFUSED("--clients 1, but there are 2 commands", "--client", "a {port}", "--client", "b {port}",
		"--clients", "1", "--", "x");
	REFUSED("0 is not a number from 1 to 256", "--client", "a {port}", "--clients", "0", "--", "x");
	REFUSED("257 is not a number", "--client", "a {port}", "--clients", "257", "--", "x");
	REFUSED("client 1 cannot know where to connect", "--client", "nc localhost 80", "--", "x");
	REFUSED("client 1 names the ports 1 and 2", "--client", "a {port:1} {port:2}", "--", "x");
	REFUSED("{port:http} does not name a port", "--client", "a {port:http}", "--", "x");
	REFUSED("{port:65536} does not name a port", "--client", "a {port:65536}", "--", "x");
	REFUSED("server 2: {port} must name a port", "--server", "a", "--server", "b {port}", "--", "x");
	REFUSED("server 1: {path} must name a path", "--server", "a {path}", "--", "x");
	REFUSED("--response-timeout: never is not a time", "--response-timeout", "never", "--", "x");
	REFUSED("--peer-timeout: 0 is not a time", "--peer-timeout", "0", "--", "x");
	REFUSED("--save-trees: a file's name", "--save-trees", "", "--", "x");
	REFUSED("--load-trees: with --cache none", "--cache", "none", "--load-trees", "f", "--", "x");
}

static void test_scenario(void **state)
{
	const char *path = scenario("sut: x\n"
				    "server: ['a {port:80}', b]\n"
				    "client: nc 127.0.0.1 {port}\n"
				    "clients: 3\n"
				    "cache: {mode: linear, save: file}\n"
				    "identical-clients: yes\n"
				    "peer-timeout: 3s\n");
	struct check_options o;
	struct problem p;

	assert_int_equal(PARSE(&o, &p, "-f", (char *)path), 0);
	assert_int_equal(o.peers.servers, 2);
	assert_string_equal(o.peers.server[1], "b");
	assert_int_equal(o.peers.clients, 3);
	assert_string_equal(o.peers.client[2], "nc 127.0.0.1 {port}");
	assert_int_equal(o.config.net.mode, CACHE_LINEAR);
	assert_string_equal(strrchr(o.save_trees, '/'), "/file"); /* beside the scenario */
	assert_int_equal(o.config.net.identical_clients, 1);
	assert_int_equal(o.broker.peer_timeout_ms, 3000);
	check_options_free(&o);
}

static void test_scenario_sections(void **state)
{
	const char *path = scenario("sut: x\n"
				    "peers:\n"
				    "  server: s\n"
				    "  clients: ['a {port}', 'a {port}']\n"
				    "  identical: yes\n"
				    "  allow-refused: no\n"
				    "  timeout: 3s\n"
				    "  response-timeout: 50ms\n"
				    "cache: none\n");
	struct check_options o;
	struct problem p;

	assert_int_equal(PARSE(&o, &p, "-f", (char *)path), 0);
	assert_string_equal(o.peers.server[0], "s");
	assert_int_equal(o.peers.clients, 2);
	assert_string_equal(o.peers.client[1], "a {port}");
	assert_int_equal(o.config.net.identical_clients, 1);
	assert_int_equal(o.config.net.allow_refused, 0);
	assert_int_equal(o.broker.peer_timeout_ms, 3000);
	assert_int_equal(o.broker.response_timeout_ms, 50);
	assert_int_equal(o.config.net.mode, CACHE_NONE);
	check_options_free(&o);
	REFUSED("heddle.yaml:2: unknown key peer", "-f", (char *)scenario("sut: x\npeers: {peer: y}\n"));
	REFUSED("heddle.yaml:2: --clients: x is not", "-f", (char *)scenario("sut: x\nclients: x\n"));
	REFUSED("heddle.yaml:2: --cache: x is none", "-f", (char *)scenario("sut: x\ncache: x\n"));
}

static void test_command_line_replaces_commands(void **state)
{
	const char *path = scenario("sut: x\nserver: [a, b]\nclients: ['a {port}', 'b {port}']\n");
	struct check_options o;
	struct problem p;

	assert_int_equal(PARSE(&o, &p, "--client", "c {port}", "--client", "d {port}", "--client", "e {port}",
			       "-f", (char *)path),
			 0);
	assert_int_equal(o.peers.clients, 3);
	assert_string_equal(o.peers.client[0], "c {port}");
	assert_int_equal(o.peers.servers, 2);
	check_options_free(&o);
	assert_int_equal(PARSE(&o, &p, "--clients", "4", "-f", (char *)path), 0);
	assert_string_equal(o.peers.client[3], "b {port}");
	check_options_free(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_client_order),
		cmocka_unit_test(test_clients_are_repeated),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_recorded_trees_need_no_peer),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_scenario),
		cmocka_unit_test(test_scenario_sections),
		cmocka_unit_test(test_command_line_replaces_commands),
	};

	return cmocka_run_group_tests(tests, temporary_make, temporary_remove);
}

/*
 * The script that is certified, and the settings it comes with. The producer is not trusted with them: a
 * setting that leaves behaviour out has to be the consumer's, too, or the result is bounded.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/certify.h"
#include "report/trace_json.h"

static int bad(const struct certify_options *o, const char *what, struct problem *p)
{
	return problem_set(p, "%s is damaged (%s); get it once more from where it was made", o->file[0],
			   what);
}

static void narrow(struct certify_input *in, const char *option)
{
	size_t len = strlen(in->narrow);

	snprintf(in->narrow + len, sizeof(in->narrow) - len, "%s%s", len ? ", " : "", option);
}

/* theirs: the producer's; mine: the consumer's. 0 of a limit: there is none. */
static bool limits(u64 theirs, u64 mine)
{
	return theirs && theirs != mine;
}

static void compare_network(struct certify_input *in, const struct net_config *theirs,
			    const struct net_config *mine)
{
	if (!theirs->short_io && mine->short_io)
		narrow(in, "--short-io off");
	if (theirs->always & ~mine->always)
		narrow(in, "--accept, --read, --write or --connect always");
	if (limits(theirs->retries, mine->retries))
		narrow(in, "--retries");
	if (!theirs->all_subsets && mine->all_subsets)
		narrow(in, "no --ready-subsets all");
	if (mine->faults & ~theirs->faults)
		narrow(in, "fewer --net-faults");
	if (theirs->faults && limits(theirs->fault_budget, mine->fault_budget))
		narrow(in, "--fault-budget");
	if (theirs->identical_clients && !mine->identical_clients)
		narrow(in, "--identical-clients");
	if (theirs->allow_refused && !mine->allow_refused)
		narrow(in, "--allow-refused");
	for (u32 i = 1; i < theirs->clients && i < NET_MAX_CLIENTS; i++)
		if (theirs->client_class[i] == theirs->client_class[0] &&
		    mine->client_class[i] != mine->client_class[0]) {
			narrow(in, "--client-order given");
			break;
		}
}

static void compare(struct certify_input *in, const struct wire_config *theirs,
		    const struct wire_config *mine)
{
	if (limits(theirs->time_horizon_ms, mine->time_horizon_ms))
		narrow(in, "--time-horizon");
	if (theirs->timeouts_never && !mine->timeouts_never)
		narrow(in, "--timeouts never");
	if (theirs->fds_by_thread != mine->fds_by_thread)
		narrow(in, "--fd-numbers");
	if (!theirs->spurious && mine->spurious)
		narrow(in, "no --spurious");
	if (!theirs->atomics && mine->atomics)
		narrow(in, "--atomics off");
	if (theirs->heap_limit != mine->heap_limit)
		narrow(in, "--heap-limit");
	if (theirs->heap_reuse != mine->heap_reuse)
		narrow(in, "--heap-reuse");
	if (theirs->random_seed != mine->random_seed)
		narrow(in, "--random-seed");
	compare_network(in, &theirs->net, &mine->net);
}

/* The graph's shape is the producer's; what is a violation is the consumer's. */
static void settle(struct wire_config *config, const struct wire_config *theirs, bool live)
{
	struct net_config mine = config->net;

	config->time_horizon_ms = theirs->time_horizon_ms;
	config->timeouts_never = theirs->timeouts_never;
	config->fds_by_thread = theirs->fds_by_thread;
	config->heap_reuse = theirs->heap_reuse;
	config->spurious = theirs->spurious;
	config->atomics = theirs->atomics;
	config->heap_limit = theirs->heap_limit;
	config->random_seed = theirs->random_seed;
	config->net = theirs->net;
	config->net.live = 0;
	if (!live)
		return;
	config->net.live = mine.live;
	config->net.clients = mine.clients;
	config->net.servers = mine.servers;
	config->net.samples = mine.samples;
	config->net.recheck = mine.recheck;
	memcpy(config->net.client_class, mine.client_class, sizeof(mine.client_class));
	memcpy(config->net.client_port, mine.client_port, sizeof(mine.client_port));
}

static int same_program(const struct certify_options *o, const json_t *index, const struct program *program,
			struct problem *p)
{
	const json_t *argv = json_object_get(index, "program");
	const char *identity = json_string_value(json_object_get(index, "identity"));
	size_t n = 0;

	if (!identity || !json_is_array(argv) || !json_array_size(argv))
		return bad(o, "its index", p);
	if (strcmp(identity, program->identity))
		return problem_set(
			p,
			"%s is the script of another program, or of another build: its build-id is "
			"%.70s, that of %s is %s",
			o->file[0], identity, program->path, program->identity);
	while (o->check.argv[n])
		n++;
	for (size_t i = 1; i < HD_MAX(n, json_array_size(argv)); i++) {
		const char *theirs = json_string_value(json_array_get(argv, i));
		if (i >= n || !theirs || strcmp(theirs, o->check.argv[i]))
			return problem_set(p,
					   "%s is the script of a run with other arguments (argument %zu is "
					   "%.100s)",
					   o->file[0], i, theirs ? theirs : "missing");
	}
	return 0;
}

/* Names of threads: each but main has a parent before it, and no two are the same. */
static bool names_make_sense(const struct wire_learnt *l)
{
	for (u32 i = 1; i < l->names; i++) {
		if (WIRE_NAME_PARENT(l->name[i]) >= i)
			return false;
		for (u32 k = 1; k < i; k++)
			if (l->name[k] == l->name[i])
				return false;
	}
	return true;
}

static int load_trees(struct certify_input *in, const struct certify_options *o, struct problem *p)
{
	struct byte_buffer text = {0};
	const json_t *at = json_object_get(in->index, "trees");
	int ret = 0;

	if (!at || o->live)
		return 0;
	ret = container_read(in->is_part ? &in->part.file : &in->script.file, at, &text, p);
	if (ret == 0) {
		bytes_put(&text, 0);
		if (text.failed || strlen((char *)text.data) + 1 != text.len ||
		    trees_blob_parse((char *)text.data, &in->trees))
			ret = bad(o, "the communication in it", p);
	}
	bytes_free(&text);
	return ret;
}

static int open_file(struct certify_input *in, const struct certify_options *o, struct problem *p)
{
	if (script_part_open(&in->part, o->file[0], p) == 0) {
		in->is_part = true;
		in->index = in->part.file.index;
		return 0;
	}
	if (script_open(&in->script, o->file[0], p))
		return -1;
	in->index = in->script.file.index;
	return 0;
}

int certify_open(struct certify_input *in, struct certify_options *o, const struct program *program,
		 struct wire_config *config, struct problem *p)
{
	struct wire_config theirs = o->check.config;

	memset(in, 0, sizeof(*in));
	in->script.file.fd = in->part.file.fd = -1;
	if (open_file(in, o, p) || same_program(o, in->index, program, p))
		return -1;
	in->learnt = calloc(1, sizeof(*in->learnt));
	memset(&theirs.net, 0, sizeof(theirs.net));
	theirs.ignored = 0;
	if (!in->learnt)
		return problem_set(p, "out of memory");
	if (!trace_config_load(json_object_get(in->index, "config"), &theirs) ||
	    !trace_learnt_load(json_object_get(in->index, "learnt"), in->learnt) ||
	    !names_make_sense(in->learnt))
		return bad(o, "its settings or lessons", p);
	compare(in, &theirs, &o->check.config);
	if (in->learnt->fair)
		narrow(in, "rounds of loops that yield merged, because its search was deep");
	const char *verdict = json_string_value(json_object_get(in->index, "verdict"));
	if (!verdict)
		return bad(o, "its index", p);
	if (strcmp(verdict, "verified"))
		narrow(in, "a search whose own verdict was not verified");
	settle(config, &theirs, o->live);
	config->search.reduce = !in->is_part && in->script.reduced;
	return load_trees(in, o, p);
}

void certify_close(struct certify_input *in)
{
	if (in->is_part)
		script_part_close(&in->part);
	else
		script_close(&in->script);
	free(in->learnt);
	trees_blob_free(&in->trees);
}

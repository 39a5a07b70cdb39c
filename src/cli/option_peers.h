/*
 * option_peers.h: the options that speak of peers and of the I/O cache.
 */
#ifndef HEDDLE_CLI_OPTION_PEERS_H
#define HEDDLE_CLI_OPTION_PEERS_H

#include "cli/check_options.h"

typedef int option_function(struct check_options *o, const struct option_spec *s, const char *value,
			    struct problem *p);
/* For the table. */
option_function apply_short_io, apply_always, apply_ready_subsets, apply_retries, apply_net_faults,
	apply_fault_budget;
option_function apply_peers, apply_checkpoint, apply_checkpoint_backend, apply_peer_branches, apply_recheck,
	apply_ask_again, apply_server, apply_client, apply_clients, apply_client_order, apply_cache,
	apply_response_timeout, apply_peer_timeout, apply_save_trees, apply_load_trees;

void option_peers_init(struct check_options *o);
void option_peers_free(struct check_options *o);
/* Scenario files have been read; commands from the command line take the place of theirs. */
void option_peers_scenario_read(struct check_options *o);
/* All is read: does it fit together? Fills in config.net. */
int option_peers_settle(struct check_options *o, struct problem *p);

#endif

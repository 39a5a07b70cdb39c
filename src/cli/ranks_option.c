#include "cli/ranks_option.h"

#include "cli/cli.h"

const struct session_ranks *cli_ranks;

bool ranks_is_helper(void)
{
	return cli_ranks && cli_ranks->rank;
}

int ranks_complain(const struct problem *p)
{
	return ranks_is_helper() ? EXIT_TOOL_ERROR : complain(p);
}

int ranks_complain_usage(const char *verb, const struct problem *p)
{
	return ranks_is_helper() ? EXIT_TOOL_ERROR : complain_usage(verb, "%s", p->text);
}

int ranks_settle(struct check_options *o, struct problem *p)
{
	struct search_options *s = &o->config.search;

	if (!cli_ranks)
		return 0;
	if (o->peers.servers || o->peers.clients || o->config.net.clients || o->config.net.servers ||
	    o->load_trees[0])
		return problem_set(
			p,
			"heddle-mpi searches programs without peers: each rank would need its own, and what "
			"they say is not merged yet; use heddle check -j");
	if (s->strategy != SEARCH_DFS || s->max_depth || s->no_matching || s->sanity || o->graph[0] ||
	    o->config.profile)
		return problem_set(
			p, "heddle-mpi has no --strategy, --max-depth, --no-matching, --sanity, --graph and "
			   "--profile: these are about one search, as heddle check does it");
	if (o->jobs != 1)
		return problem_set(p, "heddle-mpi has one worker for each rank: mpirun -n N instead of -j N");
	s->strategy = SEARCH_SPREAD;
	return 0;
}

/*
 * heddle-mpi: mpirun -n N heddle-mpi check …: the search of heddle check by many machines; and heddle-mpi
 * certify: a script in parts. Rank 0 reports.
 */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/ranks_option.h"
#include "mpi/mpi_ranks.h"

/*
 * The environment without what mpirun has put there: what tells the ranks apart must not reach the program,
 * or it would not start alike everywhere, nor as under heddle. NULL: out of memory.
 */
static char **environment_without_mpi(void)
{
	static const char *const prefixes[] = {"OMPI_",
					       "PMIX_",
					       "OPAL_",
					       "ORTE_",
					       "PRTE_",
					       "PMI_",
					       "HYDRA_",
					       "MPI_",
					       "MPICH_",
					       "SLURM_",
					       "IPATH_NO_BACKTRACE=",
					       "HFI_NO_BACKTRACE="};
	size_t all = 0, kept = 0;
	char **copy;

	while (environ[all])
		all++;
	copy = calloc(all + 1, sizeof(*copy));
	for (size_t k = 0; copy && k < all; k++) {
		bool drop = false;

		for (size_t i = 0; i < HD_ARRAY_LEN(prefixes); i++)
			drop |= !strncmp(environ[k], prefixes[i], strlen(prefixes[i]));
		if (!drop)
			copy[kept++] = strdup(environ[k]);
	}
	return copy;
}

int main(int argc, char **argv)
{
	const struct session_ranks *ranks;
	char **own;
	int (*verb)(int argc, char **argv);
	int code = EXIT_TOOL_ERROR, all;

	if (argc > 0 && argv[0])
		cli_command = argv[0];
	unsetenv("DEBUGINFOD_URLS");
	signal(SIGXFSZ, SIG_IGN);
	if (argc >= 2 && !strcmp(argv[1], "check"))
		verb = verb_check;
	else if (argc >= 2 && !strcmp(argv[1], "certify"))
		verb = verb_certify;
	else
		return complain_usage(
			NULL,
			"mpirun -n N heddle-mpi check [options] -- PROGRAM explores a program on N ranks, "
			"heddle-mpi certify SCRIPT -- PROGRAM follows a script");
	own = environment_without_mpi();
	if (!own || MPI_Init(&argc, &argv) != MPI_SUCCESS) {
		free(own);
		return EXIT_TOOL_ERROR;
	}
	environ = own; /* MPI_Init adds variables, too */
	ranks = mpi_ranks_open();
	if (ranks) {
		cli_ranks = ranks;
		code = verb(argc - 1, argv + 1);
		/* All end with what rank 0 says. */
		all = ranks->rank ? 0 : code;
		ranks->share(ranks->self, &all, sizeof(all));
		code = all;
		mpi_ranks_close(ranks);
	}
	MPI_Finalize();
	return code;
}

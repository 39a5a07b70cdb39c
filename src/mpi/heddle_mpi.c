/*
 * heddle-mpi: mpirun -n N heddle-mpi check …: the search of heddle check by many machines. Rank 0 reports.
 */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/ranks_option.h"
#include "mpi/mpi_ranks.h"

/* What tells the ranks apart must not reach the program: it would not start alike everywhere. */
static void forget_mpi_environment(void)
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

	for (char **at = environ; *at;) {
		bool drop = false;

		for (size_t i = 0; i < HD_ARRAY_LEN(prefixes); i++)
			drop |= !strncmp(*at, prefixes[i], strlen(prefixes[i]));
		if (!drop) {
			at++;
			continue;
		}
		for (char **to = at; *to; to++)
			to[0] = to[1];
	}
}

int main(int argc, char **argv)
{
	const struct session_ranks *ranks;
	int code = EXIT_TOOL_ERROR, all;

	if (argc > 0 && argv[0])
		cli_command = argv[0];
	unsetenv("DEBUGINFOD_URLS");
	signal(SIGXFSZ, SIG_IGN);
	if (argc < 2 || strcmp(argv[1], "check"))
		return complain_usage(
			NULL,
			"mpirun -n N heddle-mpi check [options] -- PROGRAM explores a program on N ranks");
	if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
		return EXIT_TOOL_ERROR;
	forget_mpi_environment();
	ranks = mpi_ranks_open();
	if (ranks) {
		cli_ranks = ranks;
		code = verb_check(argc - 1, argv + 1);
		/* All end with what rank 0 says. */
		all = ranks->rank ? 0 : code;
		MPI_Bcast(&all, 1, MPI_INT, 0, MPI_COMM_WORLD);
		code = all;
		mpi_ranks_close(ranks);
	}
	MPI_Finalize();
	return code;
}

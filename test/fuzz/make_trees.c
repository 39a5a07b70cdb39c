/*
 * Makes the corpus of fuzz_trees anew when the format of trees has changed:
 *
 *     heddle check --save-trees test/fuzz/corpus/trees/file …      any small networked program
 *     make_trees test/fuzz/corpus/trees/file > test/fuzz/corpus/trees/memory
 */
#include <stdio.h>

#include "report/trees_file.h"

int main(int argc, char **argv)
{
	struct problem p = {0};
	struct net_config config;
	struct trees_blob b;

	if (argc != 2 || trees_file_load(argv[1], &b, &config, &p)) {
		fprintf(stderr, "make_trees: %s\n", argc == 2 ? p.text : "one file is expected");
		return 2;
	}
	return fwrite(b.memory, 1, b.len, stdout) == b.len ? 0 : 2;
}

/*
 * deny.c: runs a command in which some system calls fail.
 *
 *   deny NUMBER[/ARG0] ERRNO [...] -- COMMAND ARGS
 *
 * With ARG0 only calls with this first argument fail. A seccomp filter does it, so it holds for all
 * processes that the command starts.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define MOST 64

static struct sock_filter filter[MOST];
static unsigned short length;

static void add(struct sock_filter f)
{
	if (length == MOST)
		abort();
	filter[length++] = f;
}

static void load(size_t offset)
{
	add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
}

static void deny(const char *call, const char *error)
{
	const char *argument = strchr(call, '/');
	unsigned number = (unsigned)strtoul(call, NULL, 0);

	load(offsetof(struct seccomp_data, nr));
	add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, argument ? 3 : 1));
	if (argument) {
		load(offsetof(struct seccomp_data, args[0]));
		add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
						 (unsigned)strtoul(argument + 1, NULL, 0), 0, 1));
	}
	add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)atoi(error)));
}

int main(int argc, char **argv)
{
	int i = 1;

	for (; i + 1 < argc && strcmp(argv[i], "--"); i += 2)
		deny(argv[i], argv[i + 1]);
	if (i + 1 >= argc)
		return 125;
	add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
	struct sock_fprog program = {length, filter};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("deny");
		return 125;
	}
	execv(argv[i + 1], argv + i + 1);
	perror(argv[i + 1]);
	return 125;
}

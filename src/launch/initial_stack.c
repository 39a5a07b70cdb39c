/*
 *   rsp -> argc | argv[0] … NULL | envp[0] … NULL | auxv: (type, value) … (AT_NULL, 0) | strings
 *
 * AT_RANDOM points to 16 bytes from which glibc makes the stack canary and the pointer guard: they end up
 * all over the SUT's memory. AT_SYSINFO_EHDR tells where the vDSO is: without it, glibc asks for the time
 * with system calls, which the runtime sees.
 */
#include "launch/initial_stack.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

/* An argument list longer than this is not believed. */
#define MOST_WORDS (1u << 20)

static const u8 random_bytes[16] = {0x00, 0x68, 0x65, 0x64, 0x64, 0x6c, 0x65, 0x21, 1, 2, 3, 4, 5, 6, 7, 8};

static int peek(pid_t pid, u64 at, void *to, size_t n)
{
	struct iovec local = {to, n}, remote = {(void *)at, n};

	return process_vm_readv(pid, &local, 1, &remote, 1, 0) == (ssize_t)n ? 0 : -1;
}

static int poke(pid_t pid, u64 at, const void *from, size_t n)
{
	struct iovec local = {(void *)from, n}, remote = {(void *)at, n};

	return process_vm_writev(pid, &local, 1, &remote, 1, 0) == (ssize_t)n ? 0 : -1;
}

/* The word after the next NULL word. */
static int skip_list(pid_t pid, u64 *at)
{
	u64 word = 1;

	for (u64 i = 0; word && i < MOST_WORDS; i++, *at += 8)
		if (peek(pid, *at, &word, sizeof(word)))
			return -1;
	return word ? -1 : 0;
}

static int pin_entry(pid_t pid, u64 at, const Elf64_auxv_t *a)
{
	static const u64 ignore = AT_IGNORE;

	if (a->a_type == AT_RANDOM)
		return poke(pid, a->a_un.a_val, random_bytes, sizeof(random_bytes));
	if (a->a_type == AT_SYSINFO_EHDR)
		return poke(pid, at, &ignore, sizeof(ignore));
	return 0;
}

static int pin(pid_t pid, u64 at, u64 *entry)
{
	Elf64_auxv_t a;

	at += 8;
	if (skip_list(pid, &at) || skip_list(pid, &at))
		return -1;
	for (u32 i = 0; i < 64; i++, at += sizeof(a)) {
		if (peek(pid, at, &a, sizeof(a)) || pin_entry(pid, at, &a))
			return -1;
		if (a.a_type == AT_ENTRY)
			*entry = a.a_un.a_val;
		if (a.a_type == AT_NULL)
			return *entry ? 0 : -1;
	}
	return -1;
}

int initial_stack_pin(pid_t pid, u64 *entry, struct problem *p)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &regs))
		return problem_set(p, "the program's registers cannot be read (%s)", strerror(errno));
	*entry = 0;
	if (pin(pid, regs.rsp, entry))
		return problem_set(p, "the program's initial stack cannot be edited (%s); see heddle doctor",
				   strerror(errno));
	return 0;
}

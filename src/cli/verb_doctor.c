/*
 * doctor.c: what this machine offers. Every check tries the thing itself instead of reading a version number.
 */
#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <linux/prctl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "broker/quiet.h"
#include "broker/sockdiag.h"
#include "checkpoint/checkpoint.h"
#include "cli/cli.h"
#include "launch/runtime_library.h"
#include "peer/peer.h"
#include "report/plain_text.h"
#include "wire/wire.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
#define HWCAP2_FSGSBASE_BIT 2
#define PROBE_SECONDS 10 /* a probe that takes longer has failed */

struct finding {
	char detail[512];
	char remedy[512];
};

/* Runs `probe` in a process of its own; true when it ends with 0. */
static bool survives(int (*probe)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		alarm(PROBE_SECONDS);
		_exit(probe());
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool kernel(struct finding *f)
{
	struct utsname u;

	uname(&u);
	snprintf(f->detail, sizeof(f->detail), "%s %s, %s", u.sysname, u.release, u.machine);
	snprintf(f->remedy, sizeof(f->remedy), "heddle runs on x86-64 Linux 5.11 or newer");
	return !strcmp(u.sysname, "Linux") && !strcmp(u.machine, "x86_64");
}

static char dispatch_selector;
static volatile sig_atomic_t dispatched;

static void on_sigsys(int signo)
{
	(void)signo;
	dispatch_selector = SYSCALL_DISPATCH_FILTER_ALLOW;
	dispatched = 1;
}

static int probe_dispatch(void)
{
	signal(SIGSYS, on_sigsys);
	if (prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &dispatch_selector))
		return 1;
	dispatch_selector = SYSCALL_DISPATCH_FILTER_BLOCK;
	syscall(SYS_getppid);
	return dispatched ? 0 : 1;
}

static bool dispatch(struct finding *f)
{
	snprintf(f->detail, sizeof(f->detail), "system calls can be trapped");
	snprintf(f->remedy, sizeof(f->remedy),
		 "needs Linux 5.11 or newer, and a container that allows prctl");
	return survives(probe_dispatch);
}

static bool fsgsbase(struct finding *f)
{
	snprintf(f->detail, sizeof(f->detail), "threads switch without a system call");
	snprintf(f->remedy, sizeof(f->remedy),
		 "slower without it; needs Linux 5.9 or newer on a CPU since 2012");
	return getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE_BIT;
}

static bool avx2(struct finding *f)
{
	snprintf(f->detail, sizeof(f->detail), "pages are compared 32 bytes at a time");
	snprintf(f->remedy, sizeof(f->remedy), "slower without it; a CPU since 2013 has it");
	return __builtin_cpu_supports("avx2");
}

static int probe_ptrace(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(1); /* nobody would wake it up */
		raise(SIGSTOP);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	if (WIFSTOPPED(status)) {
		long ok = ptrace(PTRACE_DETACH, pid, NULL, NULL);

		if (ok)
			kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		return ok == 0 && WIFEXITED(status) ? 0 : 1;
	}
	return 1;
}

static bool tracing(struct finding *f)
{
	FILE *y = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	int scope = 0;

	if (y && fscanf(y, "%d", &scope) != 1)
		scope = -1;
	if (y)
		fclose(y);
	snprintf(f->detail, sizeof(f->detail), "own children can be traced (yama ptrace_scope %d)", scope);
	snprintf(f->remedy, sizeof(f->remedy),
		 "allow ptrace: docker run --cap-add SYS_PTRACE, or sysctl kernel.yama.ptrace_scope=1");
	return survives(probe_ptrace);
}

static int probe_personality(void)
{
	return personality(ADDR_NO_RANDOMIZE) < 0 || !(personality(0xffffffff) & ADDR_NO_RANDOMIZE);
}

static bool randomisation(struct finding *f)
{
	snprintf(f->detail, sizeof(f->detail), "can be turned off for the checked program");
	snprintf(f->remedy, sizeof(f->remedy),
		 "allow personality(): docker run --security-opt seccomp=unconfined");
	return survives(probe_personality);
}

static int probe_layout(void)
{
	static const struct {
		u64 base, size;
	} ranges[] = {
		{LAYOUT_MODEL_BASE, LAYOUT_MODEL_SIZE},
		{LAYOUT_STACK_BASE, LAYOUT_MAX_FIBERS * LAYOUT_STACK_STRIDE},
		{LAYOUT_HEAP_BASE, LAYOUT_HEAP_ARENAS * LAYOUT_HEAP_STRIDE},
		{LAYOUT_MMAP_BASE, LAYOUT_MAX_FIBERS * LAYOUT_MMAP_STRIDE},
		{WIRE_MAP_BASE, WIRE_SHARED_SIZE},
		{WIRE_WORKER_BASE, WIRE_WORKER_SIZE},
	};

	for (size_t i = 0; i < HD_ARRAY_LEN(ranges); i++)
		if (mmap((void *)ranges[i].base, ranges[i].size, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
			 0) != (void *)ranges[i].base)
			return 1;
	return 0;
}

static bool layout(struct finding *f)
{
	snprintf(f->detail, sizeof(f->detail), "the fixed address ranges can be reserved");
	snprintf(f->remedy, sizeof(f->remedy), "lift the limit on address space (ulimit -v unlimited)");
	return survives(probe_layout);
}

static bool libc(struct finding *f)
{
	bool ok = dlvsym(RTLD_DEFAULT, "_dl_allocate_tls", "GLIBC_PRIVATE") &&
		  dlvsym(RTLD_DEFAULT, "_dl_deallocate_tls", "GLIBC_PRIVATE");

	snprintf(f->detail, sizeof(f->detail), "%s, with _dl_allocate_tls", gnu_get_libc_version());
	snprintf(f->remedy, sizeof(f->remedy), "glibc %s lacks _dl_allocate_tls; use Debian 12's or newer",
		 gnu_get_libc_version());
	return ok;
}

static bool runtime(struct finding *f)
{
	struct problem p;

	if (runtime_library_find(f->detail, sizeof(f->detail), &p) == 0)
		return true;
	snprintf(f->remedy, sizeof(f->remedy), "%.500s", p.text);
	return false;
}

static bool gdb(struct finding *f)
{
	snprintf(f->detail, sizeof(f->detail), "with python, for heddle replay --gdb");
	snprintf(f->remedy, sizeof(f->remedy), "only heddle replay --gdb needs it: apt install gdb");
	return system("gdb -nx -batch -ex 'python import gdb' >/dev/null 2>&1") == 0;
}

static bool memory(struct finding *f)
{
	u64 bytes = (u64)sysconf(_SC_PHYS_PAGES) * (u64)sysconf(_SC_PAGESIZE);
	char size[32];

	plain_size(bytes, size, sizeof(size));
	snprintf(f->detail, sizeof(f->detail), "%s", size);
	snprintf(f->remedy, sizeof(f->remedy), "%s is little; large searches will end as bounded", size);
	return bytes >= 1UL << 30;
}

static bool disk(struct finding *f)
{
	struct statvfs v;
	char size[32] = "nothing";
	u64 bytes = statvfs(".", &v) == 0 ? (u64)v.f_bavail * v.f_frsize : 0;

	plain_size(bytes, size, sizeof(size));
	snprintf(f->detail, sizeof(f->detail), "%s free here", size);
	snprintf(f->remedy, sizeof(f->remedy), "%s free here; make room or use --out elsewhere", size);
	return bytes >= 16UL << 20;
}

/* A listening socket of ours, found by its inode. */
static bool sockets_are_shown(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), nl = sockdiag_open();
	struct stat st;
	bool shown = fd >= 0 && nl >= 0 && !bind(fd, (struct sockaddr *)&at, len) && !listen(fd, 1) &&
		     !getsockname(fd, (struct sockaddr *)&at, &len) && !fstat(fd, &st) &&
		     sockdiag_listens(nl, st.st_ino) == ntohs(at.sin_port);

	close(fd);
	close(nl);
	return shown;
}

static bool waits_are_shown(void)
{
	const struct timespec moment = {0, 1000000};
	pid_t pid = fork();
	bool shown = false;

	if (pid == 0)
		for (;;)
			pause();
	for (int i = 0; pid > 0 && !shown && i < 200; i++) { /* until it has come to its pause */
		shown = quiet_allowed(pid);
		nanosleep(&moment, NULL);
	}
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return shown;
}

static bool peers(struct finding *f)
{
	if (!peers_are_shown()) {
		snprintf(f->remedy, sizeof(f->remedy),
			 "/proc shows another pid namespace: mount it anew (unshare --pid --fork "
			 "--mount-proc)");
		return false;
	}
	snprintf(f->detail, sizeof(f->detail), "heddle sees when a peer has finished its answer");
	snprintf(f->remedy, sizeof(f->remedy),
		 "the end of a peer's answer can only be guessed (--response-timeout): allow %s in this "
		 "container",
		 sockets_are_shown() ? "reading /proc/PID/syscall of own processes (ptrace)"
				     : "netlink sock_diag");
	return sockets_are_shown() && waits_are_shown();
}

static bool checkpoints(struct finding *f)
{
	char fork_why[160], criu_why[160];
	bool by_fork = checkpoint_probe(CHECKPOINT_FORK, fork_why, sizeof(fork_why));
	if (checkpoint_probe(CHECKPOINT_CRIU, criu_why, sizeof(criu_why))) {
		snprintf(f->detail, sizeof(f->detail),
			 "peers can be saved by fork, and by criu if it is asked for");
		snprintf(f->remedy, sizeof(f->remedy),
			 "peers cannot be saved by fork: %s; use --checkpoint-backend criu", fork_why);
	} else {
		snprintf(f->detail, sizeof(f->detail), "peers can be saved by fork; not by criu: %s",
			 criu_why);
		snprintf(f->remedy, sizeof(f->remedy),
			 "peers can only be started again; they cannot be saved by fork: %s; not by criu: %s",
			 fork_why, criu_why);
	}
	return by_fork;
}

static const struct {
	const char *name;
	bool (*check)(struct finding *f);
	bool needed; /* without it nothing can be checked */
} checks[] = {
	{"kernel", kernel, true},
	{"syscall user dispatch", dispatch, true},
	{"ptrace", tracing, true},
	{"address randomisation", randomisation, true},
	{"address layout", layout, true},
	{"glibc", libc, true},
	{"runtime library", runtime, true},
	{"peers", peers, false},
	{"checkpoints", checkpoints, false},
	{"fsgsbase", fsgsbase, false},
	{"avx2", avx2, false},
	{"gdb", gdb, false},
	{"memory", memory, false},
	{"disk", disk, false},
};

int verb_doctor(int argc, char **argv)
{
	bool possible = true;

	(void)argv;
	if (argc > 1)
		return complain_usage("doctor", "doctor takes no arguments");
	for (size_t i = 0; i < HD_ARRAY_LEN(checks); i++) {
		struct finding f = {0};
		bool ok = checks[i].check(&f);

		printf("%-7s %-22s %s\n", ok ? "ok" : "missing", checks[i].name, ok ? f.detail : f.remedy);
		possible &= ok || !checks[i].needed;
	}
	puts(possible ? "heddle can check programs here."
		      : "heddle cannot check programs here; see what is missing.");
	return possible ? 0 : EXIT_TOOL_ERROR;
}

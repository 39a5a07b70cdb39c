/*
 * get_in.c: how the shim gets into a peer, and takes hold of it.
 *
 * ld.so preloads it before main. It looks for the controller's address in the environment; without it, or
 * in a process that may not be looked into, it does nothing. Else it
 *   1. connects, and says HELLO with a page that both map,
 *   2. takes the vDSO out of the way: its functions become the system calls that they save,
 *   3. has rdtsc trap,
 *   4. turns on Syscall User Dispatch: each system call from outside the shim's own text raises SIGSYS.
 * From then on no call of the peer, libc's own included, goes by unseen (dispatch.c).
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "shim/shim_priv.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON 1
#endif

/* High, and still below what select can hold. */
#define CONTROL_FD 1010
#define NULL_FD 1011
#define PROC_FD 1012

struct shim shim = {.control = -1};
static char address[64];
extern const char __ehdr_start[], __etext[];

void shim_exit(int status)
{
	for (;;)
		shim_call(SYS_exit_group, status);
}

void shim_note(enum shim_act act)
{
	if (!shim.page)
		return;
	__atomic_fetch_add(&shim.page->count[act], 1, __ATOMIC_RELAXED);
	if (!shim_act_names[act].tamed)
		__atomic_fetch_add(&shim.page->acts, 1, __ATOMIC_RELEASE);
}

bool shim_dispatch_on(void)
{
	return shim_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, __ehdr_start,
			 __etext - __ehdr_start, 0) == 0;
}

/* As high as it may be, so that it is in nobody's way. */
static int move_up(int fd, int to)
{
	long moved = shim_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, to);
	if (moved < 0)
		moved = shim_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 200);
	if (moved < 0)
		return fd;
	shim_call(SYS_close, fd);
	return (int)moved;
}

/* page: -1: that of its parent. */
static int say_hello(int page, int parent)
{
	struct shim_message m = {.op = SHIM_HELLO,
				 .pid = shim.pid,
				 .keeper = shim.keeper,
				 .parent = parent,
				 .first = shim.first_pid};
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	size_t len = text_length(address);
	memcpy(a.sun_path + 1, address, len);
	/* A child does not wait for room in the queue: then it can't be saved. */
	long fd = shim_call(SYS_socket, AF_UNIX,
			    SOCK_SEQPACKET | SOCK_CLOEXEC | (page < 0 ? SOCK_NONBLOCK : 0), 0);
	if (fd < 0)
		return -1;
	if (shim_call(SYS_connect, fd, &a, offsetof(struct sockaddr_un, sun_path) + 1 + len) ||
	    !shim_send((int)fd, &m, page)) {
		shim_call(SYS_close, fd);
		return -1;
	}
	return move_up((int)fd, CONTROL_FD);
}

static bool make_page(int *fd)
{
	long memory = shim_call(SYS_memfd_create, "heddle-peer", MFD_CLOEXEC);
	if (memory < 0 || shim_call(SYS_ftruncate, memory, HD_PAGE))
		return false;
	long at = shim_call(SYS_mmap, 0, HD_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	if (sys_failed(at))
		return false;
	shim.page = (struct shim_page *)at;
	shim.page->version = SHIM_VERSION;
	*fd = (int)memory;
	return true;
}

/* In the place of a function: mov $nr, %eax; syscall; ret */
static void make_call(u8 *at, u32 nr)
{
	const u8 code[] = {0xb8, (u8)nr, (u8)(nr >> 8), 0, 0, 0x0f, 0x05, 0xc3};
	memcpy(at, code, sizeof(code));
}

static void replace_function(u8 *image, const Elf64_Sym *s, const char *name)
{
	static const struct {
		const char *name;
		u32 nr;
	} functions[] = {{"__vdso_clock_gettime", SYS_clock_gettime},
			 {"__vdso_gettimeofday", SYS_gettimeofday},
			 {"__vdso_clock_getres", SYS_clock_getres},
			 {"__vdso_time", SYS_time},
			 {"__vdso_getcpu", SYS_getcpu},
			 {"__vdso_getrandom", 0}};
	for (size_t i = 0; i < HD_ARRAY_LEN(functions); i++) {
		if (strcmp(name, functions[i].name) != 0)
			continue;
		if (functions[i].nr)
			make_call(image + s->st_value, functions[i].nr);
		else { /* mov $-ENOSYS, %rax; ret: its caller then asks the kernel */
			const u8 code[] = {0x48, 0xc7, 0xc0, 0xda, 0xff, 0xff, 0xff, 0xc3};
			memcpy(image + s->st_value, code, sizeof(code));
		}
	}
}

/* The dynamic symbols of the vDSO; its image begins at address 0 of its own numbering. */
static void remove_vdso(void)
{
	u8 *image = (u8 *)getauxval(AT_SYSINFO_EHDR);
	if (!image)
		return;
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)(void *)image;
	const Elf64_Phdr *ph = (const Elf64_Phdr *)(void *)(image + e->e_phoff);
	const Elf64_Dyn *dynamic = NULL;
	const Elf64_Sym *symbols = NULL;
	const char *names = NULL;
	u64 size = 0, count = 0;
	for (u32 i = 0; i < e->e_phnum; i++) {
		if (ph[i].p_type == PT_LOAD)
			size = HD_ROUND_UP(ph[i].p_vaddr + ph[i].p_memsz, HD_PAGE);
		if (ph[i].p_type == PT_DYNAMIC)
			dynamic = (const Elf64_Dyn *)(void *)(image + ph[i].p_vaddr);
	}
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
		u8 *at = image + dynamic->d_un.d_ptr;
		if (dynamic->d_tag == DT_SYMTAB)
			symbols = (const Elf64_Sym *)(void *)at;
		else if (dynamic->d_tag == DT_STRTAB)
			names = (const char *)at;
		else if (dynamic->d_tag == DT_HASH)
			count = ((const u32 *)(void *)at)[1];
	}
	if (!symbols || !names)
		return;
	if (!count) /* without a table of hashes the names follow the symbols */
		count = (u64)((const u8 *)names - (const u8 *)symbols) / sizeof(*symbols);
	if (mprotect(image, size, PROT_READ | PROT_WRITE | PROT_EXEC))
		return;
	for (u64 i = 0; i < count; i++)
		replace_function(image, &symbols[i], names + symbols[i].st_name);
	mprotect(image, size, PROT_READ | PROT_EXEC);
}

/* A child of the peer's: what it does counts for the peer. */
void shim_connect_again(int parent)
{
	if (shim.control >= 0)
		shim_call(SYS_close, shim.control);
	shim.control = -1;
	clock_child_begins();
	shim.control = say_hello(-1, parent);
	if (shim.control >= 0)
		freeze_start();
}

/* glibc's malloc draws a key at its first call, which nobody ever sees: before anybody counts. */
static void warm_up_malloc(void)
{
	void *volatile first = malloc(1);
	free(first);
}

__attribute__((constructor)) static void start(void)
{
	const char *where = getenv(SHIM_ENV);
	int page;
	if (!where || strlen(where) >= sizeof(address))
		return;
	strcpy(address, where);
	const char *keeper = getenv(SHIM_KEEPER_ENV);
	shim.pid = shim.first_pid = shim.root = getpid();
	shim.keeper = keeper ? (int)text_number(keeper, "", 10) : 0;
	shim.shown = SHIM_PID;
	if (!make_page(&page))
		return;
	shim.control = say_hello(page, 0);
	close(page);
	if (shim.control < 0) {
		munmap(shim.page, HD_PAGE);
		shim.page = NULL;
		return;
	}
	shim.null = move_up(open("/dev/null", O_RDWR | O_CLOEXEC), NULL_FD);
	shim.proc = move_up(open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC), PROC_FD);
	memset((void *)getauxval(AT_RANDOM), 0x5a, 16);
	warm_up_malloc();
	clock_start();
	start_chance_begin(getenv(SHIM_CHANCE_ENV));
	remove_vdso();
	descriptors_start();
	files_start();
	signals_start();
	thread_self();
	freeze_start();
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
	shim.on = true;
	if (!shim_dispatch_on())
		shim_exit(127);
}

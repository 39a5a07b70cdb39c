#include "runtime/libc/libc.h"
#include "runtime/libc/state.h"
#include "runtime/libc/warm_up.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/sys.h"
#include "runtime/rt.h"

struct rt_libc rt_libc;

#ifndef HWCAP2_FSGSBASE
#define HWCAP2_FSGSBASE (1 << 1)
#endif

static void *find(const char *name, const char *version)
{
	void *p = version ? dlvsym(RTLD_NEXT, name, version) : dlsym(RTLD_NEXT, name);
	if (!p)
		rt_fail("this C library lacks ", name, " (heddle needs glibc 2.34 or newer)");
	return p;
}

static void *idle(void *arg)
{
	rt_libc.pthread_exit(arg);
	return arg;
}

/*
 * A real thread, once, before anything is tracked: glibc then believes it is
 * multi-threaded (stdio takes its locks), and has loaded its unwinder.
 */
static void make_multithreaded(void)
{
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = find("pthread_create",
											     NULL);
	int (*join)(pthread_t, void **) = find("pthread_join", NULL);
	pthread_t t;
	if (create(&t, NULL, idle, NULL) || join(t, NULL))
		rt_fail("could not start a thread in the program", "", "");
	rt_libc.first_thread = (u64)t;
}

/*
 * A library that asks dlsym(RTLD_NEXT) for pthread_create, as jemalloc does, passes over the runtime, which
 * is loaded before it; so does libc itself. Both come to libc's own, and find "jmp *(%rip)" there and the
 * address of the runtime's.
 */
static void redirect_create(void)
{
	u8 jump[14] = {0xff, 0x25};
	u64 to = (u64)pthread_create, from = (u64)find("pthread_create", NULL);
	memcpy(jump + 6, &to, sizeof(to));
	long page = (long)(from & ~HD_PAGE_MASK),
	     size = (long)HD_ROUND_UP((from & HD_PAGE_MASK) + sizeof(jump), HD_PAGE);
	if (sys_failed(sys_call3(SYS_mprotect, page, size, PROT_READ | PROT_WRITE)))
		rt_fail("the code of the C library can't be changed (mprotect failed)", "", "");
	memcpy((void *)from, jump, sizeof(jump));
	sys_call3(SYS_mprotect, page, size, PROT_READ | PROT_EXEC);
}

/* struct pthread is private; the field that holds our thread id tells where it is. */
static u64 find_tid_offset(void)
{
	u32 tid = (u32)sys_call3(SYS_gettid, 0, 0, 0);
	u64 tcb;
	__asm__ volatile("movq %%fs:16, %0" : "=r"(tcb));
	for (u64 at = 64; at + 4 <= rt_libc.sizeof_pthread; at += 4)
		if (*(u32 *)(tcb + at) == tid)
			return at;
	rt_fail("unknown layout of glibc's struct pthread", "", "");
}

/* Where the variables of a module lie below our thread control block, if they do. */
static int note_tls(struct dl_phdr_info *module, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	u64 tcb;
	__asm__ volatile("movq %%fs:16, %0" : "=r"(tcb));
	u64 below = tcb - (u64)module->dlpi_tls_data;
	if (module->dlpi_tls_data && below <= rt_libc.tls_size)
		rt_libc.tls_used = HD_MAX(rt_libc.tls_used, below);
	return 0;
}

void libc_find(bool old_start)
{
	struct rt_libc *l = &rt_libc;
	l->dl_allocate_tls = find("_dl_allocate_tls", "GLIBC_PRIVATE");
	l->dl_deallocate_tls = find("_dl_deallocate_tls", "GLIBC_PRIVATE");
	l->call_tls_dtors = find("__call_tls_dtors", "GLIBC_PRIVATE");
	l->ctype_init = find("__ctype_init", "GLIBC_PRIVATE");
	l->pthread_exit = find("pthread_exit", NULL);
	l->exit = find("exit", NULL);
	l->start_main = find("__libc_start_main", old_start ? "GLIBC_2.2.5" : "GLIBC_2.34");
	void (*static_info)(size_t *, size_t *) = find("_dl_get_tls_static_info", "GLIBC_PRIVATE");
	size_t size, align;
	static_info(&size, &align);
	l->tls_size = size;
	l->tls_align = HD_MAX(align, (size_t)64);
	l->sizeof_pthread = *(u32 *)find("_thread_db_sizeof_pthread", "GLIBC_PRIVATE");
	l->have_fsgsbase = getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE;
	l->tid_offset = find_tid_offset();
	dl_iterate_phdr(note_tls, NULL);
	libc_state_setup();
	warm_up_setup();
	make_multithreaded();
	redirect_create();
	setvbuf(stdout, NULL, _IONBF, 0);
}

/*
 * Start-up.
 *
 * Order matters here. ld.so has mapped and relocated everything; shared libraries' constructors
 * have run (they may have called malloc: start_early). Then __libc_start_main, ours:
 *   1. look up libc, make the one real thread (it must come before system calls are trapped);
 *   2. move to the engine's own stack; the kernel's stack keeps only argv and the environment;
 *   3. turn on the trap; run the real __libc_start_main as fiber 0;
 *   4. the first visible operation of fiber 0 is the initial state: all writable memory of the
 *      process that is not ours becomes tracked.
 */
#include "runtime/start/start.h"

#include <asm/prctl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/pages.h"
#include "base/sys.h"
#include "base/text.h"
#include "runtime/engine/engine.h"
#include "runtime/engine/engine_audit.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/sites.h"
#include "runtime/memory/memory.h"
#include "runtime/net/net.h"
#include "runtime/sched/op_classes.h"
#include "runtime/rt.h"
#include "runtime/sched/access.h"
#include "runtime/kstack/kstack.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/thread.h"
#include "runtime/libc/libc.h"
#include "runtime/libc/warm_up.h"
#include "runtime/start/maps.h"
#include "runtime/trap/atomics.h"
#include "runtime/trap/trap.h"
#include "runtime/vkernel/vk.h"
#include "state/track.h"
#include "wire/wire.h"

#define ENGINE_STACK (1UL << 20)

static struct {
	bool early, taken_over;
	int (*main)(int, char **, char **);
	int argc;
	char **argv;
	void (*init)(void), (*fini)(void), (*rtld_fini)(void);
	void *stack_end;
} start;

static long map_part(u64 address, u64 size, int fd)
{
	return sys_call6(SYS_mmap, (long)address, (long)size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, fd, 0);
}

/* At an address of its own: that of nothing else may depend on how many workers there are. */
static void map_team(void)
{
	long team = map_part(WIRE_TEAM_BASE, WIRE_TEAM_SIZE, WIRE_TEAM_FD);
	if (sys_failed(team))
		rt_fail("not enough address space for several workers; is ulimit -v set? -j 1 needs less", "",
			"");
}

static void map_wire(void)
{
	long shared = map_part(WIRE_MAP_BASE, WIRE_SHARED_SIZE, WIRE_FD);
	long worker = map_part(WIRE_WORKER_BASE, WIRE_WORKER_SIZE, WIRE_WORKER_FD);
	if (sys_failed(shared) || sys_failed(worker))
		rt_fail("", "", "");
	rt_wire = (struct wire_shared *)shared;
	rt_worker = (struct wire_worker *)worker;
	if (rt_wire->magic != WIRE_MAGIC || rt_wire->version != WIRE_VERSION)
		rt_fail("heddle and libheddle-rt.so are of different versions; install both anew", "", "");
	rt_trees = (char *)rt_wire + WIRE_TREES;
	if (rt_wire->team)
		map_team();
	rt_load_lessons();
}

static void must_reserve(int r)
{
	if (r)
		rt_fail("could not reserve address space for the program; is vm.overcommit_memory 2, or "
			"ulimit -v set?",
			"", "");
}

static void add_region(u64 base, u64 size, enum track_kind kind)
{
	must_reserve(track_add(base, size, kind));
}

void start_early(void)
{
	if (start.early)
		return;
	start.early = true;
	map_wire();
	if (track_setup())
		rt_fail("not enough address space; is vm.overcommit_memory 2, or ulimit -v set?", "", "");
	trap_setup_faults();
	add_region(LAYOUT_MODEL_BASE, LAYOUT_MODEL_SIZE, TRACK_SPARSE);
	must_reserve(track_add_owned(LAYOUT_KSTACK_BASE, LAYOUT_KSTACK_STRIDE, LAYOUT_MAX_FIBERS));
	add_region(LAYOUT_STACK_BASE, LAYOUT_MAX_FIBERS * LAYOUT_STACK_STRIDE, TRACK_SPARSE);
	add_region(LAYOUT_HEAP_BASE, LAYOUT_HEAP_ARENAS * LAYOUT_HEAP_STRIDE, TRACK_SPARSE);
	add_region(LAYOUT_MMAP_BASE, LAYOUT_MAX_FIBERS * LAYOUT_MMAP_STRIDE, TRACK_HIDDEN);
	heap_setup(LAYOUT_HEAP_BASE, LAYOUT_HEAP_STRIDE, LAYOUT_HEAP_ARENAS, rt_wire->config.heap_limit);
	heap_retire(!rt_lessons.heap_reused);
	vk_model_place((void *)MODEL_VK_BASE);
	hd_assert(MODEL_VK_BASE + vk_model_size() <= MODEL_ORDER_BASE);
	sites_setup();
	access_setup();
}

static bool ours(const char *variable)
{
	return str_starts(variable, "LD_PRELOAD=") || str_starts(variable, "LD_BIND_NOW=") ||
	       str_starts(variable, "GLIBC_TUNABLES=");
}

/* What we put into the environment is not the program's business. */
static void clean_environment(char **envp)
{
	char **to = envp;
	for (; *envp; envp++)
		if (!ours(*envp))
			*to++ = *envp;
	while (to < envp)
		*to++ = NULL;
}

void start_first_step(void);
DOOR_INSIDE(void, start_first_step)(void)
{
	sched_main_starts();
	struct op o = {.kind = OP_START};
	sched_step(&o);
}

/*
 * On the kernel stack: how much is looked at depends on how many names of threads other workers have learnt.
 */
bool start_is_alone(void);
DOOR_INSIDE(bool, start_is_alone)(void)
{
	return sched_all_joined();
}

static int main_of_fiber_0(int argc, char **argv, char **envp)
{
	if (start_is_alone()) /* no constructor has started a thread that could look on */
		warm_up();
	start_first_step();
	return thread_main(start.main, argc, argv, envp);
}

static void run_main(void)
{
	clean_environment(start.argv + start.argc + 1);
	rt_libc.start_main(main_of_fiber_0, start.argc, start.argv, start.init, start.fini, start.rtld_fini,
			   start.stack_end);
	__builtin_unreachable();
}

static void track_everything(void)
{
	struct fiber *f = &model->fiber[0];
	*(u32 *)(f->tcb + rt_libc.tid_offset) = RT_PID;
	/* The kernel's stack: below argc lie only dead frames of ld.so. */
	u64 argc_at = (u64)(start.argv - 1);
	maps_track(argc_at);
	fiber_track_stacks();
	track_start();
}

bool start_taken_over(void)
{
	return start.taken_over;
}

static void boot(void)
{
	vk_setup();
	net_setup();
	trap_setup_calls();
	start.taken_over = true;
	atomics_setup();
	engine_main(run_main, track_everything);
}

HD_EXPORT int __libc_start_main(int (*main_fn)(int, char **, char **), int argc, char **argv,
				void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
				void *stack_end);
int __libc_start_main(int (*main_fn)(int, char **, char **), int argc, char **argv, void (*init)(void),
		      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	start_early();
	libc_find(init != NULL);
	maps_exclude(rt_libc.first_thread);
	memory_setup(dlsym(RTLD_DEFAULT, "heddle_hooks_version") != NULL,
		     dlsym(RTLD_DEFAULT, "heddle_hooks_by_clang") != NULL);
	engine_audit_setup();
	start.main = main_fn;
	start.argc = argc;
	start.argv = argv;
	start.init = init;
	start.fini = fini;
	start.rtld_fini = rtld_fini;
	start.stack_end = stack_end;
	char *stack = pages_map(ENGINE_STACK);
	hd_assert(stack);
	stack_call(boot, (u64)stack + ENGINE_STACK);
}

/*
 * fake_rt.c: a stand-in for libheddle-rt.so that obeys wire.h and searches nothing. It lets the whole
 * controller be tested on its own: the guest (fake_guest.c) calls sched_yield(), and there the script that
 * the variable FAKE_RT names is played:
 *
 *   verified   a complete search with known counts
 *   rdtsc      the same, after a look at the time stamp counter
 *   bounded    the state limit was reached
 *   violation  one assertion failure; the replay confirms it
 *   code       the same; its steps name places in the code
 *   long       the same after 20000 steps
 *   two        two violations, a deadlock and a crash
 *   unconfirmed  the replay ends without the violation
 *   other      the replay finds another kind of violation
 *   unfollowed the replay cannot follow the path
 *   replay-dies  the replay is killed in the middle
 *   lost       a violation whose path lies outside the wire
 *   refused    a complete search with a refused call
 *   refused-deep  the same, from inside a library, with the stack saved
 *   insane     a tool error with a sentence
 *   die        killed in the middle
 *   silent     ends without a word
 *   workers    the first one finds one violation, the others find it too and another one, and come to a limit
 *   wait       searches until told to stop
 *   deaf       searches and does not listen
 */
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "wire/wire.h"
#include "wire/op_kinds.h"

/* The controller takes a library for a runtime if it knows this name. */
extern void __libc_start_main(void) __attribute__((weak));
void (*const fake_rt_mark)(void) = __libc_start_main;

static struct wire_shared *wire;
static struct wire_worker *worker;

/* Where the guest called: every fiber's context. */
static struct wire_regs regs;

static bool script_is(const char *name)
{
	const char *s = getenv("FAKE_RT");

	return s && !strcmp(s, name);
}

static void send_event(struct wire_event *e)
{
	u32 seq = worker->event_seq + 1;

	e->regs = regs;
	e->text_len = (u32)strlen(e->text);
	worker->event = *e;
	__atomic_store_n(&worker->event_seq, seq, __ATOMIC_RELEASE);
	syscall(SYS_futex, &worker->event_seq, FUTEX_WAKE, 1, NULL, NULL, 0);
	while (__atomic_load_n(&worker->ack_seq, __ATOMIC_ACQUIRE) != seq)
		syscall(SYS_futex, &worker->ack_seq, FUTEX_WAIT, seq - 1, NULL, NULL, 0);
}

static void finish(enum search_end end)
{
	worker->result.end = end;
	worker->phase = WIRE_DONE;
	_exit(0);
}

static void count(u64 states)
{
	worker->stats.states = states;
	worker->stats.transitions = 3 * states;
	worker->stats.revisited = 2 * states + 1;
	worker->stats.max_depth = 7;
	worker->stats.end_states = 1;
	worker->stats.memory = 16 * states;
	worker->result.cpu_us = 250000;
	worker->result.initial = (struct fingerprint){0x1111222233334444, 0xaaaabbbbccccdddd};
	worker->result.outcome[0] = 42;
	worker->result.outcome[1] = -1;
	worker->result.outcomes = 2;
}

static void add_violation(u32 kind, u32 thread, const char *message)
{
	struct wire_violation *v = &worker->result.violation[worker->result.violations++];
	u64 offset = WIRE_ARENA + 4096UL * worker->result.violations;
	u32 *path = (u32 *)((char *)worker + offset);
	/* The first action's outcome tells the replay which violation this path leads to. */
	const u32 actions[] = {ACTION(0, kind), ACTION(1, 0), ACTION(1, 0), ACTION(0, ALT_TIMEOUT)};

	memcpy(path, actions, sizeof(actions));
	v->path_len = HD_ARRAY_LEN(actions);
	for (; script_is("long") && v->path_len < 20000; v->path_len++)
		path[v->path_len] = ACTION(v->path_len % 2, 0);
	v->kind = kind;
	v->thread = thread;
	v->key = kind;
	v->path_offset = script_is("lost") ? WIRE_WORKER_SIZE : offset;
	snprintf(v->message, sizeof(v->message), "%s", message);
	wire->learnt.names = 2;
	wire->learnt.name[1] = WIRE_NAME(0, 1);
	wire->learnt.observed = 1;
	wire->learnt.observed_addr[0] = 0xfffffffffffffff0;
	wire->learnt.clock_read = 1;
	worker->stats.violations++;
}

static void refuse(void *pc)
{
	struct wire_refused *r = &worker->result.refused_call[worker->result.refused++];

	r->count = 2;
	r->pc = (u64)pc;
	if (script_is("refused-deep")) {
		r->pc = (u64)refuse;
		r->regs = regs;
		r->stack_len = 512;
		memcpy(r->stack, (void *)regs.rsp, r->stack_len);
	}
	snprintf(r->call, sizeof(r->call), "fork");
}

static void search_until_stopped(void)
{
	const struct timespec nap = {0, 1000000};

	for (count(1); script_is("deaf") || !__atomic_load_n(&wire->stop, __ATOMIC_ACQUIRE);
	     count(worker->stats.states + 1))
		nanosleep(&nap, NULL);
	finish(SEARCH_INTERRUPTED);
}

static void search(void *pc)
{
	worker->phase = WIRE_RUNNING;
	count(1000);
	if (script_is("rdtsc") && !__builtin_ia32_rdtsc())
		_exit(1);
	if (script_is("verified") || script_is("rdtsc"))
		finish(SEARCH_COMPLETE);
	if (script_is("bounded"))
		finish(SEARCH_LIMIT_STATES);
	if (script_is("refused") || script_is("refused-deep")) {
		refuse(pc);
		finish(SEARCH_COMPLETE);
	}
	if (script_is("insane")) {
		snprintf(worker->result.error, sizeof(worker->result.error),
			 "the fingerprints differ at step 3");
		finish(SEARCH_TOOL_ERROR);
	}
	if (script_is("die"))
		raise(SIGKILL);
	if (script_is("silent")) {
		fprintf(stderr, "fake runtime: good bye\n");
		_exit(7);
	}
	if (script_is("wait") || script_is("deaf"))
		search_until_stopped();
	add_violation(VIOLATION_ASSERT, 1, "assertion x == 1 failed");
	if (script_is("two") || (script_is("workers") && worker->number > 0))
		add_violation(VIOLATION_CRASH, 0, "SIGSEGV");
	if (script_is("workers"))
		finish(worker->number ? SEARCH_LIMIT_STATES : SEARCH_COMPLETE);
	finish(script_is("two") ? SEARCH_COMPLETE : SEARCH_VIOLATION);
}

extern void *fake_caller __attribute__((weak)), *fake_function __attribute__((weak));
extern int fake_line __attribute__((weak));

static void send_step(u64 n, u32 action, void *object)
{
	struct wire_event e = {
		.kind = WIRE_EV_STEP, .thread = ACTION_FIBER(action), .alt = ACTION_ALT(action), .step = n};

	e.op = OP_MUTEX_LOCK;
	snprintf(e.thread_name, sizeof(e.thread_name), "%s", e.thread ? "worker" : "main");
	snprintf(e.text, sizeof(e.text), "lock mutex {0x%lx}%s", (u64)object,
		 e.alt == ALT_TIMEOUT ? " (time-out)" : "");
	if (script_is("code"))
		snprintf(e.text, sizeof(e.text), "line %d: {0x%lx}, {0x%lx}", fake_line, (u64)fake_caller,
			 (u64)fake_function);
	send_event(&e);
}

static void send_output(const char *text)
{
	struct wire_event e = {.kind = WIRE_EV_OUTPUT, .arg = 1};

	snprintf(e.text, sizeof(e.text), "%s", text);
	send_event(&e);
}

static void send_fibers(void *object)
{
	struct wire_event e = {.kind = WIRE_EV_FIBER};

	for (e.thread = 0; e.thread < 2; e.thread++) {
		snprintf(e.thread_name, sizeof(e.thread_name), "%s", e.thread ? "worker" : "main");
		snprintf(e.text, sizeof(e.text), "waits for mutex {0x%lx}, held by thread %u", (u64)object,
			 2 - e.thread);
		send_event(&e);
	}
}

static u32 replayed_kind(u32 first_action)
{
	if (script_is("unconfirmed"))
		return VIOLATION_NONE;
	return script_is("other") ? VIOLATION_HANG : ACTION_ALT(first_action);
}

static void replay(void *object)
{
	const u32 *path = (const u32 *)((char *)worker + worker->task.path_offset);
	struct wire_event e = {.kind = WIRE_EV_VIOLATION, .thread = 1};

	worker->phase = WIRE_RUNNING;
	for (u64 i = 0; i < worker->task.path_len; i++) {
		if (worker->task.gdb && worker->task.pause_at == i) {
			struct wire_event pause = {
				.kind = WIRE_EV_PAUSE, .step = i, .text = "is about to go on"};

			send_fibers(object);
			send_event(&pause);
			raise(SIGSTOP);
		}
		send_step(i, path[i], object);
		if (i == 1 && script_is("replay-dies"))
			raise(SIGKILL);
		if (i == 1 && worker->task.show_output)
			send_output("hello from the program\n");
	}
	e.violation = worker->task.path_len ? replayed_kind(path[0]) : VIOLATION_NONE;
	if (e.violation) {
		e.thread = e.violation == VIOLATION_CRASH ? 0 : 1;
		snprintf(e.thread_name, sizeof(e.thread_name), "worker");
		snprintf(e.text, sizeof(e.text), "assertion x == 1 failed");
		send_event(&e);
		send_fibers(object);
	}
	e = (struct wire_event){.kind = WIRE_EV_END,
				.arg = script_is("unfollowed") ? 2 : e.violation != VIOLATION_NONE};
	snprintf(e.text, sizeof(e.text), "thread 2 is not enabled at step 1");
	send_event(&e);
	if (worker->task.gdb)
		raise(SIGSTOP);
	finish(SEARCH_COMPLETE);
}

/* The object the steps are about: the guest's, when it has one. */
__attribute__((weak)) void *fake_object;

/* Of what ld.so has written: it likes to note the time and the processor. */
static u64 hash_loader_data(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512], access[8];
	u64 low, high, h = 0xcbf29ce484222325u;

	while (f && fgets(line, sizeof(line), f)) {
		if (!strstr(line, "ld-linux") || sscanf(line, "%lx-%lx %7s", &low, &high, access) != 3)
			continue;
		for (; access[0] == 'r' && low < high; low++)
			h = (h ^ *(u8 *)low) * 0x100000001b3u;
	}
	return h;
}

/* In place of a fingerprint: what the launcher is to keep constant. */
static void show_start(void)
{
	int here;

	memcpy(&worker->result.initial, (void *)getauxval(AT_RANDOM), 16);
	worker->result.tracked_pages = getauxval(AT_SYSINFO_EHDR);
	worker->result.hot_pages = (u64)&here;
	worker->result.page_faults = (u64)show_start;
	worker->result.cpu_us = hash_loader_data();
}

static void play(void *pc)
{
	const int access = PROT_READ | PROT_WRITE;

	wire = mmap(NULL, WIRE_SHARED_SIZE, access, MAP_SHARED | MAP_NORESERVE, WIRE_FD, 0);
	worker = mmap(NULL, WIRE_WORKER_SIZE, access, MAP_SHARED | MAP_NORESERVE, WIRE_WORKER_FD, 0);
	if (wire == MAP_FAILED || worker == MAP_FAILED || wire->magic != WIRE_MAGIC ||
	    wire->version != WIRE_VERSION)
		_exit(99);
	if (worker->task.mode == WIRE_SEARCH)
		search(pc);
	if (worker->task.mode == WIRE_REPLAY)
		replay(fake_object);
	show_start();
	finish(SEARCH_COMPLETE);
}

HD_EXPORT int sched_yield(void)
{
	__asm__ volatile(
		"lea 0(%%rip), %%rax\n\tmov %%rax, 0(%0)\n\tmov %%rsp, 8(%0)\n\tmov %%rbp, 16(%0)\n\t"
		"mov %%rbx, 24(%0)\n\tmov %%r12, 32(%0)\n\tmov %%r13, 40(%0)\n\t"
		"mov %%r14, 48(%0)\n\tmov %%r15, 56(%0)"
		:
		: "r"(&regs)
		: "rax", "memory");
	play(__builtin_return_address(0));
	return 0;
}

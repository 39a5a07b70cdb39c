/*
 * Search scripts, the engine's part: what actions are called, and the pipe that tapes go through
 * (search/tape.h).
 */
#include <asm-generic/errno-base.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/sys.h"
#include "runtime/engine/engine_priv.h"
#include "runtime/rt.h"
#include "runtime/sched/fiber.h"
#include "state/track.h"
#include "wire/wire.h"

/* Timers and peers act beside the fiber that their actions go by. */
void engine_label(void *t, u32 action, struct target_label *out)
{
	(void)t;
	u32 slot = ACTION_FIBER(action), alt = ACTION_ALT(action);
	if (hd_unlikely(ALT_IS_TIMER(alt) || ALT_IS_PEER(alt)))
		*out = (struct target_label){0};
	else
		*out = (struct target_label){model->fiber[slot].op.kind, engine_program_pc(slot)};
}

static bool write_all(void *self, const u32 *word, u32 n)
{
	(void)self;
	const char *from = (const char *)word;
	u64 left = n * sizeof(*word);
	while (left) {
		long done = sys_call3(SYS_write, WIRE_TAPE_FD, (long)from, (long)left);
		if (done == -EINTR)
			continue;
		if (done <= 0)
			return false;
		from += done;
		left -= (u64)done;
	}
	return true;
}

/* Whole words: what is written at the other end is a multiple of their size. */
static u32 read_some(void *self, u32 *word, u32 room)
{
	(void)self;
	char *to = (char *)word;
	u64 got = 0;
	do {
		long n = sys_call3(SYS_read, WIRE_TAPE_FD, (long)(to + got),
				   (long)(room * sizeof(*word) - got));
		if (n == -EINTR)
			continue;
		if (n <= 0)
			return 0;
		got += (u64)n;
	} while (got % sizeof(*word));
	return (u32)(got / sizeof(*word));
}

const struct tape_sink *engine_record_to(void)
{
	static const struct tape_sink sink = {.write = write_all};
	return rt_worker->task.script == WIRE_SCRIPT_RECORD ? &sink : NULL;
}

/* FP lies in a memory file: the controller reads it when this process has ended. */
static void map_prints(struct follow *f)
{
	f->room = rt_worker->task.numbers;
	long at = sys_call6(
		SYS_mmap, WIRE_PRINTS_BASE, (long)WIRE_PRINTS_BYTES(f->room, rt_worker->task.busy_room),
		PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, WIRE_PRINTS_FD, 0);
	if (sys_failed(at))
		rt_fail("no address space for the fingerprints of a script; is ulimit -v set?", "", "");
	f->prints = (struct fingerprint *)at;
	if (!f->part)
		return;
	f->cover = (u8 *)(f->prints + f->room);
	f->range = (struct wire_range_made *)(f->cover + HD_ROUND_UP(f->room, 16));
	f->busy = (struct wire_busy_edge *)((u8 *)f->prints + WIRE_BUSY_AT(f->room));
	f->busy_room = rt_worker->task.busy_room;
}

static bool again(void *self)
{
	(void)self;
	char please = 1;
	u64 bytes = WIRE_PRINTS_BYTES(rt_worker->task.numbers, rt_worker->task.busy_room);
	if (rt_worker->task.script == WIRE_SCRIPT_FOLLOW &&
	    sys_failed(sys_call6(SYS_fallocate, WIRE_PRINTS_FD, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
				 (long)bytes, 0, 0)))
		return false;
	return sys_call3(SYS_write, WIRE_TAPE_FD, (long)&please, 1) == 1;
}

struct follow *engine_follow(void)
{
	static const struct tape_source source = {.read = read_some, .again = again};
	static struct follow follow;
	u32 script = rt_worker->task.script;
	if (script != WIRE_SCRIPT_FOLLOW && script != WIRE_SCRIPT_TRUST)
		return NULL;
	follow = (struct follow){.from = &source,
				 .trust = script == WIRE_SCRIPT_TRUST,
				 .part = rt_worker->task.part,
				 .out = &rt_worker->result.followed};
	if (!follow.trust)
		map_prints(&follow);
	else if (!rt_wire->config.search.sanity)
		track_forget_fingerprint(); /* nothing is compared */
	return &follow;
}

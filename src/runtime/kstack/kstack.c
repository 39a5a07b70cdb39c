#include "runtime/kstack/kstack.h"

#include "state/track.h"
#include "wire/regs.h"

void *memset(void *to, int c, size_t n);

/* No frame may reach the lowest page of a kernel stack. */
#define GUARD HD_PAGE
#define RECORD_BYTES (4 * sizeof(u64)) /* kstack_call_out */
#define RED_ZONE 128

struct kstack *kstack_running;
u32 kstack_vectors;
void (*kstack_pause)(u64 pc);
/* Below it the kernel stack of the running fiber is zero: law K2. A multiple of 16. */
__attribute__((visibility("hidden"))) u64 kstack_low;

static u64 bottom_of(u32 slot)
{
	return LAYOUT_KSTACK_BASE + slot * LAYOUT_KSTACK_STRIDE;
}

void kstack_make(u32 slot, u64 sp)
{
	*kstack_of(slot) = (struct kstack){.entry = (u64)kstack_of(slot), .door = sp};
}

void kstack_run(u32 slot, u64 sp)
{
	kstack_running = kstack_of(slot);
	kstack_low = HD_MIN(sp, (u64)kstack_running) &
		     ~(u64)15; /* a new fiber stands on its program's stack */
}

void kstack_end(u32 slot)
{
	u64 end = (u64)(kstack_of(slot) + 1);
	memset((void *)kstack_low, 0, end - kstack_low);
}

u64 kstack_check(u32 slot, u64 sp)
{
	u64 end = sp ? HD_MIN(sp, (u64)kstack_of(slot)) : (u64)(kstack_of(slot) + 1);
	for (u64 page = bottom_of(slot); page < end && (page = track_next_page(page, end)) < end;
	     page += HD_PAGE)
		for (u64 at = page; at < HD_MIN(page + HD_PAGE, end); at += sizeof(u64))
			if (*(const u64 *)at)
				return at;
	return 0;
}

bool kstack_program_regs(struct wire_regs *out)
{
	if (!kstack_entered())
		return false;
	const u64 *frame = (const u64 *)(kstack_running->door & ~(u64)KSTACK_TRAP);
	bool trap = kstack_running->door & KSTACK_TRAP;
	/* Inside the call, not behind it: there may be no line of the caller's any more. */
	*out = (struct wire_regs){
		.rbp = frame[0], .rip = frame[1] - 1, .rsp = (u64)(frame + 2) + (trap ? RED_ZONE : 0)};
	return true;
}

bool kstack_overflowed(u64 address)
{
	u64 offset = address - LAYOUT_KSTACK_BASE;
	return offset < LAYOUT_MAX_FIBERS * LAYOUT_KSTACK_STRIDE && offset % LAYOUT_KSTACK_STRIDE < GUARD;
}

struct kstack kstack_interrupt(u64 sp)
{
	struct kstack before = *kstack_running;
	if (sp >= (u64)kstack_running || sp < (u64)kstack_running - LAYOUT_KSTACK_STRIDE)
		return before;
	u64 *record = (u64 *)((sp - RED_ZONE - RECORD_BYTES) & ~(u64)15);
	record[0] = before.door & ~(u64)KSTACK_TRAP;
	record[1] = before.entry;
	record[2] = before.door;
	kstack_running->entry = (u64)record;
	kstack_low = HD_MIN(kstack_low, (u64)record);
	return before;
}

void kstack_resume(struct kstack before)
{
	*kstack_running = before;
}

void kstack_wide_frame(void)
{
	__asm__ volatile(""); /* its __fentry__ does the work */
}

void kstack_foreign(u64 bytes)
{
	u64 here = (u64)__builtin_frame_address(0);
	if (here < (u64)kstack_running)
		kstack_low = HD_MIN(kstack_low, (here - bytes) & ~(u64)15);
}

#include "runtime/trap/emulate.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

#include "base/sys.h"
#include "runtime/rt.h"
#include "runtime/sched/sched.h"
#include "runtime/vkernel/vk.h"
#include "wire/wire.h"

#define TICKS_PER_NS 2
#define TICKS_AT_START \
	(1UL << 40) /* like a machine that has been up for some minutes: differences from 0 are not times */
#define CARRY_FLAG 1
#define OTHER_FLAGS 0x8d4 /* PF AF ZF SF OF */

void emulate_setup(void)
{
	if (sys_call3(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0))
		rt_fail("this kernel cannot keep rdtsc from the program (prctl PR_SET_TSC failed)", "", "");
}

/*
 * rdtsc is 0f 31, rdtscp 0f 01 f9. 0: neither. The faulting address is that of the instruction, so it can be
 * read.
 */
static u32 length_of_rdtsc(const u8 *code)
{
	if (code[0] == 0x0f && code[1] == 0x31)
		return 2;
	return code[0] == 0x0f && code[1] == 0x01 && code[2] == 0xf9 ? 3 : 0;
}

bool emulate_rdtsc(greg_t *g)
{
	u32 length = length_of_rdtsc((const u8 *)g[REG_RIP]);
	if (!length)
		return false;
	u64 ticks = TICKS_AT_START + clock_read() * TICKS_PER_NS;
	g[REG_RAX] = (greg_t)(u32)ticks;
	g[REG_RDX] = (greg_t)(ticks >> 32);
	if (length == 3)
		g[REG_RCX] = 0; /* IA32_TSC_AUX: processor 0, as getcpu says */
	g[REG_RIP] += length;
	return true;
}

static greg_t *register_of(greg_t *g, u32 number)
{
	static const u8 order[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
				   REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
	return &g[order[number]];
}

void emulate_random(greg_t *g, const struct wire_site *s)
{
	u64 value = vk_random_u64();
	greg_t *to = register_of(g, s->base);
	if (s->random == 8)
		*to = (greg_t)value;
	else if (s->random == 4)
		*to = (greg_t)(u32)value;
	else
		*to = (greg_t)(((u64)*to & ~0xffffUL) | (value & 0xffff));
	g[REG_EFL] = (g[REG_EFL] & ~(greg_t)OTHER_FLAGS) | CARRY_FLAG;
	u64 next = s->pc + s->length;
	g[REG_RIP] = (greg_t)next;
}

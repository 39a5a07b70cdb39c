#include "runtime/memory/order_places.h"

#include "base/table.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/memory_news.h"
#include "runtime/memory/order.h"
#include "runtime/memory/shadow.h"
#include "runtime/rt.h"
#include "wire/wire.h"

/* 4 bytes. */
struct ordered_cell {
	u64 address;
	u32 whole, byte[SHADOW_GRAIN]; /* number of the unit + 1 */
	bool atomic;                   /* used by an atomic or volatile access */
	bool assembly;                 /* and by an atomic instruction that no compiler made of an atomic */
};
static struct table places = TABLE_OF(struct ordered_cell);
static bool left_out;

/* In the shared list: the unit is one byte; the cell is one that atomic instructions in assembly work on. */
#define BYTE_UNIT (1UL << 63)
#define ASSEMBLY (1UL << 62)

void order_leave_out(void)
{
	left_out = true;
}

bool order_left_out(void)
{
	return left_out;
}

static struct ordered_cell *place_of(u64 address)
{
	return table_find(&places, address & ~(u64)(SHADOW_GRAIN - 1));
}

static struct ordered_cell *add_place(u64 address)
{
	struct ordered_cell *p = table_add(&places, address & ~(u64)(SHADOW_GRAIN - 1));
	if (!p)
		hd_panic(__FILE__, __LINE__, "no memory for what happens before what");
	return p;
}

static void place_number(u64 key, u32 number)
{
	struct ordered_cell *p = add_place(key & ~(BYTE_UNIT | ASSEMBLY));
	if (key & ASSEMBLY)
		p->assembly = true;
	else if (key & BYTE_UNIT)
		p->byte[key % SHADOW_GRAIN] = number + 1;
	else
		p->whole = number + 1;
}

static void add_unit(u64 key)
{
	struct wire_learnt *l = &rt_wire->learnt;
	u32 number = learnt_place(l->ordered_unit, 0, WIRE_MAX_ORDERED, &l->ordered, key);
	if (number < WIRE_MAX_ORDERED)
		place_number(key, number);
	else
		left_out = true;
}

void order_places_setup(void)
{
	const struct wire_learnt *l = &rt_wire->learnt;
	for (u32 i = 0; i < l->ordered; i++)
		place_number(l->ordered_unit[i], i);
}

void order_each_unit(u64 address, u64 size, bool (*fn)(void *self, u32 unit, u64 address), void *self)
{
	for (u64 a = address; a < address + size; a = (a / SHADOW_GRAIN + 1) * SHADOW_GRAIN) {
		const struct ordered_cell *p = place_of(a);
		u64 end = HD_MIN((a / SHADOW_GRAIN + 1) * SHADOW_GRAIN, address + size);
		if (p && p->whole && !p->byte[0] && !fn(self, p->whole - 1, a))
			return;
		for (u64 b = a; p && p->byte[0] && b < end; b++)
			if (p->byte[b % SHADOW_GRAIN] && !fn(self, p->byte[b % SHADOW_GRAIN] - 1, b))
				return;
	}
}

void order_place_used(u64 cell, bool whole, u64 how)
{
	bool atomic = how & (MEMORY_ATOMIC | MEMORY_VOLATILE);
	struct ordered_cell *p = add_place(cell);
	bool seen = p->atomic, split = p->byte[0], numbered = p->whole || split;
	p->atomic |= atomic;
	/* What others make of an access that changes nothing here, they know. */
	if ((atomic && !seen) || (!atomic && !numbered) || (numbered && !whole && !split))
		tell_cell(TELL_ORDERED, cell, 0, (whole ? TELL_WHOLE : 0u) | (atomic ? TELL_BARE : 0u),
			  LOCKSET_NONE);
	if (atomic && !numbered)
		return;
	if (!numbered) {
		for (u32 i = 0; !whole && i < SHADOW_GRAIN; i++)
			add_unit((cell + i) | BYTE_UNIT);
		if (whole)
			add_unit(cell);
		if (seen) /* those accesses were not followed */
			sched_want_restart();
	} else if (!whole && !split) {
		for (u32 i = 0; i < SHADOW_GRAIN; i++)
			add_unit((cell + i) | BYTE_UNIT);
		sched_want_restart();
	}
}

void order_followed(u64 cell, bool whole, bool atomic)
{
	order_place_used(cell, whole, atomic ? MEMORY_ATOMIC : 0);
}

bool order_volatile_acts(u64 address)
{
	const struct ordered_cell *p = place_of(address);
	return p && p->assembly;
}

void order_instruction(u64 address)
{
	struct ordered_cell *p = rt_lessons.weak ? place_of(address) : NULL;
	if (!p || !p->atomic || p->assembly)
		return;
	add_unit((address & ~(u64)(SHADOW_GRAIN - 1)) | ASSEMBLY);
	sched_want_restart();
}

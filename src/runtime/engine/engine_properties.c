/*
 * Everything here is persistent memory, outside the state.
 *
 * The bytes that a property may read are its ranges, and places that it has read through pointers so far.
 * They are copied before a step and compared after it: a property is evaluated if they changed.
 */
#include "runtime/engine/engine_properties.h"

#include <sys/syscall.h>
#include <sys/uio.h>

#include "base/sys.h"
#include "runtime/engine/engine_priv.h"
#include "runtime/engine/property_eval.h"
#include "runtime/rt.h"
#include "runtime/sched/access.h"
#include "runtime/sched/fiber.h"
#include "state/fingerprint.h"
#include "wire/wire.h"

/* A place that a property has read through a pointer: up to 8 bytes. */
#define PLACE(property, address, bytes) ((u64)(property) << 52 | (u64)((bytes)-1) << 48 | (address))
#define PLACE_ADDRESS(place) ((place) & ((1UL << 48) - 1))
#define PLACE_BYTES(place) ((u32)((place) >> 48 & 7) + 1)
#define PLACE_PROPERTY(place) ((u32)((place) >> 52) & (PROPERTIES_MAX - 1))
#define PLACE_SLOTS (2 * WIRE_MAX_PROPERTY_PLACES)

static u8 before[PROPERTY_RANGE_BYTES];
static struct property_value kept[PROPERTY_TERMS]; /* those of a property lie at its first term */
static struct {
	u32 count, loaded; /* loaded: of wire_learnt.property_place */
	u64 place[WIRE_MAX_PROPERTY_PLACES];
	u64 was[WIRE_MAX_PROPERTY_PLACES]; /* what was there before the step */
	bool there[WIRE_MAX_PROPERTY_PLACES];
	u16 slot[PLACE_SLOTS]; /* index + 1, by hash */
	bool full;
} places;
static bool given_up[PROPERTIES_MAX];

bool properties_on(void)
{
	return hd_unlikely(rt_wire->properties.count);
}

/* ---- reading ---- */

static bool read_anything(u64 address, void *to, u32 bytes)
{
	struct iovec here = {to, bytes}, there = {(void *)address, bytes};
	long pid = sys_call3(SYS_getpid, 0, 0, 0);
	return sys_call6(SYS_process_vm_readv, pid, (long)&here, 1, (long)&there, 1, 0) == (long)bytes;
}

/* False: known already, or there is no room. */
static bool add_place(u64 place)
{
	u64 h = (place * 0x9e3779b97f4a7c15u) >> 40;
	for (;; h++) {
		u16 *at = &places.slot[h % PLACE_SLOTS];
		if (*at && places.place[*at - 1] == place)
			return false;
		if (*at)
			continue;
		if (places.count == WIRE_MAX_PROPERTY_PLACES) {
			places.full = true;
			return false;
		}
		places.place[places.count] = place;
		*at = (u16)++places.count;
		return true;
	}
}

/*
 * With reduction, a place that was not known before was not looked at when it changed: the decisions of
 * this search may rest on that, so it begins again. Without, nothing rests on it.
 */
static void learn_place(u64 place)
{
	const struct search_options *o = &rt_wire->config.search;
	struct wire_learnt *l = &rt_wire->learnt;
	if (!add_place(place))
		return;
	if (rt_worker->task.mode != WIRE_SEARCH || !o->reduce ||
	    (o->strategy != SEARCH_DFS && o->strategy != SEARCH_BFS))
		return;
	if (learnt_place(l->property_place, 0, WIRE_MAX_PROPERTY_PLACES, &l->property_places, place) ==
	    WIRE_MAX_PROPERTY_PLACES)
		places.full = true;
	sched_want_restart_soon();
}

static bool in_ranges(const struct wire_property *p, u64 address, u32 bytes)
{
	const struct wire_properties *all = &rt_wire->properties;
	for (u32 i = 0; i < p->ranges; i++) {
		const struct property_range *r = &all->range[p->first_range + i];
		if (address >= r->address && address - r->address + bytes <= r->bytes)
			return true;
	}
	return false;
}

/* self: the property. */
static bool read_memory(void *self, u64 address, void *to, u32 bytes)
{
	const struct wire_property *p = self;
	if (in_ranges(p, address, bytes)) {
		__builtin_memcpy(to, (const void *)address, bytes);
		return true;
	}
	if (address >> 47)
		return false;
	learn_place(PLACE(p - rt_wire->properties.property, address, bytes));
	return read_anything(address, to, bytes);
}

void properties_load_lessons(void)
{
	const struct wire_learnt *l = &rt_wire->learnt;
	u32 known = __atomic_load_n(&l->property_places, __ATOMIC_ACQUIRE);
	for (; places.loaded < known; places.loaded++)
		add_place(l->property_place[places.loaded]);
}

/* ---- evaluation ---- */

static struct property_value evaluate(const struct wire_property *p, struct property_code code)
{
	struct property_memory memory = {(void *)p, read_memory};
	return property_eval(&rt_wire->properties, code, kept + p->first_term, &memory);
}

/* The values of all terms, as far as they have room. */
static void terms_text(const struct wire_property *p, struct text *t)
{
	const struct wire_properties *all = &rt_wire->properties;
	for (u32 i = 0; i < p->terms; i++) {
		const struct property_term *term = &all->term[p->first_term + i];
		struct property_value v = term->before ? kept[p->first_term + i] : evaluate(p, term->code);
		text_str(t, i ? ", " : ": ");
		text_str(t, all->text + term->text);
		text_str(t, " = ");
		property_value_text(all, term, &v, t);
	}
}

static void tell(const struct wire_property *p, const struct property_value *v, u32 slot)
{
	const struct wire_properties *all = &rt_wire->properties;
	char buf[VIOLATION_MESSAGE];
	struct text t;
	text_init(&t, buf, sizeof(buf));
	text_str(&t, p->step ? "step invariant " : "invariant ");
	text_str(&t, all->text + p->text);
	text_str(&t, v->trouble ? " has no value (" : " does not hold");
	if (v->trouble) {
		property_trouble_text(all, v, &t);
		text_str(&t, ")");
	}
	terms_text(p, &t);
	struct wire_regs regs = {0};
	if (model->fiber[slot].life == FIBER_ALIVE) /* else the step was its last one */
		fiber_regs(&model->fiber[slot], &regs);
	violation_set(VIOLATION_INVARIANT, slot, regs.rip, 0, 0, buf);
	/* One of its kind for each property, whatever the values are. */
	u64 key[2] = {VIOLATION_INVARIANT, 1 + (u64)(p - all->property)};
	violation_last()->key = XXH3_64bits(key, sizeof(key));
}

static bool fails(const struct wire_property *p, u32 slot)
{
	if (given_up[p - rt_wire->properties.property])
		return false;
	struct property_value v = evaluate(p, p->code);
	if (!v.trouble && v.bits)
		return false;
	tell(p, &v, slot);
	return true;
}

bool properties_begin(void)
{
	const struct wire_properties *all = &rt_wire->properties;
	bool failed = false;
	properties_load_lessons();
	for (u32 i = all->count; i-- > 0;) /* the last to tell is the first property */
		if (!all->property[i].step && fails(&all->property[i], 0))
			failed = given_up[i] = true;
	return failed;
}

void properties_step_begins(void)
{
	const struct wire_properties *all = &rt_wire->properties;
	u8 *to = before;
	for (u32 i = 0; i < all->ranges; i++) {
		__builtin_memcpy(to, (const void *)all->range[i].address, all->range[i].bytes);
		to += all->range[i].bytes;
	}
	for (u32 i = 0; i < places.count; i++) {
		u64 place = places.place[i];
		places.was[i] = 0;
		places.there[i] = read_anything(PLACE_ADDRESS(place), &places.was[i], PLACE_BYTES(place));
	}
	for (u32 i = 0; i < all->count; i++) {
		const struct wire_property *p = &all->property[i];
		for (u32 k = p->first_term; p->step && k < p->first_term + p->terms; k++)
			if (all->term[k].before)
				kept[k] = evaluate(p, all->term[k].code);
	}
}

/* Which properties read something that has changed, as bits. */
static u64 changed_ones(void)
{
	const struct wire_properties *all = &rt_wire->properties;
	const u8 *was = before;
	u64 changed = 0;
	for (u32 i = 0; i < all->count; i++) {
		const struct wire_property *p = &all->property[i];
		for (u32 k = p->first_range; k < p->first_range + p->ranges; k++) {
			const struct property_range *r = &all->range[k];
			changed |= (u64)(__builtin_memcmp(was, (const void *)r->address, r->bytes) != 0) << i;
			was += r->bytes;
		}
	}
	for (u32 i = 0; i < places.count; i++) {
		u64 place = places.place[i], now = 0;
		bool there = read_anything(PLACE_ADDRESS(place), &now, PLACE_BYTES(place));
		if (there != places.there[i] || now != places.was[i])
			changed |= 1UL << PLACE_PROPERTY(place);
	}
	return changed;
}

enum step_result properties_step_ends(u32 slot)
{
	const struct wire_properties *all = &rt_wire->properties;
	u64 changed = changed_ones();
	bool failed = false;
	for (u32 i = 0; i < all->count && changed; i++) {
		if (!(changed >> i & 1))
			continue;
		access_declare(object_id(OBJECT_PROPERTY, i), 1, ACCESS_WRITE);
		failed = failed || fails(&all->property[i], slot);
	}
	if (hd_unlikely(places.full)) {
		run_limit("invariants have read more than 4096 places in memory through pointers");
		return STEP_STOP;
	}
	return failed ? STEP_VIOLATION : STEP_OK;
}

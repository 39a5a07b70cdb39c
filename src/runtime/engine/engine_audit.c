/*
 * The engine's part of the audit (search/audit.h).
 *
 * Races. Two steps that share no declared object lead elsewhere in the other order: is it the program's
 * own doing? An unmodified program's plain loads and stores are declared nowhere. Stores are seen (they
 * change words outside the model, and not through the runtime: access_wrote); loads are not. So it is
 * tried out: the plain stores of step a alone are put into memory, and step b is executed on top of them.
 * If b then does what it does without them, it does not depend on them. If it does something else, or both
 * write the same word, the threads race there. Such a state is no state of the program: what the step says
 * to the world (results, lessons) must not count, and a step that speaks with a peer is not executed.
 */
#include "runtime/engine/engine_audit.h"

#include "base/pages.h"
#include "base/text.h"
#include "runtime/rt.h"
#include "runtime/engine/engine_priv.h"
#include "runtime/heap/heap.h"
#include "runtime/kstack/kstack.h"
#include "runtime/memory/memory.h"
#include "runtime/output/output.h"
#include "runtime/sched/access.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/op_classes.h"
#include "runtime/sched/owner.h"
#include "runtime/vkernel/core/vk_owner.h"
#include "state/fingerprint.h"
#include "state/track.h"
#include "wire/wire.h"

/* ---- what belongs to whom ---- */

bool engine_owner_of(u64 address, struct owner *o)
{
	u64 arena = (address - LAYOUT_HEAP_BASE) / LAYOUT_HEAP_STRIDE;
	if (arena < LAYOUT_MAX_FIBERS && heap_is_bookkeeping(address)) {
		u64 object = heap_is_about_retired(address) ? heap_retired_object(arena) : heap_object(arena);
		*o = (struct owner){object, 0, "the heap's bookkeeping"};
		return true;
	}
	return sched_owner(address, o) || vk_owner(address, o);
}

/* Memory that the runtime alone writes. */
bool engine_in_model(u64 address)
{
	const u64 kernel_heap = LAYOUT_HEAP_BASE + LAYOUT_MAX_FIBERS * LAYOUT_HEAP_STRIDE;
	return address - LAYOUT_MODEL_BASE < LAYOUT_MODEL_SIZE ||
	       (address - kernel_heap < LAYOUT_HEAP_STRIDE && !vk_is_mapped_file(address)) ||
	       heap_is_bookkeeping(address);
}

static void describe_owner(const struct owner *o, struct text *t)
{
	text_str(t, o->what);
	text_str(t, " (");
	text_str(t, object_class_name(o->object));
	text_str(t, " ");
	if (object_class(o->object) == OBJECT_MEMORY)
		text_addr(t, o->object);
	else
		text_hex(t, o->object & OBJECT_KEY_MASK);
	text_str(t, ")");
}

static void describe_word(u64 address, struct text *t)
{
	struct owner o;
	text_str(t, "the word at ");
	if (!engine_in_model(address)) {
		text_addr(t, address);
		return;
	}
	text_hex(t, address);
	if (!engine_owner_of(address, &o))
		return;
	text_str(t, ", ");
	describe_owner(&o, t);
}

/* ---- A1: what a step changed, it declared ---- */

struct undeclared {
	u32 runner; /* slot + 1 */
	bool found;
	u64 address, was, is;
	struct owner owner;
};

static bool is_declared(const struct undeclared *u, u64 address, struct owner *o)
{
	return !engine_owner_of(address, o) || o->fiber == u->runner ||
	       footprint_writes(access_footprint(), o->object);
}

static void look_at_word(void *self, u64 address, u64 was, u64 is)
{
	struct undeclared *u = self;
	if (!engine_in_model(address) || u->found)
		return;
	for (u32 byte = 0; byte < sizeof(u64); byte++) {
		if (!((was ^ is) >> (8 * byte) & 0xff) || is_declared(u, address + byte, &u->owner))
			continue;
		u->found = true;
		u->address = address + byte;
		u->was = was;
		u->is = is;
		return;
	}
}

static void look_at_wrote(struct undeclared *u)
{
	u32 n;
	const struct access *wrote = access_wrote_list(&n);
	for (u32 i = 0; i < n && !u->found; i++)
		if (!footprint_writes(access_footprint(), wrote[i].object)) {
			u->found = true;
			u->owner = (struct owner){wrote[i].object, 0, "a synchronisation object"};
		}
}

static bool audit_undeclared(void *t, u32 action, char *why, size_t cap)
{
	(void)t;
	struct undeclared u = {.runner = ACTION_FIBER(action) + 1};
	if (access_footprint()->world)
		return false;
	track_changed(track_mark() - 1, look_at_word, &u);
	look_at_wrote(&u);
	if (!u.found)
		return false;
	struct text text;
	text_init(&text, why, cap);
	describe_owner(&u.owner, &text);
	if (u.address) {
		text_str(&text, ", at ");
		text_hex(&text, u.address);
		text_str(&text, ", was ");
		text_hex(&text, u.was);
		text_str(&text, " and is ");
		text_hex(&text, u.is);
	}
	text_str(&text, ", in a step of thread ");
	text_dec(&text, (long)u.runner);
	return true;
}

/* ---- texts ---- */

static void audit_describe(void *t, u32 action, char *buf, size_t cap)
{
	(void)t;
	const struct fiber *f = &model->fiber[ACTION_FIBER(action)];
	struct text text;
	text_init(&text, buf, cap);
	fiber_describe(f, &text);
	text_str(&text, " ");
	op_describe(f, &f->op, ACTION_ALT(action), &text);
}

static void audit_remember(void *t)
{
	(void)t;
	track_remember();
}

static bool audit_difference(void *t, char *buf, size_t cap)
{
	(void)t;
	u64 address, was, is;
	if (!track_first_difference(&address, &was, &is))
		return false;
	struct text text;
	text_init(&text, buf, cap);
	describe_word(address, &text);
	text_str(&text, ", is ");
	text_hex(&text, was);
	text_str(&text, " after the one and ");
	text_hex(&text, is);
	text_str(&text, " after the other");
	return true;
}

/* ---- races ---- */

struct change {
	u64 address;
	u64 bits;  /* was xor is */
	u64 plain; /* those of them that the program itself stored */
};

/* What a step changed; unsorted, each word once. */
struct changes {
	struct pages_vec words; /* struct change */
	u64 sum;                /* over all of them, of a hash */
	bool good;              /* the step ended well */
	bool network;           /* it spoke with a peer */
};
/* Looking for the word goes no further than that. */
#define SEARCH_WORDS 256u

static u32 change_count(const struct changes *c)
{
	return (u32)(c->words.len / sizeof(struct change));
}

static const struct change *change_at(const struct changes *c, u32 i)
{
	return (const struct change *)c->words.data + i;
}

/* The bytes of the word that the runtime wrote, all ones. */
static u64 bytes_of_runtime(u64 address)
{
	if (engine_in_model(address) || (address >= LAYOUT_KSTACK_BASE && address < LAYOUT_STACK_BASE))
		return ~0ul;
	u64 mask = 0;
	u32 n;
	const struct access *wrote = access_wrote_list(&n);
	for (u32 i = 0; i < n; i++)
		for (u32 byte = 0; byte < sizeof(u64); byte++)
			if (address + byte - wrote[i].object < wrote[i].bytes)
				mask |= 0xfful << (8 * byte);
	return mask;
}

static void keep_change(void *self, u64 address, u64 was, u64 is)
{
	struct changes *c = self;
	u64 word[2] = {address, was ^ is};
	c->sum += XXH3_64bits(word, sizeof(word));
	struct change *new = pages_vec_push(&c->words, sizeof(*new));
	if (new)
		*new = (struct change){address, was ^ is, (was ^ is) & ~bytes_of_runtime(address)};
}

static bool touches_network(const struct footprint *f)
{
	for (u32 i = 0; i < f->count; i++) {
		enum object_class of = object_class(f->access[i].object);
		if (of == OBJECT_SOCKET || of == OBJECT_PORT)
			return true;
	}
	return f->world;
}

/*
 * A step that is tried out may run for ever, on a tree that is half put together, say: each time that costs
 * as long as it takes to notice. After some, no more are looked for.
 */
#define HANGS_MAX 3u
static u32 hangs; /* persistent */

static bool is_tired(void)
{
	return hangs >= HANGS_MAX;
}

void engine_experiment_hung(void)
{
	hangs++;
}

static void execute(u32 action, struct changes *c)
{
	u64 here = track_mark();
	c->words.len = c->sum = 0;
	access_listen(true);
	c->good = engine_step(NULL, action) == STEP_OK;
	c->network = touches_network(access_footprint());
	access_listen(false);
	track_changed(track_mark() - 1, keep_change, c);
	c->sum += output_hash();
	track_undo(here);
}

/* Which bits the other step changed, too. */
static u64 bits_at(const struct changes *c, u64 address)
{
	for (u32 i = 0; i < change_count(c); i++)
		if (change_at(c, i)->address == address)
			return change_at(c, i)->bits;
	return 0;
}

static bool same_changes(const struct changes *a, const struct changes *b)
{
	return a->good == b->good && a->words.len == b->words.len && a->sum == b->sum;
}

static u64 bytes_in(u64 bits)
{
	u64 mask = 0;
	for (u32 byte = 0; byte < sizeof(u64); byte++)
		if (bits >> (8 * byte) & 0xff)
			mask |= 0xfful << (8 * byte);
	return mask;
}

/* Both steps in this order; what is in the words then. */
static void values_after(u32 first, u32 second, const u64 *address, u64 *value, u32 n)
{
	u64 here = track_mark();
	if (engine_step(NULL, first) == STEP_OK)
		engine_step(NULL, second);
	for (u32 i = 0; i < n; i++)
		value[i] = *(const u64 *)address[i];
	track_undo(here);
}

/* A word of which both store the same bytes, and whose value depends on who comes last. */
static u64 both_store(u32 a, const struct changes *of_a, u32 b, const struct changes *of_b)
{
	static u64 address[SEARCH_WORDS], one[SEARCH_WORDS], other[SEARCH_WORDS];
	u32 n = 0;
	for (u32 i = 0; i < change_count(of_a) && n < SEARCH_WORDS; i++) {
		const struct change *c = change_at(of_a, i);
		if (bytes_in(c->plain) & bytes_in(bits_at(of_b, c->address)))
			address[n++] = c->address;
	}
	if (!n)
		return 0;
	values_after(a, b, address, one, n);
	values_after(b, a, address, other, n);
	for (u32 i = 0; i < n; i++)
		if (one[i] != other[i])
			return address[i];
	return 0;
}

static bool put(const struct change *c)
{
	if (!c->plain || !c->address || track_fault(c->address) <= 0)
		return false;
	*(u64 *)c->address ^= c->plain;
	return true;
}

/* Does the action do something else if these stores (or one of them) have happened before? */
static bool depends(u32 action, const struct changes *alone, const struct changes *stores, u32 from, u32 to)
{
	static struct changes after;
	u64 here = track_mark();
	bool any = false;
	for (u32 i = from; i < to; i++)
		any |= put(change_at(stores, i));
	if (!any)
		return false;
	track_commit(NULL);
	execute(action, &after);
	track_undo(here);
	return !same_changes(alone, &after);
}

/* Of bits of this word, the address of the first byte that no library answers for; 0: there is none. */
static u64 own_byte(u64 word, u64 bits)
{
	for (u32 at = 0; at < sizeof(u64); at += sizeof(u32)) {
		u64 half = bits & 0xfffffffful << (8 * at);
		if (half && !engine_shared_by_libraries(word + at))
			return word + (u32)__builtin_ctzl(half) / 8;
	}
	return 0;
}

/* Of what a step stored there, a byte that may be named: not the word, of which half may be another
   variable. */
static u64 stored_byte(const struct change *c)
{
	u64 own = own_byte(c->address, c->plain);
	if (own || !c->plain)
		return own ? own : c->address;
	return c->address + (u32)__builtin_ctzl(c->plain) / 8;
}

/* The address of what was stored by the one and on which the other depends; 0: there is none. */
static u64 depends_where(u32 action, const struct changes *alone, const struct changes *stores)
{
	u32 n = change_count(stores);
	if (!depends(action, alone, stores, 0, n))
		return 0;
	u64 of_library = 0;
	for (u32 i = 0; i < n && i < SEARCH_WORDS && !is_tired(); i++) {
		if (!depends(action, alone, stores, i, i + 1))
			continue;
		u64 address = own_byte(change_at(stores, i)->address, change_at(stores, i)->plain);
		if (address)
			return address;
		of_library = stored_byte(change_at(stores, i));
	}
	return of_library ? of_library : stored_byte(change_at(stores, 0));
}

static u64 first_plain(const struct changes *a)
{
	for (u32 i = 0; i < change_count(a); i++)
		if (own_byte(change_at(a, i)->address, change_at(a, i)->plain))
			return own_byte(change_at(a, i)->address, change_at(a, i)->plain);
	return 0;
}

/*
 * With peers, a step that never happens must not be heard. What a step says to a peer it says in the
 * operation that it starts with, so others may be tried.
 */
static bool may_try(const struct changes *a)
{
	return !a->network || !(rt_wire->config.net.clients || rt_wire->config.net.servers);
}

static u64 find_race(u32 a, u32 b)
{
	static struct changes of_a, of_b;
	execute(a, &of_a);
	execute(b, &of_b);
	u64 address = both_store(a, &of_a, b, &of_b);
	if (address)
		return address;
	if (is_tired())
		return first_plain(&of_a);
	address = may_try(&of_b) ? depends_where(b, &of_b, &of_a) : first_plain(&of_a);
	if (!address)
		address = may_try(&of_a) ? depends_where(a, &of_a, &of_b) : first_plain(&of_b);
	return address;
}

/* What steps say that are tried out, but are none of the program's, does not count. */
static struct {
	u32 depth, outcomes, refused;
	u64 exit_status, yields_cut;
} experiment;

bool engine_experiments(void)
{
	return experiment.depth;
}

static void audit_experiment(void *t, bool begins)
{
	(void)t;
	struct wire_result *r = &rt_worker->result;
	if (begins && !experiment.depth++) {
		experiment.outcomes = r->outcomes;
		experiment.refused = r->refused;
		experiment.exit_status = r->exit_status;
		experiment.yields_cut = r->yields_cut;
	}
	if (begins || --experiment.depth)
		return;
	r->outcomes = experiment.outcomes;
	r->refused = experiment.refused;
	r->exit_status = experiment.exit_status;
	r->yields_cut = experiment.yields_cut;
}

static u64 audit_race(void *t, u32 a, u32 b)
{
	audit_experiment(t, true);
	u64 address = find_race(a, b);
	audit_experiment(t, false);
	return address;
}

/* ---- the eye ---- */

/*
 * Nobody sees what the threads of an unmodified program read and write. But steps are not tried where they
 * can't be taken back for nothing: while an execution is played with peers, these would be asked once more in
 * between; and without a cache, each step back is a conversation held again.
 */
static bool audit_unmodified(void *t)
{
	(void)t;
	const struct net_config *net = &rt_wire->config.net;
	bool asks_again = net->live && (net->confirm || net->mode == CACHE_NONE);
	return !memory_on() && rt_worker->task.mode == WIRE_SEARCH && !asks_again;
}

static u64 audit_point(void *t, u32 action)
{
	(void)t;
	u32 slot = ACTION_FIBER(action);
	const struct op *o = &model->fiber[slot].op;
	u64 point[4] = {engine_program_pc(slot), o->kind, o->object, ACTION_ALT(action)};
	return XXH3_64bits(point, sizeof(point));
}

static u64 audit_both_store(void *t, u32 a, u32 b)
{
	(void)t;
	static struct changes of_a, of_b;
	execute(a, &of_a);
	execute(b, &of_b);
	for (u32 i = 0; i < HD_MIN(change_count(&of_a), SEARCH_WORDS); i++) {
		const struct change *c = change_at(&of_a, i);
		if (!own_byte(c->address, c->plain))
			continue;
		for (u32 j = 0; j < HD_MIN(change_count(&of_b), SEARCH_WORDS); j++) {
			const struct change *d = change_at(&of_b, j);
			u64 both = d->address == c->address ? bytes_in(c->plain) & bytes_in(d->plain) : 0;
			if (own_byte(c->address, both))
				return own_byte(c->address, both);
		}
	}
	return 0;
}

static u64 audit_output(void *t)
{
	(void)t;
	return output_hash();
}

static void audit_note_race(void *t, u64 address, u32 a, u32 b)
{
	(void)t;
	struct wire_result *r = &rt_worker->result;
	if (engine_shared_by_libraries(address))
		return;
	for (u32 i = 0; i < r->unsynchronised; i++)
		if (r->unsynchronised_at[i].address / sizeof(u64) == address / sizeof(u64))
			return;
	if (r->unsynchronised == WIRE_MAX_UNSYNCHRONISED)
		return;
	u32 one = ACTION_FIBER(a), other = ACTION_FIBER(b);
	r->unsynchronised_at[r->unsynchronised++] = (struct wire_unsynchronised){
		.address = address,
		.pc = {engine_program_pc(one), engine_program_pc(other)},
		.thread = {one + 1, other + 1}};
}

/* Peers would be told things that nobody says. */
static bool audit_pauses(void *t)
{
	(void)t;
	return !(rt_wire->config.net.clients || rt_wire->config.net.servers || is_tired());
}

static bool may_pause(u64 pc)
{
	return !engine_library_code(pc);
}

static void audit_pause(void *t, u32 action, u32 k)
{
	(void)t;
	access_pause(ACTION_FIBER(action), k, may_pause);
}

static bool audit_paused(void *t)
{
	(void)t;
	return access_paused();
}

/* ---- A3 ---- */

static u32 audit_merged(void *t)
{
	(void)t;
	return access_merged();
}

static void audit_split(void *t, u32 k)
{
	(void)t;
	access_split(k);
}

static u32 audit_rest(void *t, u32 action)
{
	(void)t;
	return ACTION(ACTION_FIBER(action), 0);
}

const struct target_audit engine_audit = {
	.undeclared = audit_undeclared,
	.describe = audit_describe,
	.remember = audit_remember,
	.difference = audit_difference,
	.race = audit_race,
	.unmodified = audit_unmodified,
	.point = audit_point,
	.both_store = audit_both_store,
	.output = audit_output,
	.note_race = audit_note_race,
	.pauses = audit_pauses,
	.experiment = audit_experiment,
	.pause = audit_pause,
	.paused = audit_paused,
	.merged = audit_merged,
	.split = audit_split,
	.rest = audit_rest,
};

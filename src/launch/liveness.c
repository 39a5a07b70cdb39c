/*
 * Which registers are dead: the textbook's backward analysis, over one function at a time and, at direct
 * calls, with what the callee may read before it writes.
 *
 * Wrongly called dead would be a change of the program's meaning, so everything that is not known counts as
 * read:
 *   L1  a branch that leads out of the function in any other way than to the start of another one, an
 *       indirect branch (jump tables), the end of the function without a return, code that can't be read,
 *       recursion: all registers.
 *   L2  a call: all registers that a callee preserves, as an exception may lead from there to code that
 *       needs them. Of a function of the module: what it reads, and what is live behind the call, unless the
 *       function writes it somewhere (see L3). Of a function that the compiler could not see, as it is
 *       called by a pointer, or through a table of the dynamic linker: what may hold arguments. If it can't
 *       be told, all.
 *   L3  a return: registers that a callee preserves, those that may hold results (rax, rdx, rcx), and those
 *       that neither the function nor what it calls writes anywhere: a compiler that sees both caller and
 *       callee (gcc's -fipa-ra) may keep something in them over the call. If one is written on any path, no
 *       caller can; and what the compiler does not see may write all that it need not preserve.
 *   L4  only a write of 32 or 64 bits overwrites; conditional ones (cmov) don't.
 *   L5  registers that a callee preserves are never called dead: code that an exception leads to may need
 *       them, wherever it was thrown.
 *   L6  the red zone, 128 bytes below the stack pointer, is in use unless the function calls others, as
 *       compilers use it in leaf functions only, and addresses nothing below rsp.
 */
#include "launch/liveness.h"

#include <Zydis/Zydis.h>
#include <stdlib.h>

#define BIT(register) (1u << (ZYDIS_REGISTER_##register - ZYDIS_REGISTER_RAX))
#define ALL 0xffffu
#define PRESERVED (BIT(RBX) | BIT(RBP) | BIT(RSP) | BIT(R12) | BIT(R13) | BIT(R14) | BIT(R15))
#define RESULTS (BIT(RAX) | BIT(RDX) | BIT(RCX))
/* By convention; rax counts vector registers, r10 is that of a nested function. */
#define ARGUMENTS (BIT(RDI) | BIT(RSI) | BIT(RDX) | BIT(RCX) | BIT(R8) | BIT(R9) | BIT(RAX) | BIT(R10))
#define CALL_ARGUMENTS (BIT(RDI) | BIT(RSI) | BIT(RDX) | BIT(R10) | BIT(R8) | BIT(R9) | BIT(RAX))

#define MAX_DEPTH 48        /* of calls that are followed */
#define MAX_CODE (8u << 20) /* bytes looked at in a module; beyond, nothing is dead */

enum flow {
	FLOW_ON,
	FLOW_BRANCH, /* or on */
	FLOW_JUMP,
	FLOW_CALL,
	FLOW_CALL_AWAY, /* of a function that the compiler did not see */
	FLOW_GO_AWAY,   /* the same as the last thing that this one does */
	FLOW_RETURN,
	FLOW_STOP,
	FLOW_UNKNOWN,
};

struct instruction {
	u64 at, target; /* target 0: not known */
	u32 reads, writes, touches;
	u32 live; /* before it */
	enum flow flow;
};

struct body {
	const struct function *of;
	struct instruction *list;
	size_t count;
	u32 written;      /* anywhere in it, or in what it calls */
	bool called;      /* looked at for its caller's sake: what that one needs later is not its business */
	bool calls, dips; /* … does it call, address something below the stack pointer? */
};

struct summary {
	u16 reads, writes; /* of what it finds; anywhere in it */
	u8 known, busy;
};

struct stubs {
	u64 start, size;
};

struct liveness {
	ZydisDecoder decoder;
	const struct elf_image *image;
	const struct functions *all;
	const u8 *unsure;
	struct summary *summary; /* by function */
	struct body body;        /* the one asked for last */
	struct stubs plt[2];     /* they jump through the dynamic linker's table */
	u64 code;                /* looked at so far */
	u32 depth;
};

struct liveness *liveness_new(const struct elf_image *image, const struct functions *all, const u8 *unsure)
{
	struct liveness *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	*l = (struct liveness){.image = image, .all = all, .unsure = unsure};
	elf_image_section(image, ".plt", &l->plt[0].start, &l->plt[0].size);
	elf_image_section(image, ".plt.sec", &l->plt[1].start, &l->plt[1].size);
	ZydisDecoderInit(&l->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	l->summary = calloc(all->count + 1, sizeof(*l->summary));
	if (l->summary)
		return l;
	free(l);
	return NULL;
}

void liveness_free(struct liveness *l)
{
	if (!l)
		return;
	free(l->body.list);
	free(l->summary);
	free(l);
}

/* --- one instruction --- */

static u32 bit_of(ZydisRegister r)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);

	return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15 ? 1u << (whole - ZYDIS_REGISTER_RAX)
									  : 0;
}

static void see_register(struct instruction *to, const ZydisDecodedOperand *o)
{
	u32 bit = bit_of(o->reg.value);
	bool whole = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, o->reg.value) >= 32;

	if (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
		to->reads |= bit;
	if (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
		to->touches |= bit;
	if ((o->actions & ZYDIS_OPERAND_ACTION_WRITE) && whole)
		to->writes |= bit;
	else if (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
		to->reads |= bit; /* what it leaves of the old value */
}

/* xor eax, eax */
static bool is_zero(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o)
{
	return (i->mnemonic == ZYDIS_MNEMONIC_XOR || i->mnemonic == ZYDIS_MNEMONIC_SUB) &&
	       o[0].type == ZYDIS_OPERAND_TYPE_REGISTER && o[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       o[0].reg.value == o[1].reg.value && o[0].size >= 32;
}

static void see_operands(struct instruction *to, const ZydisDecodedInstruction *i,
			 const ZydisDecodedOperand *o)
{
	for (u8 k = 0; k < i->operand_count; k++) {
		if (o[k].type == ZYDIS_OPERAND_TYPE_REGISTER)
			see_register(to, &o[k]);
		if (o[k].type == ZYDIS_OPERAND_TYPE_MEMORY)
			to->reads |= bit_of(o[k].mem.base) | bit_of(o[k].mem.index);
	}
	if (is_zero(i, o))
		to->reads &= ~bit_of(o[0].reg.value);
}

static enum flow flow_of(const ZydisDecodedInstruction *i)
{
	bool relative = i->raw.imm[0].is_relative;

	switch (i->meta.category) {
	case ZYDIS_CATEGORY_RET:
		return FLOW_RETURN;
	case ZYDIS_CATEGORY_CALL:
		return FLOW_CALL;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return relative ? FLOW_JUMP : FLOW_UNKNOWN;
	case ZYDIS_CATEGORY_COND_BR:
		return relative ? FLOW_BRANCH : FLOW_UNKNOWN;
	default:
		break;
	}
	if (i->mnemonic == ZYDIS_MNEMONIC_UD2 || i->mnemonic == ZYDIS_MNEMONIC_INT3)
		return FLOW_STOP;
	return relative ? FLOW_UNKNOWN : FLOW_ON;
}

static bool is_stub(const struct liveness *l, u64 at)
{
	for (u32 i = 0; i < HD_ARRAY_LEN(l->plt); i++)
		if (at - l->plt[i].start < l->plt[i].size)
			return true;
	return false;
}

/*
 * Calls by convention. A call through what rax points at may be that of a TLS descriptor, which has one of
 * its own. A jump to what lies at a fixed place is no table of this function's.
 */
static enum flow flow_away(const struct liveness *l, const struct instruction *i,
			   const ZydisDecodedOperand *to)
{
	bool fixed = to->type == ZYDIS_OPERAND_TYPE_MEMORY && to->mem.base == ZYDIS_REGISTER_RIP;
	bool by_rax = to->type == ZYDIS_OPERAND_TYPE_MEMORY && to->mem.base == ZYDIS_REGISTER_RAX &&
		      to->mem.index == ZYDIS_REGISTER_NONE && !to->mem.disp.value;

	if (i->target ? is_stub(l, i->target) : i->flow == FLOW_CALL ? !by_rax : fixed)
		return i->flow == FLOW_CALL ? FLOW_CALL_AWAY : FLOW_GO_AWAY;
	return i->flow;
}

static bool dips(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o)
{
	for (u8 k = 0; k < i->operand_count_visible; k++)
		if (o[k].type == ZYDIS_OPERAND_TYPE_MEMORY && o[k].mem.base == ZYDIS_REGISTER_RSP &&
		    o[k].mem.disp.value < 0)
			return true;
	return false;
}

static void see(struct liveness *l, struct body *b, struct instruction *to, const ZydisDecodedInstruction *i,
		const ZydisDecoderContext *context)
{
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];

	to->flow = flow_of(i);
	if (i->raw.imm[0].is_relative)
		to->target = to->at + i->length + (u64)i->raw.imm[0].value.s;
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeOperands(&l->decoder, context, i, operand, i->operand_count))) {
		to->flow = FLOW_UNKNOWN;
		return;
	}
	see_operands(to, i, operand);
	if (to->flow == FLOW_CALL || to->flow == FLOW_JUMP ||
	    (to->flow == FLOW_UNKNOWN && i->meta.category == ZYDIS_CATEGORY_UNCOND_BR))
		to->flow = flow_away(l, to, &operand[0]);
	b->written |= to->touches;
	if (to->flow == FLOW_CALL_AWAY || to->flow == FLOW_GO_AWAY)
		b->written |= ALL & ~PRESERVED;
	b->calls |= to->flow == FLOW_CALL || to->flow == FLOW_CALL_AWAY;
	b->dips |= dips(i, operand);
	if (i->mnemonic == ZYDIS_MNEMONIC_SYSCALL)
		to->reads |= CALL_ARGUMENTS;
}

/* --- one function --- */

static bool read_body(struct liveness *l, const struct function *f, struct body *out)
{
	const u8 *code = elf_image_at(l->image, f->start, f->size);

	*out = (struct body){.of = f, .called = out->called, .list = calloc(f->size, sizeof(*out->list))};
	if (!out->list)
		return false;
	for (u64 at = 0; at < f->size;) {
		struct instruction *to = &out->list[out->count++];
		ZydisDecoderContext context;
		ZydisDecodedInstruction i;

		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&l->decoder, &context, code + at,
								f->size - at, &i)))
			return false;
		to->at = f->start + at;
		see(l, out, to, &i, &context);
		at += i.length;
	}
	return true;
}

static struct instruction *instruction_at(const struct body *b, u64 at)
{
	size_t low = 0, high = b->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (b->list[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < b->count && b->list[low].at == at ? &b->list[low] : NULL;
}

/* Behind a return. */
static u32 live_outside(const struct body *b)
{
	return b->called ? 0 : PRESERVED | RESULTS | (ALL & ~b->written);
}

static u32 read_by(struct liveness *l, u64 at);

/* … write, anywhere. */
static u32 written_by(struct liveness *l, u64 at);

/* Where a jump leads: inside, or to the start of another function, which returns for this one. */
static u32 live_at(struct liveness *l, const struct body *b, u64 target)
{
	const struct instruction *to = instruction_at(b, target);

	return to ? to->live : read_by(l, target) | live_outside(b);
}

static u32 live_before(struct liveness *l, const struct body *b, const struct instruction *i)
{
	u32 on = i + 1 < b->list + b->count ? i[1].live : ALL;

	switch (i->flow) {
	case FLOW_ON:
		return i->reads | (on & ~i->writes);
	case FLOW_BRANCH:
		return i->reads | ((on | live_at(l, b, i->target)) & ~i->writes);
	case FLOW_JUMP:
		return i->reads | live_at(l, b, i->target);
	case FLOW_CALL:
		return i->reads | PRESERVED |
		       (i->target ? read_by(l, i->target) | (on & ~written_by(l, i->target)) : ALL);
	case FLOW_CALL_AWAY:
	case FLOW_GO_AWAY:
		return i->reads | PRESERVED | ARGUMENTS;
	case FLOW_RETURN:
		return i->reads | live_outside(b);
	case FLOW_STOP:
		return 0;
	case FLOW_UNKNOWN:
		break;
	}
	return ALL;
}

/* Of functions of the module that it calls, or that return for it. */
static void see_callees(struct liveness *l, struct body *b)
{
	for (const struct instruction *i = b->list; i < b->list + b->count; i++)
		if (i->target && (i->flow == FLOW_CALL || !instruction_at(b, i->target)))
			b->written |= written_by(l, i->target);
}

static void solve(struct liveness *l, struct body *b)
{
	bool again = true;

	see_callees(l, b);
	while (again) {
		again = false;
		for (size_t i = b->count; i-- > 0;) {
			u32 live = live_before(l, b, &b->list[i]) | BIT(RSP);

			again |= live != b->list[i].live;
			b->list[i].live = live;
		}
	}
}

static bool look_into(struct liveness *l, const struct function *f, struct body *b)
{
	struct summary *s = &l->summary[f - l->all->list];
	bool read;

	if (s->busy || l->unsure[f - l->all->list] || l->depth >= MAX_DEPTH || l->code + f->size > MAX_CODE)
		return false;
	l->code += f->size;
	l->depth++;
	s->busy = 1;
	read = read_body(l, f, b);
	if (read)
		solve(l, b);
	s->busy = 0;
	l->depth--;
	return read && b->count;
}

static const struct function *starting_at(const struct functions *all, u64 at)
{
	size_t low = 0, high = all->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (all->list[middle].start < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < all->count && all->list[low].start == at ? &all->list[low] : NULL;
}

/* What the function that starts there may read of what it finds in registers. */
static u32 read_by(struct liveness *l, u64 at)
{
	const struct function *f = starting_at(l->all, at);
	struct summary *s = f ? &l->summary[f - l->all->list] : NULL;
	struct body b;

	if (!f || s->busy)
		return ALL;
	if (s->known)
		return s->reads;
	b = (struct body){.called = true};
	s->reads = (u16)ALL;
	if (look_into(l, f, &b)) {
		s->reads = (u16)b.list[0].live;
		s->writes = (u16)b.written;
	}
	s->known = 1;
	free(b.list);
	return s->reads;
}

static u32 written_by(struct liveness *l, u64 at)
{
	const struct function *f = starting_at(l->all, at);

	read_by(l, at);
	return f ? l->summary[f - l->all->list].writes : 0;
}

static const struct body *body_of(struct liveness *l, const struct function *f)
{
	if (l->body.of == f)
		return &l->body;
	free(l->body.list);
	l->body = (struct body){0};
	if (look_into(l, f, &l->body))
		return &l->body;
	free(l->body.list);
	l->body = (struct body){.of = f};
	return &l->body;
}

bool liveness_no_red_zone(struct liveness *l, const struct function *f)
{
	const struct body *b = body_of(l, f);

	return b->count && b->calls && !b->dips;
}

u32 liveness_dead(struct liveness *l, const struct function *f, u64 at)
{
	const struct instruction *i = instruction_at(body_of(l, f), at);

	return i ? ALL & ~i->live & ~PRESERVED : 0;
}

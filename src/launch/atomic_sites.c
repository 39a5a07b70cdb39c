/*
 * atomics.c: which instructions may be replaced by a trap?
 *
 * A byte that is overwritten must be the first one of an instruction, always: data between functions, or
 * code read from the wrong byte on, would change the program's meaning. So a function is only taken as read
 * if
 *
 *   1. the unwind tables give its start and size,
 *   2. instructions follow one another without a gap from its start to exactly its end, and
 *   3. no branch inside the module leads between two bytes of one of them.
 *
 * Otherwise it is left alone and, if it seems to have atomics, counted, and the verdict says so.
 * (Hand-written code that jumps past a lock prefix fails 3.)
 *
 * Atomics of libc are not looked at: what threads may see of it is modelled function by function. Neither
 * are those of the C++ libraries: they count references to locales and strings.
 *
 * rdrand and rdseed, whose values would differ from run to run, are sites as well, in all libraries
 * (std::random_device uses them): the runtime answers from the seeded stream.
 */
#include "launch/atomic_sites.h"

#include <Zydis/Zydis.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/functions.h"
#include "launch/benign_atomics.h"
#include "launch/liveness.h"

#define OPCODE_LOCK 0xf0

struct sweep {
	ZydisDecoder decoder;
	bool only_random; /* of a library whose atomics are no steps */
	const struct elf_image *image;
	u64 bias;
	struct wire_atomics *out;
	u8 *starts; /* per byte of the module's code: does an instruction start here? */
	u64 low, high;
	struct liveness *liveness;
};

static bool is_one_of(const char *path, const char *const *names, size_t count)
{
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; slash && i < count; i++)
		if (!strncmp(slash + 1, names[i], strlen(names[i])))
			return true;
	return !slash;
}

/* Code that rolls no dice, and is not to be changed. */
static bool is_left_alone(const char *path)
{
	static const char *const names[] = {"ld-linux", "libheddle-rt", "libc.so",  "libc-2",
					    "libm.so",  "libpthread",   "libdl.so", "librt.so"};

	return is_one_of(path, names, HD_ARRAY_LEN(names));
}

static bool has_modelled_atomics(const char *path)
{
	static const char *const names[] = {"libstdc++.", "libgcc_s"};

	return is_one_of(path, names, HD_ARRAY_LEN(names));
}

static bool is_random(const ZydisDecodedInstruction *i)
{
	return i->mnemonic == ZYDIS_MNEMONIC_RDRAND || i->mnemonic == ZYDIS_MNEMONIC_RDSEED;
}

static bool is_atomic(const ZydisDecodedInstruction *i)
{
	bool memory = (i->attributes & ZYDIS_ATTRIB_HAS_MODRM) && i->raw.modrm.mod != 3;

	return memory && ((i->attributes & ZYDIS_ATTRIB_HAS_LOCK) || i->mnemonic == ZYDIS_MNEMONIC_XCHG);
}

static bool overwrites_flags(const ZydisDecodedInstruction *i)
{
	const ZydisAccessedFlags *f = i->cpu_flags;
	u32 all = ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_ZF |
		  ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_OF;

	return f && !(f->tested & all) && ((f->modified | f->set_0 | f->set_1 | f->undefined) & all) == all;
}

static u8 register_number(ZydisRegister r)
{
	return r >= ZYDIS_REGISTER_RAX && r <= ZYDIS_REGISTER_R15 ? (u8)(r - ZYDIS_REGISTER_RAX)
								  : WIRE_SITE_NO_REGISTER;
}

static void describe_operand(const ZydisDecodedOperand *o, struct wire_site *site)
{
	bool elsewhere = o->mem.segment == ZYDIS_REGISTER_FS || o->mem.segment == ZYDIS_REGISTER_GS;

	site->base = elsewhere ? WIRE_SITE_ELSEWHERE : register_number(o->mem.base);
	site->index = register_number(o->mem.index);
	site->shift = o->mem.scale ? (u8)__builtin_ctz(o->mem.scale) : 0;
	site->displacement = (int)o->mem.disp.value;
	site->bytes = (u8)(o->size / 8);
}

static bool compares_pointers(const ZydisDecodedInstruction *i, u32 bytes)
{
	return i->mnemonic == ZYDIS_MNEMONIC_CMPXCHG16B ||
	       (i->mnemonic == ZYDIS_MNEMONIC_CMPXCHG && bytes == sizeof(u64));
}

/* False: there is something about it that the runtime could not execute elsewhere. */
static bool fill_site(struct sweep *s, const ZydisDecoderContext *context, const ZydisDecodedInstruction *i,
		      const u8 *code, struct wire_site *site)
{
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];

	memcpy(site->code, code, i->length);
	site->length = i->length;
	site->pause = i->mnemonic == ZYDIS_MNEMONIC_PAUSE;
	if (site->pause)
		return true;
	if (is_random(i)) {
		site->random = i->operand_width / 8;
		site->base = (u8)(i->raw.modrm.rm | (i->raw.rex.B ? 8 : 0));
		return true;
	}
	site->flags_dead = overwrites_flags(i);
	if (i->address_width != 64 ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeOperands(&s->decoder, context, i, operand, i->operand_count)))
		return false;
	for (u8 k = 0; k < i->operand_count_visible; k++)
		if (operand[k].type == ZYDIS_OPERAND_TYPE_MEMORY) {
			describe_operand(&operand[k], site);
			site->compares = compares_pointers(i, site->bytes);
			if (operand[k].mem.base != ZYDIS_REGISTER_RIP)
				return true;
			site->relative_at = i->raw.disp.offset;
			return i->raw.disp.size == 32;
		}
	return false;
}

static bool add_site(struct sweep *s, const struct function *f, u64 pc, const ZydisDecoderContext *context,
		     const ZydisDecodedInstruction *i, const u8 *code)
{
	struct wire_site *site = &s->out->site[s->out->sites];

	if (s->out->sites == WIRE_MAX_SITES)
		return false;
	memset(site, 0, sizeof(*site));
	site->pc = pc + s->bias;
	if (!fill_site(s, context, i, code, site))
		return false;
	site->dead = (u16)liveness_dead(s->liveness, f, pc);
	site->no_red_zone = liveness_no_red_zone(s->liveness, f);
	s->out->sites++;
	return true;
}

static bool is_site(const struct sweep *s, const ZydisDecodedInstruction *i)
{
	return is_random(i) || (!s->only_random && (is_atomic(i) || i->mnemonic == ZYDIS_MNEMONIC_PAUSE));
}

/* One function: rules 1 and 2. Its instructions' starts are marked; its sites are added when `collect`. */
static bool sweep_function(struct sweep *s, const struct function *f, bool collect)
{
	const u8 *code = elf_image_at(s->image, f->start, f->size);
	u64 at = 0;

	while (at < f->size) {
		ZydisDecoderContext context;
		ZydisDecodedInstruction i;

		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&s->decoder, &context, code + at,
								f->size - at, &i)))
			return false;
		s->starts[f->start + at - s->low] = 1;
		if (collect && is_site(s, &i) && !add_site(s, f, f->start + at, &context, &i, code + at))
			return false;
		at += i.length;
	}
	return true;
}

static bool target_between(const struct sweep *s, const struct function *in, u64 target)
{
	return target >= in->start && target < in->start + in->size && !s->starts[target - s->low];
}

static const struct function *function_of(const struct functions *f, u64 address)
{
	size_t low = 0, high = f->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (f->list[middle].start + f->list[middle].size <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < f->count && f->list[low].start <= address ? &f->list[low] : NULL;
}

/* Rule 3: mark the functions that branches of f lead into at a wrong place. */
static void check_branches(const struct sweep *s, const struct functions *all, const struct function *f,
			   u8 *doubted)
{
	const u8 *code = elf_image_at(s->image, f->start, f->size);
	u64 at = 0;

	while (at < f->size) {
		ZydisDecodedInstruction i;
		const struct function *into;
		u64 target;

		if (!ZYAN_SUCCESS(
			    ZydisDecoderDecodeInstruction(&s->decoder, NULL, code + at, f->size - at, &i)))
			return;
		at += i.length;
		if (!i.raw.imm[0].is_relative)
			continue;
		target = f->start + at + (u64)i.raw.imm[0].value.s;
		into = function_of(all, target);
		if (into && target_between(s, into, target)) {
			doubted[into - all->list] = 1;
			doubted[f - all->list] = 1;
		}
	}
}

/* Bytes that look like rdrand or rdseed: 0f c7 and a register. */
static bool seems_random(const struct sweep *s, const struct function *f)
{
	const u8 *code = elf_image_at(s->image, f->start, f->size);

	for (u64 i = 0; i + 2 < f->size; i++)
		if (code[i] == 0x0f && code[i + 1] == 0xc7 && code[i + 2] >= 0xf0)
			return true;
	return false;
}

/* Bytes that look like a site; for the count of functions left alone. */
static bool seems_a_site(const struct sweep *s, const struct function *f)
{
	const u8 *code = elf_image_at(s->image, f->start, f->size);

	if (seems_random(s, f) || s->only_random)
		return seems_random(s, f);
	return memchr(code, OPCODE_LOCK, f->size) || memchr(code, 0x86, f->size) ||
	       memchr(code, 0x87, f->size);
}

static void collect(struct sweep *s, const struct functions *all, const u8 *doubted)
{
	u64 hooks, hooks_size;

	/* An instrumented program's atomics are told before they happen, and are steps there. */
	elf_image_section(s->image, "heddle_hooks", &hooks, &hooks_size);
	for (size_t i = 0; i < all->count; i++) {
		u32 before = s->out->sites;

		if (all->list[i].start - hooks < hooks_size)
			continue;
		if (!doubted[i] && sweep_function(s, &all->list[i], true))
			continue;
		s->out->sites = before;
		s->out->unread += seems_a_site(s, &all->list[i]);
	}
}

static int sweep_module(struct sweep *s, const struct functions *all)
{
	u8 *doubted = calloc(all->count + 1, 1);
	int ret = -1;

	s->low = all->count ? all->list[0].start : 0;
	s->high = all->count ? all->list[all->count - 1].start + all->list[all->count - 1].size : 0;
	s->starts = calloc(s->high - s->low + 1, 1);
	s->liveness = doubted ? liveness_new(s->image, all, doubted) : NULL;
	if (s->starts && s->liveness)
		ret = 0;
	for (size_t i = 0; ret == 0 && i < all->count; i++)
		doubted[i] = !sweep_function(s, &all->list[i], false);
	for (size_t i = 0; ret == 0 && i < all->count; i++)
		check_branches(s, all, &all->list[i], doubted);
	if (ret == 0)
		collect(s, all, doubted);
	liveness_free(s->liveness);
	free(s->starts);
	free(doubted);
	return ret;
}

/* Few functions of a library roll dice: only those are read. */
static void keep_random(const struct sweep *s, struct functions *all)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->count; i++)
		if (seems_random(s, &all->list[i]))
			all->list[kept++] = all->list[i];
	all->count = kept;
}

static int find_in(const char *path, u64 loaded_at, struct wire_atomics *out)
{
	struct elf_image image;
	struct functions all;
	struct sweep s = {.image = &image, .out = out, .only_random = has_modelled_atomics(path)};
	int ret;

	if (elf_image_open(&image, path))
		return 0;
	s.bias = loaded_at - elf_image_base(&image);
	ZydisDecoderInit(&s.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	benign_atomics_find(&image, s.bias, out);
	ret = functions_read(&image, &all);
	if (ret == 0 && s.only_random)
		keep_random(&s, &all);
	if (ret == 0)
		ret = sweep_module(&s, &all);
	functions_free(&all);
	elf_image_close(&image);
	return ret;
}

static int by_address(const void *a, const void *b)
{
	u64 x = ((const struct wire_site *)a)->pc, y = ((const struct wire_site *)b)->pc;

	return x < y ? -1 : x > y;
}

int atomics_find(pid_t pid, struct wire_atomics *out, struct problem *p)
{
	char maps[64], line[4400], path[4096];
	unsigned long start, offset;
	int ret = 0;
	FILE *f;

	snprintf(maps, sizeof(maps), "/proc/%d/maps", (int)pid);
	f = fopen(maps, "re");
	if (!f)
		return problem_set(p, "%s: %s", maps, strerror(errno));
	/* A module's first mapping is that of its first page. */
	while (ret == 0 && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%*x %*s %lx %*s %*s %4095[^\n]", &start, &offset, path) == 3 &&
		    offset == 0 && !is_left_alone(path))
			ret = find_in(path, start, out);
	fclose(f);
	if (ret)
		return problem_set(p, "out of memory");
	qsort(out->site, out->sites, sizeof(out->site[0]), by_address);
	for (u32 i = 0; i < out->sites; i++)
		out->atomic += !out->site[i].pause && !out->site[i].random;
	return 0;
}

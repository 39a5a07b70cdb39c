#include "runtime/memory/unseen.h"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/pages.h"
#include "base/sys.h"
#include "base/text.h"
#include "runtime/memory/harmless.h"
#include "runtime/memory/told.h"
#include "runtime/rt.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/sched.h"
#include "wire/wire.h"
#include "wire/wrapped.h"

#define STUBS 4096u
#define STUB_BYTES 32u
struct stub {
	u64 real;   /* the function */
	u64 caller; /* where the last call returns to; 0: not called since the last look */
	const char *name;
	const u64 *hooks;        /* of the module that calls */
	const struct told *uses; /* known to touch no more than this: the stub goes through the gate */
	bool told;
};
_Static_assert(offsetof(struct stub, real) == 0, "the gate jumps there");

/* Code and data lie near each other, so that the one finds the other relative to itself. Never tracked. */
static struct {
	u8 code[STUBS][STUB_BYTES];
	struct stub stub[STUBS];
	u64 called; /* any */
	u64 gate;
} * area;
static u32 count;

#define NAME_COMMA(name) #name,
static const char *const wrapped[] = {
	HOOKS_WRAPPED(NAME_COMMA) HOOKS_WRAPPED_CHECKED(NAME_COMMA) HOOKS_WRAPPED_CALLS(NAME_COMMA)
		HOOKS_WRAPPED_STRUCTS(NAME_COMMA) HOOKS_WRAPPED_THREADS(NAME_COMMA)
			HOOKS_WRAPPED_STREAMS(NAME_COMMA) HOOKS_WRAPPED_CONTAINERS(NAME_COMMA)};

static bool is_looked_into(const char *name)
{
	for (u32 i = 0; i < HD_ARRAY_LEN(wrapped); i++)
		if (str_equal(name, wrapped[i]))
			return true;
	for (u32 i = 0; i < HD_ARRAY_LEN(harmless); i++)
		if (told_matches(name, harmless[i]))
			return true;
	return false;
}

static u8 *put(u8 *to, u32 n, u64 bytes)
{
	for (u32 i = 0; i < n; i++)
		*to++ = (u8)(bytes >> (8 * i));
	return to;
}

/* An operand relative to the end of the instruction, of which `left` bytes are behind the operand. */
static u8 *put_place(u8 *to, const void *place, u32 left)
{
	return put(to, 4, (u64)place - (u64)to - 4 - left);
}

/* Registers that a function may change between modules: r11. */
static u64 make_stub(u64 real, const char *name, const u64 *hooks)
{
	struct stub *s = &area->stub[count];
	u8 *code = area->code[count++], *at = code;
	*s = (struct stub){.real = real, .name = name, .hooks = hooks, .uses = told_find(name)};
	if (s->uses) {
		at = put(at, 3, 0x1d8d4c); /* lea stub(%rip), %r11 */
		at = put_place(at, s, 0);
		at = put(at, 2, 0x25ff); /* jmp *gate(%rip) */
		put_place(at, &area->gate, 0);
		return (u64)code;
	}
	at = put(at, 4, 0x241c8b4c); /* mov (%rsp), %r11 */
	at = put(at, 3, 0x1d894c);   /* mov %r11, caller(%rip) */
	at = put_place(at, &s->caller, 0);
	at = put(at, 2, 0x05c6); /* movb $1, called(%rip) */
	at = put_place(at, &area->called, 1);
	at = put(at, 1, 1);
	at = put(at, 2, 0x25ff); /* jmp *real(%rip) */
	put_place(at, &s->real, 0);
	return (u64)code;
}

/* What a module has that calls others. */
struct module {
	u64 base;
	const Elf64_Sym *symbol;
	const char *strings;
	const Elf64_Rela *calls, *others; /* through slots of the linkage table, and by address */
	u64 calls_size, others_size, strings_size;
	const u64 *hooks; /* where its hooks begin and end: their own calls don't count */
};

/* ld.so has made addresses of these, all but those of a module that it maps read-only. */
static void read_dynamic(struct module *m, const Elf64_Dyn *d)
{
	for (; d->d_tag != DT_NULL; d++) {
		u64 at = d->d_un.d_ptr < m->base ? d->d_un.d_ptr + m->base : d->d_un.d_ptr;
		if (d->d_tag == DT_SYMTAB)
			m->symbol = (const Elf64_Sym *)at;
		else if (d->d_tag == DT_STRTAB)
			m->strings = (const char *)at;
		else if (d->d_tag == DT_JMPREL)
			m->calls = (const Elf64_Rela *)at;
		else if (d->d_tag == DT_PLTRELSZ)
			m->calls_size = d->d_un.d_val;
		else if (d->d_tag == DT_RELA)
			m->others = (const Elf64_Rela *)at;
		else if (d->d_tag == DT_RELASZ)
			m->others_size = d->d_un.d_val;
		else if (d->d_tag == DT_STRSZ)
			m->strings_size = d->d_un.d_val;
	}
}

/*
 * Nothing says how long the table of symbols is. GNU ld has the strings right behind it, lld what belongs to
 * versions, and the hash table, so it ends where the next of these begins.
 */
static u64 end_of_symbols(const struct module *m, const Elf64_Dyn *d)
{
	u64 end = ~0UL;
	for (; d->d_tag != DT_NULL; d++) {
		u64 at = d->d_un.d_ptr < m->base ? d->d_un.d_ptr + m->base : d->d_un.d_ptr;
		bool table = d->d_tag == DT_STRTAB || d->d_tag == DT_VERSYM || d->d_tag == DT_VERNEED ||
			     d->d_tag == DT_VERDEF || d->d_tag == DT_GNU_HASH || d->d_tag == DT_HASH ||
			     d->d_tag == DT_RELA || d->d_tag == DT_JMPREL;
		if (table && at > (u64)m->symbol)
			end = HD_MIN(end, at);
	}
	return end;
}

static bool has_hooks(struct module *m, const Elf64_Dyn *d)
{
	u64 end = end_of_symbols(m, d);
	for (const Elf64_Sym *s = m->symbol; (u64)(s + 1) <= end; s++)
		if (s->st_shndx && s->st_name < m->strings_size &&
		    str_equal(m->strings + s->st_name, "heddle_hooks_range"))
			m->hooks = (const u64 *)(m->base + s->st_value);
	return m->hooks != NULL;
}

/* Modules that were built by heddle cc: what they do is seen. */
#define BUILT 64u
static struct {
	u64 start, end;
} built[BUILT];
static u32 builts;

static bool is_built(u64 address)
{
	for (u32 i = 0; i < builts; i++)
		if (address - built[i].start < built[i].end - built[i].start)
			return true;
	return false;
}

static void set_slot(u64 *slot, u64 value)
{
	u64 page = (u64)slot & ~(u64)(HD_PAGE - 1);
	sys_call3(SYS_mprotect, (long)page, HD_PAGE, PROT_READ | PROT_WRITE);
	*slot = value;
}

/* Is this word the address of a function of another module? Not of data, which the program uses itself. */
static bool is_of_function(const struct module *m, const Elf64_Rela *r)
{
	const Elf64_Sym *s = &m->symbol[ELF64_R_SYM(r->r_info)];
	u32 type = ELF64_R_TYPE(r->r_info);
	if (type == R_X86_64_JUMP_SLOT)
		return true;
	return (type == R_X86_64_GLOB_DAT || (type == R_X86_64_64 && !r->r_addend)) && !s->st_shndx &&
	       ELF64_ST_TYPE(s->st_info) == STT_FUNC;
}

static void redirect(const struct module *m, const Elf64_Rela *list, u64 bytes)
{
	for (u64 i = 0; list && i < bytes / sizeof(*list); i++) {
		const Elf64_Rela *r = &list[i];
		u64 *slot = (u64 *)(m->base + r->r_offset);
		if (!is_of_function(m, r) || !*slot)
			continue;
		const char *name = m->strings + m->symbol[ELF64_R_SYM(r->r_info)].st_name;
		if (count < STUBS && !is_built(*slot) && !is_looked_into(name))
			set_slot(slot, make_stub(*slot, name, m->hooks));
	}
}

/* Is it a module that was built by heddle cc? */
static bool read_module(const struct dl_phdr_info *info, struct module *m)
{
	const Elf64_Dyn *dynamic = NULL;
	*m = (struct module){.base = info->dlpi_addr};
	for (u32 i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const Elf64_Dyn *)(m->base + info->dlpi_phdr[i].p_vaddr);
	if (!dynamic)
		return false;
	read_dynamic(m, dynamic);
	return m->symbol && m->strings && has_hooks(m, dynamic);
}

static int note_built(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	struct module m;
	if (!read_module(info, &m))
		return 0;
	for (u32 i = 0; i < info->dlpi_phnum && builts < BUILT; i++) {
		const Elf64_Phdr *p = &info->dlpi_phdr[i];
		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		built[builts].start = m.base + p->p_vaddr;
		built[builts++].end = m.base + p->p_vaddr + p->p_memsz;
	}
	return 0;
}

static int look_at_module(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	struct module m;
	u64 relro = 0, relro_end = 0;
	if (!read_module(info, &m))
		return 0;
	for (u32 i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *p = &info->dlpi_phdr[i];
		if (p->p_type == PT_GNU_RELRO) {
			relro = (m.base + p->p_vaddr) & ~(u64)(HD_PAGE - 1);
			relro_end = (m.base + p->p_vaddr + p->p_memsz) & ~(u64)(HD_PAGE - 1);
		}
	}
	redirect(&m, m.calls, m.calls_size);
	redirect(&m, m.others, m.others_size);
	if (relro_end > relro)
		sys_call3(SYS_mprotect, (long)relro, (long)(relro_end - relro), PROT_READ);
	return 0;
}

void unseen_setup(void)
{
	area = pages_map(sizeof(*area));
	if (!area)
		return;
	area->gate = (u64)unseen_gate;
	dl_iterate_phdr(note_built, NULL);
	dl_iterate_phdr(look_at_module, NULL);
	sys_call3(SYS_mprotect, (long)area, (long)HD_ROUND_UP(sizeof(*area), HD_PAGE),
		  PROT_READ | PROT_WRITE | PROT_EXEC);
}

void unseen_use(const struct stub *s, const u64 *args, u64 pc)
{
	if (pc < s->hooks[0] || pc >= s->hooks[1])
		told_use(s->uses, args, pc);
}

void unseen_add(const char *what, u64 pc)
{
	struct wire_result *r = &rt_worker->result;
	if (r->unseen == WIRE_MAX_UNSEEN)
		return;
	struct wire_unseen *u = &r->unseen_call[r->unseen++];
	str_copy(u->call, sizeof(u->call), what);
	u->pc = pc;
}

/* Persistent. */
static struct {
	const char *what;
	u64 pc;
} noted[16];

void unseen_note(const char *what, u64 pc)
{
	u32 i = 0;
	while (i < HD_ARRAY_LEN(noted) && noted[i].what && noted[i].pc != pc)
		i++;
	if (i < HD_ARRAY_LEN(noted)) {
		noted[i].what = what;
		noted[i].pc = pc;
	}
}

void unseen_tell_notes(void)
{
	for (u32 i = 0; i < HD_ARRAY_LEN(noted) && noted[i].what && sched_fiber_limit() > 1; i++)
		unseen_add(noted[i].what, noted[i].pc);
}

static void tell(struct stub *s)
{
	s->told = true;
	unseen_add(s->name, s->caller);
}

/* Threads may call what it loads, through addresses: no stub is in the way. */
static bool loads_code(const char *name)
{
	return str_equal(name, "dlopen") || str_equal(name, "dlmopen");
}

bool unseen_look(void)
{
	if (hd_likely(!area || !area->called))
		return false;
	area->called = 0;
	bool alone = sched_all_joined(), any = false;
	for (u32 i = 0; i < count; i++) {
		struct stub *s = &area->stub[i];
		bool by_hook = s->caller >= s->hooks[0] && s->caller < s->hooks[1];
		any |= s->caller && !by_hook;
		if (s->caller && !by_hook && loads_code(s->name))
			unseen_note("what dlopen loads", s->caller);
		else if (s->caller && !by_hook && !alone && !s->told)
			tell(s);
		s->caller = 0;
	}
	return any;
}

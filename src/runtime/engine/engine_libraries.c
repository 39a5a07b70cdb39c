/*
 * Which words libraries share by locks and atomics of their own, which are not seen (engine_audit.h).
 */
#include <dlfcn.h>
#include <link.h>

#include "base/text.h"
#include "runtime/engine/engine_audit.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/sites.h"
#include "runtime/libc/state.h"
#include "runtime/rt.h"
#include "runtime/sched/access.h"
#include "wire/layout.h"
#include "wire/wire.h"

/*
 * Libraries of the language and of threads have locks and atomics of their own that are not seen; that is no
 * news to the user. Their objects are known by who allocated them, but for C++: there all objects of the
 * program are allocated by the library.
 */
static const struct {
	const char *name;
	bool owns_what_it_allocates;
	bool locks; /* in ways that are no steps */
} libraries[] = {
	{"/libgomp.so", true, false},    {"/libc.so", true, true},       {"/ld-linux-x86-64.so", true, true},
	{"/libstdc++.so", false, false}, {"/libgcc_s.so", false, false},
};
static struct {
	u64 start, end;
} library[HD_ARRAY_LEN(libraries)];

static void note_range(u32 which, const struct dl_phdr_info *info)
{
	library[which].start = info->dlpi_addr;
	for (u32 i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *p = &info->dlpi_phdr[i];
		if (p->p_type == PT_LOAD)
			library[which].end = HD_MAX(library[which].end,
						    info->dlpi_addr + p->p_vaddr + p->p_memsz);
	}
	/* ld.so has its first heap in the rest of its last page. */
	library[which].end = HD_ROUND_UP(library[which].end, (u64)HD_PAGE);
}

static int note_library(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	for (u32 which = 0; which < HD_ARRAY_LEN(libraries); which++)
		for (const char *path = info->dlpi_name; *path; path++)
			if (str_starts(path, libraries[which].name))
				note_range(which, info);
	return 0;
}

/* std::cout and its like may be used by several threads; they are mostly copies in the program's data. */
static const char *const cxx_names[] = {"_ZSt3cin",  "_ZSt4cout",  "_ZSt4cerr",  "_ZSt4clog",
					"_ZSt4wcin", "_ZSt5wcout", "_ZSt5wcerr", "_ZSt5wclog"};
static u64 cxx_stream[HD_ARRAY_LEN(cxx_names)];

extern char __ehdr_start[] __attribute__((visibility("hidden")));
extern char etext[] __attribute__((visibility("hidden")));

static bool is_ours_or_libcs(u64 pc)
{
	return engine_library_code(pc) || (pc >= (u64)__ehdr_start && pc < (u64)etext);
}

void engine_audit_setup(void)
{
	access_libraries(is_ours_or_libcs);
	dl_iterate_phdr(note_library, NULL);
	for (u32 i = 0; i < HD_ARRAY_LEN(cxx_names); i++)
		cxx_stream[i] = (u64)dlsym(RTLD_DEFAULT, cxx_names[i]);
}

/* ---- atomic variables, as far as they are seen; persistent ---- */

#define ATOMICS 4096u            /* of more of them not all are known */
static u64 atomic_word[ATOMICS]; /* words of 4 bytes: a plain variable may lie beside an atomic one */

static u64 *atomic_place(u64 address)
{
	u64 word = address / sizeof(u32);
	for (u64 i = word * 0x9e3779b97f4a7c15u >> 52, tries = 0; tries < 16; i = (i + 1) % ATOMICS, tries++)
		if (!atomic_word[i] || atomic_word[i] == word)
			return &atomic_word[i];
	return NULL;
}

void engine_audit_atomic(u64 address, u32 bytes)
{
	u64 end = address + HD_MAX(bytes, 1u);
	for (u64 at = address; at < end; at = HD_ROUND_UP(at + 1, sizeof(u32))) {
		u64 *place = atomic_place(at);
		if (place)
			*place = at / sizeof(u32);
	}
}

static bool is_atomic(u64 address)
{
	const u64 *place = atomic_place(address);
	return place && *place;
}

/*
 * Variables of language libraries whose lock is no step (launch/benign_atomics.c), and the blocks that they
 * point to.
 */
static bool is_benign(u64 address)
{
	const struct wire_atomics *a = &rt_wire->atomics;
	u64 block = 0, size;
	heap_find((const void *)address, &block, &size);
	for (u32 i = 0; i < a->benigns; i++) {
		const struct wire_range *r = &a->benign[i];
		if (address - r->start < r->size)
			return true;
		const u64 *word = (const u64 *)HD_ROUND_UP(r->start, sizeof(u64));
		for (; block && (u64)(word + 1) <= r->start + r->size; word++)
			if (*word == block)
				return true;
	}
	return false;
}

static bool is_of_cxx_stream(u64 address)
{
	const u64 stream_bytes = 0x118;
	for (u32 i = 0; i < HD_ARRAY_LEN(cxx_stream); i++)
		if (cxx_stream[i] && address - cxx_stream[i] < stream_bytes)
			return true;
	return false;
}

/* A FILE with its lock and the rest, wherever it is: libc links all of them. */
static bool is_of_stream(u64 address)
{
	const u64 stream_bytes = 0x240;
	for (const FILE *f = libc_streams ? *libc_streams : NULL; f; f = f->_chain)
		if (address - (u64)f < stream_bytes)
			return true;
	return false;
}

bool engine_library_code(u64 pc)
{
	for (u32 i = 0; i < HD_ARRAY_LEN(libraries); i++)
		if (libraries[i].locks && pc >= library[i].start && pc < library[i].end)
			return true;
	return false;
}

/*
 * Stacks of threads other than the first are left out as well: functions like dprintf have a FILE
 * there, which libc puts into its list.
 */
bool engine_shared_by_libraries(u64 address)
{
	if (address >= LAYOUT_STACK_BASE + LAYOUT_STACK_STRIDE &&
	    address < LAYOUT_STACK_BASE + LAYOUT_MAX_FIBERS * LAYOUT_STACK_STRIDE)
		return true;
	if (is_of_stream(address) || is_of_cxx_stream(address) || is_atomic(address) || is_benign(address))
		return true;
	/* The block need not be there in the present state: it is asked for behind a step that was undone. */
	u64 allocated_at = sites_allocated_at(address);
	if (!allocated_at)
		allocated_at = sites_last_allocated_at(address);
	for (u32 i = 0; i < HD_ARRAY_LEN(libraries); i++) {
		if (address >= library[i].start && address < library[i].end)
			return true;
		if (libraries[i].owns_what_it_allocates && allocated_at >= library[i].start &&
		    allocated_at < library[i].end)
			return true;
	}
	return false;
}

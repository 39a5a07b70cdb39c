/*
 * symbols_lines.c: which function and line an address belongs to. One address can stand for several frames:
 * the function that was inlined there, and those it was inlined into.
 */
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/source_place.h"
#include "report/symbols_priv.h"

/* Functions inlined into each other at one address, at most. */
#define INLINE_DEPTH 24

static void die_name(Dwarf_Die *die, char *out, size_t cap)
{
	Dwarf_Attribute attr;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr))
		name = dwarf_formstring(&attr);
	if (!name)
		name = dwarf_diename(die);
	symbols_demangle(name ? name : "", out, cap);
}

static void fill_module(const struct symbols_module *m, u64 pc, struct frame *f)
{
	const char *file = NULL, *name, *slash;

	f->pc = pc;
	if (!m)
		return;
	name = dwfl_module_info(m->dwfl, NULL, NULL, NULL, NULL, NULL, &file, NULL);
	if (file)
		name = file;
	slash = strrchr(name, '/');
	snprintf(f->module, sizeof(f->module), "%s", slash ? slash + 1 : name);
	f->offset = pc - m->low;
}

/*
 * The compilation unit around an address. libdwfl only knows those in .debug_aranges, which clang and
 * rustc don't write: then all units are asked.
 */
static Dwarf_Die *unit_of(const struct symbols_module *m, u64 pc, Dwarf_Addr *bias)
{
	Dwarf_Die *cu = dwfl_module_addrdie(m->dwfl, pc, bias);

	if (cu && dwarf_haspc(cu, pc - *bias) == 1)
		return cu;
	for (cu = dwfl_module_nextcu(m->dwfl, NULL, bias); cu; cu = dwfl_module_nextcu(m->dwfl, cu, bias))
		if (dwarf_haspc(cu, pc - *bias) == 1)
			return cu;
	return NULL;
}

/* The compiler may have written it from the folder it was started in: absolute, where the file is there. */
static void fill_file(Dwarf_Die *cu, const char *name, struct frame *f)
{
	Dwarf_Attribute attr;
	const char *dir = name[0] == '/' ? NULL : dwarf_formstring(dwarf_attr(cu, DW_AT_comp_dir, &attr));
	char path[sizeof(f->file)];

	snprintf(f->file, sizeof(f->file), "%s", name);
	if (!dir || dir[0] != '/' || snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return;
	source_tidy(path);
	if (access(path, R_OK) == 0)
		snprintf(f->file, sizeof(f->file), "%s", path);
}

static void fill_line(Dwarf_Die *cu, u64 pc, struct frame *f)
{
	Dwarf_Line *line = dwarf_getsrc_die(cu, pc);
	const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;

	if (file && dwarf_lineno(line, &f->line) == 0 && f->line > 0)
		fill_file(cu, file, f);
}

/* Where the call of an inlined function stands in its caller. */
static void fill_call_site(Dwarf_Die *inlined, struct frame *caller)
{
	Dwarf_Attribute attr;
	Dwarf_Die cu;
	Dwarf_Files *files;
	Dwarf_Word file = 0, line = 0;
	const char *name;

	caller->file[0] = 0;
	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attr), &file) ||
	    dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attr), &line))
		return;
	if (!dwarf_diecu(inlined, &cu, NULL, NULL) || dwarf_getsrcfiles(&cu, &files, NULL))
		return;
	name = dwarf_filesrc(files, file, NULL, NULL);
	caller->line = (int)line;
	if (name)
		fill_file(&cu, name, caller);
}

/* The functions around an address, outermost first: one with code of its own, then those inlined into it. */
struct scopes {
	Dwarf_Die function[INLINE_DEPTH];
	size_t n;
};

/*
 * Not dwarf_getscopes: that gives up when one entry anywhere in the unit is odd, as some of rustc's are. Here
 * an entry without a readable range is one that does not have the address.
 */
static bool find_scopes(Dwarf_Die *parent, u64 pc, struct scopes *out)
{
	Dwarf_Die die;

	if (dwarf_child(parent, &die))
		return false;
	do {
		int tag = dwarf_tag(&die);
		bool function = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
		bool inside = (function || tag == DW_TAG_lexical_block) && dwarf_haspc(&die, pc) == 1;

		if (inside && function && out->n < INLINE_DEPTH)
			out->function[out->n++] = die;
		if (inside) {
			find_scopes(&die, pc, out);
			return true;
		}
		/*
		 * A block or function without code at this address can't hold it; a namespace or class can.
		 */
		if ((tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_structure_type ||
		     tag == DW_TAG_class_type || tag == DW_TAG_enumeration_type ||
		     tag == DW_TAG_union_type) &&
		    find_scopes(&die, pc, out))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

/* One frame per function around `pc` in the debug information, innermost first; 0 when there is none. */
static size_t dwarf_frames(const struct symbols_module *m, u64 pc, struct frame *out, size_t max)
{
	struct scopes scopes = {.n = 0};
	Dwarf_Addr bias;
	Dwarf_Die *cu = unit_of(m, pc, &bias);
	size_t found, i;

	if (!cu || !find_scopes(cu, pc - bias, &scopes))
		return 0;
	for (found = 0, i = scopes.n; i-- > 0 && found < max; found++) {
		struct frame *f = &out[found];

		memset(f, 0, sizeof(*f));
		fill_module(m, pc, f);
		if (found == 0)
			fill_line(cu, pc - bias, f);
		else
			fill_call_site(&scopes.function[i + 1], f);
		die_name(&scopes.function[i], f->function, sizeof(f->function));
	}
	return found;
}

static void symbol_frame(const struct symbols_module *m, u64 pc, struct frame *f)
{
	const char *name;
	GElf_Off offset;
	GElf_Sym sym;
	Dwarf_Addr bias;
	Dwarf_Die *cu;

	memset(f, 0, sizeof(*f));
	fill_module(m, pc, f);
	if (!m)
		return;
	cu = unit_of(m, pc, &bias);
	if (cu)
		fill_line(cu, pc - bias, f);
	name = dwfl_module_addrinfo(m->dwfl, pc, &offset, &sym, NULL, NULL, NULL);
	if (name)
		symbols_demangle(name, f->function, sizeof(f->function));
}

static size_t find_frames(struct symbols *s, u64 pc, struct frame *out, size_t max)
{
	const struct symbols_module *m = symbols_module_of(s, pc);
	size_t n = m ? dwarf_frames(m, pc, out, max) : 0;

	if (n == 0) {
		symbol_frame(m, pc, out);
		n = 1;
	}
	return n;
}

static void remember(struct symbols_place *place, u64 pc, const struct frame *frames, size_t n)
{
	struct frame *copy = malloc(n * sizeof(*copy));

	if (!copy)
		return;
	memcpy(copy, frames, n * sizeof(*copy));
	free(place->frame);
	*place = (struct symbols_place){pc, copy, n};
}

size_t symbols_locate(struct symbols *s, u64 pc, bool is_return_address, struct frame *out, size_t max)
{
	/* The call lies before the address it returns to, maybe on another line. */
	u64 at = is_return_address && pc ? pc - 1 : pc;
	struct symbols_place *place = &s->place[at % SYMBOLS_PLACES];
	struct frame frames[INLINE_DEPTH];
	size_t n;

	if (!place->frame || place->pc != at) {
		n = find_frames(s, at, frames, INLINE_DEPTH);
		remember(place, at, frames, n);
	}
	if (!place->frame || place->pc != at)
		return 0;
	n = HD_MIN(place->frames, max);
	memcpy(out, place->frame, n * sizeof(*out));
	return n;
}

/*
 * symbols_lines.c: which function and line an address belongs to. One address can stand for several frames: the
 * function that was inlined there, and those it was inlined into.
 */
#include <dwarf.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/symbols_priv.h"

void symbols_demangle(const char *name, char *out, size_t cap)
{
	static char *(*demangle)(const char *, char *, size_t *, int *);
	static bool tried;
	char *plain;

	/* The C++ library is there when somebody has C++ programs; without it the names stay as they are. */
	if (!tried) {
		void *lib = dlopen("libstdc++.so.6", RTLD_LAZY);

		tried = true;
		if (lib)
			*(void **)&demangle = dlsym(lib, "__cxa_demangle");
	}
	plain = demangle && !strncmp(name, "_Z", 2) ? demangle(name, NULL, NULL, NULL) : NULL;
	snprintf(out, cap, "%s", plain ? plain : name);
	free(plain);
}

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

static void fill_line(const struct symbols_module *m, u64 pc, struct frame *f)
{
	Dwfl_Line *line = dwfl_module_getsrc(m->dwfl, pc);
	const char *file;

	if (!line)
		return;
	file = dwfl_lineinfo(line, NULL, &f->line, NULL, NULL, NULL);
	if (file && f->line > 0)
		snprintf(f->file, sizeof(f->file), "%s", file);
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
		snprintf(caller->file, sizeof(caller->file), "%s", name);
}

static int scopes_of(Dwfl_Module *m, u64 pc, Dwarf_Die **out)
{
	Dwarf_Addr bias;
	Dwarf_Die *cu = dwfl_module_addrdie(m, pc, &bias), innermost, *scopes = NULL;
	int n = cu ? dwarf_getscopes(cu, pc - bias, &scopes) : 0;

	if (n <= 0)
		return 0;
	innermost = scopes[0];
	free(scopes);
	n = dwarf_getscopes_die(&innermost, out);
	return n > 0 ? n : 0;
}

/* One frame per function around `pc` in the debug information; 0 when there is none. */
static size_t dwarf_frames(const struct symbols_module *m, u64 pc, struct frame *out, size_t max)
{
	Dwarf_Die *scopes = NULL, *inlined = NULL;
	int n = scopes_of(m->dwfl, pc, &scopes), i;
	size_t found = 0;

	for (i = 0; i < n && found < max; i++) {
		int tag = dwarf_tag(&scopes[i]);
		struct frame *f = &out[found];

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		memset(f, 0, sizeof(*f));
		fill_module(m, pc, f);
		if (inlined)
			fill_call_site(inlined, f);
		else
			fill_line(m, pc, f);
		die_name(&scopes[i], f->function, sizeof(f->function));
		found++;
		inlined = tag == DW_TAG_inlined_subroutine ? &scopes[i] : NULL;
		if (!inlined)
			break;
	}
	free(scopes);
	return found;
}

static void symbol_frame(const struct symbols_module *m, u64 pc, struct frame *f)
{
	const char *name;
	GElf_Off offset;
	GElf_Sym sym;

	memset(f, 0, sizeof(*f));
	fill_module(m, pc, f);
	if (!m)
		return;
	fill_line(m, pc, f);
	name = dwfl_module_addrinfo(m->dwfl, pc, &offset, &sym, NULL, NULL, NULL);
	if (name)
		symbols_demangle(name, f->function, sizeof(f->function));
}

size_t symbols_locate(struct symbols *s, u64 pc, bool is_return_address, struct frame *out, size_t max)
{
	/* The call lies before the address it returns to, maybe on another line. */
	u64 at = is_return_address && pc ? pc - 1 : pc;
	const struct symbols_module *m = symbols_module_of(s, at);
	size_t n = m ? dwarf_frames(m, at, out, max) : 0;

	if (n == 0 && max > 0) {
		symbol_frame(m, at, out);
		n = 1;
	}
	return n;
}

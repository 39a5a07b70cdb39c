#include "report/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "report/symbols_priv.h"

#define HOOKS_SECTION "heddle_hooks"

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
};

bool symbols_peek(struct symbols *s, u64 at, void *to, size_t n)
{
	struct iovec local = {to, n}, remote = {(void *)at, n};

	if (s->saved && at >= s->saved_at && at - s->saved_at < s->saved_len) {
		if (n > s->saved_len - (at - s->saved_at))
			return false;
		memcpy(to, s->saved + (at - s->saved_at), n);
		return true;
	}
	return process_vm_readv(s->pid, &local, 1, &remote, 1, 0) == (ssize_t)n;
}

bool symbols_read(struct symbols *s, u64 address, void *to, size_t n)
{
	return symbols_peek(s, address, to, n);
}

void symbols_use_stack(struct symbols *s, u64 at, const void *bytes, size_t n)
{
	s->saved = bytes;
	s->saved_at = at;
	s->saved_len = n;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The module's ranges from its program headers: what /proc/pid/maps ties to the file lacks .bss. */
static void module_range(Elf *elf, u64 bias, struct symbols_module *to)
{
	size_t n = 0;

	if (elf_getphdrnum(elf, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;
		u64 start, end;

		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD)
			continue;
		start = bias + ph.p_vaddr;
		end = start + ph.p_memsz;
		to->low = HD_MIN(to->low, start);
		to->high = HD_MAX(to->high, end);
		if (!(ph.p_flags & PF_X))
			continue;
		to->code_low = to->code_high ? HD_MIN(to->code_low, start) : start;
		to->code_high = HD_MAX(to->code_high, end);
	}
}

/*
 * Hooks have a section of their own (src/hooks/hooks.h). Names would not do: a program may have been linked
 * with a __wrap_ function that is its author's.
 */
static void hooks_range(Elf *elf, u64 bias, struct symbols_module *to)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr sh;
		const char *name;

		if (!gelf_getshdr(section, &sh) || !(name = elf_strptr(elf, names, sh.sh_name)) ||
		    strcmp(name, HOOKS_SECTION))
			continue;
		to->hooks_low = bias + sh.sh_addr;
		to->hooks_high = to->hooks_low + sh.sh_size;
	}
}

static int add_module(Dwfl_Module *m, void **user, const char *name, Dwarf_Addr start, void *arg)
{
	struct symbols *s = arg;
	struct symbols_module *to = &s->module[s->modules];
	Dwarf_Addr end = 0;
	GElf_Addr bias = 0;
	Elf *elf;

	(void)user;
	(void)start;
	if (s->modules == SYMBOLS_MODULES)
		return DWARF_CB_ABORT;
	memset(to, 0, sizeof(*to));
	dwfl_module_info(m, NULL, &to->low, &end, NULL, NULL, NULL, NULL);
	to->high = end;
	to->dwfl = m;
	to->is_runtime = !strcmp(name, s->runtime_path);
	elf = dwfl_module_getelf(m, &bias);
	if (elf) {
		module_range(elf, bias, to);
		hooks_range(elf, bias, to);
	}
	s->modules++;
	return DWARF_CB_OK;
}

static u64 maps_hash(pid_t pid)
{
	char path[64];
	u64 h = 0xcbf29ce484222325u;
	FILE *f;
	int c;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while ((c = getc(f)) != EOF)
		h = (h ^ (u8)c) * 0x100000001b3u;
	fclose(f);
	return h;
}

void symbols_forget(struct symbols *s)
{
	for (size_t i = 0; i < SYMBOLS_PLACES; i++)
		free(s->place[i].frame);
	memset(s->place, 0, sizeof(s->place));
	memset(s->known, 0, sizeof(s->known));
}

bool symbols_refresh(struct symbols *s)
{
	u64 hash = maps_hash(s->pid);

	if (hash == 0 || hash == s->maps_hash)
		return false;
	s->maps_hash = hash;
	dwfl_report_begin(s->dwfl);
	if (dwfl_linux_proc_report(s->dwfl, s->pid) || dwfl_report_end(s->dwfl, NULL, NULL))
		return false;
	s->modules = 0;
	symbols_forget(s);
	dwfl_getmodules(s->dwfl, add_module, s, 0);
	return true;
}

const struct symbols_module *symbols_module_of(struct symbols *s, u64 address)
{
	for (size_t i = 0; i < s->modules; i++)
		if (address >= s->module[i].low && address < s->module[i].high)
			return &s->module[i];
	return NULL;
}

bool symbols_is_hook(struct symbols *s, u64 pc)
{
	const struct symbols_module *m = symbols_module_of(s, pc);

	return m && pc >= m->hooks_low && pc < m->hooks_high;
}

struct symbols *symbols_open(pid_t pid, const char *runtime_path, struct problem *p)
{
	struct symbols *s = calloc(1, sizeof(*s));

	if (!s) {
		problem_set(p, "out of memory");
		return NULL;
	}
	s->pid = pid;
	snprintf(s->runtime_path, sizeof(s->runtime_path), "%s", runtime_path);
	s->dwfl = dwfl_begin(&callbacks);
	if (!s->dwfl || !symbols_refresh(s)) {
		problem_set(p, "the program's modules cannot be read (%s)", dwfl_errmsg(-1));
		symbols_close(s);
		return NULL;
	}
	return s;
}

void symbols_close(struct symbols *s)
{
	if (!s)
		return;
	symbols_forget(s);
	if (s->dwfl)
		dwfl_end(s->dwfl);
	free(s);
}

void frame_text(const struct frame *f, char *out, size_t cap)
{
	const char *function = f->function[0] ? f->function : "?";

	if (f->file[0])
		snprintf(out, cap, "%s (%s:%d)", function, base_name(f->file), f->line);
	else if (f->module[0])
		snprintf(out, cap, "%s (%s+0x%lx)", function, f->module, f->offset);
	else
		snprintf(out, cap, "0x%lx", f->pc);
}

bool frame_is_library(const struct frame *f)
{
	static const char *const modules[] = {"libc.so",      "libm.so",     "libpthread.so", "ld-linux",
					      "libstdc++.so", "libgcc_s.so", "libc++"};
	static const char *const folders[] = {"/usr/include/",     "/usr/lib/",        "/usr/src/",
					      "/rustc/",           "library/std/src/", "library/core/src/",
					      "library/alloc/src/"};

	for (size_t i = 0; i < HD_ARRAY_LEN(modules); i++)
		if (!strncmp(f->module, modules[i], strlen(modules[i])))
			return true;
	for (size_t i = 0; i < HD_ARRAY_LEN(folders); i++)
		if (!strncmp(f->file, folders[i], strlen(folders[i])))
			return true;
	return false;
}

const struct frame *frames_source(const struct frame *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (f[i].file[0] && !frame_is_library(&f[i]))
			return &f[i];
	return n ? f : NULL;
}

void frames_where(const struct frame *f, size_t n, char *out, size_t cap)
{
	const struct frame *at = frames_source(f, n);

	if (!at)
		out[0] = 0;
	else if (at->file[0])
		snprintf(out, cap, "%s:%d", base_name(at->file), at->line);
	else
		frame_text(at, out, cap);
}

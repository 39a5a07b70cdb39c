/* symbols_names.c: names for addresses of data and code, and texts with such names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/symbols_priv.h"
#include "wire/layout.h"

/* Thread numbers for people: the main thread is 1. */
static bool name_by_layout(u64 a, char *out, size_t cap)
{
	if (a >= LAYOUT_STACK_BASE && a < LAYOUT_STACK_BASE + LAYOUT_MAX_FIBERS * LAYOUT_STACK_STRIDE)
		snprintf(out, cap, "0x%lx (stack of thread %lu)", a,
			 (a - LAYOUT_STACK_BASE) / LAYOUT_STACK_STRIDE + 1);
	else if (a >= LAYOUT_HEAP_BASE && a < LAYOUT_HEAP_BASE + LAYOUT_MAX_FIBERS * LAYOUT_HEAP_STRIDE)
		snprintf(out, cap, "0x%lx (heap of thread %lu)", a,
			 (a - LAYOUT_HEAP_BASE) / LAYOUT_HEAP_STRIDE + 1);
	else if (a >= LAYOUT_MMAP_BASE && a < LAYOUT_MMAP_BASE + LAYOUT_MAX_FIBERS * LAYOUT_MMAP_STRIDE)
		snprintf(out, cap, "0x%lx (mapping of thread %lu)", a,
			 (a - LAYOUT_MMAP_BASE) / LAYOUT_MMAP_STRIDE + 1);
	else
		return false;
	return true;
}

/* Of code: the place a call returns to, unless a function begins there. */
static bool name_of_code(struct symbols *s, const struct symbols_module *m, u64 address, char *out,
			 size_t cap)
{
	struct frame frames[FRAMES_MAX];
	GElf_Off offset = 0;
	GElf_Sym sym;
	const char *name;
	size_t n;

	if (address < m->code_low || address >= m->code_high)
		return false;
	name = dwfl_module_addrinfo(m->dwfl, address, &offset, &sym, NULL, NULL, NULL);
	n = symbols_locate(s, address, !name || offset > 0, frames, FRAMES_MAX);
	if (n)
		frame_text(frames_source(frames, n), out, cap);
	return n > 0;
}

static void find_name(struct symbols *s, u64 address, char *out, size_t cap)
{
	const struct symbols_module *m = symbols_module_of(s, address);

	if (m && (symbols_variable(s, m, address, out, cap) || name_of_code(s, m, address, out, cap)))
		return;
	if (!name_by_layout(address, out, cap))
		snprintf(out, cap, "0x%lx", address);
}

void symbols_set_namer(struct symbols *s, const struct symbols_namer *namer)
{
	s->namer = *namer;
}

void symbols_name(struct symbols *s, u64 address, char *out, size_t cap)
{
	struct symbols_known *k = &s->known[(address >> 3) % SYMBOLS_KNOWN];

	if (address >= LAYOUT_STACK_BASE && address < LAYOUT_END && s->namer.name &&
	    s->namer.name(s->namer.self, address, out, cap))
		return;
	if (!k->name[0] || k->address != address) {
		find_name(s, address, k->name, sizeof(k->name));
		k->address = address;
	}
	snprintf(out, cap, "%s", k->name);
}

/* The address in "{0x…}" at `text`; *end points behind it. */
static bool parse_address(const char *text, u64 *address, const char **end)
{
	char *stop;

	if (strncmp(text, "{0x", 3))
		return false;
	*address = strtoull(text + 1, &stop, 16);
	*end = stop + 1;
	return *stop == '}';
}

void symbols_expand(struct symbols *s, const char *text, char *out, size_t cap)
{
	size_t n = 0;

	while (*text && n + 1 < cap) {
		u64 address;
		const char *end;

		if (parse_address(text, &address, &end)) {
			symbols_name(s, address, out + n, cap - n);
			n += strlen(out + n);
			text = end;
		} else {
			out[n++] = *text++;
		}
	}
	out[n] = 0;
}

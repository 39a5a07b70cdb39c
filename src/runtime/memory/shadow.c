#include "runtime/memory/shadow.h"

#include "base/pages.h"

#define PAGES_MAX (1u << 20)
#define CELLS (HD_PAGE / SHADOW_GRAIN)

struct shadow_page {
	u64 number; /* address / HD_PAGE + 1; 0 = free */
	struct cell *cells;
};

static struct shadow_page *table, *last;
static u32 used;

void shadow_setup(void)
{
	table = pages_map(PAGES_MAX * sizeof *table);
	hd_assert(table);
	last = table;
}

static struct shadow_page *find(u64 number)
{
	for (u64 h = number * 0x9e3779b97f4a7c15u >> 44;; h++) {
		struct shadow_page *p = &table[h % PAGES_MAX];
		if (p->number == number)
			return p;
		if (p->number)
			continue;
		hd_assert(++used < PAGES_MAX / 2);
		p->cells = pages_map(CELLS * sizeof *p->cells);
		hd_assert(p->cells);
		p->number = number;
		return p;
	}
}

struct cell *shadow_cell(u64 address)
{
	u64 number = address / HD_PAGE + 1;
	if (hd_unlikely(last->number != number))
		last = find(number);
	return &last->cells[address % HD_PAGE / SHADOW_GRAIN];
}

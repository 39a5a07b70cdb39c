#include "runtime/memory/shadow.h"

#include "base/pages.h"
#include "base/table.h"

#define CELLS (HD_PAGE / SHADOW_GRAIN)

struct shadow_page {
	u64 number; /* address / HD_PAGE + 1 */
	struct cell *cells;
	struct cell_more *more; /* NULL until it is asked for */
};

static struct table pages = TABLE_OF(struct shadow_page);
static struct shadow_page last; /* the page used last: mostly it is the next one, too */

static HD_NORETURN void no_memory(void)
{
	hd_panic(__FILE__, __LINE__, "out of memory for what is known about the program's memory");
}

static struct shadow_page find(u64 number, bool more)
{
	struct shadow_page *p = table_add(&pages, number);
	if (p && !p->cells)
		p->cells = pages_map(CELLS * sizeof(*p->cells));
	if (p && !p->more && more)
		p->more = pages_map(CELLS * sizeof(*p->more));
	if (!p || !p->cells || (more && !p->more))
		no_memory();
	return *p;
}

struct cell *shadow_cell(u64 address)
{
	u64 number = address / HD_PAGE + 1;
	if (hd_unlikely(last.number != number))
		last = find(number, false);
	return &last.cells[address % HD_PAGE / SHADOW_GRAIN];
}

struct cell_more *shadow_more(u64 address)
{
	u64 number = address / HD_PAGE + 1;
	if (hd_unlikely(last.number != number || !last.more))
		last = find(number, true);
	return &last.more[address % HD_PAGE / SHADOW_GRAIN];
}

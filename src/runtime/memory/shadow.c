#include "runtime/memory/shadow.h"

#include "base/pages.h"
#include "base/table.h"

#define CELLS (HD_PAGE / SHADOW_GRAIN)

struct shadow_page {
	u64 number; /* address / HD_PAGE + 1 */
	struct cell *cells;
};

static struct table pages = TABLE_OF(struct shadow_page);
static struct shadow_page last; /* the page used last: mostly it is the next one, too */

static struct shadow_page find(u64 number)
{
	struct shadow_page *p = table_add(&pages, number);
	if (p && !p->cells)
		p->cells = pages_map(CELLS * sizeof(*p->cells));
	if (!p || !p->cells)
		hd_panic(__FILE__, __LINE__, "out of memory for what is known about the program's memory");
	return *p;
}

struct cell *shadow_cell(u64 address)
{
	u64 number = address / HD_PAGE + 1;
	if (hd_unlikely(last.number != number))
		last = find(number);
	return &last.cells[address % HD_PAGE / SHADOW_GRAIN];
}

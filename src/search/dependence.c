#include "search/dependence.h"

_Static_assert((u32)OBJECT_CLASSES <= SEARCH_DEPENDENCE_CLASSES, "each class has a row");
_Static_assert(ACCESS_MODES *ACCESS_MODES == SEARCH_DEPENDENCE_MODES, "each pair of modes has a column");

#define NONE ~0u
#define SEVERAL (~0u - 1)

/* The one cell that the conflict belongs to; SEVERAL: more than one. */
static u32 cell_of(const struct footprint *a, const struct footprint *b)
{
	u32 cell = NONE;
	for (u32 i = 0; i < a->count; i++)
		for (u32 j = 0; j < b->count; j++) {
			if (!access_conflicts(&a->access[i], &b->access[j]))
				continue;
			u32 low = HD_MIN(a->access[i].mode, b->access[j].mode);
			u32 high = HD_MAX(a->access[i].mode, b->access[j].mode);
			u32 here = object_class(a->access[i].object) * SEARCH_DEPENDENCE_MODES +
				   low * ACCESS_MODES + high;
			cell = cell == NONE || cell == here ? here : SEVERAL;
		}
	return cell;
}

void dependence_count(struct search_stats *stats, const struct footprint *a, const struct footprint *b,
		      bool agreed)
{
	u32 cell = a->world || b->world ? SEVERAL : cell_of(a, b);
	if (cell >= SEARCH_DEPENDENCE_CLASSES * SEARCH_DEPENDENCE_MODES)
		return;
	struct search_dependence *d = &stats->dependence[cell];
	d->pairs++;
	d->agreed += agreed;
}

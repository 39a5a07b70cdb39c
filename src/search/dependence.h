/*
 * dependence.h: how often two steps that are declared to be dependent commute all the same. The audit
 * (audit.h, at --sanity 3) executes such pairs in both orders, too; here is the account, by the class of the
 * object they share and their modes. Where both orders always agree, footprints could be finer
 * (docs/DEPENDENCY.md).
 */
#ifndef HEDDLE_SEARCH_DEPENDENCE_H
#define HEDDLE_SEARCH_DEPENDENCE_H

#include "search/footprint.h"
#include "wire/search_options.h"

/* a and b conflict. Counted only if one class and one pair of modes alone make them do so. */
void dependence_count(struct search_stats *stats, const struct footprint *a, const struct footprint *b,
		      bool agreed);

#endif

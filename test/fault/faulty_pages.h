/*
 * faulty_pages.h: base/pages.c on a kernel that runs out of memory on demand. Requests are numbered from 1;
 * the chosen one fails, alone or with all that follow.
 */
#ifndef HEDDLE_TEST_FAULTY_PAGES_H
#define HEDDLE_TEST_FAULTY_PAGES_H

#include "base/base.h"

struct faulty_pages {
	u64 requests;  /* so far */
	u64 fail_at;   /* 0: never */
	bool for_good; /* and ever after */
	u64 failed;
	long mapped; /* bytes that were not given back */
};
extern struct faulty_pages faulty_pages;

/* Count from 1 again. */
void faulty_pages_arm(u64 fail_at, bool for_good);

#endif

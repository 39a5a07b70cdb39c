/*
 * What following a script has to say.
 */
#include <stdio.h>

#include "report/outcome.h"

static const char *const deviation_text[DEVIATIONS] = {
	[DEVIATION_NO_TRANSITION] = "the script tells a transition that the program does not have",
	[DEVIATION_LEFT_OUT] = "the script goes back from a state in which transitions are left",
	[DEVIATION_OTHER_STATE] =
		"the script says that a transition leads to a state with another fingerprint "
		"than the one it leads to",
	[DEVIATION_FACT] = "the script lacks a fact that its partial-order reduction needs",
	[DEVIATION_IGNORED] =
		"the script leaves a transition out for ever, which its partial-order reduction "
		"does not allow",
	[DEVIATION_DAMAGED] = "the script does not fit together",
};

void outcome_certified_reason(const struct outcome *o, char *out, size_t cap)
{
	const struct outcome_certified *c = &o->certified;

	if (c->followed.deviation)
		snprintf(out, cap, "%s%s%s",
			 deviation_text[HD_MIN(c->followed.deviation, (u32)DEVIATIONS - 1)],
			 c->where[0] ? " " : "", c->where);
	else if (c->producer[0])
		snprintf(out, cap,
			 "the script was made with %s, which leaves behaviour out; repeat that here if "
			 "it is meant",
			 c->producer);
	else if (c->followed.unfinished)
		snprintf(out, cap, "the script is of a search that did not come to its end");
	else if (c->livelocks_unknown)
		snprintf(out, cap,
			 "the program waits busily, and parts of a script do not show livelocks; "
			 "certify the whole script with -j 1");
	else if (!c->followed.whole)
		snprintf(out, cap, "the script was not followed to its end");
	else if (c->part)
		snprintf(out, cap,
			 "this part of the script is true, as far as it goes by itself; heddle certify "
			 "--merge compares the parts");
	else if (c->trustful)
		snprintf(out, cap,
			 "no state of the spanning tree violates a property; the script was trusted, "
			 "and livelocks were not looked for");
	else
		snprintf(out, cap,
			 "the script is true: every transition was made again, and no state violates a "
			 "property");
}

/* What a headline says: never a bare "Verified" where something was left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/outcome.h"

static struct outcome *complete(void)
{
	struct outcome *o = calloc(1, sizeof(*o));

	assert_non_null(o);
	o->end = SEARCH_COMPLETE;
	o->hooks = true;
	return o;
}

static void says(struct outcome *o, const char *headline)
{
	char text[1024];

	outcome_headline(o, text, sizeof(text));
	assert_string_equal(text, headline);
	o->setting = NULL;
	free(o);
}

static void test_memory(void **state)
{
	struct outcome *o = complete();

	(void)state;
	says(o, "Verified");
	o = complete();
	o->hooks = false;
	says(o, "Verified, data races not looked at");
	o = complete();
	o->races_ignored = true;
	says(o, "Verified, data races ignored");
	o = complete();
	o->suppressed = 2;
	says(o, "Verified, 2 data races suppressed");
	o = complete();
	o->unseen_count = 2;
	strcpy(o->unseen[0].call, "regexec");
	says(o, "Verified, but regexec and 1 more were not looked into");
	o = complete();
	o->hooks = false;
	o->unsynchronised_count = 1;
	strcpy(o->unsynchronised[0].what, "total");
	says(o, "Verified, but threads share total without synchronisation that is seen");
	o = complete();
	o->hooks = false;
	o->atomics = 3;
	says(o, "Verified, data races not looked at, no switch at atomic instructions");
}

static void test_peers(void **state)
{
	struct outcome *o = complete();

	(void)state;
	o->net.used = true;
	o->net.config.live = o->net.config.short_io = 1;
	says(o, "Verified, for what the peers were seen to answer");
	o = complete();
	o->net.used = true;
	o->net.config.live = o->net.config.short_io = 1;
	o->net.timed = 3;
	o->notes = 1;
	says(o, "Verified, for what the peers were seen to answer before their time-outs (1 note below)");
	o = complete();
	o->net.used = true;
	o->net.config.identical_clients = 1;
	says(o, "Verified, for the recorded answers of the peers, clients taken as alike, messages arrive "
		"whole");
}

static void test_options(void **state)
{
	char *never[] = {"--seed=3", "--timeouts=never", "--no-deadlock", NULL};
	char *overruled[] = {"--timeouts=never", "--timeouts=explore", NULL};
	struct outcome *o = complete();

	(void)state;
	o->setting = never;
	says(o, "Verified, time-outs never expire, deadlocks not looked for");
	o = complete();
	o->setting = overruled;
	says(o, "Verified");
}

/* Only a success has a scope; the others say their reason behind the headline. */
static void test_others(void **state)
{
	struct outcome *o = complete();

	(void)state;
	o->hooks = false;
	o->end = SEARCH_LIMIT_STATES;
	says(o, "Not verified (bounded)");
	o = complete();
	o->refused_count = 1;
	says(o, "Not verified (incomplete)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_peers),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

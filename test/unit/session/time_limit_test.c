/* The end of --max-time: rounds share it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <poll.h>

#include "session/time_limit.h"

static bool asked;

static bool interrupted(void)
{
	return asked;
}

static void test_rounds_share_it(void **state)
{
	time_limit_begin(100000, interrupted);
	assert_int_equal(time_limit_round(300), 300);
	assert_in_range(time_limit_round(0), 1, 100000);
	assert_in_range(time_limit_round(200000), 1, 100000);
	assert_false(time_limit_is_over(0) || time_limit_is_out() || time_limit_give_up());
	asked = true;
	assert_true(time_limit_give_up());
	asked = false;
}

static void test_nothing_is_left_of_it(void **state)
{
	time_limit_begin(1, NULL);
	poll(NULL, 0, 5);
	assert_true(time_limit_is_out());
	assert_int_equal(time_limit_round(0), 1);
	assert_int_equal(time_limit_round(50), 1);
	poll(NULL, 0, 5);
	assert_true(time_limit_is_over(0));
	assert_false(time_limit_is_over(3600000));
}

static void test_there_is_none(void **state)
{
	time_limit_begin(0, NULL);
	assert_int_equal(time_limit_round(0), 0);
	assert_int_equal(*time_limit_end(), 0);
	assert_false(time_limit_is_over(0) || time_limit_is_out() || time_limit_give_up());
	assert_int_equal(time_limit_round(1), 1); /* of a round alone */
	poll(NULL, 0, 5);
	assert_true(time_limit_is_over(0));
	assert_false(time_limit_is_out());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounds_share_it),
		cmocka_unit_test(test_nothing_is_left_of_it),
		cmocka_unit_test(test_there_is_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

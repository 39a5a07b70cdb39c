/* demangle_test.c: names of Rust (both of rustc's schemes) and C++; the expected ones are those of
   c++filt, less what is left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/symbols_priv.h"

static void names(const char *mangled, const char *expected)
{
	char out[500];

	symbols_demangle(mangled, out, sizeof(out));
	assert_string_equal(out, expected);
}

static void is_left_alone(const char *mangled)
{
	char out[500];

	symbols_demangle(mangled, out, sizeof(out));
	assert_string_equal(out, mangled);
}

static void test_paths(void **state)
{
	names("_RNvNtCsjrHSEGnQ3l9_3std2rt4main", "std::rt::main");
	names("_RNvMsa_NtNtNtNtCsjrHSEGnQ3l9_3std3sys3net10connection6socketNtB5_9UdpSocket4send",
	      "<std::sys::net::connection::socket::UdpSocket>::send");
	names("_RNvXsb_NtNtCsgEmfK2I1SDS_4core3fmt5floatC3f16NtB7_7Display3fmt",
	      "<f16 as core::fmt::Display>::fmt");
}

/* Encodings of types ("b" is bool) are good names of C functions. */
static void test_names_of_c(void **state)
{
	is_left_alone("b");
	is_left_alone("i");
	is_left_alone("Pc");
	is_left_alone("main");
}

static void test_closures(void **state)
{
	names("_RNCNCNCNvNtCsjrHSEGnQ3l9_3std2rt19lang_start_internal00s_0B9_",
	      "std::rt::lang_start_internal::{closure#0}::{closure#0}::{closure#1}");
	names("_RNvNCNKNvNtNtCsjrHSEGnQ3l9_3std2io5stdio14OUTPUT_CAPTURE0023___RUST_STD_INTERNAL_VAL",
	      "std::io::stdio::OUTPUT_CAPTURE::{K#0}::{closure#0}::__RUST_STD_INTERNAL_VAL");
}

static void test_generics_are_left_out(void **state)
{
	names("_RINvNtNtCsgEmfK2I1SDS_4core4sync6atomic10atomic_subjjECsjrHSEGnQ3l9_3std",
	      "core::sync::atomic::atomic_sub");
	names("_RINvMNtCsgEmfK2I1SDS_4core3stre18trim_start_matchesReECsgY6Mt91CT9J_14rustc_demangle",
	      "<str>::trim_start_matches");
}

static void test_types(void **state)
{
	names("_RNvMC1aTlRShE1f", "<(i32, &[u8])>::f");
	names("_RNvMC1aAhj20_1f", "<[u8; 32]>::f");
	names("_RNvMC1aFKClEu1f", "<extern \"C\" fn(i32)>::f");
	names("_RNvMC1aDNtB2_1TEL_1f", "<dyn a::T>::f");
}

static void test_not_understood(void **state)
{
	is_left_alone("b"); /* no bool */
	is_left_alone("_R");
	is_left_alone("_RN");
	is_left_alone("_RNvC1a9f");              /* shorter than it says */
	is_left_alone("_RB_");                   /* refers to itself */
	is_left_alone("_RNvC1a99999999999999f"); /* no such length */
	is_left_alone("main");
}

static void test_older_scheme(void **state)
{
	names("_ZN3std2rt4main17h0123456789abcdefE", "std::rt::main");
	names("_ZN56_$LT$alloc..vec..Vec$u20$as$u20$core..fmt..Debug$C$T$GT$3fmt17h0123456789abcdefE",
	      "<alloc::vec::Vec as core::fmt::Debug,T>::fmt");
}

static void test_cxx(void **state)
{
	names("_ZNSt6vectorIiSaIiEE9push_backERKi",
	      "std::vector<int, std::allocator<int> >::push_back(int const&)");
	names("_ZN4core5queue3putEv", "core::queue::put()");
}

static void test_too_long(void **state)
{
	char out[8];

	symbols_demangle("_RNvNtCsjrHSEGnQ3l9_3std2rt4main", out, sizeof(out));
	assert_string_equal(out, "std::rt");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),        cmocka_unit_test(test_names_of_c),
		cmocka_unit_test(test_closures),     cmocka_unit_test(test_generics_are_left_out),
		cmocka_unit_test(test_types),        cmocka_unit_test(test_not_understood),
		cmocka_unit_test(test_older_scheme), cmocka_unit_test(test_cxx),
		cmocka_unit_test(test_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

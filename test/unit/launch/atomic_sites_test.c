/*
 * Which instructions are found: this very process is disassembled, and has some with labels.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "launch/atomic_sites.h"

extern const char calls_here[], returns_here[], jumps_here[], add_here[], exchange_here[], pause_here[],
	hidden_here[], goes_here[], leaves_here[], stub_here[], descriptor_here[], result_here[];
int counter;
void *pointer;
void functions_to_read(void);

/* The second function jumps past its lock prefix: its instructions can't be told for certain. */
__asm__(".text\n"
	".type functions_to_read, @function\n"
	"functions_to_read:\n"
	"	.cfi_startproc\n"
	"add_here:\n"
	"	lock addl $5, counter(%rip)\n"
	"exchange_here:\n"
	"	xchgq %r9, -16(%rdx,%rsi,4)\n"
	"pause_here:\n"
	"	pause\n"
	"	xchgq %r9, %r8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size functions_to_read, . - functions_to_read\n"
	"function_in_doubt:\n"
	"	.cfi_startproc\n"
	"	je 1f\n"
	"hidden_here:\n"
	"	lock\n"
	"1:	incl (%rdi)\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"function_called:\n"
	"	.cfi_startproc\n"
	"	xorl %r11d, %r11d\n"
	"	movq %rsi, %rax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"function_with_leftovers:\n"
	"	.cfi_startproc\n"
	"	movl $1, %r8d\n"
	"	movl $1, %r9d\n"
	"	movl $1, %r10d\n"
	"	movl $1, %r11d\n"
	"	movl $1, %esi\n"
	"calls_here:\n"
	"	lock incl (%rdi)\n"
	"	xorl %r8d, %r8d\n"
	"	movb $1, %r10b\n"
	"	je 2f\n"
	"	movq %r9, (%rdi)\n"
	"2:	call function_called\n"
	"returns_here:\n"
	"	lock incl (%rcx)\n"
	"	movl $1, %ebx\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"function_that_jumps:\n"
	"	.cfi_startproc\n"
	"	movl $1, %r8d\n"
	"jumps_here:\n"
	"	lock incl (%rdi)\n"
	"	jmp *%rax\n"
	"	.cfi_endproc\n"
	"function_that_calls_away:\n"
	"	.cfi_startproc\n"
	"goes_here:\n"
	"	lock incl (%rdi)\n"
	"	call *pointer(%rip)\n"
	"	movq %r11, (%rax)\n"
	"	call getpid@PLT\n"
	"	movl $1, %edi\n"
	"stub_here:\n"
	"	lock incl (%rdi)\n"
	"	call getpid@PLT\n"
	"	movq %r11, (%rax)\n"
	"leaves_here:\n"
	"	lock incl (%rdi)\n"
	"	jmp *pointer(%rip)\n"
	"	.cfi_endproc\n"
	"function_with_a_descriptor:\n"
	"	.cfi_startproc\n"
	"descriptor_here:\n"
	"	lock incl (%rdi)\n"
	"	call *(%rax)\n"
	"	movq %r11, (%rax)\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"function_that_wants_a_result:\n"
	"	.cfi_startproc\n"
	"result_here:\n"
	"	lock incl (%rdi)\n"
	"	call function_called\n"
	"	movq %rax, (%rdx)\n"
	"	ret\n"
	"	.cfi_endproc\n");

static const struct wire_site *site_at(const struct wire_atomics *a, const char *pc)
{
	for (u32 i = 0; i < a->sites; i++)
		if (a->site[i].pc == (u64)pc)
			return &a->site[i];
	return NULL;
}

static int find(void **state)
{
	struct problem p;
	*state = calloc(1, sizeof(struct wire_atomics));
	return *state ? atomics_find(getpid(), *state, &p) : -1;
}

static int forget(void **state)
{
	free(*state);
	return 0;
}

static void a_relative_operand_is_known(void **state)
{
	const struct wire_site *s = site_at(*state, add_here);
	assert_non_null(s);
	assert_int_equal(s->length, exchange_here - add_here);
	assert_memory_equal(s->code, add_here, s->length);
	assert_int_equal(s->relative_at, 3);
	assert_ptr_equal((void *)(s->pc + s->length + (u64)(long)s->displacement), &counter);
	assert_int_equal(s->flags_dead, 1);
}

static void an_exchange_with_memory_is_atomic(void **state)
{
	const struct wire_site *s = site_at(*state, exchange_here);
	assert_non_null(s);
	assert_int_equal(s->base, 2);
	assert_int_equal(s->index, 6);
	assert_int_equal(s->shift, 2);
	assert_int_equal(s->displacement, -16);
	assert_int_equal(s->relative_at, 0);
	assert_int_equal(s->flags_dead, 0);
}

static void a_pause_is_none(void **state)
{
	const struct wire_site *s = site_at(*state, pause_here);
	assert_non_null(s);
	assert_int_equal(s->pause, 1);
	assert_null(site_at(*state, pause_here + 2)); /* registers only */
}

static void what_is_in_doubt_is_left_alone(void **state)
{
	const struct wire_atomics *a = *state;
	assert_null(site_at(a, hidden_here));
	assert_null(site_at(a, hidden_here + 1));
	assert_true(a->unread >= 1);
}

static bool is_dead(const struct wire_site *s, u32 number)
{
	return s->dead & 1u << number;
}

/* 8: overwritten. 9: read on one of two paths. 10: half of it stays. 11 is written by the callee, 6 read. */
static void what_is_written_before_it_is_read_is_dead(void **state)
{
	const struct wire_site *s = site_at(*state, calls_here);
	assert_non_null(s);
	assert_true(is_dead(s, 8));
	assert_false(is_dead(s, 9));
	assert_false(is_dead(s, 10));
	assert_true(is_dead(s, 11));
	assert_false(is_dead(s, 6));
	assert_false(is_dead(s, 7)); /* its operand */
}

/* A function elsewhere keeps to the convention: r11 is nobody's, r10 may be an argument. */
static void a_call_away_needs_arguments_alone(void **state)
{
	const char *const away[] = {goes_here, stub_here, leaves_here};
	for (u32 i = 0; i < HD_ARRAY_LEN(away); i++) {
		const struct wire_site *s = site_at(*state, away[i]);
		assert_non_null(s);
		assert_int_equal(s->dead, 1u << 11);
	}
	assert_int_equal(site_at(*state, descriptor_here)->dead, 0);
}

/* rax is the callee's; rdx, which it leaves alone, may be the caller's. */
static void what_a_callee_writes_is_no_callers(void **state)
{
	const struct wire_site *s = site_at(*state, result_here);
	assert_non_null(s);
	assert_true(is_dead(s, 0));
	assert_true(is_dead(s, 11));
	assert_false(is_dead(s, 2));
	assert_false(is_dead(s, 8));
}

/* Who writes a register leaves its caller nothing in it; what it leaves alone is perhaps the caller's. */
static void what_nobody_is_left_to_read_is_dead(void **state)
{
	const struct wire_site *s = site_at(*state, returns_here);
	assert_non_null(s);
	assert_true(is_dead(s, 9));
	assert_false(is_dead(s, 7));
	assert_false(is_dead(s, 0));
	assert_false(is_dead(s, 3));
	assert_false(is_dead(s, 4));
	assert_int_equal(site_at(*state, jumps_here)->dead, 0);
}

static void sites_are_in_order(void **state)
{
	const struct wire_atomics *a = *state;
	for (u32 i = 1; i < a->sites; i++)
		assert_true(a->site[i - 1].pc + a->site[i - 1].length <= a->site[i].pc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_relative_operand_is_known),
		cmocka_unit_test(an_exchange_with_memory_is_atomic),
		cmocka_unit_test(a_pause_is_none),
		cmocka_unit_test(what_is_in_doubt_is_left_alone),
		cmocka_unit_test(what_is_written_before_it_is_read_is_dead),
		cmocka_unit_test(what_nobody_is_left_to_read_is_dead),
		cmocka_unit_test(a_call_away_needs_arguments_alone),
		cmocka_unit_test(what_a_callee_writes_is_no_callers),
		cmocka_unit_test(sites_are_in_order),
	};
	return cmocka_run_group_tests(tests, find, forget);
}

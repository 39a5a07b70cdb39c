/* Memory mappings of the virtual kernel: canonical placement, zero again when unmapped. */
#include "vkernel_test.h"

#include <sys/mman.h>

#define PAGE 4096l

static long map(long len, int prot, int flags, long fd)
{
	return fake_call(SYS_mmap, 0, len, prot, flags, fd, 0);
}

static long map_memory(long pages)
{
	return map(pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static long range(long fiber)
{
	return (long)(LAYOUT_MMAP_BASE + (unsigned long)fiber * LAYOUT_MMAP_STRIDE);
}

static void the_lowest_gap_is_taken(void **state)
{
	long a = map_memory(2), b = map_memory(1), c = map_memory(1);
	assert_int_equal(a, range(0));
	assert_int_equal(b, a + 2 * PAGE);
	assert_int_equal(c, b + PAGE);
	assert_int_equal(CALL_2(SYS_munmap, a, 2 * PAGE), 0);
	assert_int_equal(map_memory(3), c + PAGE);
	assert_int_equal(map_memory(1), a);
}

static void each_fiber_has_its_own_range(void **state)
{
	fake.slot = 2;
	assert_int_equal(map_memory(1), range(2));
	fake.slot = 1;
	assert_int_equal(map_memory(1), range(1));
	assert_int_equal(CALL_2(SYS_munmap, range(2), PAGE), 0); /* any fiber may */
	fake.slot = 2;
	assert_int_equal(map_memory(1), range(2));
}

static void unmapped_memory_is_zero_and_leaves_no_trace(void **state)
{
	struct model_copy *before = model_copy();
	char *p = (char *)map_memory(4);
	memset(p, 'x', 4 * PAGE);
	assert_int_equal(CALL_2(SYS_munmap, p + PAGE, PAGE), 0);
	assert_int_equal(p[PAGE], 0);
	assert_int_equal(p[2 * PAGE], 'x');
	assert_int_equal(CALL_2(SYS_munmap, p, 4 * PAGE), 0);
	for (long i = 0; i < 4 * PAGE; i++)
		assert_int_equal(p[i], 0);
	assert_model_is(before);
}

static void a_file_is_mapped_privately(void **state)
{
	char text[] = "mapped text";
	long fd = CALL_3(SYS_memfd_create, "m", 0, 0);
	CALL_3(SYS_write, fd, text, sizeof(text));
	char *p = (char *)map(PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd);
	assert_string_equal(p, text);
	p[0] = 'M';
	char c;
	CALL_4(SYS_pread64, fd, &c, 1, 0);
	assert_int_equal(c, 'm');
	assert_int_equal(map(PAGE, PROT_READ, MAP_PRIVATE, 77), -EBADF);
	assert_int_equal(map(PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd), -ENODEV);
	assert_int_equal(fake.refused, 1);
}

static void fixed_mappings_replace_what_was_there(void **state)
{
	char *p = (char *)map_memory(3);
	p[PAGE] = 'x';
	long at = fake_call(SYS_mmap, (long)p + PAGE, PAGE, PROT_READ,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	assert_int_equal(at, (long)p + PAGE);
	assert_int_equal(p[PAGE], 0);
	assert_int_equal(vk_mem_prot((u64)at), PROT_READ);
	assert_int_equal(vk_mem_prot((u64)p), PROT_READ | PROT_WRITE);
	assert_int_equal(vk_mem_prot((u64)p + 3 * PAGE), -1);
	assert_int_equal(fake_call(SYS_mmap, 0x10000000, PAGE, PROT_READ,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
			 -ENOMEM);
	assert_int_equal(fake.refused, 1);
}

static void protections_are_remembered_and_merged(void **state)
{
	char *p = (char *)map_memory(3);
	struct model_copy *before = model_copy();
	assert_int_equal(fake.protects, 0);
	assert_int_equal(CALL_3(SYS_mprotect, p + PAGE, PAGE, PROT_NONE), 0);
	assert_int_equal(fake.protects, 1);
	assert_int_equal(vk_mem_prot((u64)p + PAGE), PROT_NONE);
	assert_int_equal(CALL_3(SYS_mprotect, p, 3 * PAGE, PROT_READ | PROT_WRITE), 0);
	assert_model_is(before);
	assert_int_equal(CALL_3(SYS_mprotect, p, 4 * PAGE, PROT_READ), -ENOMEM);
}

static void mremap_grows_in_place_or_moves(void **state)
{
	char *p = (char *)map_memory(1);
	p[0] = 'x';
	assert_int_equal(CALL_4(SYS_mremap, p, PAGE, 2 * PAGE, 0), (long)p);
	long wall = map_memory(1);
	assert_int_equal(CALL_4(SYS_mremap, p, 2 * PAGE, 3 * PAGE, 0), -ENOMEM);
	char *q = (char *)CALL_4(SYS_mremap, p, 2 * PAGE, 3 * PAGE, MREMAP_MAYMOVE);
	assert_int_equal((long)q, wall + PAGE);
	assert_int_equal(q[0], 'x');
	assert_int_equal(p[0], 0);
	assert_int_equal(CALL_4(SYS_mremap, q, 3 * PAGE, PAGE, 0), (long)q);
	assert_int_equal(vk_mem_prot((u64)q + PAGE), -1);
}

static void dont_need_zeroes(void **state)
{
	char *p = (char *)map_memory(2);
	p[0] = p[PAGE] = 'x';
	assert_int_equal(CALL_3(SYS_madvise, p, PAGE, MADV_DONTNEED), 0);
	assert_int_equal(p[0], 0);
	assert_int_equal(p[PAGE], 'x');
}

static void writing_what_is_mapped_shared_is_refused(void **state)
{
	long fd = CALL_3(SYS_open, "/proc/self/exe", O_RDONLY, 0);
	assert_true(map(PAGE, PROT_READ, MAP_SHARED, fd) > 0);
	assert_true(map(PAGE, PROT_READ, MAP_SHARED, fd) > 0);
	assert_int_equal(fake.refused, 0);
	CALL_2(SYS_chmod, "/proc/self/exe", 0700);
	assert_int_equal(fake.refused, 1);
	assert_string_equal(fake.refused_call, "change of a file that is mapped shared");
}

static void bad_arguments_fail(void **state)
{
	assert_int_equal(map(0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1), -EINVAL);
	assert_int_equal(map(PAGE, PROT_READ, MAP_ANONYMOUS, -1), -EINVAL);
	assert_int_equal(map(1l << 50, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1), -ENOMEM);
	assert_int_equal(CALL_2(SYS_munmap, range(0) + 1, PAGE), -EINVAL);
	char *p = (char *)map_memory(1);
	assert_int_equal(CALL_3(SYS_read, 0, p + 2 * PAGE, 1), 0); /* the end of the file: nothing is moved */
	long zero = CALL_3(SYS_open, "/dev/zero", O_RDONLY, 0);
	assert_int_equal(CALL_3(SYS_read, zero, p + 2 * PAGE, 1), -EFAULT);
	assert_int_equal(CALL_3(SYS_read, zero, p + PAGE - 1, 2), 1);
	CALL_3(SYS_mprotect, p, PAGE, PROT_READ);
	assert_int_equal(CALL_3(SYS_read, zero, p, 1), -EFAULT);
}

static void the_break_moves(void **state)
{
	char *start = (char *)CALL_1(SYS_brk, 0);
	assert_ptr_equal(CALL_1(SYS_brk, start - 1), start);
	assert_ptr_equal(CALL_1(SYS_brk, start + (1l << 40)), start);
	assert_int_equal(vk_mem_prot((u64)start), -1);
	assert_ptr_equal(CALL_1(SYS_brk, start + PAGE + 1), start + PAGE + 1);
	start[0] = start[PAGE] = start[2 * PAGE - 1] = 'x';
	assert_ptr_equal(CALL_1(SYS_brk, start + 1), start + 1);
	assert_int_equal(vk_mem_prot((u64)start), PROT_READ | PROT_WRITE);
	assert_int_equal(vk_mem_prot((u64)start + PAGE), -1);
	assert_ptr_equal(CALL_1(SYS_brk, start + 2 * PAGE), start + 2 * PAGE);
	assert_int_equal(start[0], 'x');
	assert_int_equal(start[PAGE], 0);
	assert_int_equal(start[2 * PAGE - 1], 0);
}

static void the_break_stops_at_a_mapping(void **state)
{
	char *start = (char *)CALL_1(SYS_brk, 0);
	long at = fake_call(SYS_mmap, (long)start + 4 * PAGE, PAGE, PROT_READ,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	assert_ptr_equal(at, start + 4 * PAGE);
	assert_ptr_equal(CALL_1(SYS_brk, start + 5 * PAGE), start);
	assert_ptr_equal(CALL_1(SYS_brk, start + 4 * PAGE), start + 4 * PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(the_lowest_gap_is_taken),
		WORLD_TEST(each_fiber_has_its_own_range),
		WORLD_TEST(unmapped_memory_is_zero_and_leaves_no_trace),
		WORLD_TEST(a_file_is_mapped_privately),
		WORLD_TEST(fixed_mappings_replace_what_was_there),
		WORLD_TEST(protections_are_remembered_and_merged),
		WORLD_TEST(mremap_grows_in_place_or_moves),
		WORLD_TEST(dont_need_zeroes),
		WORLD_TEST(writing_what_is_mapped_shared_is_refused),
		WORLD_TEST(bad_arguments_fail),
		WORLD_TEST(the_break_moves),
		WORLD_TEST(the_break_stops_at_a_mapping),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

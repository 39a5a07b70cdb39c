/* Files of the virtual kernel: the overlay, what is a step, devices, standard streams. */
#include "vkernel_test.h"
#include "wire/op_kinds.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char root[64], start[512];

/* A real directory with one file, "old"; the SUT starts there. */
static int enter_directory(void **state)
{
	strcpy(root, "/tmp/vkernel-XXXXXX");
	if (!getcwd(start, sizeof(start)) || !mkdtemp(root) || chdir(root))
		return -1;
	FILE *f = fopen("old", "w");
	if (!f || fputs("old contents", f) < 0 || fclose(f))
		return -1;
	return fresh_world(state);
}

/* Whatever the test did, the disk holds that file and nothing else. */
static int leave_directory(void **state)
{
	char buf[64] = {0};
	struct dirent *e;
	int names = 0;
	DIR *d = opendir(root);
	FILE *f = fopen("old", "r");
	(void)state;
	while ((e = readdir(d)))
		names++;
	closedir(d);
	bool same = fgets(buf, sizeof(buf), f) && !strcmp(buf, "old contents") && names == 3;
	fclose(f);
	unlink("old");
	if (chdir(start) || rmdir(root))
		return -1;
	return same ? 0 : -1;
}

static long open_file(const char *path, int flags)
{
	return CALL_3(SYS_open, path, flags, 0644);
}

static void expect_contents(const char *path, const char *text)
{
	char buf[128] = {0};
	long fd = open_file(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(CALL_3(SYS_read, fd, buf, sizeof(buf)), strlen(text));
	assert_string_equal(buf, text);
	assert_int_equal(CALL_1(SYS_close, fd), 0);
}

static void put(const char *path, int flags, const char *text)
{
	long fd = open_file(path, O_WRONLY | flags);
	assert_true(fd >= 0);
	assert_int_equal(CALL_3(SYS_write, fd, text, strlen(text)), strlen(text));
	assert_int_equal(CALL_1(SYS_close, fd), 0);
}

static void real_files_can_be_read(void **state)
{
	struct model_copy *before = model_copy();
	expect_contents("old", "old contents");
	assert_model_is(before);
	assert_int_equal(fake.steps, 0);
}

static void writing_goes_to_the_overlay(void **state)
{
	put("old", 0, "new");
	expect_contents("old", "new contents");
	put("old", O_TRUNC, "short");
	expect_contents("old", "short");
	put("made", O_CREAT, "here");
	expect_contents("made", "here");
}

static void who_had_the_file_open_sees_the_change(void **state)
{
	char buf[4] = {0};
	long fd = open_file("old", O_RDONLY);
	put("old", 0, "new");
	assert_int_equal(CALL_3(SYS_read, fd, buf, 3), 3);
	assert_string_equal(buf, "new");
}

static void a_removed_file_leaves_no_trace(void **state)
{
	struct model_copy *before = model_copy();
	put("made", O_CREAT, "something to forget");
	assert_int_equal(CALL_2(SYS_mkdir, "dir", 0755), 0);
	assert_int_equal(CALL_2(SYS_rename, "made", "dir/there"), 0);
	assert_int_equal(CALL_1(SYS_unlink, "dir/there"), 0);
	assert_int_equal(CALL_1(SYS_rmdir, "dir"), 0);
	assert_model_is(before);
}

static void the_order_of_creation_does_not_show(void **state)
{
	put("one", O_CREAT, "1");
	put("two", O_CREAT, "2");
	struct model_copy *before = model_copy();
	fake_reset();
	put("two", O_CREAT, "2");
	put("one", O_CREAT, "1");
	assert_model_is(before);
}

static void a_removed_real_file_stays_removed(void **state)
{
	struct stat st;
	assert_int_equal(CALL_1(SYS_unlink, "old"), 0);
	assert_int_equal(CALL_2(SYS_stat, "old", &st), -ENOENT);
	assert_int_equal(open_file("old", O_RDONLY), -ENOENT);
	put("old", O_CREAT | O_EXCL, "again");
	expect_contents("old", "again");
}

static void an_open_file_outlives_its_name(void **state)
{
	struct model_copy *before = model_copy();
	char buf[8] = {0};
	long fd = open_file("made", O_CREAT | O_RDWR);
	CALL_3(SYS_write, fd, "kept", 4);
	CALL_1(SYS_unlink, "made");
	assert_int_equal(CALL_4(SYS_pread64, fd, buf, 8, 0), 4);
	assert_string_equal(buf, "kept");
	CALL_1(SYS_close, fd);
	assert_model_is(before);
}

static void a_truncated_file_has_zeros_behind(void **state)
{
	char buf[8];
	long fd = open_file("made", O_CREAT | O_RDWR);
	CALL_3(SYS_write, fd, "abcdefgh", 8);
	assert_int_equal(CALL_2(SYS_ftruncate, fd, 2), 0);
	assert_int_equal(CALL_2(SYS_ftruncate, fd, 8), 0);
	assert_int_equal(CALL_4(SYS_pread64, fd, buf, 8, 0), 8);
	assert_memory_equal(buf, "ab\0\0\0\0\0\0", 8);
}

/* ---- steps ---- */

static void a_file_of_one_fiber_is_no_step(void **state)
{
	put("made", O_CREAT, "a");
	expect_contents("made", "a");
	assert_int_equal(fake.steps, 0);
}

static void readers_of_a_file_do_not_disturb_each_other(void **state)
{
	char c;
	long one = open_file("old", O_RDONLY);
	long two = open_file("old", O_RDONLY);
	assert_int_equal(CALL_3(SYS_read, one, &c, 1), 1);
	fake.slot = 1;
	assert_int_equal(CALL_3(SYS_read, two, &c, 1), 1);
	assert_int_equal(fake.steps, 0);
}

static void a_shared_offset_is_seen(void **state)
{
	char c;
	long fd = open_file("old", O_RDONLY);
	assert_int_equal(CALL_3(SYS_read, fd, &c, 1), 1);
	fake.slot = 1;
	assert_int_equal(CALL_3(SYS_read, fd, &c, 1), 1);
	assert_int_equal(c, 'l');
	assert_int_equal(fake.steps, 1);
	assert_int_equal(fake.last.kind, OP_FILE);
}

static void a_writer_and_a_reader_see_each_other(void **state)
{
	char c;
	long write = open_file("made", O_CREAT | O_WRONLY), read = open_file("made", O_RDONLY);
	CALL_3(SYS_write, write, "ab", 2);
	fake.slot = 1;
	assert_int_equal(CALL_4(SYS_pread64, read, &c, 1, 1), 1);
	assert_int_equal(fake.steps, 1);
	fake.slot = 0;
	CALL_3(SYS_write, write, "cd", 2);
	assert_int_equal(fake.steps, 2);
}

/* The number, the offset and the contents are all seen by others: it is looked up, then all is one step. */
static void one_call_is_two_steps_at_most(void **state)
{
	char c;
	long fd = open_file("made", O_CREAT | O_RDWR);
	CALL_3(SYS_write, fd, "ab", 2);
	fake.slot = 1;
	CALL_3(SYS_read, fd, &c, 1);
	CALL_1(SYS_close, fd);
	fake.slot = 0;
	assert_int_equal(open_file("made", O_RDWR), fd);
	fake.steps = 0;
	CALL_3(SYS_write, fd, "cd", 2);
	assert_int_equal(fake.steps, 2);
}

static void descriptor_numbers_are_shared(void **state)
{
	long fd = open_file("old", O_RDONLY);
	assert_int_equal(fake.steps, 0);
	fake.slot = 1;
	CALL_1(SYS_close, fd);
	assert_int_equal(fake.steps, 1);
	assert_int_equal(fake.last.kind, OP_CLOSE);
	fake.slot = 0;
	assert_int_equal(open_file("old", O_RDONLY), fd);
	assert_int_equal(fake.steps, 2);
}

static void closing_after_joining_everyone_is_no_step(void **state)
{
	char c;
	fake.joined = true;
	long fd = open_file("old", O_RDONLY);
	fake.slot = 1;
	fake.joined = false;
	CALL_4(SYS_pread64, fd, &c, 1, 0);
	fake.slot = 0;
	fake.joined = true;
	assert_int_equal(CALL_1(SYS_close, fd), 0);
	assert_int_equal(fake.steps, 0);
}

static long victim;
static void another_fiber_closes_it(void)
{
	fake.slot = 1;
	assert_int_equal(CALL_1(SYS_close, victim), 0);
}

static void closing_twice_fails_for_the_second(void **state)
{
	victim = CALL_2(SYS_eventfd2, 0, 0);
	fake.during_step = another_fiber_closes_it;
	assert_int_equal(CALL_1(SYS_close, victim), -EBADF);
}

/* ---- standard streams, devices, /proc ---- */

static void output_goes_to_the_scheduler(void **state)
{
	assert_int_equal(CALL_3(SYS_write, 1, "hello ", 6), 6);
	assert_int_equal(CALL_3(SYS_write, 2, "world", 5), 5);
	assert_memory_equal(fake.output, "hello world", 11);
	assert_int_equal(fake.output_fd, 2);
	assert_int_equal(CALL_2(SYS_dup2, 1, 7), 7);
	assert_int_equal(CALL_3(SYS_write, 7, "!", 1), 1);
	assert_int_equal(fake.output_fd, 1);
	assert_int_equal(fake.steps, 0);
	assert_int_equal(CALL_3(SYS_ioctl, 1, 0x5401, 0), -ENOTTY);
}

static void standard_input_is_empty_or_a_file(void **state)
{
	char buf[16] = {0};
	assert_int_equal(CALL_3(SYS_read, 0, buf, 16), 0);
	strcpy(rt_wire->config.stdin_path, "old");
	fake_reset();
	assert_int_equal(CALL_3(SYS_read, 0, buf, 16), 12);
	assert_string_equal(buf, "old contents");
}

static void devices_do_what_they_are_for(void **state)
{
	char buf[4] = "xxx";
	long zero = open_file("/dev/zero", O_RDONLY), null = open_file("/dev/null", O_RDWR);
	long full = open_file("/dev/full", O_WRONLY);
	assert_int_equal(CALL_3(SYS_read, zero, buf, 4), 4);
	assert_memory_equal(buf, "\0\0\0\0", 4);
	assert_int_equal(CALL_3(SYS_read, null, buf, 4), 0);
	assert_int_equal(CALL_3(SYS_write, null, buf, 4), 4);
	assert_int_equal(CALL_3(SYS_write, full, buf, 4), -ENOSPC);
	assert_int_equal(open_file("/dev/tty", O_RDWR), -ENXIO);
	assert_int_equal(fake.refused, 0);
}

static void what_changes_in_proc_is_refused(void **state)
{
	char buf[64] = {0};
	assert_int_equal(open_file("/proc/self/smaps", O_RDONLY), -ENOENT);
	assert_int_equal(fake.refused, 1);
	assert_string_equal(fake.refused_call, "/proc/self/smaps");
	assert_true(CALL_3(SYS_readlink, "/proc/self/exe", buf, sizeof(buf)) > 0);
	assert_true(open_file("/proc/self/cmdline", O_RDONLY) >= 0);
	expect_contents("/proc/uptime", "1000.00 4000.00\n");
	assert_int_equal(fake.refused, 1);
}

/* It lists the files of this program, and stays what it was when the run began. */
static void the_list_of_mappings_is_constant(void **state)
{
	static char first[1 << 18], second[1 << 18];
	long fd = open_file("/proc/self/maps", O_RDONLY);
	long n = CALL_3(SYS_read, fd, first, sizeof(first));
	assert_true(n > 0);
	assert_non_null(strstr(first, "vkernel_file_test\n"));
	assert_null(strstr(first, "[heap]"));
	void *more = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, open("/proc/self/exe", O_RDONLY), 0);
	assert_true(more != MAP_FAILED);
	fd = open_file("/proc/self/maps", O_RDONLY);
	assert_int_equal(CALL_3(SYS_read, fd, second, sizeof(second)), n);
	assert_memory_equal(first, second, (size_t)n);
	assert_int_equal(fake.refused, 0);
}

static void dev_stdout_is_standard_output(void **state)
{
	long fd = open_file("/dev/stdout", O_WRONLY);
	assert_true(fd > 2);
	CALL_3(SYS_write, fd, "out", 3);
	assert_int_equal(fake.output_fd, 1);
	assert_memory_equal(fake.output, "out", 3);
}

/* No other process is there to lock out; between descriptions of this one they would matter. */
static void file_locks_keep_nobody_out(void **state)
{
	struct flock lock = {.l_type = F_WRLCK};
	long fd = open_file("old", O_RDWR), reader = open_file("old", O_RDONLY);
	assert_int_equal(CALL_3(SYS_fcntl, fd, F_SETLK, &lock), 0);
	assert_int_equal(CALL_3(SYS_fcntl, reader, F_SETLK, &lock), -EBADF);
	assert_int_equal(CALL_3(SYS_fcntl, reader, F_GETLK, &lock), 0);
	assert_int_equal(lock.l_type, F_UNLCK);
	assert_int_equal(fake.refused, 0);
	assert_int_equal(CALL_3(SYS_fcntl, fd, F_OFD_SETLK, &lock), 0);
	assert_int_equal(fake.refused, 1); /* both kinds */
}

static void file_locks_keep_other_descriptions_out(void **state)
{
	struct flock lock = {.l_type = F_WRLCK, .l_start = 10, .l_len = 5};
	long a = open_file("old", O_RDWR), b = open_file("old", O_RDWR), copy = CALL_1(SYS_dup, a);
	assert_int_equal(CALL_2(SYS_flock, a, LOCK_EX), 0);
	assert_int_equal(CALL_2(SYS_flock, copy, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(CALL_2(SYS_flock, b, LOCK_SH | LOCK_NB), -EAGAIN);
	assert_int_equal(CALL_2(SYS_flock, b, 0), -EINVAL);
	assert_int_equal(CALL_2(SYS_flock, 99, LOCK_EX), -EBADF);
	assert_int_equal(CALL_3(SYS_fcntl, b, F_OFD_SETLK, &lock), 0); /* the two don't see each other */
	assert_int_equal(CALL_3(SYS_fcntl, a, F_OFD_SETLK, &lock), -EAGAIN);
	assert_int_equal(CALL_3(SYS_fcntl, a, F_OFD_GETLK, &lock), 0);
	assert_int_equal(lock.l_type, F_WRLCK);
	assert_int_equal(lock.l_pid, -1);
	lock.l_pid = 1;
	assert_int_equal(CALL_3(SYS_fcntl, a, F_OFD_SETLK, &lock), -EINVAL);
	assert_int_equal(CALL_1(SYS_close, a), 0);
	assert_int_equal(CALL_2(SYS_flock, b, LOCK_SH | LOCK_NB), -EAGAIN);
	assert_int_equal(CALL_1(SYS_close, copy), 0);
	assert_int_equal(CALL_2(SYS_flock, b, LOCK_SH | LOCK_NB), 0);
	assert_int_equal(fake.refused, 0);
}

static void nobody_listens_at_a_missing_path(void **state)
{
	struct sockaddr_un nobody = {AF_UNIX, "no/such/socket"}, plain = {AF_UNIX, "old"},
			   abstract = {AF_UNIX, ""};
	long fd = CALL_3(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(CALL_3(SYS_connect, fd, &nobody, sizeof(nobody)), -ENOENT);
	assert_int_equal(CALL_3(SYS_connect, fd, &plain, sizeof(plain)), -ECONNREFUSED);
	assert_int_equal(CALL_3(SYS_connect, 0, &nobody, sizeof(nobody)), -ENOTSOCK);
	assert_int_equal(CALL_3(SYS_getpeername, 0, 0, 0), -ENOTSOCK);
	assert_int_equal(fake.refused, 0);
	assert_int_equal(CALL_3(SYS_connect, fd, &abstract, sizeof(abstract)), -ECONNREFUSED);
	assert_int_equal(CALL_2(SYS_listen, fd, 1), -EINVAL);
	assert_int_equal(fake.refused, 0);
	assert_int_equal(CALL_1(SYS_close, fd), 0);
}

static void bad_pointers_are_faults(void **state)
{
	long fd = open_file("old", O_RDONLY);
	assert_int_equal(CALL_3(SYS_read, fd, 0, 4), -EFAULT);
	assert_int_equal(CALL_3(SYS_read, fd, ~0xfffl, 4), -EFAULT);
	assert_int_equal(open_file(NULL, O_RDONLY), -EFAULT);
	assert_int_equal(CALL_2(SYS_fstat, fd, 8), -EFAULT);
}

static void a_removed_name_does_not_disturb_reading_on(void **state)
{
	char buf[64] __attribute__((aligned(8)));
	int names = 0;
	for (int i = 0; i < 20; i++) {
		char name[16];
		snprintf(name, sizeof(name), "file%d", i);
		put(name, O_CREAT, "x");
	}
	long fd = open_file(".", O_RDONLY | O_DIRECTORY), got;
	/* room for one name at a time */
	while ((got = CALL_3(SYS_getdents64, fd, buf, 32)) > 0) {
		struct {
			unsigned long ino, off;
			unsigned short reclen;
			unsigned char type;
			char name[];
		} *e = (void *)buf;
		names++;
		if (!strncmp(e->name, "file", 4))
			assert_int_equal(CALL_1(SYS_unlink, e->name), 0);
	}
	assert_int_equal(got, 0);
	assert_int_equal(names, 20 + 3); /* . and .. and old */
}

#define FILE_TEST(f) cmocka_unit_test_setup_teardown(f, enter_directory, leave_directory)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FILE_TEST(real_files_can_be_read),
		FILE_TEST(writing_goes_to_the_overlay),
		FILE_TEST(who_had_the_file_open_sees_the_change),
		FILE_TEST(a_removed_file_leaves_no_trace),
		FILE_TEST(the_order_of_creation_does_not_show),
		FILE_TEST(a_removed_real_file_stays_removed),
		FILE_TEST(an_open_file_outlives_its_name),
		FILE_TEST(a_truncated_file_has_zeros_behind),
		FILE_TEST(a_file_of_one_fiber_is_no_step),
		FILE_TEST(readers_of_a_file_do_not_disturb_each_other),
		FILE_TEST(a_shared_offset_is_seen),
		FILE_TEST(a_writer_and_a_reader_see_each_other),
		FILE_TEST(one_call_is_two_steps_at_most),
		FILE_TEST(descriptor_numbers_are_shared),
		FILE_TEST(closing_after_joining_everyone_is_no_step),
		FILE_TEST(closing_twice_fails_for_the_second),
		FILE_TEST(output_goes_to_the_scheduler),
		FILE_TEST(standard_input_is_empty_or_a_file),
		FILE_TEST(devices_do_what_they_are_for),
		FILE_TEST(what_changes_in_proc_is_refused),
		FILE_TEST(the_list_of_mappings_is_constant),
		FILE_TEST(dev_stdout_is_standard_output),
		FILE_TEST(file_locks_keep_nobody_out),
		FILE_TEST(file_locks_keep_other_descriptions_out),
		FILE_TEST(nobody_listens_at_a_missing_path),
		FILE_TEST(bad_pointers_are_faults),
		FILE_TEST(a_removed_name_does_not_disturb_reading_on),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

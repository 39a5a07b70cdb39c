/*
 * Finding and refusing programs, the environment, and real starts of fake_guest.c under fake_rt.c.
 * HEDDLE_RUNTIME and HEDDLE_TEST_GUEST name the two.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "launch/elf_file.h"
#include "launch/environment.h"
#include "launch/sut.h"
#include "temporary.h"

static const char *guest(void)
{
	const char *path = getenv("HEDDLE_TEST_GUEST");

	assert_non_null(path);
	return path;
}

static void refused(const char *name, const char *says)
{
	struct program program;
	struct problem p = {""};

	if (program_open(name, &program, &p) == 0)
		fail_msg("%s was accepted", name);
	if (!strstr(p.text, says))
		fail_msg("\"%s\" does not say \"%s\"", p.text, says);
}

/* The guest with some bytes changed, executable. */
static const char *mutant(void (*change)(char *bytes, size_t *n), mode_t mode)
{
	size_t n;
	char *bytes = temporary_read(guest(), &n);
	const char *path;

	if (change)
		change(bytes, &n);
	path = temporary_path("mutant");
	unlink(path);
	path = temporary_file("mutant", bytes, n);
	chmod(path, mode);
	free(bytes);
	return path;
}

static Elf64_Phdr *segment(char *bytes, u32 type)
{
	Elf64_Ehdr *h = (Elf64_Ehdr *)bytes;
	Elf64_Phdr *ph = (Elf64_Phdr *)(bytes + h->e_phoff);

	while (ph->p_type != type)
		ph++;
	return ph;
}

static void make_static(char *bytes, size_t *n)
{
	segment(bytes, PT_INTERP)->p_type = PT_NULL;
}

static void make_musl(char *bytes, size_t *n)
{
	strcpy(bytes + segment(bytes, PT_INTERP)->p_offset, "/lib/ld-musl-x86.so.1");
	segment(bytes, PT_INTERP)->p_filesz = sizeof("/lib/ld-musl-x86.so.1");
}

static void make_foreign_linker(char *bytes, size_t *n)
{
	strcpy(bytes + segment(bytes, PT_INTERP)->p_offset, "/system/bin/linker64");
	segment(bytes, PT_INTERP)->p_filesz = sizeof("/system/bin/linker64");
}

static void make_32bit(char *bytes, size_t *n)
{
	bytes[EI_CLASS] = ELFCLASS32;
}

static void make_arm(char *bytes, size_t *n)
{
	((Elf64_Ehdr *)bytes)->e_machine = EM_AARCH64;
}

static void make_object(char *bytes, size_t *n)
{
	((Elf64_Ehdr *)bytes)->e_type = ET_REL;
}

static void make_short(char *bytes, size_t *n)
{
	*n /= 2;
}

static void make_script(char *bytes, size_t *n)
{
	*n = (size_t)sprintf(bytes, "#! /bin/sh -e\necho\n");
}

static void make_text(char *bytes, size_t *n)
{
	*n = (size_t)sprintf(bytes, "hello\n");
}

static void make_empty(char *bytes, size_t *n)
{
	*n = 0;
}

/* As of a Go program, which starts itself. */
static void make_own_start(char *bytes, size_t *n)
{
	char *at = memmem(bytes, *n, "__libc_start_main", 17);

	while (at) {
		at[2] = 'X';
		at = memmem(bytes, *n, "__libc_start_main", 17);
	}
}

static void test_refused_programs(void **state)
{
	refused("/nonexistent/program", "No such file");
	refused("no-such-program-in-path", "no such program in PATH");
	refused("", "empty");
	refused("/", "directory");
	refused("/dev/null", "not a regular file");
	refused(mutant(NULL, 0644), "not executable");
	refused(mutant(NULL, 04755), "set-uid");
	refused(mutant(NULL, 02755), "set-gid");
	refused(mutant(make_script, 0755), "script for /bin/sh");
	refused(mutant(make_text, 0755), "not an ELF program");
	refused(mutant(make_empty, 0755), "not an ELF program");
	refused(mutant(make_static, 0755), "statically linked");
	refused(mutant(make_musl, 0755), "musl");
	refused(mutant(make_foreign_linker, 0755), "/system/bin/linker64");
	refused(mutant(make_32bit, 0755), "32-bit");
	refused(mutant(make_arm, 0755), "another machine");
	refused(mutant(make_object, 0755), "object or core file");
	refused(mutant(make_short, 0755), "damaged");
	refused(mutant(make_own_start, 0755), "__libc_start_main");
}

static void test_program_in_path(void **state)
{
	struct program program;
	struct problem p;
	char *old = strdup(getenv("PATH")), path[256];

	mutant(NULL, 0755);
	snprintf(path, sizeof(path), "/nonexistent:%s", temporary_dir);
	setenv("PATH", path, 1);
	assert_int_equal(program_open("mutant", &program, &p), 0);
	assert_string_equal(program.path, temporary_path("mutant"));
	setenv("PATH", old, 1);
	free(old);
	refused("mutant", "no such program in PATH");
}

static void drop_build_id(char *bytes, size_t *n)
{
	char *id = memmem(bytes, *n, "GNU\0", 4);

	for (; id; id = memmem(bytes, *n, "GNU\0", 4))
		memcpy(id, "XXX", 3);
}

static void test_identity(void **state)
{
	struct program a, b;
	struct problem p;

	assert_int_equal(program_open(guest(), &a, &p), 0);
	assert_int_equal(program_open(mutant(NULL, 0755), &b, &p), 0);
	assert_string_equal(a.identity, b.identity);
	assert_int_equal(program_open(mutant(drop_build_id, 0755), &b, &p), 0);
	assert_memory_equal(b.identity, "content-", 8);
}

/* Whatever the bytes are, reading them ends with an answer. */
static void test_hostile_elf(void **state)
{
	size_t n;
	char *bytes = temporary_read(guest(), &n);
	struct elf_file e;

	for (size_t i = 0; i < 64 + 16 * sizeof(Elf64_Phdr); i += 3) {
		char was = bytes[i];

		bytes[i] = (char)~was;
		elf_file_read(temporary_file("hostile", bytes, n), &e);
		assert_true(e.kind <= ELF_FILE_UNREADABLE);
		bytes[i] = was;
	}
	for (size_t i = 0; i < 1500; i += 37) {
		elf_file_read(temporary_file("hostile", bytes, i), &e);
		assert_int_not_equal(e.kind, ELF_FILE_PROGRAM);
	}
	free(bytes);
}

static char *value_of(char **env, const char *name)
{
	size_t len = strlen(name);

	for (; *env; env++)
		if (!strncmp(*env, name, len) && (*env)[len] == '=')
			return *env + len + 1;
	return NULL;
}

static void test_environment(void **state)
{
	char *user[] = {"Z=1",      "PWD=/x", "OLDPWD=/y",           "SHLVL=3",
			"_=/bin/x", "A=old",  "LD_PRELOAD=other.so", "GLIBC_TUNABLES=glibc.pthread.rseq=1",
			"HOME=/h",  NULL};
	char *extra[] = {"A=first", "A=new", NULL};
	char **env = environment_build(user, extra, "/rt.so", false);

	assert_null(value_of(env, "PWD"));
	assert_null(value_of(env, "OLDPWD"));
	assert_null(value_of(env, "SHLVL"));
	assert_null(value_of(env, "_"));
	assert_string_equal(value_of(env, "A"), "new");
	assert_string_equal(value_of(env, "Z"), "1");
	assert_string_equal(value_of(env, "LD_PRELOAD"), "/rt.so:other.so");
	assert_string_equal(value_of(env, "GLIBC_TUNABLES"), "glibc.pthread.rseq=1:glibc.pthread.rseq=0");
	assert_string_equal(value_of(env, "LD_BIND_NOW"), "1");
	for (size_t i = 0; env[i] && env[i + 1]; i++)
		assert_true(strcmp(env[i], env[i + 1]) < 0);
	environment_free(env);
}

static void test_environment_order(void **state)
{
	char *one[] = {"A=1", "B=2", "PWD=/x", NULL}, *two[] = {"B=2", "A=1", NULL},
	     *three[] = {"B=2", "A=3", NULL};
	char **a = environment_build(one, NULL, "/rt.so", false),
	     **b = environment_build(two, NULL, "/rt.so", false);
	char **c = environment_build(three, NULL, "/rt.so", false);

	assert_int_equal(environment_hash(a), environment_hash(b));
	assert_int_not_equal(environment_hash(a), environment_hash(c));
	environment_free(a);
	environment_free(b);
	environment_free(c);
}

static void start(struct sut *s, struct launch *l, char *script)
{
	static struct program program;
	static char *argv[] = {"guest", NULL}, *extra[2];
	struct problem p;

	extra[0] = script;
	assert_int_equal(program_open(guest(), &program, &p), 0);
	l->program = &program;
	l->argv = argv;
	l->extra = extra;
	if (sut_start(s, l, NULL, 0, &p))
		fail_msg("%s", p.text);
}

static void wait_end(struct sut *s)
{
	while (sut_wait_end(s, 100) != SUT_ENDED)
		;
}

/* Two starts, the second from another directory and after the environment's order changed. */
static void test_start_is_constant(void **state)
{
	struct wire_result seen[2];
	char *old = getcwd(NULL, 0);

	for (int i = 0; i < 2; i++) {
		struct launch l = {.task.mode = WIRE_FINGERPRINT};
		struct sut s;

		start(&s, &l, "FAKE_RT=verified");
		wait_end(&s);
		assert_int_equal(s.worker->phase, WIRE_DONE);
		seen[i] = s.worker->result;
		sut_end(&s);
		assert_int_equal(chdir("/"), 0);
		setenv("PWD", "/some/where/that/is/much/longer", 1);
	}
	assert_int_equal(chdir(old), 0);
	free(old);
	assert_memory_equal(&seen[0].initial, &seen[1].initial, sizeof(seen[0].initial));
	assert_int_equal(seen[0].tracked_pages, 0); /* no vDSO */
	assert_int_equal(seen[0].hot_pages, seen[1].hot_pages);
	assert_int_equal(seen[0].page_faults, seen[1].page_faults);
	assert_int_equal(seen[0].cpu_us, seen[1].cpu_us); /* ld.so's data */
}

static void test_result_arrives(void **state)
{
	struct launch l = {.task.mode = WIRE_SEARCH};
	struct sut s;

	start(&s, &l, "FAKE_RT=verified");
	wait_end(&s);
	assert_int_equal(s.worker->result.end, SEARCH_COMPLETE);
	assert_int_equal(s.worker->stats.states, 1000);
	assert_true(WIFEXITED(s.status) && WEXITSTATUS(s.status) == 0);
	sut_end(&s);
}

static void test_last_words(void **state)
{
	struct launch l = {.task.mode = WIRE_SEARCH};
	char words[64];
	struct sut s;

	start(&s, &l, "FAKE_RT=silent");
	wait_end(&s);
	assert_int_equal(WEXITSTATUS(s.status), 7);
	sut_last_words(&s, words, sizeof(words));
	assert_string_equal(words, "fake runtime: good bye");
	sut_end(&s);
}

static void test_stop(void **state)
{
	struct launch l = {.task.mode = WIRE_SEARCH};
	struct sut s;

	start(&s, &l, "FAKE_RT=wait");
	assert_int_equal(sut_wait_end(&s, 1), SUT_NOTHING);
	sut_ask_to_stop(&s);
	wait_end(&s);
	assert_int_equal(s.worker->result.end, SEARCH_INTERRUPTED);
	sut_end(&s);
}

static void test_end_kills(void **state)
{
	struct launch l = {.task.mode = WIRE_SEARCH};
	struct sut s;
	pid_t pid;

	start(&s, &l, "FAKE_RT=deaf");
	pid = s.pid;
	sut_end(&s);
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(errno, ESRCH);
	sut_end(&s); /* harmless */
}

static void test_events_in_order(void **state)
{
	static const u32 path[] = {ACTION(0, VIOLATION_ASSERT), ACTION(1, 0), ACTION(0, 0)};
	struct launch l = {.task = {.mode = WIRE_REPLAY, .path_len = 3}, .path = path};
	u32 kinds[16], n = 0;
	struct sut s;

	start(&s, &l, "FAKE_RT=violation");
	while (n < 16 && sut_wait_event(&s, 10000) == SUT_EVENT) {
		kinds[n++] = s.worker->event.kind;
		sut_acknowledge(&s);
	}
	assert_int_equal(n, 7);
	assert_int_equal(kinds[2], WIRE_EV_STEP);
	assert_int_equal(kinds[3], WIRE_EV_VIOLATION);
	assert_int_equal(kinds[5], WIRE_EV_FIBER);
	assert_int_equal(kinds[6], WIRE_EV_END);
	sut_end(&s);
}

static void test_implausible_paths(void **state)
{
	struct launch l = {.task.mode = WIRE_SEARCH};
	struct sut s;

	start(&s, &l, "FAKE_RT=verified");
	assert_non_null(sut_path(&s, WIRE_ARENA, 1));
	assert_null(sut_path(&s, WIRE_ARENA - 4, 1));
	assert_null(sut_path(&s, WIRE_ARENA + 2, 1));
	assert_null(sut_path(&s, WIRE_WORKER_SIZE + 4, 0));
	assert_null(sut_path(&s, WIRE_ARENA, WIRE_WORKER_SIZE));
	assert_null(sut_path(&s, WIRE_ARENA, UINT64_MAX));
	assert_null(sut_path(&s, UINT64_MAX - 3, 1));
	sut_end(&s);
}

static void test_no_runtime(void **state)
{
	char *old = strdup(getenv("HEDDLE_RUNTIME"));
	char *argv[] = {"guest", NULL};
	struct program program;
	struct launch l = {.program = &program, .argv = argv};
	struct problem p;
	struct sut s;

	assert_int_equal(program_open(guest(), &program, &p), 0);
	setenv("HEDDLE_RUNTIME", "/nonexistent.so", 1);
	assert_int_equal(sut_start(&s, &l, NULL, 0, &p), -1);
	assert_non_null(strstr(p.text, "HEDDLE_RUNTIME=/nonexistent.so"));
	unsetenv("HEDDLE_RUNTIME");
	assert_int_equal(sut_start(&s, &l, NULL, 0, &p), -1);
	assert_non_null(strstr(p.text, "libheddle-rt.so"));
	setenv("HEDDLE_RUNTIME", old, 1);
	free(old);
}

static void make_library_missing(char *bytes, size_t *n)
{
	char *at = memmem(bytes, *n, "libc.so.6", 10);

	assert_non_null(at);
	memcpy(at, "libX.so.6", 9);
}

static void test_missing_library(void **state)
{
	char *argv[] = {"guest", NULL};
	struct program program;
	struct launch l = {.program = &program, .argv = argv};
	struct problem p;
	struct sut s;

	assert_int_equal(program_open(mutant(make_library_missing, 0755), &program, &p), 0);
	assert_int_equal(sut_start(&s, &l, NULL, 0, &p), -1);
	assert_non_null(strstr(p.text, "ended while it was being loaded"));
	assert_non_null(strstr(p.text, "libX.so.6: cannot open shared object file"));
}

/* The program may use all processors again. rdtsc stays forbidden: the runtime, not
   this fake one, answers it. */
static void test_loading_leaves_no_trace(void **state)
{
	struct launch l = {.task.mode = WIRE_SEARCH};
	cpu_set_t mine, its;
	struct sut s;

	start(&s, &l, "FAKE_RT=rdtsc");
	wait_end(&s);
	assert_true(WIFSIGNALED(s.status) && WTERMSIG(s.status) == SIGSEGV);
	sut_end(&s);
	start(&s, &l, "FAKE_RT=wait");
	assert_int_equal(sched_getaffinity(0, sizeof(mine), &mine), 0);
	assert_int_equal(sched_getaffinity(s.pid, sizeof(its), &its), 0);
	assert_memory_equal(&mine, &its, sizeof(mine));
	sut_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused_programs),
		cmocka_unit_test(test_program_in_path),
		cmocka_unit_test(test_identity),
		cmocka_unit_test(test_hostile_elf),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_environment_order),
		cmocka_unit_test(test_start_is_constant),
		cmocka_unit_test(test_result_arrives),
		cmocka_unit_test(test_last_words),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_end_kills),
		cmocka_unit_test(test_events_in_order),
		cmocka_unit_test(test_implausible_paths),
		cmocka_unit_test(test_missing_library),
		cmocka_unit_test(test_loading_leaves_no_trace),
		cmocka_unit_test(test_no_runtime),
	};

	return cmocka_run_group_tests(tests, temporary_make, temporary_remove);
}

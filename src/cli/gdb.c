#include "cli/gdb.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#include "cli/cli.h"

#define MOST_ARGS 64

/* What follows the list of fibers. */
static const char script[] =
	"class Heddle(gdb.Command):\n"
	"    \"\"\"The threads of the checked program: heddle threads, heddle thread N.\"\"\"\n"
	"    def __init__(self):\n"
	"        super().__init__('heddle', gdb.COMMAND_STACK, prefix=True)\n"
	"\n"
	"class HeddleThreads(gdb.Command):\n"
	"    \"\"\"List the program's threads and what each waits for.\"\"\"\n"
	"    def __init__(self):\n"
	"        super().__init__('heddle threads', gdb.COMMAND_STACK)\n"
	"    def invoke(self, arg, from_tty):\n"
	"        for number, name, what, regs in FIBERS:\n"
	"            mark = '*' if number == HeddleThread.current else ' '\n"
	"            print('%s thread %d%s: %s' % (mark, number, ' (' + name + ')' if name else '', what))\n"
	"\n"
	"class HeddleThread(gdb.Command):\n"
	"    \"\"\"Switch to a thread of the program: heddle thread N; bt, frame and print then show "
	"it.\"\"\"\n"
	"    current = 0\n"
	"    def __init__(self):\n"
	"        super().__init__('heddle thread', gdb.COMMAND_STACK)\n"
	"    def invoke(self, arg, from_tty):\n"
	"        for number, name, what, regs in FIBERS:\n"
	"            if str(number) == arg.strip():\n"
	"                self.switch(number, regs)\n"
	"                if from_tty:\n"
	"                    gdb.execute('frame')\n"
	"                return\n"
	"        raise gdb.GdbError('heddle: no thread %s; see heddle threads' % arg)\n"
	"    def switch(self, number, regs):\n"
	"        gdb.newest_frame().select()\n"
	"        for name, value in regs.items():\n"
	"            gdb.execute('set var $%s = (unsigned long)%#x' % (name, value), False, True)\n"
	"        HeddleThread.current = number\n"
	"        frame = gdb.newest_frame()\n"
	"        while frame.older() and (gdb.solib_name(frame.pc()) or '').endswith('libheddle-rt.so'):\n"
	"            frame = frame.older()\n"
	"        frame.select()\n"
	"\n"
	"Heddle(); HeddleThreads(); HeddleThread()\n"
	"gdb.execute('set confirm off')\n"
	"if FIRST:\n"
	"    gdb.execute('heddle thread %d' % FIRST)\n"
	"    gdb.execute('heddle threads')\n";

static void print_python_text(FILE *f, const char *text)
{
	putc('\'', f);
	for (; *text; text++)
		if ((u8)*text < ' ' || (u8)*text > '~' || *text == '\'' || *text == '\\')
			fprintf(f, "\\x%02x", (u8)*text);
		else
			putc(*text, f);
	putc('\'', f);
}

static void print_fiber(FILE *f, const struct log_entry *l)
{
	const struct wire_regs *r = &l->regs;

	fprintf(f, "  (%u, ", l->thread);
	print_python_text(f, l->name);
	fputs(", ", f);
	print_python_text(f, l->text);
	fprintf(f,
		", {'rsp': %#lx, 'rip': %#lx, 'rbp': %#lx, 'rbx': %#lx, 'r12': %#lx, 'r13': %#lx, 'r14': "
		"%#lx, "
		"'r15': %#lx}),\n",
		r->rsp, r->rip, r->rbp, r->rbx, r->r12, r->r13, r->r14, r->r15);
}

static bool is_listed(const struct execution_log *s, u32 thread)
{
	for (size_t i = 0; i < s->fibers; i++)
		if (s->fiber[i].thread == thread)
			return true;
	return false;
}

static void print_script(FILE *f, const struct execution_log *s)
{
	const struct log_entry *who = execution_log_culprit(s);
	/* Where it failed is nearer to the truth than where its last operation began. */
	bool failed_here = who == &s->violation && who->text && who->regs.rip;

	fputs("import gdb\nFIBERS = [\n", f);
	for (size_t i = 0; i < s->fibers; i++)
		if (!failed_here || s->fiber[i].thread != who->thread)
			print_fiber(f, &s->fiber[i]);
	if (failed_here)
		print_fiber(f, who);
	fprintf(f, "]\nFIBERS.sort(key=lambda fiber: fiber[0])\nFIRST = %u\n%s",
		failed_here || is_listed(s, who->thread) ? who->thread : 0, script);
}

static int write_script(char *path, const struct execution_log *s, struct problem *p)
{
	int fd = mkstemps(path, 3);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (!f)
		return problem_set(p, "%s cannot be written: %s; set TMPDIR", path, strerror(errno));
	print_script(f, s);
	if (fclose(f))
		return problem_set(p, "%s cannot be written: %s; set TMPDIR", path, strerror(errno));
	return 0;
}

HD_NORETURN static void exec_gdb(pid_t pid, const char *script_path, const wordexp_t *more)
{
	char number[16];
	char *argv[MOST_ARGS + 12] = {
		"gdb", "-q",   "-iex", "set debuginfod enabled off", "-iex", "set confirm off",
		"-p",  number, "-x",   (char *)script_path};
	size_t n = 10;

	snprintf(number, sizeof(number), "%d", pid);
	for (size_t i = 0; i < more->we_wordc && i < MOST_ARGS; i++)
		argv[n++] = more->we_wordv[i];
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	execvp("gdb", argv);
	say("gdb cannot be started: %s; install gdb", strerror(errno));
	_exit(127);
}

/* gdb deals with ^C itself. */
static int wait_for_gdb(pid_t gdb)
{
	void (*old)(int) = signal(SIGINT, SIG_IGN);
	int status = 0;

	while (waitpid(gdb, &status, 0) < 0 && errno == EINTR)
		;
	signal(SIGINT, old);
	return status;
}

int gdb_run(pid_t pid, const struct execution_log *log, const char *args, struct problem *p)
{
	const char *tmp = getenv("TMPDIR");
	char path[4096];
	wordexp_t more = {0};
	pid_t gdb;
	int ret, status;

	if (args && wordexp(args, &more, WRDE_NOCMD | WRDE_UNDEF))
		return problem_set(p, "--gdb-args: %s cannot be split into words", args);
	snprintf(path, sizeof(path), "%s/heddle-gdb-XXXXXX.py", tmp && *tmp ? tmp : "/tmp");
	ret = write_script(path, log, p);
	if (ret == 0) {
		fflush(NULL);
		gdb = fork();
		if (gdb == 0)
			exec_gdb(pid, path, &more);
		status = gdb < 0 ? -1 : wait_for_gdb(gdb);
		if (gdb < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 127))
			ret = problem_set(p, "gdb did not run");
		unlink(path);
	}
	if (args)
		wordfree(&more);
	return ret;
}

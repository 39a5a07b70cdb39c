/*
 * together.h: for tests of the parallel search: runs a function in several processes, which share memory for
 * a team (search/team.h) and for what they have to tell the test.
 */
#ifndef HEDDLE_TEST_TOGETHER_H
#define HEDDLE_TEST_TOGETHER_H

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "search/search_priv.h"
#include "toy.h"

static inline void *together_memory(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		       0);
	hd_assert(p != MAP_FAILED);
	return p;
}

struct together_line {
	void *team;
	u32 workers, ready;
};

/*
 * fn(number, member, arg) in each of the processes; all have joined before the first begins, so that there is
 * somebody to give work to. The search is polled at every step. Returns how many of them failed.
 */
static inline u32 together_run(u32 workers, void (*fn)(struct team_member *m, void *arg), void *arg)
{
	struct together_line *line = together_memory(sizeof(*line));
	pid_t child[WIRE_MAX_WORKERS];
	u32 failed = 0;
	line->team = together_memory(WIRE_TEAM_SIZE);
	line->workers = workers;
	for (u32 i = 0; i < workers; i++) {
		child[i] = fork();
		if (child[i])
			continue;
		struct team_member m;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (int signo = 1; signo < NSIG; signo++)
			signal(signo, SIG_DFL); /* cmocka's would go on with the next test */
		search_poll_mask = 0;
		team_join(&m, line->team, i);
		__atomic_fetch_add(&line->ready, 1, __ATOMIC_RELEASE);
		while (!i && __atomic_load_n(&line->ready, __ATOMIC_ACQUIRE) < workers)
			usleep(100);
		fn(&m, arg);
		_exit(0);
	}
	for (u32 i = 0; i < workers; i++) {
		int status;
		hd_assert(waitpid(child[i], &status, 0) == child[i]);
		failed += status != 0;
	}
	munmap(line->team, WIRE_TEAM_SIZE);
	munmap(line, sizeof(*line));
	return failed;
}

#endif

#include "sequences.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "../unit/fake_sched.h"
#include "clean.h"

#define LENGTH_MAX 64
/* Neither kernel may wait or go round for ever: both are asked not to. */
#define PATIENCE 60

static const struct sequences *q;
static struct answer on_linux, on_virtual;

static bool agree(void)
{
	return on_linux.ret == on_virtual.ret && on_linux.len == on_virtual.len &&
	       !memcmp(on_linux.data, on_virtual.data, on_linux.len);
}

/*
 * The number of the first step on which the two differ; n: none. A refusal ends the sequence: nothing to
 * compare.
 */
static size_t play_once(const struct step *steps, size_t n, unsigned pause)
{
	alarm(PATIENCE);
	q->fresh();
	for (size_t i = 0; i < n; i++) {
		if (pause)
			usleep(pause);
		if (q->is_free_choice && q->is_free_choice(&steps[i]))
			continue;
		spoil_argument(steps[i].bad);
		q->play(real_kernel, &steps[i], &on_linux);
		q->play(virtual_kernel, &steps[i], &on_virtual);
		spoil_argument(0);
		if (fake.refused)
			return n;
		if (!agree())
			return i;
	}
	return n;
}

/* What differs because Linux was late does not when it is given time between the calls. */
static size_t play(const struct step *steps, size_t n)
{
	size_t at = n;
	for (unsigned i = 0; i < q->tries; i++)
		if ((at = play_once(steps, n, i * 2000)) == n)
			break;
	return at;
}

static size_t drop(struct step *steps, size_t n, size_t at)
{
	memmove(&steps[at], &steps[at + 1], (n - at - 1) * sizeof(*steps));
	return n - 1;
}

/* Leave out whatever is not needed to make it fail. */
static size_t shrink(struct step *steps, size_t n)
{
	for (size_t i = n; i-- > 0;) {
		struct step shorter[LENGTH_MAX];
		memcpy(shorter, steps, n * sizeof(*steps));
		size_t m = drop(shorter, n, i), at = play(shorter, m);
		if (at == m)
			continue;
		n = at + 1;
		memcpy(steps, shorter, n * sizeof(*steps));
		if (i > n)
			i = n;
	}
	return n;
}

/* A screenful of the data, from where they differ. */
static void print_answer(const char *who, const struct answer *a, size_t from)
{
	printf("# %s: %ld, data from byte %zu", who, a->ret, from);
	for (size_t i = from; i < a->len && i < from + 160; i++)
		printf("%s%02x", i % 8 ? "" : " ", a->data[i]);
	printf("\n");
}

static void tell(struct step *steps, size_t n, unsigned long number)
{
	n = shrink(steps, n);
	play(steps, n);
	printf("# sequence %lu, shrunk to %zu calls:\n", number, n);
	for (size_t i = 0; i < n; i++) {
		printf("#   ");
		q->print(stdout, &steps[i]);
	}
	printf("# the last gives %ld on Linux, %ld here; data %s\n", on_linux.ret, on_virtual.ret,
	       on_linux.len == on_virtual.len && !memcmp(on_linux.data, on_virtual.data, on_linux.len)
		       ? "agree"
		       : "differ");
	size_t from = 0;
	while (from + 8 <= on_linux.len && from + 8 <= on_virtual.len &&
	       !memcmp(on_linux.data + from, on_virtual.data + from, 8))
		from += 8;
	print_answer("Linux", &on_linux, from);
	print_answer("here ", &on_virtual, from);
	fflush(stdout);
}

/* One report for each way of failing: the call and its two results. */
#define REPORTS 40
static struct {
	uint8_t op;
	long linux_ret, our_ret;
} told[REPORTS];
static unsigned told_count;

static bool is_news(const struct step *last)
{
	for (unsigned i = 0; i < told_count; i++)
		if (told[i].op == last->op && told[i].linux_ret == on_linux.ret &&
		    told[i].our_ret == on_virtual.ret)
			return false;
	if (told_count == REPORTS)
		return false;
	told[told_count].op = last->op;
	told[told_count].linux_ret = on_linux.ret;
	told[told_count++].our_ret = on_virtual.ret;
	return true;
}

/* What the sequences that were cut short were cut short by. */
#define REFUSALS 24
static struct {
	char what[sizeof(fake.refused_call)];
	unsigned long count;
} refusals[REFUSALS];

static void note_refusal(void)
{
	for (unsigned i = 0; i < REFUSALS; i++)
		if (!refusals[i].count || !strcmp(refusals[i].what, fake.refused_call)) {
			strcpy(refusals[i].what, fake.refused_call);
			refusals[i].count++;
			return;
		}
}

static void tell_refusals(void)
{
	for (unsigned i = 0; i < REFUSALS && refusals[i].count; i++)
		printf("#   %lu by %s\n", refusals[i].count, refusals[i].what);
	memset(refusals, 0, sizeof(refusals));
}

static unsigned long playing;

static void hangs(int sig)
{
	char text[80];
	(void)sig;
	int n = snprintf(text, sizeof(text), "Bail out! sequence %lu of %s hangs\n", playing, q->name);
	if (write(STDOUT_FILENO, text, (size_t)n) < 0)
		_exit(3);
	_exit(2);
}

int sequences_compare(const struct sequences *sequences, unsigned long count, uint64_t seed)
{
	unsigned long refused = 0, failed = 0;
	q = sequences;
	told_count = 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGALRM, hangs);
	for (unsigned long i = 0; i < count; i++) {
		playing = i;
		struct step steps[LENGTH_MAX];
		uint64_t rng = seed + i * 1000003;
		for (size_t k = 0; k < q->length; k++)
			steps[k] = q->random(&rng);
		size_t at = play(steps, q->length);
		refused += fake.refused != 0;
		if (fake.refused)
			note_refusal();
		failed += at < q->length;
		if (at < q->length && is_news(&steps[at]))
			tell(steps, at + 1, i);
		const char *left = clean_up();
		if (at == q->length && left) {
			printf("# sequence %lu left something behind: %s\n", i, left);
			failed++;
		}
	}
	alarm(0);
	printf("# %lu sequences, %lu differ, %lu cut short at something refused\n", count, failed, refused);
	tell_refusals();
	return failed || refused > count / 2; /* if half is cut short, hardly anything was compared */
}

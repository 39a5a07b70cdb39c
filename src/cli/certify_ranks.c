/*
 * heddle-mpi certify: a script in as many parts as there are ranks. Rank 0 alone has the script; it cuts it,
 * gives it to all, and gets a map of fingerprints from each. A part counts only if its rank says so and its
 * map is there. What a rank finds wrong, rank 0 looks for itself in the same part: so reports and traces are
 * in one place, and no rank's word is enough for a violation either.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/certify.h"
#include "cli/cli.h"
#include "cli/ranks_option.h"

#define PIECE (1u << 20)

enum { PART_UNKNOWN, PART_CERTIFIED, PART_OTHER, PART_FAILED };

/* What a rank says of its part; its map follows. */
struct said {
	u32 status, rank;
	char text[1024]; /* the verdict, or what failed */
};

struct certify_ranks {
	const struct session_ranks *r;
	struct certify_options *o;
	struct program program;
	struct script script;
	bool is_open;
	int copy; /* of the script, of a rank that is not the first; -1: none */
	char copy_path[64];
	struct certify_team team;
	struct said *said; /* rank 0: of all */
	struct problem *problem;
};

int certify_refuse_ranks(const struct certify_options *o, struct problem *p)
{
	if (!cli_ranks)
		return 0;
	if (o->merge || o->fp_out)
		return problem_set(p, "heddle-mpi certify cuts, follows and compares by itself: --merge and "
				      "--fp-out are for heddle certify");
	if (o->check.jobs != 1)
		return problem_set(p,
				   "heddle-mpi has one process for each rank: mpirun -n N instead of -j N");
	return 0;
}

/* ---- the script goes to all ---- */

static int write_all(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

/* The next bytes of rank 0's file; too few: zeroes, which no checksum fits. */
static int read_piece(int fd, char *bytes, size_t len, u64 at)
{
	size_t have = 0;

	memset(bytes, 0, len);
	while (have < len) {
		ssize_t n = pread(fd, bytes + have, len - have, (off_t)(at + have));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		have += (size_t)n;
	}
	return 0;
}

/* Every rank takes part to the end, whatever fails. */
static int share_script(struct certify_ranks *c)
{
	static char piece[PIECE];
	struct stat st = {0};
	bool first = !c->r->rank, failed;
	u64 size;

	if (first)
		failed = fstat(c->script.file.fd, &st) != 0;
	else
		failed = (c->copy = memfd_create("heddle-script", MFD_CLOEXEC)) < 0;
	size = (u64)st.st_size;
	c->r->share(c->r->self, &size, sizeof(size));
	for (u64 at = 0; at < size; at += PIECE) {
		size_t len = (size_t)HD_MIN(size - at, (u64)PIECE);

		if (first)
			failed |= read_piece(c->script.file.fd, piece, len, at) != 0;
		c->r->share(c->r->self, piece, len);
		if (!first && !failed)
			failed |= write_all(c->copy, piece, len) != 0;
	}
	problem_set(c->problem, "the script cannot be %s (%s)", first ? "read" : "kept here",
		    strerror(errno));
	return ranks_agree(cli_ranks, failed, c->problem);
}

/* Rank 0's cuts: for each part, how many intervals and which. */
static int share_parts(struct certify_ranks *c)
{
	struct partition *q = &c->team.parts;

	for (u32 i = 0; i < q->parts; i++) {
		struct partition_part *part = &q->part[i];
		u64 head[2] = {part->intervals, part->transitions};

		c->r->share(c->r->self, head, sizeof(head));
		if (c->r->rank) {
			free(part->interval);
			part->interval = calloc(head[0] + 1, sizeof(*part->interval));
			part->intervals = (u32)head[0];
			part->transitions = head[1];
		}
		hd_assert(part->interval);
		c->r->share(c->r->self, part->interval, head[0] * sizeof(*part->interval));
	}
	return 0;
}

/* ---- a part ---- */

static void by_itself(struct certify_ranks *c, u32 part, const char *map, struct outcome *out,
		      struct said *said)
{
	struct problem p;

	/* This is one process's business: nothing in it waits for other ranks. */
	cli_ranks = NULL;
	if (certify_follow(c->o, &c->program, &c->team.parts.part[part], part + 1, c->r->ranks, map, out,
			   &p)) {
		said->status = PART_FAILED;
		snprintf(said->text, sizeof(said->text), "%.1000s", p.text);
	} else {
		enum verdict v = outcome_verdict(out);

		said->status = v == VERDICT_CERTIFIED ? PART_CERTIFIED : PART_OTHER;
		snprintf(said->text, sizeof(said->text), "%s", verdict_name(v));
	}
	cli_ranks = c->r;
}

/* said, and the map behind it, if there is one. */
static char *with_map(const struct said *said, const char *map, u64 *len)
{
	int fd = said->status == PART_CERTIFIED ? open(map, O_RDONLY | O_CLOEXEC) : -1;
	struct stat st = {0};
	size_t size = fd >= 0 && fstat(fd, &st) == 0 ? (size_t)st.st_size : 0;
	char *bytes = malloc(sizeof(*said) + size);

	if (bytes) {
		memcpy(bytes, said, sizeof(*said));
		if (size && read_piece(fd, bytes + sizeof(*said), size, 0))
			((struct said *)bytes)->status = PART_FAILED;
		*len = sizeof(*said) + size;
	}
	if (fd >= 0)
		close(fd);
	return bytes;
}

static int take_said(void *arg, u32 rank, void *bytes, u64 len)
{
	struct certify_ranks *c = arg;
	struct said *said = &c->said[rank];
	int fd;

	if (len < sizeof(*said)) {
		snprintf(said->text, sizeof(said->text), "it has sent nothing");
		return 0;
	}
	memcpy(said, bytes, sizeof(*said));
	said->text[sizeof(said->text) - 1] = 0;
	/* A certified part without its map is missed when maps are compared, unless nothing is. */
	if (len == sizeof(*said))
		return 0;
	fd = open(c->team.map[rank], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write_all(fd, (char *)bytes + sizeof(*said), len - sizeof(*said))) {
		said->status = PART_FAILED;
		snprintf(said->text, sizeof(said->text), "its map cannot be kept (%s)", strerror(errno));
	}
	if (fd >= 0)
		close(fd);
	return 0;
}

/* ---- rank 0 concludes ---- */

/* The part of a rank that does not say certified, once more. */
static int look_again(struct certify_ranks *c, u32 rank)
{
	struct outcome *out = certify_outcome_new(c->o, &c->program);
	struct said mine = {.status = PART_FAILED, .text = "out of memory"};
	struct problem p;
	int code;

	if (out)
		by_itself(c, rank, NULL, out, &mine);
	if (mine.status == PART_OTHER) {
		code = certify_report(c->o, out, &p);
	} else {
		problem_set(&p, "rank %u says %s of its part, and rank 0 %s: nothing is certified", rank,
			    c->said[rank].text, mine.text);
		code = complain(&p);
	}
	if (out)
		outcome_free(out);
	free(out);
	return code;
}

static int conclude(struct certify_ranks *c, struct outcome *mine, double started)
{
	u32 failed = 0, other = 0;

	for (u32 i = c->r->ranks; i-- > 0;) {
		if (c->said[i].status == PART_OTHER)
			other = i + 1;
		else if (c->said[i].status != PART_CERTIFIED)
			failed = i + 1;
	}
	/* What is wrong with the script or the program says more than who was lost besides. */
	if (other == 1)
		return certify_report(c->o, mine, c->problem);
	if (other)
		return look_again(c, other - 1);
	if (failed == 1) {
		problem_set(c->problem, "%s", c->said[0].text);
		return complain(c->problem);
	}
	if (failed) {
		problem_set(c->problem, "rank %u could not follow its part (%.1000s): nothing is certified",
			    failed - 1, c->said[failed - 1].text);
		return complain(c->problem);
	}
	return certify_conclude(c->o, &c->program, &c->team, c->r->ranks, &c->script, started);
}

static int follow_parts(struct certify_ranks *c, double started)
{
	struct outcome *out = certify_outcome_new(c->o, &c->program);
	struct said mine = {.status = PART_FAILED, .rank = c->r->rank, .text = "out of memory"};
	u64 len = 0;
	char *bytes = NULL;
	int code = EXIT_TOOL_ERROR;

	share_parts(c);
	if (out)
		by_itself(c, c->r->rank, c->team.map[c->r->rank], out, &mine);
	if (c->r->rank)
		bytes = with_map(&mine, c->team.map[c->r->rank], &len);
	else
		c->said[0] = mine;
	c->r->gather(c->r->self, bytes, len, take_said, c);
	free(bytes);
	if (!c->r->rank)
		code = conclude(c, out, started);
	if (out)
		outcome_free(out);
	free(out);
	return code;
}

/* ---- before ---- */

static int open_all(struct certify_ranks *c)
{
	struct check_options *check = &c->o->check;
	bool failed = program_open(check->argv[0], &c->program, c->problem) != 0;

	if (!failed && !c->r->rank)
		failed = check_prepare_out(check, c->problem) != 0;
	if (c->r->rank)
		check->no_progress = check->quiet = true;
	return ranks_agree(cli_ranks, failed, c->problem);
}

/* Each has the same program, which starts alike, and the script. */
static int prepare_parts(struct certify_ranks *c)
{
	const struct launch l = {.program = &c->program,
				 .argv = c->o->check.argv,
				 .extra = c->o->check.extra,
				 .config = c->o->check.config};
	bool failed;

	if (ranks_same_start(c->r, &l, &interrupt_observer, c->problem) || share_script(c))
		return -1;
	if (c->r->rank) {
		snprintf(c->copy_path, sizeof(c->copy_path), "/proc/self/fd/%d", c->copy);
		c->o->file[0] = c->copy_path;
		c->is_open = script_open(&c->script, c->copy_path, c->problem) == 0;
	}
	c->said = calloc(c->r->ranks, sizeof(*c->said));
	failed = !c->is_open || !c->said || certify_team_begin(&c->team, &c->script, c->r->ranks, c->problem);
	return ranks_agree(cli_ranks, failed, c->problem);
}

int certify_on_ranks(struct certify_options *o)
{
	struct problem p = {""};
	struct certify_ranks c = {.r = cli_ranks, .o = o, .copy = -1, .problem = &p};
	double started = certify_now_s();
	u64 divisible = 0;
	int code = EXIT_TOOL_ERROR;

	if (open_all(&c))
		return ranks_complain(&p);
	if (!c.r->rank) {
		struct problem unused; /* a part as a file is no script, and followed by one process */

		c.is_open = script_open(&c.script, o->file[0], &unused) == 0;
		o->check.jobs = c.r->ranks;
		divisible = c.is_open && certify_divisible(o, &c.script);
	}
	o->check.jobs = 1;
	c.r->share(c.r->self, &divisible, sizeof(divisible));
	if (divisible) {
		code = prepare_parts(&c) ? ranks_complain(&p) : follow_parts(&c, started);
	} else if (!c.r->rank) {
		cli_ranks = NULL;
		code = certify_one(o, &c.program);
		cli_ranks = c.r;
	}
	if (c.is_open)
		script_close(&c.script);
	if (c.copy >= 0)
		close(c.copy);
	certify_team_end(&c.team);
	free(c.said);
	return code;
}

/*
 * The file: struct saved_head, then records (struct saved_record and its bytes). The checksum is over all
 * records.
 *
 *   LEARNT   struct wire_learnt
 *   TREES    the communication trees
 *   IDLE     clients that were taken for idle there
 *   TEAM     the memory of the team, as far as it was ever written: visited states, notes, work
 *   WORKER   of each worker struct wire_worker, and its arena: counters, violations, outcomes …
 */
#include "session/saved_search.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "iocache/tree.h"

#define MAGIC "heddle s"
#define FORMAT 1u
#define CHUNK (1UL << 20)
#define LASTED_MS 2000 /* a shorter search is not worth a file */
#define PATIENCE_MS 10000
#define COST 20 /* saving takes at most a 20th of the time */
/* Before --max-time is over: so long, and a millisecond more for so many states. */
#define BEFORE_END_MS 300
#define STATES_PER_MS 3000

struct saved_head {
	char magic[8];
	u32 format, wire_version;
	u64 identity, bytes, checksum;
};

enum saved_kind { RECORD_LEARNT = 1, RECORD_TREES, RECORD_IDLE, RECORD_TEAM, RECORD_WORKER };
struct saved_record {
	u32 kind, number;
	u64 offset, bytes;
};

/* ---- what must be the same ---- */

static u64 add_bytes(u64 hash, const void *data, size_t n)
{
	return XXH3_64bits_withSeed(data, n, hash);
}

static u64 add_strings(u64 hash, char *const *list, size_t n)
{
	for (size_t i = 0; i < n && list[i]; i++)
		hash = add_bytes(hash, list[i], strlen(list[i]) + 1);
	return add_bytes(hash, &n, sizeof(n));
}

/* Limits may be others: a search that was too large for them goes on with more. */
static u64 identity_of(const struct session_plan *plan)
{
	const struct launch *l = &plan->launch;
	struct wire_config c = l->config;
	u64 hash = 0;
	size_t argc = 0, extra = 0;

	c.search.max_time_ms = c.search.max_memory = 0;
	while (l->argv[argc])
		argc++;
	while (l->extra && l->extra[extra])
		extra++;
	hash = add_bytes(hash, l->program->identity, strlen(l->program->identity));
	hash = add_strings(hash, l->argv, argc);
	hash = add_strings(hash, l->extra, extra);
	hash = add_bytes(hash, &c, sizeof(c));
	hash = add_strings(hash, plan->peers.server, plan->peers.servers);
	return add_strings(hash, plan->peers.client, plan->peers.clients);
}

void saved_search_init(struct saved_search *s, const struct session_plan *plan)
{
	s->dir = plan->save_dir;
	s->every_ms = plan->save_ms;
	s->next_ms = monotonic_ms() + s->every_ms;
	s->end_ms = plan->launch.config.search.max_time_ms;
	if (s->end_ms < LASTED_MS)
		s->end_ms = 0;
	else
		s->end_ms += monotonic_ms();
	s->asked_ms = 0;
	if (s->dir)
		s->identity = identity_of(plan);
}

/* ---- writing ---- */

struct writer {
	FILE *file;
	u64 bytes, checksum;
	bool failed;
};

static void put(struct writer *w, const void *data, size_t n)
{
	w->failed |= fwrite(data, 1, n, w->file) != n;
	w->checksum = add_bytes(w->checksum, data, n);
	w->bytes += n;
}

static void put_record(struct writer *w, enum saved_kind kind, u32 number, u64 offset, const void *data,
		       size_t n)
{
	const struct saved_record r = {(u32)kind, number, offset, n};

	if (!n || w->failed)
		return;
	put(w, &r, sizeof(r));
	for (size_t at = 0; at < n && !w->failed; at += CHUNK)
		put(w, (const char *)data + at, HD_MIN(n - at, CHUNK));
}

static void put_team(struct writer *w, int fd)
{
	char *buffer = malloc(CHUNK);
	off_t from = 0, end;

	w->failed |= !buffer;
	while (!w->failed && (from = lseek(fd, from, SEEK_DATA)) >= 0) {
		end = lseek(fd, from, SEEK_HOLE);
		while (from < end && !w->failed) {
			ssize_t n = pread(fd, buffer, HD_MIN((size_t)(end - from), CHUNK), from);

			if (n <= 0) {
				w->failed = true;
				break;
			}
			put_record(w, RECORD_TEAM, 0, (u64)from, buffer, (size_t)n);
			from += n;
		}
	}
	free(buffer);
}

static void put_worker(struct writer *w, u32 number, const struct wire_worker *worker)
{
	put_record(w, RECORD_WORKER, number, 0, worker, sizeof(*worker));
	put_record(w, RECORD_WORKER, number, WIRE_ARENA, (const char *)worker + WIRE_ARENA,
		   HD_MIN(worker->arena_used, WIRE_WORKER_SIZE - WIRE_ARENA));
}

static void put_all(struct writer *w, const struct saved_search *s, const struct shared_part *part,
		    const struct sut *worker, u32 workers)
{
	const struct trees *t = trees_attach((char *)part->wire + WIRE_TREES, WIRE_TREES_SIZE);
	u32 formers = part->wire->save.forget ? 0 : s->formers;

	put_record(w, RECORD_LEARNT, 0, 0, &part->wire->learnt, sizeof(part->wire->learnt));
	if (t) {
		put_record(w, RECORD_TREES, 0, 0, t, trees_bytes(t));
		put_record(w, RECORD_IDLE, 0, 0, (const char *)part->wire + WIRE_IDLE, WIRE_IDLE_SIZE);
	}
	put_team(w, part->team_fd);
	for (u32 i = 0; i < formers; i++)
		put_worker(w, i, s->former[i].worker);
	for (u32 i = 0; i < workers; i++)
		put_worker(w, formers + i, worker[i].worker);
}

/* The head comes last: without it the file is nothing. */
static int write_file(const char *path, const struct saved_search *s, const struct shared_part *part,
		      const struct sut *worker, u32 workers)
{
	struct saved_head h = {.format = FORMAT, .wire_version = WIRE_VERSION, .identity = s->identity};
	const struct saved_head none = {0};
	struct writer w = {.file = fopen(path, "wbe")};

	if (!w.file)
		return -errno;
	errno = 0;
	w.failed = fwrite(&none, 1, sizeof(none), w.file) != sizeof(none);
	put_all(&w, s, part, worker, workers);
	memcpy(h.magic, MAGIC, sizeof(h.magic));
	h.bytes = w.bytes;
	h.checksum = w.checksum;
	w.failed |= fflush(w.file) || fsync(fileno(w.file)) || fseek(w.file, 0, SEEK_SET) ||
		    fwrite(&h, 1, sizeof(h), w.file) != sizeof(h) || fflush(w.file) || fsync(fileno(w.file));
	int why = w.failed ? (errno ? errno : EIO) : 0;
	fclose(w.file);
	return -why;
}

static void replace_file(struct saved_search *s, const struct shared_part *part, const struct sut *worker,
			 u32 workers)
{
	char path[4096], fresh[4096];

	snprintf(path, sizeof(path), "%s/" SAVED_SEARCH, s->dir);
	snprintf(fresh, sizeof(fresh), "%s/" SAVED_SEARCH ".new", s->dir);
	int err = write_file(fresh, s, part, worker, workers);
	if (!err && rename(fresh, path))
		err = -errno;
	if (err) {
		snprintf(s->trouble, sizeof(s->trouble), "%s", strerror(-err));
		unlink(fresh);
		return;
	}
	s->trouble[0] = 0;
	s->exists = true;
}

static const char *why_not(const struct saved_search *s, const struct shared_part *part,
			   const struct sut *worker, u32 workers)
{
	for (u32 i = 0; i < workers; i++)
		if (worker[i].worker->result.checkpoints.chose)
			return "peers act by chance, and would not do the same again";
	if (part->wire->save.spoilt)
		return "a path is too long";
	return s->formers + workers > SAVED_FORMERS ? "it was resumed too often" : NULL;
}

/* Is this the last moment for it? The limit itself is the search's: nobody asks before it ends. */
static bool ends_soon(struct saved_search *s, const struct sut *worker, u32 workers, u64 now)
{
	u64 states = 0;

	if (!s->end_ms)
		return false;
	for (u32 i = 0; i < workers; i++)
		states += worker[i].worker->stats.states;
	if (now + BEFORE_END_MS + states / STATES_PER_MS < s->end_ms)
		return false;
	s->end_ms = 0;
	return true;
}

void saved_search_tick(struct saved_search *s, struct shared_part *part, const struct sut *worker,
		       u32 workers)
{
	struct wire_save *save = &part->wire->save;
	u32 done = __atomic_load_n(&save->done, __ATOMIC_ACQUIRE);
	u64 now = monotonic_ms();

	if (!s->dir)
		return;
	if (done == save->ack) {
		if (save->wanted == done && (now >= s->next_ms || ends_soon(s, worker, workers, now)))
			__atomic_store_n(&save->wanted, done + 1, __ATOMIC_RELEASE);
		return;
	}
	const char *why = why_not(s, part, worker, workers);
	if (why)
		snprintf(s->trouble, sizeof(s->trouble), "%s", why);
	else
		replace_file(s, part, worker, workers);
	s->next_ms = monotonic_ms() + HD_MAX(s->every_ms, COST * (monotonic_ms() - now));
	__atomic_store_n(&save->ack, done, __ATOMIC_RELEASE);
	syscall(SYS_futex, &save->ack, FUTEX_WAKE, 1, NULL, NULL, 0);
}

bool saved_search_last(struct saved_search *s, const struct shared_part *part, u64 lasted_ms)
{
	struct wire_save *save = &part->wire->save;
	u64 now = monotonic_ms();

	if (!s->dir || part->wire->alone || (lasted_ms < LASTED_MS && !s->exists))
		return true;
	if (!s->asked_ms) {
		s->asked_ms = now;
		s->next_ms = 0; /* if one is under way, another one is not needed */
		if (save->wanted == save->ack)
			__atomic_store_n(&save->wanted, save->ack + 1, __ATOMIC_RELEASE);
		return false;
	}
	return save->wanted == save->ack || now - s->asked_ms > PATIENCE_MS;
}

/* ---- reading ---- */

static struct wire_worker *former_at(struct saved_search *s, u32 number)
{
	struct sut *f = &s->former[number];

	if (!f->worker) {
		void *memory = mmap(NULL, WIRE_WORKER_SIZE, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		f->worker = memory == MAP_FAILED ? NULL : memory;
		f->ended = true;
	}
	s->formers = HD_MAX(s->formers, number + 1);
	return f->worker;
}

/* Where the bytes go; NULL: nowhere. */
static void *place_of(struct saved_search *s, const struct shared_part *part, const struct saved_record *r)
{
	u64 room = 0;
	char *to = NULL;

	switch (r->kind) {
	case RECORD_LEARNT:
		to = (char *)&part->wire->learnt;
		room = sizeof(part->wire->learnt);
		break;
	case RECORD_TREES:
		to = (char *)part->wire + WIRE_TREES;
		room = WIRE_TREES_SIZE;
		break;
	case RECORD_IDLE:
		to = (char *)part->wire + WIRE_IDLE;
		room = WIRE_IDLE_SIZE;
		break;
	case RECORD_WORKER:
		to = r->number < SAVED_FORMERS ? (char *)former_at(s, r->number) : NULL;
		room = WIRE_WORKER_SIZE;
		break;
	default:
		break;
	}
	return to && r->offset <= room && r->bytes <= room - r->offset ? to + r->offset : NULL;
}

static bool write_team(int fd, const struct saved_record *r, const char *data)
{
	u64 done = 0;

	while (done < r->bytes) {
		ssize_t n = pwrite(fd, data + done, r->bytes - done, (off_t)(r->offset + done));

		if (n <= 0)
			return false;
		done += (u64)n;
	}
	return true;
}

static bool take_records(struct saved_search *s, const struct shared_part *part, const char *at, u64 bytes)
{
	struct saved_record r;

	for (u64 i = 0; i < bytes; i += sizeof(r) + r.bytes) {
		if (bytes - i < sizeof(r))
			return false;
		memcpy(&r, at + i, sizeof(r));
		if (r.bytes > bytes - i - sizeof(r))
			return false;
		const char *data = at + i + sizeof(r);
		if (r.kind == RECORD_TEAM) {
			if (!write_team(part->team_fd, &r, data))
				return false;
			continue;
		}
		void *to = place_of(s, part, &r);
		if (!to)
			return false;
		memcpy(to, data, r.bytes);
	}
	return true;
}

static u64 checksum_of(const char *at, u64 bytes)
{
	struct saved_record r;
	u64 sum = 0;

	/* As it was written: by record, and its bytes in chunks. */
	for (u64 i = 0; i + sizeof(r) <= bytes; i += sizeof(r) + r.bytes) {
		memcpy(&r, at + i, sizeof(r));
		sum = add_bytes(sum, &r, sizeof(r));
		if (r.bytes > bytes - i - sizeof(r))
			return ~sum;
		for (u64 c = 0; c < r.bytes; c += CHUNK)
			sum = add_bytes(sum, at + i + sizeof(r) + c, HD_MIN(r.bytes - c, CHUNK));
	}
	return sum;
}

static int judge(const struct saved_search *s, const char *path, const char *file, u64 size,
		 struct problem *p)
{
	struct saved_head h;

	memcpy(&h, file, sizeof(h));
	if (memcmp(h.magic, MAGIC, sizeof(h.magic)) || h.bytes != size - sizeof(h) ||
	    (h.format == FORMAT && checksum_of(file + sizeof(h), h.bytes) != h.checksum))
		return problem_set(p, "%s is damaged, or no saved search: start without --resume", path);
	if (h.format != FORMAT || h.wire_version != WIRE_VERSION)
		return problem_set(p, "%s was written by another version of heddle: start without --resume",
				   path);
	if (h.identity != s->identity)
		return problem_set(
			p,
			"%s is of a search of another program, or with other arguments, options or "
			"peers: give the same as then, or start without --resume",
			path);
	return 0;
}

static int load_file(struct saved_search *s, struct shared_part *part, const char *path, struct problem *p)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret = -1;
	struct stat st;
	char *file = MAP_FAILED;

	if (fd < 0)
		return problem_set(p, "there is no search to go on with: %s: %s", path, strerror(errno));
	if (fstat(fd, &st) == 0 && (size_t)st.st_size >= sizeof(struct saved_head))
		file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED) {
		problem_set(p, "%s is damaged, or no saved search: start without --resume", path);
	} else {
		ret = judge(s, path, file, (u64)st.st_size, p);
		if (ret == 0 && !take_records(s, part, file + sizeof(struct saved_head),
					      (u64)st.st_size - sizeof(struct saved_head)))
			ret = problem_set(p, "%s cannot be taken up: there is no memory for it", path);
		munmap(file, (size_t)st.st_size);
	}
	close(fd);
	return ret;
}

static void forget_formers(struct saved_search *s)
{
	for (u32 i = 0; i < s->formers; i++)
		if (s->former[i].worker)
			munmap(s->former[i].worker, WIRE_WORKER_SIZE);
	memset(s->former, 0, sizeof(s->former));
	s->formers = 0;
}

int saved_search_load(struct saved_search *s, const struct session_plan *plan, struct shared_part *part,
		      struct problem *p)
{
	char path[4096];

	forget_formers(s);
	snprintf(path, sizeof(path), "%s/" SAVED_SEARCH, plan->resume_dir);
	if (!s->dir || part->team_fd < 0)
		return problem_set(
			p, "such a search is never saved, so it cannot go on: start without --resume");
	if (load_file(s, part, path, p))
		return -1;
	part->wire->save.resumed = 1;
	s->exists = true;
	return 0;
}

bool saved_search_counts(const struct saved_search *s, const struct shared_part *part)
{
	return s->formers && !part->wire->save.forget;
}

/* ---- the end ---- */

static void add_note(struct outcome *o, const char *format, const char *what)
{
	if (o->notes < HD_ARRAY_LEN(o->note))
		snprintf(o->note[o->notes++], sizeof(o->note[0]), format, what);
}

void saved_search_end(struct saved_search *s, struct outcome *o)
{
	char path[4096];
	/* With a filter it went on until nothing was left: there is nothing to go on with. */
	bool over = o->end == SEARCH_COMPLETE || o->end == SEARCH_VIOLATION || o->stats.swept;

	forget_formers(s);
	if (!s->dir)
		return;
	snprintf(path, sizeof(path), "%s/" SAVED_SEARCH, s->dir);
	if (over && !o->interrupted)
		unlink(path);
	else if (s->exists)
		add_note(o, "the search is saved: --resume %.180s goes on with it", s->dir);
	if (s->trouble[0])
		add_note(o, "the search could not be saved: %.180s", s->trouble);
	s->exists = false;
}

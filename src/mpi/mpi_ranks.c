#include "mpi/mpi_ranks.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TAG_LOST 1
#define TAG_GATHER 2
#define TAG_EPOCH 16 /* and above */
#define EPOCHS 16384
#define PART (1 << 30) /* of what is gathered or shared at a time */

/* Messages on their way to one rank, or from it. */
struct batch {
	char *bytes;
	size_t len, room, at; /* at: of those that came, how much is in the ring already */
	int tag;
	MPI_Request request;
	struct batch *next;
};

struct mpi_ranks {
	struct session_ranks ranks;
	struct batch *out;           /* for each rank, being filled */
	struct batch *sending;       /* list */
	struct batch *first, **last; /* came, and has no room in the ring yet */
	u32 epoch;
	bool lost;
};

static void append(struct batch *b, const void *bytes, size_t len)
{
	if (b->room - b->len < len) {
		size_t room = HD_MAX(2 * b->room, b->len + len + 4096);
		char *grown = realloc(b->bytes, room);

		hd_assert(grown);
		b->bytes = grown;
		b->room = room;
	}
	memcpy(b->bytes + b->len, bytes, len);
	b->len += len;
}

static int epoch_tag(u32 epoch)
{
	return TAG_EPOCH + (int)(epoch % EPOCHS);
}

static void free_batch(struct batch *b)
{
	free(b->bytes);
	free(b);
}

/* Those that have been taken by MPI. */
static void reap(struct mpi_ranks *m)
{
	for (struct batch **at = &m->sending; *at;) {
		struct batch *b = *at;
		int done = 0;

		MPI_Test(&b->request, &done, MPI_STATUS_IGNORE);
		if (!done) {
			at = &b->next;
			continue;
		}
		*at = b->next;
		free_batch(b);
	}
}

static void send_batches(struct mpi_ranks *m)
{
	for (u32 i = 0; i < m->ranks.ranks; i++) {
		struct batch *b;

		if (!m->out[i].len)
			continue;
		b = malloc(sizeof(*b));
		hd_assert(b);
		*b = m->out[i];
		memset(&m->out[i], 0, sizeof(m->out[i]));
		MPI_Isend(b->bytes, (int)b->len, MPI_BYTE, (int)i, epoch_tag(m->epoch), MPI_COMM_WORLD,
			  &b->request);
		b->next = m->sending;
		m->sending = b;
	}
}

static bool take_from_worker(struct mpi_ranks *m, struct wire_spread *w)
{
	static char bytes[SPREAD_MESSAGE];
	struct spread_message head;
	bool moved = false;

	while (spread_ring_get(&w->out, &head, bytes, sizeof(bytes))) {
		u32 to = head.rank;

		if (head.len > sizeof(bytes) || to >= m->ranks.ranks)
			break; /* the program has written over the ring: its worker will not end well */
		head.rank = (u16)m->ranks.rank;
		append(&m->out[to], &head, sizeof(head));
		append(&m->out[to], bytes, head.len);
		moved = true;
	}
	return moved;
}

static bool receive(struct mpi_ranks *m)
{
	bool moved = false;
	MPI_Status status;
	int there, len;

	for (;;) {
		MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
		if (!there || (status.MPI_TAG != TAG_LOST && status.MPI_TAG < TAG_EPOCH))
			return moved;
		MPI_Get_count(&status, MPI_BYTE, &len);
		struct batch *b = calloc(1, sizeof(*b));

		hd_assert(b);
		b->bytes = malloc((size_t)len + 1);
		hd_assert(b->bytes);
		b->len = (size_t)len;
		MPI_Recv(b->bytes, len, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		m->lost |= status.MPI_TAG == TAG_LOST;
		/* Another rank may have begun the next one a moment earlier. */
		b->tag = status.MPI_TAG;
		if (b->tag != epoch_tag(m->epoch) && b->tag != epoch_tag(m->epoch + 1)) {
			free_batch(b);
			continue;
		}
		*m->last = b;
		m->last = &b->next;
		moved = true;
	}
}

static void drop_first(struct mpi_ranks *m)
{
	struct batch *b = m->first;

	m->first = b->next;
	if (!m->first)
		m->last = &m->first;
	free_batch(b);
}

/* What is left of the one before means nothing any more. */
static void begin_epoch(struct mpi_ranks *m, u32 epoch)
{
	struct batch *b = m->first;

	m->epoch = epoch;
	m->first = NULL;
	m->last = &m->first;
	while (b) {
		struct batch *next = b->next;

		b->next = NULL;
		if (b->tag == epoch_tag(epoch)) {
			*m->last = b;
			m->last = &b->next;
		} else {
			free_batch(b);
		}
		b = next;
	}
}

static bool give_to_worker(struct mpi_ranks *m, struct wire_spread *w)
{
	bool moved = false;

	while (m->first) {
		struct batch *b = m->first;
		struct spread_message head;

		if (b->at + sizeof(head) > b->len) {
			drop_first(m);
			continue;
		}
		memcpy(&head, b->bytes + b->at, sizeof(head));
		if (b->at + sizeof(head) + head.len > b->len) {
			drop_first(m);
			continue;
		}
		if (!spread_ring_put(&w->in, head, b->bytes + b->at + sizeof(head)))
			break;
		b->at += sizeof(head) + head.len;
		moved = true;
	}
	return moved;
}

static bool route(void *self, struct wire_spread *w, u32 epoch)
{
	struct mpi_ranks *m = self;
	bool moved;

	if (epoch != m->epoch)
		begin_epoch(m, epoch);
	moved = take_from_worker(m, w);
	send_batches(m);
	reap(m);
	moved |= receive(m);
	give_to_worker(m, w);
	return moved;
}

static void lose(void *self)
{
	struct mpi_ranks *m = self;

	m->lost = true;
	for (u32 i = 0; i < m->ranks.ranks; i++)
		if (i != m->ranks.rank)
			MPI_Send("", 0, MPI_BYTE, (int)i, TAG_LOST, MPI_COMM_WORLD);
}

static bool lost(void *self)
{
	const struct mpi_ranks *m = self;

	return m->lost;
}

/* MPI's own waiting is busy, which the worker that shares the processor would pay for. */
static void wait_for(MPI_Request *request)
{
	for (int done = 0;; nanosleep(&(struct timespec){0, 100000}, NULL)) {
		MPI_Test(request, &done, MPI_STATUS_IGNORE);
		if (done)
			return;
	}
}

static u64 largest(void *self, u64 mine)
{
	struct mpi_ranks *m = self;
	MPI_Request request;
	u64 all = 0;

	MPI_Iallreduce(&mine, &all, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD, &request);
	for (int done = 0; !done; nanosleep(&(struct timespec){0, 100000}, NULL)) {
		MPI_Test(&request, &done, MPI_STATUS_IGNORE);
		receive(m); /* late ones; else who sends them would wait */
		reap(m);
	}
	return all;
}

static void share(void *self, void *bytes, u64 len)
{
	MPI_Request request;

	(void)self;
	for (u64 at = 0; at < len; at += PART) {
		MPI_Ibcast((char *)bytes + at, (int)HD_MIN(len - at, (u64)PART), MPI_BYTE, 0, MPI_COMM_WORLD,
			   &request);
		wait_for(&request);
	}
}

static int gather(void *self, const void *bytes, u64 len,
		  int (*take)(void *arg, u32 rank, void *bytes, u64 len), void *arg)
{
	struct mpi_ranks *m = self;
	MPI_Request request;
	int ret = 0;

	if (m->ranks.rank) {
		MPI_Isend(&len, 1, MPI_UINT64_T, 0, TAG_GATHER, MPI_COMM_WORLD, &request);
		wait_for(&request);
		for (u64 at = 0; at < len; at += PART) {
			MPI_Isend((const char *)bytes + at, (int)HD_MIN(len - at, (u64)PART), MPI_BYTE, 0,
				  TAG_GATHER, MPI_COMM_WORLD, &request);
			wait_for(&request);
		}
		return 0;
	}
	for (u32 i = 1; i < m->ranks.ranks; i++) {
		MPI_Irecv(&len, 1, MPI_UINT64_T, (int)i, TAG_GATHER, MPI_COMM_WORLD, &request);
		wait_for(&request);
		char *theirs = malloc(len + 1);

		hd_assert(theirs);
		for (u64 at = 0; at < len; at += PART)
			MPI_Recv(theirs + at, (int)HD_MIN(len - at, (u64)PART), MPI_BYTE, (int)i, TAG_GATHER,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		ret |= take(arg, i, theirs, len);
		free(theirs);
	}
	return ret;
}

const struct session_ranks *mpi_ranks_open(void)
{
	struct mpi_ranks *m = calloc(1, sizeof(*m));
	int rank, ranks;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (!m)
		return NULL;
	m->last = &m->first;
	m->ranks = (struct session_ranks){m,    (u32)rank, (u32)ranks, route, lose,
					  lost, largest,   gather,     share};
	m->out = calloc((size_t)ranks, sizeof(*m->out));
	if (m->out)
		return &m->ranks;
	free(m);
	return NULL;
}

/* A message that nobody takes would keep its sender: all receive until all have sent what they had. */
static void drain(struct mpi_ranks *m)
{
	MPI_Request all_sent = MPI_REQUEST_NULL;
	bool waits = false;

	for (int done = 0; !done; nanosleep(&(struct timespec){0, 100000}, NULL)) {
		receive(m);
		reap(m);
		if (!m->sending && !waits) {
			waits = true;
			MPI_Ibarrier(MPI_COMM_WORLD, &all_sent);
		}
		if (waits)
			MPI_Test(&all_sent, &done, MPI_STATUS_IGNORE);
	}
}

void mpi_ranks_close(const struct session_ranks *ranks)
{
	struct mpi_ranks *m = ranks->self;

	drain(m);
	while (m->first)
		drop_first(m);
	for (u32 i = 0; i < m->ranks.ranks; i++)
		free(m->out[i].bytes);
	free(m->out);
	free(m);
}

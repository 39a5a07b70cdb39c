/*
 * The search by many machines (search/spread.h), as it is, on a toy target, as an MPI program for SimGrid's
 * simulator: every rank is a thread of one process, and time is what the simulator says. A step of the
 * program, a message and a fingerprint that is looked up cost what was measured of real ones; sending and
 * waiting cost what the simulated network takes. Whatever else the code does takes no time.
 *
 * usage: smpirun … ranks PHILOSOPHERS        one line of JSON
 *
 * Ranks share globals (smpi/privatization:off): the only ones here are for what is told at the end.
 */
#include <math.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../test/sim/models.h"
#include "search/spread.h"

/* Nanoseconds. */
#define STEP_NS 2200.0 /* 82,000 states a second with 5.5 transitions each */
#define MESSAGE_NS 2000.0
#define LOOKUP_NS 100.0 /* of a fingerprint that another rank asks for */
#define BYTE_NS 0.2
#define MAX_RANKS 4096
#define LATENCY_S \
	50e-6 /* from one worker to another: two controllers that look every 50 us, and the network */
#define HEAD offsetof(struct parcel, bytes)

static struct told {
	double busy_ns, first_work_s;
	u64 states, transitions, messages, bytes, asked, given, memory;
	u32 end;
} told[MAX_RANKS];

struct rank {
	struct toy toy;
	int ranks;
	MPI_Comm messages;
	/* In the order of their sending, which is that of their coming: all travel for the same time. */
	struct arriving {
		struct arriving *next;
		MPI_Status status;
		u32 len;
		struct parcel {
			double arrives_s;
			char bytes[SPREAD_MESSAGE];
		} parcel;
	} * first, **last;
	struct parcel out;
	u64 steps; /* that were paid for */
	double debt_ns, busy_ns, start_s, first_work_s;
};

static void owe(struct rank *r, double ns)
{
	r->debt_ns += ns;
}

/* A host has one rank, which is as busy asleep. */
static void pass(double s)
{
	smpi_nanosleep(&(struct timespec){(time_t)s, (long)((s - floor(s)) * 1e9 + 1)}, NULL);
}

static void pay(struct rank *r)
{
	if (r->steps && r->first_work_s < 0)
		r->first_work_s = MPI_Wtime() - r->start_s;
	owe(r, (double)(r->toy.steps - r->steps) * STEP_NS);
	r->steps = r->toy.steps;
	if (r->debt_ns >= 1)
		pass(r->debt_ns / 1e9);
	r->busy_ns += r->debt_ns;
	r->debt_ns = 0;
}

/* Takes a message from the simulator; the rank may see it when it would have come. */
static void take(struct rank *r, const MPI_Status *from)
{
	struct arriving *a = malloc(sizeof(*a));
	int len;

	if (!a)
		MPI_Abort(MPI_COMM_WORLD, 2);
	MPI_Recv(&a->parcel, sizeof(a->parcel), MPI_BYTE, from ? from->MPI_SOURCE : MPI_ANY_SOURCE,
		 from ? from->MPI_TAG : MPI_ANY_TAG, r->messages, &a->status);
	MPI_Get_count(&a->status, MPI_BYTE, &len);
	a->len = (u32)len - HEAD;
	a->next = NULL;
	*r->last = a;
	r->last = &a->next;
}

static void take_all(struct rank *r)
{
	MPI_Status status;
	int there;

	for (;;) {
		MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, r->messages, &there, &status);
		if (!there)
			return;
		take(r, &status);
	}
}

static void port_send(void *self, u32 to, u16 kind, const void *bytes, u32 len)
{
	struct rank *r = self;

	owe(r, MESSAGE_NS + len * BYTE_NS);
	pay(r);
	r->out.arrives_s = MPI_Wtime() + LATENCY_S;
	if (len)
		memcpy(r->out.bytes, bytes, len);
	MPI_Send(&r->out, (int)(HEAD + len), MPI_BYTE, (int)to, kind, r->messages); /* which is copied */
}

static long port_receive(void *self, u32 *from, u16 *kind, void *bytes)
{
	struct rank *r = self;

	pay(r);
	take_all(r);
	struct arriving *a = r->first;

	if (!a || a->parcel.arrives_s > MPI_Wtime())
		return -1;
	u32 len = a->len;

	r->first = a->next;
	if (!r->first)
		r->last = &r->first;
	*from = (u32)a->status.MPI_SOURCE;
	*kind = (u16)a->status.MPI_TAG;
	memcpy(bytes, a->parcel.bytes, len);
	free(a);
	/* Questions are the long ones. */
	owe(r, MESSAGE_NS + len * (BYTE_NS + LOOKUP_NS / sizeof(struct fingerprint)));
	return len;
}

/* A rank that has nothing to do will hear of somebody; unless there is nobody. */
static void port_rest(void *self)
{
	struct rank *r = self;

	pay(r);
	if (r->ranks == 1)
		return;
	take_all(r);
	if (!r->first)
		take(r, NULL);
	double wait_s = r->first->parcel.arrives_s - MPI_Wtime();

	if (wait_s > 0)
		pass(wait_s);
}

static void tell(u32 ranks, double took_s)
{
	struct told all = {0}, most = {0};

	for (u32 i = 0; i < ranks; i++) {
		const struct told *t = &told[i];

		all.busy_ns += t->busy_ns;
		all.states += t->states;
		all.transitions += t->transitions;
		all.messages += t->messages;
		all.bytes += t->bytes;
		all.asked += t->asked;
		all.given += t->given;
		all.end |= t->end;
		most.transitions = HD_MAX(most.transitions, t->transitions);
		most.memory = HD_MAX(most.memory, t->memory);
		most.first_work_s = HD_MAX(most.first_work_s, t->first_work_s);
	}
	printf("{\"ranks\": %u, \"complete\": %s, \"seconds\": %.6f, \"states\": %lu, \"transitions\": %lu, "
	       "\"messages\": %lu, \"bytes\": %lu, \"asked\": %lu, \"given\": %lu, \"most_transitions\": "
	       "%lu, "
	       "\"most_memory\": %lu, \"busy\": %.4f, \"last_begins_s\": %.6f}\n",
	       ranks, all.end == SEARCH_COMPLETE ? "true" : "false", took_s, all.states, all.transitions,
	       all.messages, all.bytes, all.asked, all.given, most.transitions, most.memory,
	       all.busy_ns / 1e9 / ranks / took_s, most.first_work_s);
}

int main(int argc, char **argv)
{
	const struct philosophers table = {argc > 1 ? (u32)atoi(argv[1]) : 5, true};
	const struct toy_model model = philosophers_model(&table);
	const struct search_options o = {.strategy = SEARCH_SPREAD};
	struct rank *r = calloc(1, sizeof(*r));
	int rank, ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (!r || ranks > MAX_RANKS)
		MPI_Abort(MPI_COMM_WORLD, 2);
	struct spread_port port = {.self = r,
				   .rank = (u32)rank,
				   .ranks = (u32)ranks,
				   .send = port_send,
				   .receive = port_receive,
				   .rest = port_rest};

	toy_init(&r->toy, &model);
	r->toy.hooks.port = &port;
	r->first_work_s = -1;
	r->last = &r->first;
	r->ranks = ranks;
	MPI_Comm_dup(MPI_COMM_WORLD, &r->messages);
	MPI_Barrier(MPI_COMM_WORLD);
	r->start_s = MPI_Wtime();
	enum search_end end = toy_search(&r->toy, &o);

	pay(r);
	told[rank] = (struct told){r->busy_ns,          r->first_work_s < 0 ? 0 : r->first_work_s,
				   r->toy.stats.states, r->toy.stats.transitions,
				   port.messages,       port.bytes,
				   port.asked,          port.given,
				   r->toy.stats.memory, end};
	MPI_Barrier(MPI_COMM_WORLD);
	if (!rank)
		tell((u32)ranks, MPI_Wtime() - r->start_s);
	toy_free(&r->toy);
	free(r);
	MPI_Finalize();
	return 0;
}

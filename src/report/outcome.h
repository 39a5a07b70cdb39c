/*
 * outcome.h: everything a check found, as plain data, and the verdict that follows from it. The report
 * formats read this and nothing else.
 */
#ifndef HEDDLE_REPORT_OUTCOME_H
#define HEDDLE_REPORT_OUTCOME_H

#include "iocache/tree.h"
#include "report/outcome_checkpoints.h"
#include "report/profile.h"
#include "report/state_graph.h"
#include "report/trace.h"
#include "report/trees_file.h"
#include "wire/wire.h"

/* Room for a reason in full. */
#define OUTCOME_REASON 4096

enum verdict {
	VERDICT_VERIFIED,
	VERDICT_VIOLATION,
	VERDICT_BOUNDED,
	VERDICT_INCOMPLETE,
	VERDICT_CERTIFIED, /* heddle certify: what verified is to heddle check */
	VERDICT_DEVIATION, /* the script is not a true record of this program */
};

struct outcome_refused {
	char call[64], where[512];
	u64 count;
};

/* Memory of an unmodified program that two threads use, and nothing that is seen orders them. */
struct outcome_unsynchronised {
	char what[256], where[2][512]; /* a variable; lines before the steps that use it */
	u32 thread[2];
};

/* What an instrumented program did while other threads existed, and nobody knows which memory it touched. */
struct outcome_unseen {
	char call[192], where[512];
};

/* What the search had to do with the network; outcome_net.c. */
struct outcome_net {
	bool used;            /* a connection was opened; all else is zero if not */
	bool shared;          /* server peers are one conversation: --peers */
	bool untold_time;     /* servers were not told of all the time that the program slept */
	bool several_servers; /* some execution has several connections to them */
	struct net_config config;
	struct cache_stats cache;
	u64 timed;          /* answers after which a peer waited with a time-out: it may say more later */
	u64 guessed;        /* answers whose end was guessed from silence */
	u64 clock_readings; /* answers that told another time than recorded, and counted as the same */
	struct trees_blob trees;
};

/* A script that was written (--script). */
struct outcome_script {
	char path[2048]; /* "": none */
	bool trustful;
	u64 states, transitions, bytes;
	u64 script_bytes, subgraph_bytes; /* of these */
	char why_not[1024];               /* "": it is there */
	bool lost;                        /* it should be there, and could not be written */
};

/* A script that was followed (heddle certify). */
struct outcome_certified {
	bool on, trustful, live;
	bool has_trees; /* peers as the producer recorded them */
	bool part;      /* of a script */
	struct wire_followed followed;
	char where[512];     /* of a deviation */
	char producer[1024]; /* what the script leaves out, and the consumer did not ask for; "": nothing */
	bool livelocks_unknown; /* the program waits busily, and nobody looked */
	u32 processes, parts;
	u64 largest;      /* transitions of the largest part */
	double compare_s; /* time to compare the maps of the parts */
};

struct outcome {
	char *const *argv;
	char *const *server, *const *client; /* commands of the peers */
	size_t servers, clients;
	enum search_end end;
	bool interrupted; /* killed by a second ^C: `end` says nothing */
	bool horizon_hit, yields_cut, subsets_cut, retries_cut, faults_cut;
	struct search_options options;
	struct search_stats stats;
	u32 workers;           /* that searched */
	char workers_why[256]; /* fewer than asked for: why; "": no fewer */
	double wall_s, cpu_s;
	double busiest_cpu_s; /* CPU time of the worker that needed most */
	u64 peak_rss, page_faults;
	struct fingerprint initial;
	struct trace *trace; /* of each violation that was reproduced */
	size_t violations;
	u32 unconfirmed;
	u32 played_again; /* executions, with fresh peers */
	/* Of a second search, with the servers as one conversation, that found nothing else; 0: none. */
	u64 shared_states;
	bool shared_cut; /* there was one, and it came to its limits */
	u32 suppressed;  /* data races passed over: --suppressions */
	bool hooks;      /* built with heddle cc: memory accesses are seen */
	bool races_ignored, allow_trivial;
	char unconfirmed_why[1200];
	/* the first violation behind a refused call (or ""), and that call: no certain violation */
	char doubtful[1200], doubtful_call[640];
	char incomplete_why
		[3072]; /* the network was not followed everywhere: wire_result.incomplete; "": it was */
	char differed
		[1024]; /* with fresh peers, in a known execution, an answer was another one; "": none was */
	char shared_why
		[1024]; /* servers turned out to be joint (--peers auto): which answer told; "": none did */
	char trivial_why[512]; /* nothing of what the program is there for was seen: why; "": it was */
	struct outcome_net net;
	struct outcome_checkpoints checkpoints;
	bool nondeterministic; /* a peer was that could not be saved, and perhaps can be */
	bool unnoticed;        /* … that was not seen to act by chance */
	u32 worlds; /* --peer-branches: searches with other behaviours of peers that act by chance */
	struct outcome_refused refused[WIRE_MAX_REFUSED];
	size_t refused_count;
	struct outcome_unsynchronised unsynchronised[WIRE_MAX_UNSYNCHRONISED];
	size_t unsynchronised_count;
	struct outcome_unseen unseen[2 * WIRE_MAX_UNSEEN];
	size_t unseen_count;
	struct profile profile;
	struct state_graph graph; /* --graph */
	long outcome[WIRE_MAX_OUTCOMES];
	size_t outcomes;
	struct outcome_script script;
	struct outcome_certified certified;
	char note[8][256];
	size_t notes;
	bool atomics_on;
	u32 atomics, atomics_unread; /* instructions, and functions left alone: struct wire_atomics */
	/* Settings that matter for the meaning, as the user would write them; NULL-terminated. */
	char **setting;
};

/* Of the states that the search came to, the part it explored, as an estimate: 1 unless memory was short. */
double outcome_coverage(const struct outcome *o);
enum verdict outcome_verdict(const struct outcome *o);
const char *verdict_name(enum verdict v);
int verdict_exit_code(enum verdict v);
/* One sentence: why this verdict. */
void outcome_reason(const struct outcome *o, char *out, size_t cap);
/* The same of a script that was followed; outcome_script.c. */
void outcome_certified_reason(const struct outcome *o, char *out, size_t cap);
/* What a success leaves out, to stand behind that word: ", data races not looked at"; "": nothing. */
void outcome_scope(const struct outcome *o, char *out, size_t cap);
/* The verdict in words with its scope, "Verified, data races not looked at"; no full stop. */
void outcome_headline(const struct outcome *o, char *out, size_t cap);
/* "memory" or "sync". */
const char *outcome_granularity(const struct outcome *o);
/* What the verdict takes for granted, one sentence. */
const char *outcome_assumption(const struct outcome *o);
/*
 * The network's part, from the trees that a search left (NULL, 0: none) and what it was told about peers.
 * They are copied, and checked: the program could have written over them. -1: no memory, or no trees.
 */
int outcome_set_net(struct outcome *o, const void *trees, u64 len, const struct net_config *config);
/* "server 1": the first peer that was seen to act by chance. */
const char *outcome_chooser(const struct outcome *o);
/* Was a peer seen to draw random bytes before its first connection, and none did after it? */
bool outcome_drew_at_start(const struct outcome *o);
/* What the peers' part of the verdict takes for granted, one sentence; "" without peers. */
const char *outcome_peer_assumption(const struct outcome *o);
/* What was found, for a search that is done again. */
void outcome_forget(struct outcome *o);
void outcome_free(struct outcome *o);

#endif

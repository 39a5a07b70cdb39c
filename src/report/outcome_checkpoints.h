/*
 * outcome_checkpoints.h: what an outcome says about checkpoints of peers.
 */
#ifndef HEDDLE_REPORT_OUTCOME_CHECKPOINTS_H
#define HEDDLE_REPORT_OUTCOME_CHECKPOINTS_H

#include "wire/wire_net.h"

#define SAVER_PEERS 16u /* that are told about */

struct outcome_peer {
	char backend[16]; /* "": nobody asked for one */
	char reason[512]; /* why that one */
	u32 acts;
	struct {
		char call[40];
		u64 count;
		bool tamed;  /* made the same in each run */
		bool chance; /* a random number */
		bool start;  /* one that it drew before it talked to anybody: the same in each run */
	} act[16];           /* what may be different in another run */
};

struct outcome_checkpoints {
	struct net_checkpoints counts;
	bool start_matters;      /* what was drawn at the start is seen by the program, as far as is known */
	u64 bytes;               /* of saved peers, at the end */
	u64 save_ns, restore_ns; /* on average */
	struct outcome_peer server[SAVER_PEERS], client[SAVER_PEERS]; /* by command */
};

#endif

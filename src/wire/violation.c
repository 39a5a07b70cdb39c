#include "wire/violation.h"

#include "base/text.h"

static const struct violation_traits traits[VIOLATION_KINDS] = {
	[VIOLATION_NONE] = {.name = "none"},
	[VIOLATION_DEADLOCK] = {.name = "deadlock", .concerns_all_threads = true, .keyed_by_text = true},
	[VIOLATION_CRASH] = {.name = "crash"},
	[VIOLATION_ABORT] = {.name = "abort"},
	[VIOLATION_ASSERT] = {.name = "assert", .keyed_by_text = true},
	[VIOLATION_RACE] = {.name = "race"},
	[VIOLATION_LOCK_MISUSE] = {.name = "lock-misuse"},
	[VIOLATION_COMM_DEADLOCK] = {.name = "comm-deadlock",
				     .concerns_all_threads = true,
				     .keyed_by_text = true,
				     .names_peers = true},
	[VIOLATION_HANG] = {.name = "hang"},
	[VIOLATION_INVARIANT] = {.name = "invariant", .keyed_by_text = true},
	[VIOLATION_EXIT_STATUS] = {.name = "exit-status"},
	[VIOLATION_LIVELOCK] = {.name = "livelock",
				.concerns_all_threads = true,
				.keyed_by_text = true,
				.ends_in_loop = true},
	[VIOLATION_FD_MISUSE] = {.name = "fd-misuse"},
};

const struct violation_traits *violation_traits(u32 kind)
{
	return &traits[kind < VIOLATION_KINDS ? kind : VIOLATION_NONE];
}

enum violation_kind violation_kind_named(const char *name)
{
	for (u32 kind = 0; kind < VIOLATION_KINDS; kind++)
		if (str_equal(traits[kind].name, name))
			return (enum violation_kind)kind;
	return VIOLATION_NONE;
}

"""The same program must give the same results whatever the cache does, and however slowly the peer answers.

Per program: branching (depth- and breadth-first), none and linear; a peer that takes 50 ms for each answer; a peer that sleeps for random
short times, over and over. The headers of these programs need not say the same: mode none asks the peers for every state, and
takes ten times as long as any other."""

import re

import harness

SLOW, SHAKY, SHAKY_RUNS = "sleep:50", "jitter:2000", 20

SHAKEN = ("clients/two_producers.c", "clients/greeting.c", "servers/page_counter.c")
# program, its arguments, peers (PACE stands for the peer's delay), can a linear cache hold it
PROGRAMS = [
    ("clients/producer_consumer.c", [], ["--server", "@peer listen {port:7000} line PACE echo loop"], True),
    ("clients/two_producers.c", [], ["--server", "@peer listen {port:7000} line PACE echo loop"], False),
    ("clients/greeting.c", [], ["--server", "@peer listen {port:7000} PACE send:hello~ line send:bye~"], True),
    ("clients/lost_update.c", ["locked"], ["--server", "@bank {port:7000} PACE"], True),
    ("servers/echo.c", [], ["--client", "@peer connect {port} PACE send:hello{n}~ want:hello{n}", "--clients", "2"], True),
    ("servers/datagrams.c", ["workers"], ["--client", "@peer send {port} PACE send:{n}~ want:{n}", "--clients", "2"], True),
    ("servers/page_counter.c", [], ["--client", "@peer connect {port} send:GET_/{n}~ PACE line", "--clients", "2"], False),
    ("servers/pool.c", ["free"], ["--client", "@peer connect {port} PACE send:{n}~ want:{n}", "--clients", "2"], True),
]


def results(run):
    return {k: run.result[k] for k in ("verdict", "end_states")} | {"outcomes": sorted(run.result["outcomes"])}


def counts(run):
    return results(run) | {k: run.result[k] for k in ("states", "transitions", "revisited", "max_depth")}


class Case:
    def __init__(self, find, entry, peers):
        self.name, self.arguments, self.peers, self.linear = entry
        self.binary, self.find = find(self.name), peers

    def run(self, options=(), pace="jitter:1"):
        words = [w.replace("PACE", pace) for w in self.peers]
        for name, path in self.find.items():
            words = [w.replace(f"@{name} ", f"{path} ") for w in words]
        run = harness.heddle_check([self.binary, *self.arguments], [*words, "--quiet", *options])
        if run.result is None:
            raise AssertionError(f"exit {run.status}, no result\n{run.tail()}")
        return run


def same(what, got, wanted, run):
    if got != wanted:
        raise AssertionError(f"{what} {got}\nbut {wanted}\n{run.tail()}")


def modes(case):
    base = case.run()
    same("verdict", base.result["verdict"], "verified", base)
    bfs = case.run(["--strategy", "bfs"])
    whole = [case.run(["--strategy", strategy, "--por", "off"]) for strategy in ("dfs", "bfs")]
    none = case.run(["--cache", "none"])
    linear = case.run(["--cache", "linear"])
    same("bfs", results(bfs), results(base), bfs)
    # With the reduction each strategy leaves out what its own order allows.
    same("bfs without reduction", *(results(r) | {"states": r.result["states"]} for r in reversed(whole)), whole[1])
    same("cache none", results(none), results(base), none)
    if case.linear:
        same("cache linear", results(linear), results(base), linear)
    else:
        same("cache linear", linear.result["verdict"], "incomplete", linear)


def slow(case):
    base, late = case.run(), case.run(pace=SLOW)
    same("slow", counts(late), counts(base), late)


def shaky(case):
    base = counts(case.run())
    for _ in range(SHAKY_RUNS):
        run = case.run(pace=SHAKY)
        same("shaky", counts(run), base, run)


KINDS = [("all modes of the cache agree", modes), ("a slow peer changes nothing", slow),
         (f"{SHAKY_RUNS} runs with a shaky peer are the same", shaky)]


def check(job):
    _name, function, case = job
    try:
        function(case)
    except AssertionError as wrong:
        return str(wrong)
    return None


def cases(find, peers, pattern):
    """(name, why) of everything. find: path of a program -> its binary."""
    jobs = [(f"cross {entry[0]} {what}", function, entry) for entry in PROGRAMS for what, function in KINDS
            if function is not shaky or entry[0] in SHAKEN]
    jobs = [(name, function, Case(find, entry, peers)) for name, function, entry in jobs if re.search(pattern, name)]
    yield from zip((j[0] for j in jobs), harness.in_parallel(check, jobs))

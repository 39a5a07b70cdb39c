"""What talkers.c can do, computed by enumerating every order of its actions; knows nothing of heddle.

A server is a function from the bytes it got (and whether they ended) to all bytes it says. Answers are there at once."""

import collections
import re

TOKENS = ["a\n", "b\n", "x", "\n", "x\n"]


# --------------------------------------------------------------------- peers

def echo(got, _ended):
    return "".join(line + "\n" for line in got.split("\n")[:-1])


def count(got, _ended):
    return "".join(f"{n}\n" for n in range(1, got.count("\n") + 1))


def greet(got, ended):
    return "hi\n" + echo(got, ended)


def pairs(got, _ended):
    lines = got.split("\n")[:-1]
    return "".join(line + "\n" for line in lines[1::2])


def bytewise(got, _ended):
    return "+" * len(got)


def at_end(got, ended):
    return f"{len(got)}\n" if ended else ""


# The function, and the script that makes @peer behave like it (after "listen PORT" or "connect PORT").
PEERS = {
    "echo": (echo, "line echo loop"),
    "count": (count, "line send:%n~ loop"),
    "greet": (greet, "send:hi~ mark line echo loop"),
    "pairs": (pairs, "line line echo loop"),
    "bytewise": (bytewise, "take:1 send:+ loop"),
    "at_end": (at_end, "eof send:%b~"),
}
# Whether the peer closes its side once the SUT's has ended; all do, as their scripts end then.


# ----------------------------------------------------------------- execution

Program = collections.namedtuple("Program", "name servers connections clients threads")
"""servers: names in PEERS, one for each port; connections: for each, the number of its server; clients: names in PEERS, one for each
client; threads: scripts for talkers.c."""

Truth = collections.namedtuple("Truth", "outcomes stuck ends traces states")
"""stuck: some execution leaves a thread in read for ever; ends: different states at the end of others; traces: for each peer all that is ever written to it."""


def mix(hash_, value):
    return (hash_ * 31 + value + 1) % 1000003


def actions_of(script):
    return re.findall(r"w\d\d|r\d\d|e\d|[alu]", script)


class Machine:
    """States are tuples: (threads: (pc, hash, client), connections: (got, ended, read), accepted: same, owner of the lock)."""

    def __init__(self, program):
        self.program = program
        self.scripts = [actions_of(t) for t in program.threads]

    def initial(self):
        threads = tuple((0, i + 1, None) for i in range(len(self.scripts)))
        return threads, tuple(("", False, 0) for _ in self.program.connections), (), None

    def peer(self, index):
        if index[0] == "c":
            return PEERS[self.program.servers[self.program.connections[index[1]]]][0]
        return PEERS[self.program.clients[index[1]]][0]

    def locate(self, state, thread, digit):
        return ("a", state[0][thread][2]) if digit == "9" else ("c", int(digit))

    @staticmethod
    def get(state, where):
        return state[1 if where[0] == "c" else 2][where[1]]

    @staticmethod
    def put(state, where, value):
        part = 1 if where[0] == "c" else 2
        changed = state[part][:where[1]] + (value,) + state[part][where[1] + 1:]
        return state[:part] + (changed,) + state[part + 1:]

    def available(self, state, where):
        """(bytes that can be read, has the peer closed)"""
        got, ended, read = self.get(state, where)
        return self.peer(where)(got, ended)[read:], ended

    def enabled(self, state, thread):
        pc = state[0][thread][0]
        if pc == len(self.scripts[thread]):
            return False
        action = self.scripts[thread][pc]
        if action[0] == "r":
            text, closed = self.available(state, self.locate(state, thread, action[1]))
            return bool(text) or closed
        if action == "a":
            return len(state[2]) < len(self.program.clients)
        return not (action == "l" and state[3] is not None)

    def step(self, state, thread):
        pc, hash_, client = state[0][thread]
        action = self.scripts[thread][pc]
        if action == "a":
            client = len(state[2])
            state = state[:2] + (state[2] + (("", False, 0),), state[3])
        elif action in "lu":
            state = state[:3] + (thread if action == "l" else None,)
        else:
            where = self.locate(state, thread, action[1])
            state, hash_ = getattr(self, "do_" + action[0])(state, where, action, hash_)
        threads = state[0][:thread] + ((pc + 1, hash_, client),) + state[0][thread + 1:]
        return (threads,) + state[1:]

    def do_w(self, state, where, action, hash_):
        got, ended, read = self.get(state, where)
        if ended:
            return state, mix(hash_, 1000)
        return self.put(state, where, (got + TOKENS[int(action[2])], False, read)), hash_

    def do_r(self, state, where, action, hash_):
        got, ended, read = self.get(state, where)
        text = self.available(state, where)[0][:int(action[2])]
        for c in text:
            hash_ = mix(hash_, ord(c))
        return self.put(state, where, (got, ended, read + len(text))), mix(hash_, 2000)

    def do_e(self, state, where, _action, hash_):
        got, _ended, read = self.get(state, where)
        return self.put(state, where, (got, True, read)), hash_

    def outcomes(self, state):
        done = [t for t, script in zip(state[0], self.scripts) if t[0] == len(script)]
        told = {t[1] for t in done}
        if len(done) == len(self.scripts):
            all_ = 0
            for t in state[0]:
                all_ = mix(all_, t[1])
            told.add(1000003 + all_)
        return told

    def stuck(self, state):
        """Nobody can go on: does one wait for a peer? Or do threads wait for clients while one that is there has not been heard?"""
        waiting = [s[t[0]] for t, s in zip(state[0], self.scripts) if t[0] < len(s)]
        unheard = any(text and not closed for text, closed in
                      (self.available(state, ("a", i)) for i in range(len(state[2]))))
        return any(action[0] == "r" for action in waiting) or bool(waiting and unheard)


def explore(program, limit):
    """The Truth about a program; None if it has more states than the limit."""
    machine = Machine(program)
    seen, todo = {machine.initial()}, [machine.initial()]
    outcomes, ends, stuck, traces = set(), 0, False, collections.defaultdict(set)
    while todo:
        state = todo.pop()
        outcomes |= machine.outcomes(state)
        for i, (got, ended, _) in enumerate(state[1]):
            traces["c", i].add(got + ("$" if ended else ""))
        for i, (got, ended, _) in enumerate(state[2]):
            traces["a", i].add(got + ("$" if ended else ""))
        movers = [t for t in range(len(machine.scripts)) if machine.enabled(state, t)]
        if not movers:
            stuck |= machine.stuck(state)
            ends += not machine.stuck(state)
        for t in movers:
            after = machine.step(state, t)
            if after not in seen:
                seen.add(after)
                todo.append(after)
        if len(seen) > limit:
            return None
    return Truth(outcomes, stuck, ends, dict(traces), len(seen))


def leaves(traces):
    """How many traces are not the beginning of another one."""
    return sum(not any(o != t and o.startswith(t) for o in traces) for t in traces)

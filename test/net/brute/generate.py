"""Random programs for talkers.c; the same seed gives the same program."""

import random

import model


def script(luck, places, accepts, ends):
    """One thread: a few actions, perhaps some of them under the lock."""
    actions = ["a"] if accepts else []
    mine = places + (["9"] * 3 if accepts else [])
    for _ in range(luck.randint(2, 4)):
        place = luck.choice(mine)
        kind = luck.random()
        if kind < 0.55:
            actions.append(f"w{place}{luck.choice(luck.choice(['01', '0123', '234']))}")
        elif kind < 0.95 or not ends:
            actions.append(f"r{place}{luck.choice('1249')}")
        else:
            actions.append(f"e{place}")
    if luck.random() < 0.4:
        start = luck.randrange(1 if accepts else 0, len(actions))
        actions[start:] = ["l", *actions[start:], "u"]
    return "".join(actions)


def generate(seed):
    luck = random.Random(f"talkers {seed}")
    with_clients = luck.random() < 0.4
    servers = [] if with_clients and luck.random() < 0.5 else [luck.choice(list(model.PEERS)) for _ in range(luck.randint(1, 2))]
    connections = [luck.randrange(len(servers)) for _ in range(luck.randint(1, 2))] if servers else []
    clients = [luck.choice(list(model.PEERS)) for _ in range(luck.randint(1, 2))] if with_clients else []
    places = [str(i) for i in range(len(connections))]
    ends = "at_end" in servers + clients
    threads = [script(luck, places, with_clients and (not places or luck.random() < 0.6), ends)
               for _ in range(luck.randint(2, 3))]
    return model.Program(f"{seed}", servers, connections, clients, threads)


def interesting(truth):
    """Several results, and not too many."""
    return truth is not None and 2 <= len(truth.outcomes) <= 200


def choose(number, limit):
    """The number-th program worth running, with what is true of it."""
    for attempt in range(1000):
        program = generate(f"{number}.{attempt}")
        truth = model.explore(program, limit)
        if interesting(truth):
            return program, truth
    raise SystemExit(f"no program for {number}")

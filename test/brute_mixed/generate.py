"""Random programs of threads, handlers and timers that meet at objects of all kinds, as C."""

import random

KINDS = ("locks", "rwlocks", "semaphores", "conditions", "barrier", "atomics", "heap", "streams", "files", "signals",
         "waits", "timers", "cancel", "threads", "keys", "servers", "ends")
SIGNALS = 3


class Program:
    def __init__(self, name):
        self.name, self.bodies, self.handlers, self.setup, self.detached = name, {}, [], [], set()


class Generator:
    def __init__(self, seed, number):
        self.r = random.Random(f"mixed {seed}/{number}")
        self.p = Program(f"m{number}")
        self.children = {}

    def make(self):
        r, p = self.r, self.p
        self.kinds = r.sample(KINDS, r.choice((1, 2, 2, 3, 3, 4)))
        if not {"signals", "timers", "cancel"} & set(self.kinds) and r.random() < 0.6:
            self.kinds.append(r.choice(("signals", "timers", "cancel")))
        if {"signals", "timers"} & set(self.kinds) and not {"semaphores", "locks", "atomics", "streams"} & set(self.kinds):
            self.kinds.append(r.choice(("semaphores", "locks", "atomics", "streams")))
        self.minds_signals = bool({"signals", "timers", "waits"} & set(self.kinds))
        self.count = r.choice((2, 2, 3))
        self.next = self.count
        self.set_up()
        for t in range(self.count):
            self.me = t
            p.bodies[t] = [self.statement(2) for _ in range(r.randint(1, 3 if self.count == 2 else 2))]
        p.threads, p.count = self.next, self.count
        return p

    def set_up(self):
        r, p = self.r, self.p
        p.numbers = (self.count, r.randint(0, 2), r.randint(0, 1), r.choice((2, 2, self.count)), r.randint(0, 1))
        self.me = 0
        for s in range(SIGNALS):
            how = r.random()
            if how < 0.08 or not self.minds_signals:
                handler = "SIG_DFL"
            elif how < 0.16:
                handler = "SIG_IGN"
            else:
                handler = f"{p.name}_handler{len(p.handlers)}"
                self.in_handler = True
                p.handlers.append([self.in_a_handler() for _ in range(r.randint(1, 2))])
            flags = " | ".join(f for f, chance in (("SA_RESTART", 0.4), ("SA_NODEFER", 0.1), ("SA_RESETHAND", 0.08))
                               if r.random() < chance) or "0"
            p.setup.append(f"act({s}, {handler}, {flags})")
        self.in_handler = False
        if self.minds_signals and r.random() < 0.5:
            p.setup.append(f"mask(SIG_BLOCK, {r.randint(1, 7)})")
        to = r.choice(("SIGEV_SIGNAL", "SIGEV_SIGNAL", "SIGEV_THREAD_ID", "SIGEV_THREAD_ID", "SIGEV_THREAD"))
        p.timer = (to, r.randrange(SIGNALS))

    def in_a_handler(self):
        r = self.r
        m = r.randrange(2)
        return r.choice((f"fold({r.randint(5, 9)})", f"sem_post(&semaphore[{m}])", f"fold(sem_trywait(&semaphore[{m}]))",
                         f"fold(__atomic_fetch_add(&word[{m}], 1, __ATOMIC_SEQ_CST))", "write_to(channel[1])",
                         "write_to(event)", "send_to(pair[0])", f"LOCKED({m}, )", f"sem_take({m})",
                         f"send_once({r.randrange(SIGNALS)})", "set_timer(0)",
                         "set_interval(0, 0)", f"act({r.randrange(SIGNALS)}, SIG_IGN, 0)", f"read_lock({m})",
                         f"set_flag({m}, 0, 0)"))

    def statement(self, depth):
        r = self.r
        x = r.random()
        if depth and x < 0.08:
            return f"if (reg[me] & 1) {{ {self.statement(0)}; }} else {{ {self.statement(0)}; }}"
        if depth and x < 0.12:
            return f"for (int i = 0; i < 2; i++) {{ {self.statement(0)}; }}"
        self.depth = depth
        return getattr(self, r.choice(self.kinds))()

    def locks(self):
        r, m = self.r, self.r.randrange(2)
        inside = self.statement(self.depth - 1) if self.depth and r.random() < 0.35 else ""
        return r.choice((f"LOCKED({m}, {{ {inside}; }})", f"LOCKED({m}, {{ {inside}; }})", f"try_lock({m})",
                         f"timed_lock({m})", f"spin_lock({m})"))

    def rwlocks(self):
        return f"{self.r.choice(('read_lock', 'read_lock', 'write_lock', 'try_read', 'try_write'))}({self.r.randrange(2)})"

    def semaphores(self):
        m = self.r.randrange(2)
        return self.r.choice((f"sem_take({m})", f"sem_post(&semaphore[{m}])", f"sem_post(&semaphore[{m}])",
                              f"fold(sem_trywait(&semaphore[{m}]))", f"sem_timed({m})", f"sem_look({m})"))

    def conditions(self):
        r, m = self.r, self.r.randrange(2)
        return r.choice((f"wait_flag({m})", f"wait_once({m})", f"set_flag({m}, {r.randint(0, 1)}, {r.randint(0, 1)})",
                         f"set_flag({m}, {r.randint(0, 1)}, {r.randint(0, 1)})"))

    def barrier(self):
        return self.r.choice(("at_barrier()", "pthread_once(&once, the_one)", "spin_lock(0)"))

    def atomics(self):
        m = self.r.randrange(2)
        return self.r.choice((f"fold(__atomic_fetch_add(&word[{m}], me + 1, __ATOMIC_SEQ_CST))", f"swap_word({m})",
                              f"fold(__atomic_exchange_n(&word[{m}], me + 5, __ATOMIC_SEQ_CST))"))

    def heap(self):
        return f"exchange_box({self.r.randrange(2)})"

    def streams(self):
        return self.r.choice(("write_to(channel[1])", "read_from(channel[0])", "look_at(channel[0])", "send_to(pair[0])",
                              "send_to(pair[1])", "read_from(pair[1])", "look_at(pair[0])", "write_to(event)",
                              "read_from(event)", "wait_set(0)", "wait_set(-1)", "wait_set(1)",
                              "fold_result(shutdown(pair[0], SHUT_WR))"))

    def files(self):
        name = self.r.choice(('"a"', '"b"'))
        return self.r.choice((f"open_file({name})", f"append({name})", f"fold_result(unlink({name}))",
                              f"fold_result(access({name}, F_OK))"))

    def target(self):
        return self.r.randrange(self.count if self.me == 0 else self.me + 1)

    def handler(self):
        p = self.p
        return self.r.choice(["SIG_IGN", *(f"{p.name}_handler{i}" for i in range(len(p.handlers)))])

    def signals(self):
        r = self.r
        sig = f"signal_number[{r.randrange(SIGNALS)}]"
        return r.choice((f"fold(pthread_kill(thread[{self.target()}], {sig}))",
                         f"fold(pthread_kill(thread[{self.target()}], {sig}))",
                         f"kill(getpid(), {sig})", f"kill(getpid(), {sig})", f"raise({sig})",
                         f"mask({r.choice(('SIG_BLOCK', 'SIG_UNBLOCK', 'SIG_SETMASK'))}, {r.randint(0, 7)})",
                         f"act({r.randrange(SIGNALS)}, {self.handler()}, {r.choice(('0', 'SA_RESTART'))})", "pending()"))

    def waits(self):
        r = self.r
        return r.choice((f"await_signal({r.randint(1, 7)}, 0)", f"await_signal({r.randint(1, 7)}, 1)", f"suspend({r.randint(0, 6)})",
                         "POINT(pause())", "doze()", f"kill(getpid(), signal_number[{r.randrange(SIGNALS)}])",
                         f"pthread_kill(thread[{self.target()}], signal_number[{r.randrange(SIGNALS)}])"))

    def timers(self):
        r = self.r
        return r.choice((f"set_timer({r.choice((0, 1000, 1000))})", "timer_left()", f"set_interval({r.choice((0, 5, 5))}, 0)",
                         "set_interval(5, 5)", "alarm(0)", "alarm(1)", f"set_clock({r.choice((0, 1000, 1000))})", "read_from(clock_fd)",
                         "look_at(clock_fd)", "doze()"))

    def cancel(self):
        r, t = self.r, self.target()
        return r.choice((f"fold(pthread_cancel(thread[{t}]))" if t else "POINT(pthread_testcancel())",
                         "POINT(pthread_testcancel())", "pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL)",
                         "pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL)", "doze()"))

    def threads(self):
        r = self.r
        if not self.depth or self.next >= 5:
            return "sched_yield()"
        mine = self.children.setdefault(self.me, [])
        if mine and r.random() < 0.5:
            t = r.choice(mine)
            return f"try_join({t}, {r.randint(0, 1)})"
        t, before = self.next, self.me
        self.next += 1
        self.me = t
        self.p.bodies[t] = [self.statement(0) for _ in range(r.randint(1, 2))]
        self.me = before
        if r.random() < 0.35:
            self.p.detached.add(t)
            return f"make({t}, 1)"
        mine.append(t)
        return f"make({t}, 0)" + (f"; join_now({t})" if r.random() < 0.3 and not mine.remove(t) else "")

    def servers(self):
        return self.r.choice(("call_server()", "serve()", "look_at(listener)"))

    def ends(self):
        return self.r.choice(("leave()", "sem_post(&semaphore[1])", "fold(sem_trywait(&semaphore[1]))", "fold(me)"))

    def keys(self):
        return self.r.choice(("pthread_setspecific(key, (void *)(long)(me + 1))", "fold((long)pthread_getspecific(key))",
                              "pthread_setspecific(key, NULL)"))


def generate(seed, number):
    return Generator(seed, number).make()


def emit_body(out, name, statements):
    out += [f"static void {name}(void)", "{", *(f"\t{s};" for s in statements), "}"]


def emit(programs):
    """One C file with all of them; its first argument names the one that runs."""
    out = ['#include "prelude.h"', ""]
    for p in programs:
        out += [f"static void {p.name}_handler{i}(int sig);" for i in range(len(p.handlers))]
        for i, statements in enumerate(p.handlers):
            emit_body(out, f"{p.name}_does{i}", statements)
            out += [f"static void {p.name}_handler{i}(int sig)", "{", "\tHANDLE(sig, %s_does%d);" % (p.name, i), "}"]
        for t, statements in p.bodies.items():
            emit_body(out, f"{p.name}_body{t}", statements)
            if t:
                out += [f"static void *{p.name}_start{t}(void *arg)", "{", "\tme = (int)(long)arg;", f"\t{p.name}_body{t}();",
                        *(["\tmask(SIG_BLOCK, 7);", "\tsem_post(&done);"] if t >= p.count else []), "\treturn NULL;", "}"]
        kind, sig = p.timer
        out += [f"static void {p.name}(void)", "{", f"\tprepare({', '.join(map(str, p.numbers))});",
                *(f"\tbody_of[{t}] = {p.name}_start{t};" for t in p.bodies if t),
                f"\tmake_timer({kind}, {sig});", *(f"\t{s};" for s in p.setup),
                *(f"\tmake({t}, 0);" for t in range(1, p.count)), f"\t{p.name}_body0();",
                f"\tfinish({p.count}, {p.threads});", "}", ""]
    out += ["int main(int argc, char **argv)", "{", "\tif (argc < 2)", "\t\treturn 1;",
            *(f'\tif (!strcmp(argv[1], "{p.name}"))\n\t\t{p.name}();' for p in programs), "\treturn 0;", "}"]
    return "\n".join(out) + "\n"

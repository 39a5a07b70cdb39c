"""Abstract programs as C: many programs in one binary, chosen by number."""

import pathlib

PRELUDE = pathlib.Path(__file__).with_name("prelude.h").name

SIMPLE = {
    "unlock": "unlock({0});", "lock": "lock({0});", "post": "sem_post(&sem[{0}]);", "wait": "sem_wait(&sem[{0}]);",
    "getvalue": "FOLD(value({0}));", "rd": "pthread_rwlock_rdlock(&rw[{0}]);", "wr": "pthread_rwlock_wrlock(&rw[{0}]);",
    "rwunlock": "pthread_rwlock_unlock(&rw[{0}]);", "set": "var[{0}] = {1};", "add": "var[{0}] += {1};",
    "mul": "var[{0}] = var[{0}] * 3 + {1};", "note": "FOLD(var[{0}]);", "mark": "FOLD({0});",
    "signal": "pthread_cond_signal(&cond[{0}]);", "broadcast": "pthread_cond_broadcast(&cond[{0}]);",
    "barrier": "pthread_barrier_wait(&barrier[{0}]);", "join": "pthread_join(thread[{0}], NULL);",
    "put": "put({0}, {1});", "get": "FOLD(get({0}));", "choose": "FOLD(heddle_choose({0}));", "yield": "sched_yield();",
}
BRANCHES = {
    "try": "trylock({0})", "timed": "pthread_mutex_timedlock(&mutex[{0}], &later) == 0",
    "trywait": "sem_trywait(&sem[{0}]) == 0", "timedwait": "sem_timedwait(&sem[{0}], &later) == 0",
    "tryrd": "pthread_rwlock_tryrdlock(&rw[{0}]) == 0", "trywr": "pthread_rwlock_trywrlock(&rw[{0}]) == 0",
}


def body_lines(program, body, depth):
    tab = "\t" * depth
    for op in body:
        if op[0] in BRANCHES:
            yield f"{tab}if ({BRANCHES[op[0]].format(*op[1:])}) {{"
            yield from body_lines(program, op[2], depth + 1)
            yield f"{tab}}} else {{"
            yield from body_lines(program, op[3], depth + 1)
            yield f"{tab}}}"
        elif op[0] == "await":
            _, c, loop, timed = op
            m, flag = program.conds[c]
            wait = "pthread_cond_timedwait(&cond[{0}], &mutex[{1}], &later)" if timed else "pthread_cond_wait(&cond[{0}], &mutex[{1}])"
            yield f"{tab}rc = 0;"
            yield f"{tab}{'while' if loop else 'if'} (!var[{flag}] && !rc)"
            yield f"{tab}\trc = {wait.format(c, m)};"
            yield f"{tab}if (rc)"
            yield f"{tab}\tFOLD(8);"
            yield f"{tab}FOLD(var[{flag}]);"
        else:
            yield tab + SIMPLE[op[0]].format(*op[1:])


def joins(body):
    return any(op[0] == "join" or any(isinstance(part, list) and joins(part) for part in op) for op in body)


def thread_function(program, number, body):
    gate = ["\tsem_wait(&gate);"] if joins(body) else []
    return "\n".join([f"static void *{program.name}_{number}(void *arg)", "{", "\tunsigned reg = 0;", "\tint rc = 0;",
                      *gate, *body_lines(program, body, 1), "\t(void)rc;",
                      "\t*(unsigned *)arg = reg;", "\treturn NULL;", "}", ""])


def setup_function(p):
    kinds = {"normal": "PTHREAD_MUTEX_NORMAL", "recursive": "PTHREAD_MUTEX_RECURSIVE"}
    lines = [f"static void {p.name}(void)", "{"]
    for m, kind in enumerate(p.mutexes):
        lines.append(f"\tmake_spin({m});" if kind == "spin" else f"\tmake_mutex({m}, {kinds[kind]});")
    lines += [f"\tsem_init(&sem[{s}], 0, {value});" for s, value in enumerate(p.sems)]
    lines += [f"\tmake_rw({r}, {int(kind == 'writer')});" for r, kind in enumerate(p.rwlocks)]
    lines += [f"\tpthread_barrier_init(&barrier[{b}], NULL, {n});" for b, n in enumerate(p.barriers)]
    lines += [f"\tpipe(pipes[{i}]);" for i in range(p.pipes)]
    for t in range(len(p.threads)):
        lines.append(f"\tpthread_create(&thread[{t}], NULL, {p.name}_{t}, &reg[{t}]);")
    lines += ["\tsem_post(&gate);" for body in p.threads if joins(body)]
    lines += [f"\tpthread_join(thread[{t}], NULL);" for t in range(len(p.threads)) if t not in p.joined]
    lines += [f"\treport({len(p.threads)}, {len(p.guard)});", "}", ""]
    return "\n".join(lines)


def emit(programs):
    parts = [f'#include "{PRELUDE}"', ""]
    for p in programs:
        parts += [thread_function(p, t, body) for t, body in enumerate(p.threads)]
        parts.append(setup_function(p))
    table = ", ".join(f'{{"{p.name}", {p.name}}}' for p in programs)
    parts.append(f"static const struct entry table[] = {{{table}}};\n")
    parts.append("int main(int argc, char **argv)\n{\n\treturn run_entry(table, sizeof(table) / sizeof(table[0]), argc, argv);\n}\n")
    return "\n".join(parts)

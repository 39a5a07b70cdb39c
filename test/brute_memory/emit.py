"""Abstract programs as C: many programs in one binary, chosen by number.

Compiled without optimisation each access of the abstract program is exactly one of the C
program (accesses.py looks; hence GCC's built-ins, where those of <stdatomic.h> add
temporaries). Memory orders change from one atomic to the next (program.Ordered): values are sequentially
consistent all the same, for heddle and for the interpreter; what is a race depends on them (happens.py)."""

FIELD = {1: "b", 2: "h", 4: "w", 8: "d"}
SIMPLE = {
    "lock": "pthread_mutex_lock(&mutex[{0}]);", "unlock": "pthread_mutex_unlock(&mutex[{0}]);",
    "wait": "sem_wait(&sem[{0}]);", "post": "sem_post(&sem[{0}]);", "mark": "FOLD({0});",
    "create": "pthread_create(&thread[{0}], NULL, {name}_{0}, &registers[{0}]);",
    "join": "pthread_join(thread[{0}], NULL);", "detach": "pthread_detach(thread[{0}]);",
    "read": "pthread_rwlock_rdlock(&rwlock[{0}]);", "write": "pthread_rwlock_wrlock(&rwlock[{0}]);",
    "leave": "pthread_rwlock_unlock(&rwlock[{0}]);", "meet": "pthread_barrier_wait(&barrier[{0}]);",
    "done": "*(uint32_t *)arg = reg; sem_post(&sem[{0}]);",
}


class Writer:
    """The text of one function."""

    def __init__(self, program):
        self.p = program
        self.lines = []

    def place(self, place):
        area, offset, size = place
        base = f"global[{area}]." if self.p.areas[area] == "global" else f"cell[{area}]->"
        return f"{base}{FIELD[size]}[{offset // size}]"

    def read(self, place, mode):
        x = self.place(place)
        if mode == "atomic":
            return f"__atomic_load_n(&{x}, __ATOMIC_{mode.order})"
        return f"VOLATILE({x})" if mode == "volatile" else x

    def write(self, place, mode, value):
        x = self.place(place)
        if mode == "atomic":
            return f"__atomic_store_n(&{x}, {value}, __ATOMIC_{mode.order});"
        return f"{f'VOLATILE({x})' if mode == 'volatile' else x} = {value};"

    def body(self, body, depth=1):
        for op in body:
            getattr(self, "op_" + op[0], self.op_simple)("\t" * depth, depth, *op)
        return self

    def say(self, tab, *lines):
        self.lines += [tab + line for line in lines]

    def branches(self, tab, depth, condition, then, otherwise, first=()):
        self.say(tab, f"if ({condition}) {{")
        self.body(then, depth + 1)
        self.say(tab, "} else {", *("\t" + line for line in first))
        self.body(otherwise, depth + 1)
        self.say(tab, "}")

    def op_simple(self, tab, _depth, kind, *args):
        self.say(tab, SIMPLE[kind].format(*args, name=self.p.name))

    def op_load(self, tab, _depth, _kind, place, mode):
        self.say(tab, f"FOLD({self.read(place, mode)});")

    def op_store(self, tab, _depth, _kind, place, mode, k):
        self.say(tab, self.write(place, mode, k))

    def op_move(self, tab, _depth, _kind, source, source_mode, target, target_mode, k):
        self.say(tab, self.write(target, target_mode, f"{self.read(source, source_mode)} + {k}"))

    def op_rmw(self, tab, _depth, _kind, place, name, k):
        function = "__atomic_exchange_n" if name == "exchange" else f"__atomic_{name}"
        self.say(tab, f"FOLD({function}(&{self.place(place)}, {k}, __ATOMIC_{name.order}));")

    def op_cas(self, tab, depth, _kind, place, expected, new, then, otherwise):
        x = self.place(place)
        self.say(tab, "{", f"\tuint{8 * place.size}_t old = {expected};")
        condition = f"atomic_compare_exchange_strong(ATOMIC({x}), &old, {new})"
        self.branches(tab + "\t", depth + 1, condition, then, otherwise, ["FOLD(old);"])
        self.say(tab, "}")

    def op_casloop(self, tab, _depth, _kind, place, k):
        x = self.place(place)
        self.say(tab, "{", f"\tuint{8 * place.size}_t old = __atomic_load_n(&{x}, __ATOMIC_RELAXED);",
                 f"\twhile (!atomic_compare_exchange_weak(ATOMIC({x}), &old, old + {k}))", "\t\t;", "}")

    def op_if(self, tab, depth, _kind, place, mode, k, then, otherwise):
        self.branches(tab, depth, f"{self.read(place, mode)} == {k}", then, otherwise)

    def op_try(self, tab, depth, _kind, m, then, otherwise):
        self.branches(tab, depth, f"!pthread_mutex_trylock(&mutex[{m}])", then, otherwise)

    def op_until(self, tab, _depth, _kind, place, mode, k):
        self.say(tab, f"while ({self.read(place, mode)} != {k})", "\t;")

    def op_grab(self, tab, _depth, _kind, place):
        self.say(tab, f"while (__atomic_exchange_n(&{self.place(place)}, 1, __ATOMIC_ACQUIRE))", "\t;")

    def op_loop(self, tab, depth, _kind, n, body):
        self.say(tab, f"for (int i = 0; i < {n}; i++) {{")
        self.body(body, depth + 1)
        self.say(tab, "}")


def function_name(program, t):
    return f"{program.name}_{t}" if t else program.name


def thread_function(p, t, body):
    return [f"static void *{function_name(p, t)}(void *arg)", "{", "\tuint32_t reg = 0;", *Writer(p).body(body).lines,
            *([] if body and body[-1][0] == "done" else ["\t*(uint32_t *)arg = reg;"]), "\treturn NULL;", "}", ""]


def main_function(p):
    lines = [f"static void {p.name}(void)", "{", "\tuint32_t reg = 0;"]
    lines += [f"\tunion cell local{a} = {{0}};" for a, kind in enumerate(p.areas) if kind == "stack"]
    source = {"global": "&global[{0}]", "heap": "calloc(1, sizeof(union cell))", "stack": "&local{0}"}
    lines += [f"\tcell[{a}] = {source[kind].format(a)};" for a, kind in enumerate(p.areas)]
    lines += [f"\tpthread_mutex_init(&mutex[{m}], NULL);" for m in range(p.mutexes)]
    lines += [f"\tsem_init(&sem[{s}], 0, {value});" for s, value in enumerate(p.sems)]
    lines += [f"\tpthread_rwlock_init(&rwlock[{i}], NULL);" for i in range(p.rwlocks)]
    lines += [f"\tpthread_barrier_init(&barrier[{i}], NULL, {n});" for i, n in enumerate(p.barriers)]
    lines += Writer(p).body(p.threads[0]).lines
    lines += ["\tregisters[0] = reg;", f"\treport({len(p.threads)}, {len(p.areas)});"]
    lines += [f"\tfree(cell[{a}]);" for a, kind in enumerate(p.areas) if kind == "heap"]
    return [*lines, "}", ""]


def emit(programs):
    lines = ['#include "prelude.h"', ""]
    for p in programs:
        for t, body in enumerate(p.threads[1:], 1):
            lines += thread_function(p, t, body)
        lines += main_function(p)
    lines += ["static const struct entry table[] = {", *(f'\t{{"{p.name}", {p.name}}},' for p in programs), "};", "",
              "int main(int argc, char **argv)", "{",
              "\treturn run_entry(table, sizeof(table) / sizeof(table[0]), argc, argv);", "}", ""]
    return "\n".join(lines)

"""Is each access of an abstract thread exactly one instrumented access of its C function?

The comparison with brute force rests on it: a compiler that merges, drops or fails to instrument
an access would take interleavings away from heddle that the interpreter has."""

import collections
import re
import subprocess

import emit

FUNCTION = re.compile(r"^[0-9a-f]+ <(\w+)>:$")
CALL = re.compile(r"\bcall\s+[0-9a-f]+ <__tsan_(\w+?)(?:@plt)?>")
PLAIN = re.compile(r"(volatile_)?(read|write)([1248])$")
ATOMIC = re.compile(r"atomic(8|16|32|64)_(load|store)?")


def name(writes, mode, size):
    return f"{mode} {'write' if writes else 'read'} {size}"


def accesses(op):
    """(place, writes, mode) of the accesses that an operation makes itself, without its branches."""
    kind = op[0]
    if kind in ("load", "if", "until"):
        return [(op[1], False, op[2])]
    if kind == "store":
        return [(op[1], True, op[2])]
    if kind == "move":
        return [(op[1], False, op[2]), (op[3], True, op[4])]
    if kind in ("rmw", "cas", "grab"):
        return [(op[1], True, "atomic")]
    if kind == "casloop":
        return [(op[1], False, "atomic"), (op[1], True, "atomic")]
    return []


def expected(p, body):
    """How often each kind of access stands in the text, with the reads of pointers that the C text needs."""
    count = collections.Counter()
    for op in body:
        for place, writes, mode in accesses(op):
            count[name(writes, mode, place.size)] += 1
            count[name(False, "plain", 8)] += p.areas[place.area] != "global"
        count[name(False, "plain", 8)] += op[0] in ("join", "detach")  # the handle
        for part in op:
            if isinstance(part, list):
                count += expected(p, part)
    return +count


def parse_hook(hook):
    if match := PLAIN.match(hook):
        return name(match[2] == "write", "volatile" if match[1] else "plain", int(match[3]))
    if match := ATOMIC.match(hook):
        return name(match[2] != "load", "atomic", int(match[1]) // 8)
    return None


def found(binary):
    """function: how often each kind of hook is called in it"""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", str(binary)], capture_output=True, text=True, check=True)
    functions, current = {}, None
    for line in text.stdout.splitlines():
        if match := FUNCTION.match(line):
            current = functions[match[1]] = collections.Counter()
        elif (match := CALL.search(line)) and (key := parse_hook(match[1])):
            current[key] += 1
    return functions


def has_local(body):
    """A compare-and-swap has a variable on the thread's own stack, whose accesses may be instrumented, too."""
    return any(op[0] in ("cas", "casloop") or any(isinstance(part, list) and has_local(part) for part in op) for op in body)


def differences(p, body, have):
    want = expected(p, body)
    want[name(True, "plain", 4)] += 1  # the register, at the end
    missing, extra = want - have, have - want
    if has_local(body):
        extra = {k: n for k, n in extra.items() if not k.startswith("plain")}
    return f"missing {dict(missing)}, extra {dict(extra)}" if missing or extra else None


def compare(programs, binary):
    """None, or which function differs. Main is left out: it sets up and reports in the same function."""
    functions = found(binary)
    for p in programs:
        for t, body in enumerate(p.threads[1:], 1):
            function = emit.function_name(p, t)
            if why := differences(p, body, functions.get(function, collections.Counter())):
                return f"accesses of {function}: {why}"
    return None

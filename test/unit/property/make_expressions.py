#!/usr/bin/env python3
"""Random C expressions over the variables of property_test.c, one E(...) a line: the compiler says what each is worth.

usage: make_expressions.py COUNT [SEED] > expressions.inc

What C leaves undefined is avoided: divisors are odd, shifts are small; signed overflow wraps (-fwrapv).
"""
import random
import sys

INTEGERS = ["i", "u", "l", "ul", "s", "us", "c", "sc", "uc", "b", "color", "in.low", "in.high", "in.wide", "in.sbit",
            "in.s[1]", "in.s[i & 3]", "grid[1][2]", "grid[i & 1][u % 3]", "*pi", "pn->value", "pn->next->value",
            "pn[0].value", "arrayp[2]", "un.bytes[3]", "un.word", "nested.in.s[2]", "in.anonymous"]
FLOATS = ["f", "d", "in.ratio"]
CONSTANTS = ["0", "1", "7", "-3", "0x80000000", "4294967295", "2147483648", "5u", "9L", "3ul", "'a'", "BLUE", "GREEN", "017"]
UNARY = ["-", "~", "!", "+"]
BINARY = ["+", "-", "*", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||"]
CASTS = ["(char)", "(unsigned char)", "(short)", "(unsigned)", "(long)", "(unsigned long)", "(uint16_t)", "(int64_t)"]


def integer(depth):
    pick = random.random()
    if depth == 0 or pick < 0.1:
        return random.choice(INTEGERS + CONSTANTS)
    if pick < 0.2:
        return f"{random.choice(UNARY)}({integer(depth - 1)})"
    if pick < 0.28:
        return f"{random.choice(CASTS)}({integer(depth - 1)})"
    if pick < 0.36:
        return f"(({integer(depth - 1)}) {random.choice('/%')} (({integer(depth - 1)}) | 1))"
    if pick < 0.44:
        return f"(({integer(depth - 1)}) {random.choice(['<<', '>>'])} (({integer(depth - 1)}) & 31))"
    if pick < 0.52:
        return f"({integer(depth - 1)} ? {integer(depth - 1)} : {integer(depth - 1)})"
    if pick < 0.58:
        return f"({floating(depth - 1)} {random.choice(['<', '<=', '==', '>'])} {floating(depth - 1)})"
    left, right = integer(depth - 1), integer(depth - 1)
    if random.random() < 0.5:  # precedence is the compiler's business
        return f"{left} {random.choice(BINARY)} {right}"
    return f"({left} {random.choice(BINARY)} {right})"


def floating(depth):
    if depth == 0 or random.random() < 0.3:
        return random.choice(FLOATS + ["1.5", "0.25f", "2e3"])
    other = random.choice([integer, floating])(depth - 1)
    return f"({floating(depth - 1)} {random.choice('+-*/')} ({other}))"


random.seed(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
for _ in range(int(sys.argv[1])):
    print(f"E({integer(random.randint(1, 5))})")

"""Debian's binaries as the program under test."""

import collections
import re
import shlex

import harness

Case = collections.namedtuple("Case", "name command peers verdict text")
"""peers: options of heddle; verdict: what it must be; text: a regex on what heddle says, or None."""

CASES = []


def check(case, expand):
    run = harness.heddle_check(case.command, shlex.split(expand(case.peers)))
    if run.result is None:
        return f"exit {run.status}, no result\n{run.tail()}"
    if run.result["verdict"] != case.verdict:
        return f"verdict {run.result['verdict']} ({run.result['reason']}), expected {case.verdict}\n{run.tail()}"
    if case.text and not re.search(case.text, run.out + run.err, re.S):
        return f"the report does not match {case.text!r}\n{run.tail()}"
    return None

"""The programs of examples/checkpoint, checked: verdicts and counts. SSH and FTP where their servers are installed."""

import json
import os
import shutil

import ssh_server
from controller import BUILD
from support import case, expect, in_scratch

EXAMPLES = BUILD / "examples" / "checkpoint"
INETD = f"{BUILD / 'heddle'} inetd "


def check(place, peer, *program, options=(), status=0):
    out = place.path / "out"
    place.heddle("check", "--no-progress", "--out", out, "--peers", "shared", *options, "--server", peer, "--",
                 *map(str, program), status=status, timeout=120)
    return json.loads((out / "result.json").read_text())


@case
@in_scratch
def letters(place):
    """examples: two threads and a server by chance: never capitals and small letters in one execution; the same states as with
    the fixed one, for each strategy"""
    program = [EXAMPLES / "letters-pair", "127.0.0.1", "26", "2"]
    server = f"exec {EXAMPLES}/letters-server {{port:26}}"
    fixed = check(place, server + " fixed", *program, options=["--checkpoint", "none"])
    expect(fixed["verdict"] == "verified", fixed["reason"])
    for strategy in ("always", "io", "nd"):
        result = check(place, server, *program, options=["--checkpoint", strategy])
        expect(result["verdict"] == "verified" and result["states"] == fixed["states"], f"{strategy}: {result['reason']}")
        saved = result["checkpoints"]
        expect(saved["taken"] and saved["restored"], saved)
        expect(saved["peers"][0]["backend"] == "fork" and saved["peers"][0]["noticed"].get("getrandom"), saved)


@case
@in_scratch
def plain_client(place):
    """examples: a client that draws nothing is not taken for one that does: libc's malloc draws a key that nobody sees"""
    folder = BUILD / "examples" / "net"
    out = place.path / "out"
    place.heddle("check", "--no-progress", "--out", out, "--checkpoint", "none", "--client",
                 f"exec {folder}/alphabet-peer 127.0.0.1 {{port}} 2", "--", folder / "alphabet-server", "26", "1", status=0)
    result = json.loads((out / "result.json").read_text())
    expect(result["verdict"] == "verified", result["reason"])


@case
@in_scratch
def abstract(place):
    """examples: the abstract SSH copy is verified, its faulty twin is not"""
    server = f"exec {EXAMPLES}/abstract-ssh-server {{port:22}}"
    right = check(place, server, EXAMPLES / "ssh-copy-abstract", "22", "a", "b", "c")
    expect(right["verdict"] == "verified", right["reason"])
    check(place, server, EXAMPLES / "ssh-copy-abstract-faulty", "22", "a", "b", "c", status=1)


def has_ssh():
    return not ssh_server.missing() and (EXAMPLES / "ssh-copy").exists()


def ssh(place):
    before, command = ssh_server.set_up(place.path)
    return before + INETD + "{port:22} " + command


if has_ssh():
    @case
    @in_scratch
    def ssh_copy(place):
        """examples: a file is copied to a dropbear, with real keys: all schedules"""
        result = check(place, ssh(place), EXAMPLES / "ssh-copy", "22", ssh_server.USER, ssh_server.PASSWORD,
                       place.path / "target", options=["--short-io", "off"])
        expect(result["verdict"] == "verified", result["reason"])
        expect((place.path / "target").read_text() == "warp and weft\nheddle and reed\n", "not copied")
        expect(result["checkpoints"]["peers"][0]["noticed"].get("getrandom"), result["checkpoints"])

    @case
    @in_scratch
    def ssh_race(place):
        """examples: the defect of scpto is found"""
        result = check(place, ssh(place), EXAMPLES / "ssh-copy-faulty", "22", ssh_server.USER, ssh_server.PASSWORD,
                       place.path / "target", options=["--short-io", "off"], status=1)
        expect(result["violations"][0]["kind"] == "assert", result["violations"])


if shutil.which("vsftpd", path=os.environ["PATH"] + ":/usr/sbin"):
    @case
    @in_scratch
    def ftp(place):
        """examples: a file is fetched from a vsftpd: what is asked for on one connection comes on another"""
        (place.path / "a").write_text("warp and weft\n")
        result = check(place, "exec " + INETD + "{port:21} " + ssh_server.ftp_command(place.path),
                       EXAMPLES / "ftp-fetch", "127.0.0.1", "21", "a", "14", options=["--short-io", "off"])
        expect(result["verdict"] == "verified", result["reason"])

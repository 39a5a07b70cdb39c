"""Runs a networked program and its peers natively, the peers' ports being the program's own.

Programs use fixed ports: one at a time, and where the system allows it in a network of their own."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import harness

TIMEOUT_S = 20
PORT = "7000"


def enter_own_network():
    """Starts this script again in a network of its own, unless that can't be had: no port is taken there."""
    words = ["unshare", "-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    if "HEDDLE_OWN_NETWORK" in os.environ or not shutil.which("unshare"):
        return
    if subprocess.run([*words, "true"], capture_output=True).returncode == 0:
        os.execvpe("unshare", [*words, sys.executable, *sys.argv], {**os.environ, "HEDDLE_OWN_NETWORK": "1"})


def real_ports(command, number):
    """A template for heddle as it is natively: {port:N} is N, {port} the port all these programs use."""
    command = re.sub(r"\{(port|path):([^}]*)\}", r"\2", command)
    return command.replace("{port}", PORT).replace("{n}", str(number))


def start(command, cwd):
    return subprocess.Popen(["sh", "-c", command], cwd=cwd, start_new_session=True, stdin=subprocess.DEVNULL, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def stop(processes):
    for process in processes:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.communicate()


def sockets():
    """Ports in use (and paths), of this network."""
    lines = [line.split() for name in ("tcp", "tcp6", "udp") for line in open(f"/proc/net/{name}").read().split("\n")[1:] if line]
    ports = {str(int(line[1].split(":")[1], 16)) for line in lines if line[3] in ("0A", "07")}
    return ports | {line.split()[-1] for line in open("/proc/net/unix").read().split("\n")[1:] if "/" in line}


def wait_for(address, process):
    end = time.monotonic() + TIMEOUT_S
    while address not in sockets() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.005)


def clients_of(settings):
    if "client" in settings:
        return [settings["client"]] * int(settings.get("clients", "1"))
    return [settings[k] for k in ("client1", "client2", "client3") if k in settings]


def wanted_status(wanted):
    if ("signal", "=") in wanted:
        return -getattr(signal, "SIG" + wanted["signal", "="])
    return int(wanted.get(("exit", "="), "0"))


def told(name, process, output):
    return f"{name}: status {process.returncode}\n{output}"


def play_clients(sut, clients, cwd):
    """The program is a server: it is right when its clients are content, and it has not failed itself."""
    wait_for(PORT, sut)
    running = [start(real_ports(c, n), cwd) for n, c in enumerate(clients, 1)]
    for number, process in enumerate(running, 1):
        try:
            output, _ = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            stop(running)
            return f"client {number} does not end"
        if process.returncode:
            stop(running)
            return told(f"client {number}", process, output)
    if sut.poll() not in (None, 0):
        return told("the server", sut, sut.communicate()[0])
    return None


def play_program(sut, wanted):
    try:
        output, _ = sut.communicate(timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return f"does not end within {TIMEOUT_S} s"
    return None if sut.returncode == wanted_status(wanted) else told("the program", sut, output)


def play(binary, settings, wanted, cwd):
    servers = [settings[k] for k in ("server", "server2") if k in settings]
    running = []
    try:
        for command in servers:
            running.append(start("exec " + real_ports(command, 0), cwd))
            wait_for(re.search(r"\{(?:port|path):([^}]*)\}", command)[1], running[-1])
        sut = subprocess.Popen([binary, *settings.get("args", "").split()], cwd=cwd, start_new_session=True, text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        running.append(sut)
        clients = clients_of(settings)
        return play_clients(sut, clients, cwd) if clients else play_program(sut, wanted)
    finally:
        stop(running)
        for command in servers:
            for path in re.findall(r"\{path:([^}]*)\}", command):
                pathlib.Path(path).unlink(missing_ok=True)


def run(binary, settings, wanted):
    """None, or what went wrong. settings: what the header says (server, client, args …)."""
    with tempfile.TemporaryDirectory(prefix="heddle-test.") as scratch:
        place = pathlib.Path(scratch) / "cwd"
        harness.fresh_directory(place)
        return play(binary, settings, wanted, place)

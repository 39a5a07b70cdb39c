"""What the host does with the program's ports is no matter; what peers print is kept."""

import contextlib
import pathlib
import re
import socket
import tempfile

import harness


@contextlib.contextmanager
def taken(port):
    """Somebody on this machine has the port, and takes connections that are not for him."""
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with contextlib.suppress(OSError):  # so much the better: it is taken already
            other.bind(("127.0.0.1", port))
            other.listen()
        yield


def verified(run, outcomes):
    if run.result is None or run.result["verdict"] != "verified" or sorted(run.result["outcomes"]) != outcomes:
        return f"exit {run.status}, outcomes {run.result and run.result['outcomes']}, expected {outcomes}\n{run.tail()}"
    return None


def server_on_taken_port(find, peer):
    """the program listens on a port that is taken on the host"""
    with taken(7000):
        return verified(harness.heddle_check([find("servers/echo.c")],
                                             ["--client", f"{peer} connect {{port}} send:hello~ want:hello"]), [1])


def client_to_taken_port(find, peer):
    """the program connects to a port that somebody else has on the host"""
    with taken(7000):
        return verified(harness.heddle_check([find("clients/producer_consumer.c")],
                                             ["--server", f"{peer} listen {{port:7000}} line echo loop"]), [2, 4])


def output_is_kept(find, peer):
    """what peers print is in their logs"""
    with tempfile.TemporaryDirectory(prefix="heddle-net.") as out:
        run = harness.heddle_check([find("servers/echo.c")],
                                   ["--out", out, "--client", f"echo this is client {{n}}; exec {peer} connect {{port}} send:hello~ want:bye"])
        log = pathlib.Path(out) / "client-1.log"
        text = log.read_text() if log.exists() else "no client-1.log"
    wanted = ['this is client 1', 'got "hello", wanted "bye"']
    return None if all(w in text for w in wanted) else f"{text!r}, expected {wanted}\n{run.tail()}"


def two_runs_at_once(find, peer):
    """two runs at once, with the same ports, do not disturb each other"""
    def one(_):
        return verified(harness.heddle_check([find("clients/producer_consumer.c")],
                                             ["--server", f"{peer} listen {{port:7000}} line echo loop"]), [2, 4])
    return next((why for why in harness.in_parallel(one, range(4)) if why), None)


CASES = [server_on_taken_port, client_to_taken_port, output_is_kept, two_runs_at_once]


def cases(find, peers, pattern):
    for function in CASES:
        if re.search(pattern, f"host: {function.__doc__}"):
            yield f"host: {function.__doc__}", function(find, peers["peer"])

"""Calls on two descriptors, sizes of pipes, socket names, settings of the process: parts of the model of the kernel (kernel.py)."""

import errno

E = {name: -getattr(errno, name) for name in dir(errno) if name.startswith("E")}
O_RDONLY, O_WRONLY, O_APPEND = 0, 1, 0o2000


class Unclear(Exception):
    """The manual pages leave open what happens: not a program to compare."""


class Transfers:
    """sendfile, splice, copy_file_range: (from, to, count), looked up in this order. Both are kept while the call works."""

    def ends(self, t, a, b):
        """The two descriptions, or an error."""
        x, y = self.at(a, t), self.second(b, t)
        if not x or not y or (x.flags & 3) == O_WRONLY or (y.flags & 3) == O_RDONLY:
            return None, None
        if "pair" in (x.kind, y.kind) and (x.kind == "pair" or not y.thing) or x is y:
            raise Unclear
        return x, y

    def next_bytes(self, x, count):
        data = self.files[x.thing][0]
        return bytes(data[x.pos:x.pos + count])

    def put(self, y, data):
        """An error, or how many were taken."""
        if y.kind == "file":
            content = self.files[y.thing][0]
            if len(content) < y.pos:
                content.extend(bytes(y.pos - len(content)))
            content[y.pos:y.pos + len(data)] = data
            y.pos += len(data)
        elif y.kind == "pipe":
            self.pipes[y.thing][0].extend(data)
        else:
            pair, end = y.thing
            if self.pairs[pair][2 + end] or self.pairs[pair][4 + 1 - end]:
                return E["EPIPE"]
            self.pairs[pair][1 - end].extend(data)
        return len(data)

    def is_broken(self, y):
        return y.kind == "pipe" and not self.has_reader(y.thing)

    def from_file(self, x, y, count):
        data = self.next_bytes(x, count)
        done = self.put(y, data) if data else 0
        x.pos += max(done, 0)
        return done

    def sendfile(self, t, a, b, count):
        x, y = self.ends(t, a, b)
        if not x:
            return E["EBADF"]
        if self.is_broken(y):
            return E["EPIPE"]
        if x.kind != "file" or (y.kind == "file" and y.flags & O_APPEND):
            return E["EINVAL"]
        return self.from_file(x, y, count)

    def splice(self, t, a, b, count):
        x, y = self.ends(t, a, b)
        if not x:
            return E["EBADF"]
        if "pipe" not in (x.kind, y.kind) or (y.kind == "file" and y.flags & O_APPEND):
            return E["EINVAL"]
        if x.kind == "file":
            return E["EPIPE"] if self.is_broken(y) else self.from_file(x, y, count)
        if x.kind == y.kind and x.thing == y.thing:
            return E["EINVAL"]
        data = self.pipes[x.thing][0]
        if not data and self.has_writer(x.thing):
            if self.nonblocking(x, t):
                return E["EAGAIN"]
            self.wait()
        if self.is_broken(y):
            return E["EPIPE"]
        done = self.put(y, bytes(data[:count])) if data else 0
        del data[:max(done, 0)]
        return done

    def copyrange(self, t, a, b, count):
        x, y = self.at(a, t), self.second(b, t)
        if not x or not y:
            return E["EBADF"]
        if x.kind != "file" or y.kind != "file":
            return E["EINVAL"]
        if (x.flags & 3) == O_WRONLY or (y.flags & 3) == O_RDONLY or y.flags & O_APPEND:
            return E["EBADF"]
        if x is y:
            raise Unclear
        count = len(self.next_bytes(x, count))
        if x.thing == y.thing and y.pos + count > x.pos and y.pos < x.pos + count:
            return E["EINVAL"]
        return self.from_file(x, y, count)

    # ---- the size of a pipe, names of sockets ----

    def pipesize(self, t, n, pages):
        d = self.at(n, t)
        if not d or d.kind != "pipe":
            return E["EBADF"]
        self.pipes[d.thing][1] = pages
        return pages

    def getpipesize(self, t, n):
        d = self.at(n, t)
        return self.pipes[d.thing][1] if d and d.kind == "pipe" else E["EBADF"]

    def bind(self, t, n, port):
        """A TCP socket, to a port of 127.0.0.1; d.pos is the port."""
        d = self.at(n, t)
        if not d:
            return E["EBADF"]
        if d.kind != "inet":
            return E["ENOTSOCK"]
        if d.pos:
            return E["EINVAL"]
        if any(x and x.kind == "inet" and x.pos == port for x in self.descs):
            return E["EADDRINUSE"]
        d.pos = port
        return 0

    def sockname(self, t, n):
        d = self.at(n, t)
        if not d:
            return E["EBADF"]
        return d.pos if d.kind == "inet" else E["ENOTSOCK"]

    # ---- settings of the process, and of the main thread ----

    def set(self, _t, what, value):
        """Some have one other value only: dumpable, the first processor, a lower priority."""
        self.settings[what] = value if what == "core" else 1 if what == "nice" else value % 2
        return 0

    def get(self, _t, what):
        return self.settings.get(what, 0)

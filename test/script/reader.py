#!/usr/bin/env python3
"""A second reader of search scripts, written from docs/SCRIPT-FORMAT.md alone.

usage: test/script/reader.py SCRIPT [--dump]

Rebuilds the graph: walks the script, counts states and transitions, computes Subgraphs, and compares all of it with
what the index says. Prints one line of JSON. --dump: also every transition, as "state label state".
"""
import json
import struct
import subprocess
import sys

COLUMNS = ("path", "runs", "cases", "numbers", "ranks", "lists", "more", "sizes")
NEW, ACROSS, BACK, SHIFT, NUMBER, NOWHERE, SLIDE = range(7)
RANKS = 16
COMINGS = 3
M32 = 0xffffffff


class Damaged(Exception):
    pass


def unpack(frame):
    done = subprocess.run(["zstd", "-dcq"], input=frame, capture_output=True, check=False)
    if done.returncode:
        raise Damaged("a frame")
    return done.stdout


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def byte(self):
        if self.at >= len(self.data):
            raise Damaged("a column is too short")
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7


class State:
    """Of a state that was entered in this block: its frame, and the last transitions that led to it."""

    def __init__(self, frame, came):
        self.frame, self.came = frame, [came]


class Frame:
    def __init__(self, number, into, labels):
        self.number, self.into = number, into
        self.labels, self.to = list(labels), [0] * len(labels)
        self.done = self.size = 0


class Reader:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        if self.data[:8] != struct.pack("<II", 0x184d2a53, 16) or self.data[8:24].rstrip(b"\0") != b"heddle script\n":
            raise Damaged("no script")
        magic, length, offset, packed, _ = struct.unpack_from("<IIQQQ", self.data, len(self.data) - 48)
        if magic != 0x184d2a54 or length != 40:
            raise Damaged("no tail")
        self.index = json.loads(unpack(self.data[offset:offset + packed]))
        if self.index["heddle_script"] != 3:
            raise Damaged("another version")
        self.trustful = self.index["kind"] == "trustful"
        c = Cursor(self.chunk(self.index["labels"]))
        self.labels = [dict(zip(("order", "thread", "choice", "kind", "module", "offset"), [c.varint() for _ in range(6)]))
                       for _ in range(self.index["label_count"])]
        self.states = self.transitions = self.listed = 0
        self.frames = []
        self.edges = []
        self.subgraphs = {}

    def chunk(self, at):
        data = unpack(self.data[at[0]:at[0] + at[1]])
        if len(data) != at[2]:
            raise Damaged("a chunk")
        return data

    def forget(self):
        self.state = {}
        self.trust, self.shifted, self.shift, self.slid, self.slide = {}, {}, {}, {}, {}
        self.productive = {}
        self.recent = {}
        for frame in self.frames:
            frame.to = [0] * len(frame.to)

    # ---- lists ----
    def order(self, label):
        return self.labels[label]["order"]

    def ascends(self, labels):
        return all(self.order(a) < self.order(b) for a, b in zip(labels, labels[1:]))

    def base(self):
        if not self.frames:
            return None
        top = self.frames[-1]
        base = [x for i, x in enumerate(top.labels) if i + 1 != top.done]
        return base if self.ascends(base) else None

    def difference(self, labels):
        base = self.base()
        if base is None or not self.ascends(labels):
            return None
        return tuple(x for x in base if x not in labels), tuple(x for x in labels if x not in base)

    def read_list(self):
        rank = self.column["ranks"].byte()
        if rank == RANKS:
            lists = self.column["lists"]
            labels = [lists.varint() for _ in range(lists.varint())]
        else:
            top, base = self.frames[-1], self.base()
            removed, added = self.recent[top.labels[top.done - 1]][rank]
            labels = sorted([x for x in base if x not in removed] + list(added), key=self.order)
        change = self.difference(labels)
        if change is not None:
            top = self.frames[-1]
            recent = self.recent.setdefault(top.labels[top.done - 1], [])
            if change in recent:
                recent.remove(change)
            recent.insert(0, change)
            del recent[RANKS:]
        return labels

    def enter(self):
        labels = self.read_list()
        into = self.frames[-1].labels[self.frames[-1].done - 1] if self.frames else M32
        self.states += 1
        start = self.frames[-1].number if self.frames else 0
        self.frames.append(Frame(self.states, into, labels))
        self.state[self.states] = State(self.frames[-1], (start, into))

    # ---- where a transition leads ----
    def ahead(self, number, label):
        if number not in self.state or label not in self.state[number].frame.labels:
            return 0
        frame = self.state[number].frame
        return frame.to[frame.labels.index(label)]

    def before(self, number, label):
        came = self.state[number].came if number in self.state else []
        return next((start for start, by in came if by == label), 0)

    def explored_before(self, label):
        if len(self.frames) < 2:
            return None
        parent = self.frames[-2]
        for i in range(parent.done - 1):
            if parent.labels[i] == label:
                return i
        return None

    def find_back(self, s, label):
        """f, and the first e."""
        tries = first = 0
        for i in range(s.done):
            if not s.to[i] or self.labels[s.labels[i]]["thread"] == self.labels[label]["thread"]:
                continue
            if tries == 4:
                break
            tries += 1
            end = self.ahead(s.to[i], label)
            first = first or end
            start = self.before(end, s.labels[i]) if end else 0
            if start and start != s.number:
                return start, first
        return 0, first

    @staticmethod
    def rate(trust, context, right):
        trust[context] = min(3, trust.get(context, 0) + 1) if right else 0

    def transition(self):
        s = self.frames[-1]
        label = s.labels[s.done]
        context = (s.into * 769 + label) & 0xffff
        seen = self.explored_before(label)
        across = back = shift = slide = near = number = 0
        if self.trustful:
            key = (seen is not None, context)
            productive = self.productive.get(key, not key[0])
            to = NEW if productive else ACROSS
        else:
            if seen is not None:
                near = self.frames[-2].to[seen]
                across = self.ahead(near, s.into)
            trust = self.trust.get(context, 0)
            sure = across and trust >= 2
            if not sure:
                back, end = self.find_back(s, label)
                near = near or end
            near = near or s.number
            shift = (near + self.shift[context]) & M32 if self.shift.get(context) else 0
            slide = (s.number + self.slide[label]) & M32 if self.slide.get(label) else 0
            if back:
                number = back
            elif sure or (across and trust):
                number = across
            elif shift and self.shifted.get(context, 0) >= 2:
                number = shift
            elif slide and self.slid.get(context, 0) >= 2:
                number = slide
            to = NUMBER if number else NEW
        if self.run:
            self.run -= 1
        else:
            case = self.column["cases"].byte()
            to = case if case in (NEW, NOWHERE) else NUMBER
            if self.trustful and case == NEW:
                to = NUMBER if productive else NEW
            number = {ACROSS: across, BACK: back, SHIFT: shift, SLIDE: slide}.get(case, 0)
            if case == NUMBER:
                value = self.column["numbers"].varint()
                number = near - (value >> 1) if value & 1 else near + (value >> 1)
            self.run = self.column["runs"].varint()
        new = to == NEW
        counts = new or not self.trustful
        s.size += counts
        self.transitions += counts
        self.listed += 1
        if self.trustful:
            s.done += 1
            self.productive[key] = new
            if new:
                self.enter()
            return
        if new:
            number = self.states + 1
        elif to == NOWHERE:
            number = 0
        elif not 1 <= number <= self.states:
            raise Damaged("a number")
        known = number and not new
        if across:
            self.rate(self.trust, context, known and across == number)
        if not across and not back:
            self.rate(self.shifted, context, known and shift == number)
            self.rate(self.slid, context, known and slide == number)
        if known and number not in (across, back):
            self.shift[context] = (number - near) & M32
            self.slide[label] = (number - s.number) & M32
        s.to[s.done] = number
        s.done += 1
        self.edges.append((s.number, label, number))
        if known and number in self.state:
            came = self.state[number].came
            came.insert(0, (s.number, label))
            del came[COMINGS:]
        if new:
            self.enter()

    def done(self):
        if self.index["reduced"]:
            more = self.column["more"]
            n = more.varint()
            if n:
                labels = [more.varint() for _ in range(n)]
                self.frames[-1].labels += labels
                self.frames[-1].to += [0] * n
                return
        change = self.column["sizes"].varint()
        top = self.frames.pop()
        self.subgraphs[top.number] = top.size - (change >> 1) if change & 1 else top.size + (change >> 1)
        if self.subgraphs[top.number] != top.size:
            raise Damaged("Subgraphs")
        if self.frames:
            self.frames[-1].size += top.size

    def read_all(self):
        blocks = self.index["blocks"]
        for i, block in enumerate(blocks):
            if [block[k] for k in ("states", "transitions", "listed")] != [self.states, self.transitions, self.listed]:
                raise Damaged("a block does not begin where the one before ends")
            self.column = {name: Cursor(self.chunk(block[name])) for name in COLUMNS}
            self.run = self.column["runs"].varint()
            self.forget()
            if not i:
                self.enter()
            end = blocks[i + 1]["listed"] if i + 1 < len(blocks) else self.index["listed"]
            while self.frames:
                if self.frames[-1].done == len(self.frames[-1].labels):
                    self.done()
                elif self.listed == end:
                    break
                else:
                    self.transition()
            if self.run or any(c.at != len(c.data) for name, c in self.column.items() if name != "path"):
                raise Damaged("a column is too long")
        found = (self.states, self.transitions, self.listed)
        if found != tuple(self.index[k] for k in ("states", "transitions", "listed")):
            raise Damaged(f"counts {found}")
        if self.index["complete"] and (self.frames or self.subgraphs[1] != self.transitions):
            raise Damaged("it is not complete")
        return {"states": self.states, "transitions": self.transitions, "subgraph": self.subgraphs.get(1),
                "entries": len(self.subgraphs)}


def main():
    reader = Reader(sys.argv[1])
    print(json.dumps(reader.read_all()))
    if "--dump" in sys.argv[2:]:
        for edge in reader.edges:
            print(*edge)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes the ELF files of corpus/elf: as small as they can be and still have every part that heddle looks at."""
import pathlib
import struct

HERE = pathlib.Path(__file__).resolve().parent / "corpus" / "elf"
PT_LOAD, PT_DYNAMIC, PT_INTERP, PT_NOTE = 1, 2, 3, 4
DT_NULL, DT_NEEDED, DT_STRTAB, DT_SYMTAB, DT_STRSZ = 0, 1, 5, 6, 10


def header(phnum, kind=3, machine=62, width=2):
    ident = b"\x7fELF" + bytes([width, 1, 1]) + bytes(9)
    return ident + struct.pack("<HHIQQQIHHHHHH", kind, machine, 1, 0x1000, 64, 0, 0, 64, 56, phnum, 64, 0, 0)


def segment(kind, offset, size, align=8, flags=5):
    return struct.pack("<IIQQQQQQ", kind, flags, offset, 0x1000 + offset, 0x1000 + offset, size, size, align)


def padded(data, to=8):
    return data + bytes(-len(data) % to)


def note(name, kind, body, align=4):
    start = padded(struct.pack("<III", len(name), len(body), kind) + name, align)
    return padded(start + body, align)


def program(interpreter=b"/lib64/ld-linux-x86-64.so.2\0", strings=b"\0libc.so.6\0__libc_start_main\0", build_id=bytes(range(20))):
    notes = note(b"GNU\0", 1, bytes(16)) + (note(b"GNU\0", 3, build_id) if build_id else b"")
    wide = note(b"GNU\0", 5, bytes(16), 8)
    parts = {"interp": padded(interpreter), "notes": padded(notes), "wide": wide, "strings": padded(strings)}
    count = 5 if interpreter else 4
    at = 64 + 56 * count
    place = {}
    for name, data in parts.items():
        place[name] = at
        at += len(data)
    dynamic = b"".join(struct.pack("<QQ", tag, value) for tag, value in [
        (DT_NEEDED, 1), (DT_STRTAB, 0x1000 + place["strings"]), (DT_STRSZ, len(strings)), (DT_SYMTAB, 0x1000), (DT_NULL, 0)])
    segments = [segment(PT_INTERP, place["interp"], len(interpreter), 1)] if interpreter else []
    segments += [segment(PT_LOAD, 0, at + len(dynamic), 4096), segment(PT_DYNAMIC, at, len(dynamic)),
                 segment(PT_NOTE, place["notes"], len(notes), 4), segment(PT_NOTE, place["wide"], len(wide), 8)]
    return header(count) + b"".join(segments) + b"".join(parts.values()) + dynamic


FILES = {
    "dynamic": program(),
    "static": program(interpreter=b""),
    "go": program(strings=b"\0libc.so.6\0"),
    "musl": program(interpreter=b"/lib/ld-musl-x86_64.so.1\0", build_id=b""),
    "object": header(0, kind=1),
    "arm": header(1, machine=183) + bytes(56),
    "32bit": header(1, width=1),
    "header-only": header(3),
    "script": b"#! /bin/sh -e\nexit 0\n",
    "text": b"no program",
}

if __name__ == "__main__":
    HERE.mkdir(parents=True, exist_ok=True)
    for name, data in FILES.items():
        (HERE / name).write_bytes(data)

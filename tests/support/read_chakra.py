#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads Chakra execution traces by the published schema, independent of our code.

The schema is et_def.proto of github.com/mlcommons/chakra, version 0.0.4, written down here as field
numbers and wire types [from memory, unverified]; an unknown field, or one of another type, is an error.
Then it checks the needs of a simulator: dependencies come before their nodes, groups are known, both
ends of a message agree, and the ranks of a group run the same collectives. If protoc is installed, it
reads the traces too, by chakra.proto beside this file.

read_chakra.py GROUPS.json TRACE.et...
"""
import json
import os
import re
import shutil
import subprocess
import sys

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
METADATA = {1: ("version", LENGTH, "text"), 2: ("attr", LENGTH, "attribute")}
NODE = {1: ("id", VARINT, "uint"), 2: ("name", LENGTH, "text"), 3: ("type", VARINT, "uint"),
        4: ("ctrl_deps", VARINT, "list"), 5: ("data_deps", VARINT, "list"),
        6: ("start_time_micros", VARINT, "uint"), 7: ("duration_micros", VARINT, "uint"),
        8: ("inputs", LENGTH, "bytes"), 9: ("outputs", LENGTH, "bytes"),
        10: ("attr", LENGTH, "attribute")}
ATTRIBUTE = {1: ("name", LENGTH, "text"), 2: ("doc_string", LENGTH, "text"),
             3: ("double_val", FIXED64, "bytes"), 7: ("int32_val", VARINT, "uint"),
             9: ("int64_val", VARINT, "uint"), 11: ("uint32_val", VARINT, "uint"),
             13: ("uint64_val", VARINT, "uint"), 27: ("bool_val", VARINT, "uint"),
             29: ("string_val", LENGTH, "text")}
KIND_OF = {"is_cpu_op": "bool_val", "comm_type": "int64_val", "comm_size": "int64_val",
           "comm_src": "int64_val", "comm_dst": "int64_val", "comm_tag": "int64_val",
           "num_ops": "int64_val", "tensor_size": "int64_val", "pg_name": "string_val"}
COMPUTE, SEND, RECEIVE, COLLECTIVE = 4, 5, 6, 7
NEEDS = {COMPUTE: {"num_ops", "tensor_size"}, COLLECTIVE: {"comm_type", "comm_size", "pg_name"},
         SEND: {"comm_size", "comm_src", "comm_dst", "comm_tag"},
         RECEIVE: {"comm_size", "comm_src", "comm_dst", "comm_tag"}}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def message(data, schema):
    out, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        assert key >> 3 in schema, f"field {key >> 3} is not in the schema"
        name, wire, kind = schema[key >> 3]
        packed = kind == "list" and key & 7 == LENGTH
        assert key & 7 == wire or packed, f"{name} has wire type {key & 7}"
        if key & 7 == VARINT:
            value, at = varint(data, at)
        elif key & 7 == FIXED64:
            value, at = data[at:at + 8], at + 8
        else:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, f"{name} is cut"
        if kind == "text":
            value = value.decode("utf-8")
        if kind == "attribute":
            value = message(value, ATTRIBUTE)
        if kind in ("list", "attribute"):
            out.setdefault(name, []).append(value)
        else:
            assert name not in out, f"{name} twice"
            out[name] = value
    return out


def read(path):
    with open(path, "rb") as f:
        data = f.read()
    parts, at, keyed = [], 0, b""
    while at < len(data):
        start = at
        size, at = varint(data, at)
        assert at + size <= len(data), "a message is cut"
        parts.append(data[at:at + size])
        at += size
        keyed += (b"\x12" if start else b"\x0a") + data[start:at]
    head = message(parts[0], METADATA)
    assert head["version"] == "0.0.4", head
    nodes = [message(p, NODE) for p in parts[1:]]
    for part, node in zip(parts[1:], nodes):
        assert written(node, NODE) == part, "what is read does not give the same bytes"
    compare_with_protoc(keyed, nodes)
    return nodes


def coded(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def written(fields, schema):
    """A message from its fields, in the order of their numbers; numbers other than 0."""
    out = b""
    for number, (name, wire, kind) in sorted(schema.items()):
        values = fields.get(name, [])
        for value in values if kind in ("list", "attribute") else [values] if name in fields else []:
            out += coded(number << 3 | wire)
            if kind == "attribute":
                value = written(value, ATTRIBUTE)
            if kind == "text":
                value = value.encode("utf-8")
            out += coded(value) if wire == VARINT else value if wire == FIXED64 else coded(len(value)) + value
    return out


def compare_with_protoc(keyed, nodes):
    """Google's reader: no unknown field, and the same nodes."""
    if shutil.which("protoc") is None:
        return
    here = os.path.dirname(os.path.abspath(__file__))
    text = subprocess.run(["protoc", "--decode=chakra.Trace", "-I", here,
                           os.path.join(here, "chakra.proto")], input=keyed, check=True,
                          stdout=subprocess.PIPE).stdout.decode("utf-8")
    assert not re.search(r"^\s*\d+[:{ ]", text, re.MULTILINE), "protoc knows no such field"
    names = re.findall(r'^  name: "(.*)"$', text, re.MULTILINE)
    assert names == [n["name"] for n in nodes], "protoc reads other nodes"
    for key, field in (("id", "id"), ("duration_micros", "duration_micros")):
        read_there = [int(v) for v in re.findall(rf"^  {key}: (\d+)$", text, re.MULTILINE)]
        assert read_there == [n[field] for n in nodes if n.get(field, 0) > 0], key
    sizes = [int(v) for v in re.findall(r'"comm_size"\s+int64_val: (\d+)', text)]
    assert sizes == [a["int64_val"] for n in nodes for a in n["attr"] if a["name"] == "comm_size"]


def attributes(node):
    out = {}
    for a in node["attr"]:
        given = [k for k in a if k not in ("name", "doc_string")]
        assert given == [KIND_OF[a["name"]]], a
        out[a["name"]] = a[given[0]]
    return out


def check(path, groups):
    rank = int(path.split(".")[-2])
    known, ends, run = set(), {"send": {}, "receive": {}}, {}
    for node in read(path):
        assert all(d in known for d in node.get("data_deps", [])), "waits for what comes later"
        assert node.get("id", 0) not in known, "an id twice"
        known.add(node.get("id", 0))
        a = attributes(node)
        assert NEEDS[node["type"]] <= set(a) and a["is_cpu_op"] == 0, node
        if node["type"] == COLLECTIVE:
            assert rank in groups[a["pg_name"]], (rank, a["pg_name"])
            assert a["comm_type"] in (0, 2, 6, 7) and a["comm_size"] > 0, a
            run.setdefault(a["pg_name"], []).append((a["comm_type"], a["comm_size"]))
        if node["type"] in (SEND, RECEIVE):
            sends = node["type"] == SEND
            assert a["comm_src" if sends else "comm_dst"] == rank, (rank, a)
            key = (a["comm_src"], a["comm_dst"], a["comm_tag"])
            mine = ends["send" if sends else "receive"]
            assert key not in mine, "a message twice"
            mine[key] = a["comm_size"]
    return len(known), ends, run


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        groups = json.load(f)
    nodes, sent, received, runs = 0, {}, {}, {}
    for path in sys.argv[2:]:
        n, ends, run = check(path, groups)
        nodes += n
        for group, collectives in run.items():
            assert runs.setdefault(group, collectives) == collectives, f"group {group} differs"
        sent.update(ends["send"])
        received.update(ends["receive"])
    assert sent == received, "a message with one end"
    print(f"{len(sys.argv) - 2} traces, {nodes} nodes, {len(sent)} messages")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A client of `orrery mcp` that follows the specification of the protocol: lifecycle, tools, ping,
errors, cancellation, progress.

    tests/mcp/session.py ORRERY
"""

import json
import subprocess
import sys

import jsonschema

MOST = 21_000  # characters of one answer
RUN = "gpt3-175b-1024-a100"


class Client:
    def __init__(self, program):
        self.process = subprocess.Popen([program, "mcp", "--config-dir", "-"], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last = 0
        self.notifications = []

    def write(self, message):
        self.process.stdin.write(message if isinstance(message, str) else json.dumps(message))
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def notify(self, method, **params):
        self.write({"jsonrpc": "2.0", "method": method, "params": params})

    def begin(self, method, **params):
        self.last += 1
        self.write({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        return self.last

    def read(self):
        """The next answer. Each message is one line."""
        while True:
            message = json.loads(self.process.stdout.readline())
            assert message["jsonrpc"] == "2.0"
            if "id" in message:
                assert ("result" in message) != ("error" in message)
                return message
            self.notifications.append(message)

    def ask(self, method, **params):
        wanted = self.begin(method, **params)
        answer = self.read()
        assert answer["id"] == wanted, answer
        return answer

    def call(self, tool, /, **arguments):
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        (content,) = result["content"]
        assert content["type"] == "text" and isinstance(result["isError"], bool)
        assert len(content["text"]) <= MOST
        return content["text"], result["isError"]

    def end(self):
        self.process.stdin.close()
        assert self.process.wait(timeout=60) == 0
        assert self.process.stdout.read() == ""


def starts(client):
    asked = {"protocolVersion": "2025-06-18", "capabilities": {},
             "clientInfo": {"name": "test", "version": "1"}}
    result = client.ask("initialize", **asked)["result"]
    assert result["protocolVersion"] == "2025-06-18"
    assert "tools" in result["capabilities"] and result["serverInfo"]["name"] == "orrery"
    client.notify("notifications/initialized")
    other = client.ask("initialize", **{**asked, "protocolVersion": "1999-01-01"})["result"]
    assert other["protocolVersion"] == "2025-06-18"  # one that the server speaks
    assert client.ask("ping")["result"] == {}


def tools_have_schemas(client):
    tools = {t["name"]: t for t in client.ask("tools/list")["result"]["tools"]}
    assert {"estimate", "search", "explain", "list", "show", "capacity"} <= set(tools)
    for tool in tools.values():
        jsonschema.Draft7Validator.check_schema(tool["inputSchema"])
        assert tool["inputSchema"]["type"] == "object" and tool["description"]
        for name, key in tool["inputSchema"]["properties"].items():
            assert key["description"], (tool["name"], name)
    assert {"limits", "diagnose"} <= set(tools)
    assert len(json.dumps(list(tools.values()), ensure_ascii=False, separators=(",", ":"))) < 15_000  # read by every client
    estimate = tools["estimate"]["inputSchema"]
    jsonschema.validate({"run": RUN, "tp": 8, "set": {"parallel.zero": 1}}, estimate)
    for wrong in ({"gpus": "eight"}, {"gpus": 0}, {"framework": 3}):
        try:
            jsonschema.validate(wrong, estimate)
        except jsonschema.ValidationError:
            continue
        raise AssertionError(wrong)
    # An argument that a tool names only is described by the tool `schema`.
    assert "beside" not in tools["search"]["inputSchema"]["properties"]
    assert "beside" in tools["search"]["description"]
    text, failed = client.call("schema", tool="search")
    whole = json.loads(text)["properties"]
    assert not failed and whole["where"]["type"] == "array" and whole["beside"]["type"] == "boolean"
    assert "html" not in whole and "html" not in tools["search"]["description"]


def questions_are_answered(client, program):
    text, failed = client.call("list", what="models")
    assert not failed and "llama-3-8b" in text
    text, failed = client.call("estimate", run=RUN, tp=4)
    assert not failed and "80 % interval" in text and "published runs" in text
    text, _ = client.call("estimate", run=RUN, paths=["step_time_s", "memory.peak_gib",
                                                     "memory.by_stage.1.stage", "nonesuch"])
    values = json.loads(text)
    told = json.loads(subprocess.run([program, "estimate", RUN, "--json", "--config-dir", "-"],
                                     capture_output=True, text=True).stdout)
    assert values == {"step_time_s": told["step_time_s"],
                      "memory.peak_gib": told["memory"]["peak_gib"],
                      "memory.by_stage.1.stage": 1, "nonesuch": None}
    text, failed = client.call("explain", run=RUN, metric="memory.peak_gib", depth=2)
    assert not failed and "GiB" in text
    text, failed = client.call("search", model="llama-3-8b", node="dgx-h100", gpus=8,
                               sequence_length=4096, global_batch=16, top=2,
                               where=["memory.peak_gib <= 60"])
    assert not failed and "tp" in text
    document = {"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 8},
                "training": {"sequence_length": 4096, "global_batch": 16}}
    assert not client.call("estimate", run=document)[1]
    assert not client.call("sweep", sweep={"run": document, "axes": {"parallel.tp": [1, 2]}})[1]
    plan = {"name": "two nodes", "run": document, "goal": {"tokens": 1e9},
            "scenarios": [{"name": "eight", "cluster": {"node": "dgx-h100", "gpus": 8}},
                          {"name": "sixteen", "cluster": {"node": "dgx-h100", "gpus": 16}}]}
    text, failed = client.call("schema", tool="nonesuch")
    assert failed and "the name of a tool" in text, text
    text, failed = client.call("capacity", plan=plan)
    assert not failed and "sixteen" in text, text


def long_answers_are_cut(client):
    text, failed = client.call("memory", run=RUN, format="json", set={"parallel.pp": 32})
    assert not failed and "more characters" in text and "paths" in text


def what_does_not_fit_is_an_answer(client):
    text, failed = client.call("estimate", run=RUN, pp=1)
    assert not failed and "does not fit" in text


def wrong_arguments_are_the_agents_to_mend(client):
    for tool, arguments, word in (
            ("estimate", {"run": RUN, "tp": 3}, "allowed"),
            ("estimate", {"run": RUN, "tpp": 8}, "tp"),
            ("estimate", {"run": "nonesuch"}, "orrery list runs"),
            ("estimate", {"run": RUN, "against": "/nowhere.log"}, "nowhere.log"),
            ("estimate", {"run": RUN, "observed": {"file": 5}}, "request: observed.file: found 5; allowed: a text"),
            ("estimate", {"run": RUN, "observed": {"file": [5]}}, "observed.file: found an array of 1"),
            ("estimate", {"run": {"file": {}}}, "found"),
            ("simulate", {"run": RUN, "trace": "t.json"}, "trace")):
        text, failed = client.call(tool, **arguments)
        assert failed and word in text, text


def wrong_messages_get_the_codes_of_the_protocol(client):
    def code(message):
        client.write(message)
        return client.read()["error"]["code"]

    assert code("{no JSON") == -32700
    assert code("[]") == -32600
    assert code({"id": 5, "method": "ping"}) == -32600
    assert code({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}) == -32600
    assert code({"jsonrpc": "2.0", "id": "a", "method": "resources/list"}) == -32601
    assert code({"jsonrpc": "2.0", "id": "b", "method": "tools/call",
                 "params": {"name": "nonesuch"}}) == -32602
    assert code({"jsonrpc": "2.0", "id": "c", "method": "tools/call",
                 "params": {"name": "list", "arguments": []}}) == -32602
    assert code({"jsonrpc": "2.0", "id": "d", "method": "ping", "params": []}) == -32602
    for levels in (65, 60_000, 1_000_000):
        deep = "[" * levels + "]" * levels
        assert code('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":%s}}' % deep) == -32700
        assert code('{"jsonrpc":"2.0","id":%s,"method":"ping"}' % deep) == -32700
    many = ",".join(f'"k{i}":{i}' for i in range(100_000))
    assert code('{"jsonrpc":"2.0","id":1,"method":"ping","params":{%s}}' % many) == -32700
    assert code({"jsonrpc": "2.0", "id": 1, "method": "m" * 2_000_000}) == -32601
    assert code({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": {"a": [5]}}}) == -32602
    client.notify("notifications/unheard_of")
    assert client.ask("ping")["result"] == {}


def a_batch_is_answered_by_one_list(client):
    def read():
        return json.loads(client.process.stdout.readline())

    def ping(name):
        return {"jsonrpc": "2.0", "id": name, "method": "ping"}

    result = client.ask("initialize", protocolVersion="2025-03-26")["result"]
    assert result["protocolVersion"] == "2025-03-26"
    client.write([ping("a"), {"jsonrpc": "2.0", "method": "notifications/initialized"},
                  {"jsonrpc": "2.0", "id": "b", "method": "tools/call",
                   "params": {"name": "list", "arguments": {"what": "models"}}}, 5, ping("c")])
    answers = {a["id"]: a for a in read()}
    assert set(answers) == {"a", "b", "c", None}
    assert answers[None]["error"]["code"] == -32600 and answers["c"]["result"] == {}
    assert "llama-3-8b" in answers["b"]["result"]["content"][0]["text"]
    client.write([1] * 1025)  # one answer to all of them
    assert read()["error"] == {"code": -32600, "message": "found a batch of 1025 messages; allowed: up to 1024"}
    client.write([{"jsonrpc": "2.0", "method": "notifications/initialized"}])  # nothing to answer
    client.write([ping("d")])
    (answer,) = read()
    assert answer == {"id": "d", "result": {}, "jsonrpc": "2.0"}
    assert client.ask("ping")["result"] == {}


def an_output_that_cannot_be_written_ends_it(program):
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "estimate", "arguments": {"run": RUN}}}
    for message in (call, {"jsonrpc": "2.0", "id": 1, "method": "ping"}):
        for closing in ("> /dev/full", ">&-"):
            ended = subprocess.run(["sh", "-c", f'"$1" mcp --config-dir - {closing}', "sh", program], text=True,
                                   input=json.dumps(message) + "\n", stderr=subprocess.PIPE, timeout=60)
            assert ended.returncode == 2, (ended, closing)
            assert ended.stderr.count("\n") == 1 and ended.stderr.startswith("error: standard output: found "), ended


def a_cancelled_call_gets_no_answer_and_the_next_does(client):
    long = {"model": "llama-3-405b", "node": "dgx-h100", "gpus": 4096, "sequence_length": 8192,
            "global_batch": 4096, "framework": "megatron-core", "jobs": 1}
    first = client.begin("tools/call", name="search", arguments=long,
                         _meta={"progressToken": "p"})
    second = client.begin("tools/call", name="search", arguments=long)
    assert client.ask("ping")["result"] == {}  # while the search is on its way
    client.notify("notifications/cancelled", requestId=second)  # it waits
    client.notify("notifications/cancelled", requestId=first)
    assert "llama-3-8b" in client.call("list", what="models")[0]
    for told in client.notifications:
        assert told["method"] == "notifications/progress"
        assert told["params"]["progressToken"] == "p"
        assert 0 <= told["params"]["progress"] <= told["params"]["total"]


def main():
    program = sys.argv[1]
    client = Client(program)
    starts(client)
    tools_have_schemas(client)
    questions_are_answered(client, program)
    long_answers_are_cut(client)
    what_does_not_fit_is_an_answer(client)
    wrong_arguments_are_the_agents_to_mend(client)
    wrong_messages_get_the_codes_of_the_protocol(client)
    a_batch_is_answered_by_one_list(client)
    a_cancelled_call_gets_no_answer_and_the_next_does(client)
    client.end()
    an_output_that_cannot_be_written_ends_it(program)
    print("a session of the Model Context Protocol as specified")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Large inputs of shapes that make a reader recurse or work worse than linearly, for the fuzz targets, for
tests/attack and for a look at the times of each reader.

    tests/fuzz/large_inputs.py FOLDER [--bytes 65536 524288 8388608]
"""

import argparse
from pathlib import Path

SIZES = (64 << 10, 512 << 10, 8 << 20)


def repeated(make, size, begin="", end="", between=""):
    """begin + make(0) + between + make(1) + … of about `size` bytes + end."""
    parts, length, i = [], len(begin) + len(end), 0
    while length < size:
        parts.append(make(i))
        length += len(parts[-1]) + len(between)
        i += 1
    return begin + between.join(parts) + end


def levels(open_, close, size, begin="", end=""):
    n = max(1, size // (len(open_) + len(close)))
    return begin + open_ * n + close * n + end


LOG = " iteration %8d/   10000 | consumed samples: %12d | elapsed time per iteration (ms): 12345.6 | global batch size: 1536 | lm loss: 2.0E+00 |\n"

# Name and ending, and the text of about so many bytes.
SHAPES = {
    # JSON
    "deep-lists.json": lambda n: levels("[", "]", n),
    "deep-objects.json": lambda n: levels('{"a":', "}", n).replace(":}", ":1}"),
    "open-lists.json": lambda n: "[" * n,
    "open-objects.json": lambda n: '{"a":' * (n // 5),
    "many-keys.json": lambda n: repeated(lambda i: f'"k{i}":{i}', n, "{", "}", ","),
    "one-key-often.json": lambda n: repeated(lambda i: '"k":1', n, "{", "}", ","),
    "many-values.json": lambda n: repeated(lambda i: "1", n, "[", "]", ","),
    "long-text.json": lambda n: '{"model":"' + "x" * n + '"}',
    "long-key.json": lambda n: '{"' + "k" * n + '":1}',
    "long-number.json": lambda n: '{"risk":' + "9" * n + "}",
    "long-fraction.json": lambda n: '{"risk":0.' + "1" * n + "e-9}",
    "escapes.json": lambda n: '{"model":"' + "\\u0041" * (n // 6) + '"}',
    "no-json.json": lambda n: "{" + "x" * n,
    "many-layers.json": lambda n: repeated(lambda i: '"full_attention"', n, '{"model_type":"llama","hidden_size":64,"num_hidden_layers":4,"num_attention_heads":4,"vocab_size":100,"layer_types":[', "]}", ","),
    "many-links.json": lambda n: repeated(lambda i: '{"from":"g*","to":"g*","bandwidth":"1 GB/s"}', n, '{"vertices":[{"name":"g","kind":"gpu","count":8}],"links":[', "]}", ","),
    "many-vertices.json": lambda n: repeated(lambda i: f'{{"name":"g{i}","kind":"gpu"}}', n, '{"vertices":[', '],"links":[{"from":"g*","to":"g0","bandwidth":"1 GB/s"}]}', ","),
    "events.json": lambda n: repeated(lambda i: f'{{"ph":"X","cat":"kernel","name":"k{i}","ts":{i},"dur":1,"args":{{"External id":{i},"correlation":{i}}}}}', n, '{"traceEvents":[', "]}", ","),
    "streams.json": lambda n: repeated(lambda i: f'{{"ph":"X","cat":"kernel","name":"k{i}","ts":{i},"dur":1000000,"pid":0,"tid":{i},"args":{{"stream":{i}}}}}', n, '{"traceEvents":[', "]}", ","),
    "deep-event.json": lambda n: '{"traceEvents":[{"a":' + levels("[", "]", n) + "}]}",
    "steps.json": lambda n: repeated(lambda i: '{"run":"llama-3-8b-8-h100","step_time":"1 s"}', n, "[", "]", ","),
    # YAML
    "anchors.yaml": lambda n: repeated(lambda i: f"k{i}: &a{i} {i}\n", n),
    "laughs.yaml": lambda n: "a0: &a0 [1,1]\n" + "".join(f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 30)) + "# " + "x" * n,
    "aliases.yaml": lambda n: "a: &a {b: 1}\nc:\n" + repeated(lambda i: "- *a\n", n),
    "merges.yaml": lambda n: "a: &a {b: 1}\n" + repeated(lambda i: f"k{i}: {{<<: *a}}\n", n),
    "deep-flow.yaml": lambda n: "a: " + levels("[", "]", n),
    "deep-block.yaml": lambda n: repeated(lambda i: "- ", n) + "1",
    "deep-questions.yaml": lambda n: repeated(lambda i: "? ", n) + "1",
    "long-scalar.yaml": lambda n: "model: " + "x" * n,
    "long-quoted.yaml": lambda n: 'model: "' + "x " * (n // 2) + '"',
    "items.yaml": lambda n: "a:\n" + repeated(lambda i: f"- {i}\n", n),
    "documents.yaml": lambda n: repeated(lambda i: f"--- \na: {i}\n", n),
    "tags.yaml": lambda n: "a: " + repeated(lambda i: "!t ", n) + "1",
    # TOML
    "keys.toml": lambda n: "[training]\n" + repeated(lambda i: f"k{i} = {i}\n", n),
    "tables.toml": lambda n: repeated(lambda i: f"[t{i}]\na = 1\n", n),
    "dots.toml": lambda n: "a" + ".a" * (n // 2) + " = 1",
    "dots-table.toml": lambda n: "[a" + ".a" * (n // 2) + "]\nb = 1",
    "lists.toml": lambda n: "a = " + levels("[", "]", n),
    "inline.toml": lambda n: "a = " + "{a = " * (n // 7) + "1" + "}" * (n // 7),
    "array-tables.toml": lambda n: repeated(lambda i: "[[a]]\nb = 1\n", n),
    "long-text.toml": lambda n: '[model]\nname = "' + "x" * n + '"',
    "dotted-keys.toml": lambda n: "[training]\nsteps = 1\n" + repeated(lambda i: f"a.b.c{i}.d = 1\n", n),
    # XML
    "deep.xml": lambda n: levels("<a>", "</a>", n, '<system version="1">', "</system>"),
    "attributes.xml": lambda n: '<system version="1"><cpu ' + repeated(lambda i: f'a{i}="1" ', n) + "/></system>",
    "gpus.xml": lambda n: '<system version="1"><cpu numaid="0">' + repeated(lambda i: f'<pci busid="{i}" class="0x030200" vendor="0x10de" device="0x2330" link_speed="16.0 GT/s PCIe" link_width="16"><gpu dev="{i}" sm="90" rank="{i}"/></pci>', n) + "</cpu></system>",
    "entities.xml": lambda n: '<system version="1">' + "&amp;" * (n // 5) + "</system>",
    # scripts
    "variables.sh": lambda n: repeated(lambda i: f"V{i}=$V{i - 1}x\n", n) + "python pretrain_gpt.py --num-layers 2\n",
    "doubling.sh": lambda n: "A=x\n" + repeated(lambda i: 'A="$A$A"\n', n) + "python pretrain_gpt.py --num-layers $A\n",
    "subshells.sh": lambda n: levels("(", ")", n, "", "\npython pretrain_gpt.py\n"),
    "substitutions.sh": lambda n: "A=" + levels("$(echo ", ")", n) + "\npython pretrain_gpt.py\n",
    "braces.sh": lambda n: "A=" + levels("${A:-", "}", n) + "\npython pretrain_gpt.py\n",
    "arithmetic.sh": lambda n: "A=$((" + levels("(", ")", n).replace("()", "(1)") + "))\npython pretrain_gpt.py\n",
    "sum.sh": lambda n: "A=$((" + "1+" * (n // 2) + "1))\npython pretrain_gpt.py\n",
    "ifs.sh": lambda n: repeated(lambda i: "if true; then\n", n) + "python pretrain_gpt.py\n",
    "loops.sh": lambda n: repeated(lambda i: f"for a{i} in 1 2 3 4 5 6 7 8; do\n", min(n, 600)) + "B=1\n" + "done\n" * 24 + "python pretrain_gpt.py\n",
    "flags.sh": lambda n: "python pretrain_gpt.py " + repeated(lambda i: f"--flag-{i} {i} ", n),
    "continued.sh": lambda n: "python pretrain_gpt.py \\\n" + repeated(lambda i: f"  --flag-{i} {i} \\\n", n),
    "heredocs.sh": lambda n: repeated(lambda i: f"cat > f{i}.json <<EOF\n{{}}\nEOF\n", n) + "python pretrain_gpt.py\n",
    "functions.sh": lambda n: repeated(lambda i: f"f{i}() {{ f{i - 1}; f{i - 1}; }}\n", n) + "f40\npython pretrain_gpt.py\n",
    "quotes.sh": lambda n: "python pretrain_gpt.py --name " + "\"'" * (n // 2),
    "backslashes.sh": lambda n: "python pretrain_gpt.py " + "\\\n" * (n // 2),
    "negated-test.sh": lambda n: "if [ " + "! " * (n // 2) + "a ]; then A=1; fi\npython pretrain_gpt.py --num-layers 2\n",
    "bracketed-test.sh": lambda n: "if [ " + "\\( " * (n // 3) + "a ]; then A=1; fi\npython pretrain_gpt.py --num-layers 2\n",
    "bracketed-condition.sh": lambda n: "if [[ " + "( " * (n // 2) + "a ]]; then A=1; fi\npython pretrain_gpt.py --num-layers 2\n",
    "negated-command.sh": lambda n: "test " + "! " * (n // 2) + "a && A=1\npython pretrain_gpt.py --num-layers 2\n",
    "array.sh": lambda n: repeated(lambda i: f"A+=(--k{i} {i})\n", n) + 'python pretrain_gpt.py "${A[@]}"\n',
    "hydra-levels.sh": lambda n: "python3 -m verl.trainer.main_ppo actor_rollout_ref" + ".a" * (n // 2) + "=1\n",
    "hydra-keys.sh": lambda n: "python3 -m verl.trainer.main_ppo " + repeated(lambda i: f"x.k{i}=1 ", n) + "\n",
    # Python
    "call.py": lambda n: repeated(lambda i: f"k{i}={i}", n, "from transformers import TrainingArguments\na = TrainingArguments(", ")\n", ","),
    "calls.py": lambda n: "from transformers import TrainingArguments\na = TrainingArguments(b=" + levels("f(", ")", n) + ")\n",
    "lists.py": lambda n: "import ml_collections\nc = ml_collections.ConfigDict()\nc" + ".a" * (n // 2) + " = 1\n",
    # logs and tables
    "training.log": lambda n: repeated(lambda i: LOG % (i, i * 1536), n),
    "one-line.log": lambda n: " iteration " + repeated(lambda i: f"{i} | a: {i} | ", n),
    "carriage.log": lambda n: repeated(lambda i: f"\r{i}%|####| {i}/10000 [00:0{i % 10}<01:00, 1.00it/s]", n),
    "dictionaries.log": lambda n: repeated(lambda i: f"{{'loss': 1.0, 'step': {i}, 'epoch': 0.1}}\n", n),
    "arguments.log": lambda n: repeated(lambda i: f"  argument_{i} ................ {i}\n", n, "------ arguments ------\n"),
    "comm.csv": lambda n: repeated(lambda i: f"all_reduce,{1024 + i},1,10\n", n, "operation,bytes,count,us\n"),
    "comm-columns.csv": lambda n: "operation" + ",bytes" * (n // 6),
    "nccl.txt": lambda n: repeated(lambda i: f"  {8 * (i + 1)}  {2 * (i + 1)}  float  sum  -1  10.0  0.0  0.0  0  10.0  0.0  0.0  0\n", n, "# nThread 1 nGpus 8 minBytes 8 maxBytes 1\n#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"),
    "gemm.csv": lambda n: repeated(lambda i: f"{128 + i},128,128,bf16,10\n", n, "m,n,k,dtype,us\n"),
    "matrix.txt": lambda n: "\t" + repeated(lambda i: f"GPU{i}\t", n) + "\n" + repeated(lambda i: f"GPU{i}\tX\n", n),
    "ibnet.txt": lambda n: repeated(lambda i: f'Switch 40 "S-{i:016x}"\n[1] "H-{i:016x}"[1]\n', n),
    "slurm.conf": lambda n: repeated(lambda i: f"SwitchName=s{i} Nodes=n[{i}-{i + 1}]\n", n),
    "ranges.conf": lambda n: "SwitchName=s Nodes=" + repeated(lambda i: f"n[0-{i}]", n, between=","),
    "expression.txt": lambda n: "tp " + "+ 1 " * (n // 4),
    "zeros.bin": lambda n: "\0" * n,
    "lines.txt": lambda n: "\n" * n,
    "spaces.txt": lambda n: " " * n,
    # requests and messages
    "message.jsonl": lambda n: '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":' + levels("[", "]", n) + "}}\n",
    "batch.jsonl": lambda n: repeated(lambda i: f'{{"jsonrpc":"2.0","id":{i},"method":"ping"}}', n, "[", "]\n", ","),
    "name.jsonl": lambda n: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"' + "x" * n + '"}}\n',
    "argument.jsonl": lambda n: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"estimate","arguments":{"run":"' + "x" * n + '"}}}\n',
    "path.jsonl": lambda n: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"estimate","arguments":{"run":"llama-3-8b-8-h100","paths":["' + "a." * (n // 2) + '"]}}}\n',
    "set.jsonl": lambda n: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"estimate","arguments":{"run":"llama-3-8b-8-h100","set":{"' + "a." * (n // 2) + '":1}}}}\n',
}


def write(folder, sizes=SIZES):
    """Files of every shape and size; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, make in SHAPES.items():
        stem, ending = name.rsplit(".", 1)
        for size in sizes:
            path = folder / f"{stem}-{size >> 10}k.{ending}"
            path.write_text(make(size))
            paths.append(path)
    return paths


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder", type=Path)
    p.add_argument("--bytes", type=int, nargs="+", default=SIZES)
    given = p.parse_args()
    print(f"{len(write(given.folder, given.bytes))} files")


if __name__ == "__main__":
    main()

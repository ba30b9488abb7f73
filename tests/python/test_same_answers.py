# SPDX-License-Identifier: Apache-2.0
"""Every command answers what the program answers, byte for byte."""
import json
import shlex
import subprocess

import orrery
from conftest import PROGRAM, ROOT
from orrery._ask import asked


# Asked once by the next test.
SLOW = {"calibrate", "capacity", "search", "sweep", "validate"}


def in_json(request):
    return request.get("format", "json") == "json"


def test_golden_requests_have_the_answers_of_the_program(golden):
    golden = [line for line in golden if line[0] not in SLOW]
    calls = [json.dumps({"command": c, "request": r}) + "\n" for c, r, _ in golden]
    told = subprocess.run([PROGRAM, "call", "--config-dir", "-"], input="".join(calls), text=True,
                          capture_output=True, cwd=ROOT, check=True).stdout.splitlines()
    assert len(told) == len(golden)
    for (command, request, _), line in zip(golden, told):
        wanted = json.loads(line)
        if wanted["code"] == 2:
            continue
        code, text, files, *_ = asked(command, request)
        assert code == wanted["code"], request
        assert (json.loads(text) if "answer" in wanted else text) == \
            wanted.get("answer", wanted.get("text", "")), request
        assert {name: content.decode() for name, content in files} == wanted.get("files", {})


def test_one_request_of_every_command_has_the_bytes_of_the_command_line(golden, cli):
    seen = set()
    for command, request, words in reversed(golden):  # the quicker ones stand last
        if command in seen or not in_json(request) or "--json" not in words:
            continue
        try:
            answer = orrery.ask(command, **request)
        except orrery.InputError:
            continue
        seen.add(command)
        assert answer.to_json() == cli(command, *shlex.split(words))
    assert len(seen) >= 13


def test_every_command_has_a_golden_request(golden):
    assert {command for command, *_ in golden} == set(orrery.commands()) - {"merge"}


def test_methods_ask_what_they_are_named_after(run, cli):
    name = "gpt3-175b-1024-a100"
    asks = {
        "estimate": run.estimate(),
        "memory": run.memory(),
        "comm": run.comm(),
        "explain": run.explain("memory.peak_gib"),
        "simulate": run.simulate(),
    }
    for command, answer in asks.items():
        words = [name, "memory.peak_gib"] if command == "explain" else [name]
        assert answer.to_dict() == json.loads(cli(command, *words, "--json")), command


def test_flags_paths_and_files_describe_the_same_run(cli, tmp_path):
    flags = dict(model="llama-3-8b", node="dgx-h100", gpus=64, sequence_length=8192,
                 global_batch=256, tp=2)
    words = [w for k, v in flags.items() for w in ("--" + k.replace("_", "-"), str(v))]
    wanted = json.loads(cli("estimate", *words, "--json"))
    run = orrery.Run(**flags)
    assert run.estimate().to_dict() == wanted
    document = {"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 64},
                "training": {"sequence_length": 8192, "global_batch": 256}, "parallel": {"tp": 2}}
    (tmp_path / "run.json").write_text(json.dumps(document))
    for other in (orrery.Run(document), orrery.Run(tmp_path / "run.json"), run.set(tp=1).set(tp=2)):
        assert other.estimate().step_time_s == wanted["step_time_s"]


def test_a_hugging_face_config_is_a_model(tmp_path, cli):
    config = {"model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16,
              "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 8192,
              "vocab_size": 128256, "tie_word_embeddings": True}
    (tmp_path / "config.json").write_text(json.dumps(config))

    class OfTransformers:
        def to_dict(self):
            return dict(config)

    keys = dict(node="dgx-h100", gpus=8, sequence_length=2048, global_batch=64)
    times = {orrery.Run(model=orrery.load_hf(given), **keys).estimate().step_time_s
             for given in (config, tmp_path, tmp_path / "config.json", OfTransformers())}
    words = [w for k, v in keys.items() for w in ("--" + k.replace("_", "-"), str(v))]
    wanted = json.loads(cli("estimate", "--model", str(tmp_path / "config.json"), *words, "--json"))
    assert times == {wanted["step_time_s"]}


def test_a_run_that_does_not_fit_is_an_answer():
    e = orrery.Run("gpt3-175b-1024-a100", pp=1).estimate()
    assert e.exit_code == 3 and not e.feasible and e.reasons
    assert e.memory.peak_gib > e.memory.capacity_gib


def test_the_winner_of_a_search_has_the_time_that_the_search_said():
    run = orrery.Run(model="llama-3-8b", node="dgx-h100", gpus=16, sequence_length=8192,
                     global_batch=64, zero=1)
    found = run.search(where="tp <= 4", top=3)
    assert [found.winner(i).estimate().step_time_s for i in range(3)] == \
        [best.step_time_s for best in found.best]


def test_compare_takes_runs_with_changes_of_their_own(run):
    other = run.set(micro_batch=2)
    both = orrery.compare(run, other, "llama-3-8b-8-h100").runs
    assert [r.step_time_s for r in both[:2]] == \
        [run.estimate().step_time_s, other.estimate().step_time_s]


def test_an_import_gives_a_run(tmp_path, cli):
    settings = {"train_batch_size": 64, "bf16": {"enabled": True}, "zero_optimization": {"stage": 2}}
    (tmp_path / "ds.json").write_text(json.dumps(settings))
    read = orrery.import_file(tmp_path / "ds.json", model="llama-3-8b", node="dgx-h100", gpus=64,
                              sequence_length=4096, recompute="none")
    flags = shlex.split("--model llama-3-8b --node dgx-h100 --gpus 64 --sequence-length 4096 --recompute none --json")
    assert read.to_json() == cli("import", str(tmp_path / "ds.json"), *flags)
    assert read.to_run().estimate().inputs.parallel.zero == 2
    assert "zero_optimization" in read.to_run().export("deepspeed")


def test_a_trace_is_written_as_the_program_writes_it(run, tmp_path, cli):
    run.simulate().save_perfetto(tmp_path / "module.json")
    cli("simulate", "gpt3-175b-1024-a100", "--trace", str(tmp_path / "program.json"))
    assert (tmp_path / "module.json").read_bytes() == (tmp_path / "program.json").read_bytes()
    run.simulate().save_perfetto(tmp_path / "packed.json.gz", ranks="0")
    assert (tmp_path / "packed.json.gz").read_bytes()[:2] == b"\x1f\x8b"


def test_calibrate_reads_and_names_files(tmp_path):
    rows = "m,n,k,dtype,us\n" + "".join(
        f"{n},{n},{n},bf16,{2 * n**3 / 220e6 + 10:.1f}\n" for n in (2048, 4096, 8192))
    (tmp_path / "gemm.csv").write_text(rows)
    fit = orrery.calibrate("fit", [tmp_path / "gemm.csv"], device="a100-sxm4-80gb", name="here",
                           output="here.json")
    assert json.loads(fit.files["here.json"])

// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "cli/command.h"

namespace orrery {
namespace {

constexpr std::array kCommands = {
    Command{"estimate", "predict memory, step time and utilisation of a run",
            "orrery estimate gpt3-175b-1024-a100\n"
            "orrery estimate run.json --tp 4 --set training.micro_batch=2\n"
            "orrery estimate --model llama-3-8b --node dgx-h100 --gpus 64 --sequence-length 8192 "
            "--global-batch 256 --json",
            nullptr, nullptr},
    Command{"memory", "show the memory of every pipeline stage, line by line",
            "orrery memory gpt3-175b-1024-a100\norrery memory run.json --recompute full --csv",
            nullptr, nullptr},
    Command{"explain",
            "expand one number of an estimate to its formula and inputs",
            "orrery explain gpt3-175b-1024-a100 step_time_s\n"
            "orrery explain run.json memory.peak_gib --depth 6\n"
            "orrery explain run.json mfu --html -o mfu.html",
            declare_explain,
            run_explain,
            {"--csv"}},
    Command{"list", "list what ships: models, nodes, devices, frameworks, metrics, …",
            "orrery list models\norrery list metrics --json", nullptr, nullptr},
    Command{"show", "print a model, node, device, framework or run",
            "orrery show model llama-3-8b\norrery show run gpt3-175b-1024-a100 --operators",
            nullptr, run_show},
    Command{"schema",
            "print the JSON Schema of a kind of file",
            "orrery schema run > run.schema.json",
            nullptr,
            nullptr,
            {"--csv"}},
    Command{"validate", "compare predictions with published, measured runs",
            "orrery validate\norrery validate runs.json --tolerance bounds.json\n"
            "orrery validate validation/claims",
            declare_validate, run_validate},
    Command{"collective", "predict the time of one collective, as nccl-tests prints it",
            "orrery collective all-reduce --node dgx-h100 --gpus 64 --size 1MiB..16GiB\n"
            "orrery collective all-gather --node frontier-mi250x --gpus 1024 --algorithm ring\n"
            "orrery collective all-reduce --node dgx-h100 --gpus 64 --ranks-per-node 1 --groups 8\n"
            "orrery collective all-gather --against nccl-tests.txt --node dgx-h100",
            nullptr, nullptr},
    Command{"search", "find the best strategy for a run, and say what the others lose",
            "orrery search --model llama-3-70b --node dgx-h100 --gpus 64 --sequence-length 8192 "
            "--global-batch 128 --framework megatron-core\n"
            "orrery search run.json --tp 8 --set search.axes.pp=[4,8,16] --top 10\n"
            "orrery search run.json --jobs 1 --json",
            declare_search, run_search},
    Command{"diagnose", "say why a run is slow or out of memory, from its log or error",
            "orrery diagnose train.log --run run.json\n"
            "orrery diagnose oom.txt --model llama-3-8b --node dgx-h100 --gpus 8 --sequence-length "
            "8192 --global-batch 64 --framework fsdp\n"
            "python train.py 2>&1 | tail -n 100 | orrery diagnose -",
            nullptr, nullptr},
    Command{"limits", "say how far a run can go: longest sequence, fewest GPUs, …",
            "orrery limits llama-3-8b-8-h100\n"
            "orrery limits --model llama-3-70b --node dgx-h100 --gpus 64 --sequence-length 8192 "
            "--global-batch 128 --framework megatron-core --of sequence_length,gpus\n"
            "orrery limits run.json --versus hgx-b200 --within 5 --json",
            nullptr, nullptr},
    Command{
        "sweep", "estimate or search a grid of settings, row by row",
        "orrery sweep llama-3-8b-8-h100 --vary micro_batch=1,2,4 --vary recompute=none,selective\n"
        "orrery sweep sweep.json -o rows.jsonl\n"
        "orrery sweep sweep.json --csv --jobs 4 -o rows.csv\n"
        "orrery sweep sweep.json --shard $SLURM_ARRAY_TASK_ID/16 -o "
        "rows.$SLURM_ARRAY_TASK_ID.jsonl",
        declare_sweep, run_sweep},
    Command{"compare", "compare runs: what changed, and what each change does",
            "orrery compare before.json after.json\n"
            "orrery compare a.json b.json c.json --json",
            nullptr, nullptr},
    Command{"simulate", "simulate one training step: timeline, critical path, contention",
            "orrery simulate gpt3-175b-1024-a100\n"
            "orrery simulate run.json --pp 16 --without contention --json",
            nullptr, nullptr},
    Command{"comm", "show every class of message that one GPU sends in a step",
            "orrery comm gpt3-175b-1024-a100\norrery comm run.json --zero 3 --csv\n"
            "orrery comm run.json --against comm-log.txt\n"
            "orrery comm run.json --beside other.json",
            nullptr, nullptr},
    Command{"capacity", "plan hardware, time, cost and power of a training",
            "orrery capacity gpt3-175b-1024-a100 --failures llama-3 --storage selene\n"
            "orrery capacity run.json --deadline 60d --budget 50e6 --power 10MW --prices "
            "market-2026\norrery capacity plan.json --json",
            declare_capacity, run_capacity},
    Command{"calibrate", "fit the constants of a device or node to measurements",
            "orrery calibrate fit gemm.csv --device a100-sxm4-80gb -o a100-here.json\n"
            "orrery calibrate fit nccl.txt gemm.csv --node dgx-a100-80gb --html fit.html\n"
            "orrery estimate run.json --calibration a100-here.json",
            declare_calibrate, run_calibrate},
    Command{"import",
            "read another tool's settings into a run file",
            "orrery import pretrain.sh --node dgx-h100 -o run.json\n"
            "orrery import ds_config.json --model llama-3-8b --node dgx-h100 --gpus 64 "
            "--sequence-length 4096\n"
            "orrery import axolotl.yml zero3.json --node dgx-h100 --gpus 8 --assume adapter=none",
            declare_import,
            nullptr,
            {"--csv"}},
    Command{"export",
            "write a run as another tool's settings, or as a whole run file",
            "orrery export gpt3-175b-1024-a100 --as megatron\n"
            "orrery export run.json --as deepspeed -o ds_config.json",
            nullptr,
            nullptr,
            {"--csv"}},
    Command{"page",
            "write an HTML page with the engine and a run in it",
            "orrery page -o orrery.html\norrery page gpt3-175b-1024-a100 --tp 4 -o plan.html",
            declare_page,
            run_page,
            {"--json", "--csv"}},
    Command{"call",
            "answer lines of {\"command\", \"request\"} from stdin, for scripts",
            "echo '{\"command\": \"estimate\", \"request\": {\"run\": \"gpt3-175b-1024-a100\"}}' | "
            "orrery call",
            nullptr,
            run_call,
            {"--csv", "--output"}},
    Command{"merge", "join the shards of a sweep", "orrery merge rows.*.jsonl -o rows.jsonl",
            declare_merge, run_merge},
    Command{"mcp",
            "serve the commands to agents (Model Context Protocol)",
            "orrery mcp",
            nullptr,
            run_mcp,
            {"--json", "--csv", "--output"}},
    Command{"completions",
            "print completions for a shell, or the manual page",
            "source <(orrery completions bash)\norrery completions man | man -l -",
            declare_completions,
            run_completions,
            {"--json", "--csv"}},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace orrery

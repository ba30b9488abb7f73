// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/flags.h"

namespace orrery {
namespace {

void declare_effects(CLI::App& app, Json& request) {
  const auto names = [&](const char* flag, const char* help) {
    add_list(app, request, flag, help)->type_name("NAME")->delimiter(',');
  };
  names("--without",
        "turn an effect off: contention (for links), send-overlap (a stage goes on while it "
        "sends), or an overlap with compute: grad-reduce, param-gather, tp, cp, ep, offload, "
        "pairs, checkpoint, reshard");
  names("--with",
        "turn an effect on: slowdown (of kernels beside a reduction or gather; off by default), "
        "contention or send-overlap (on by default)");
  add_switch(app, request, "--every-gpu",
             "simulate every replica, also equal ones; --csv then has one row per GPU");
}

void declare_disturbances(CLI::App& app, Json& request) {
  const auto parts = [&](const char* flag, const char* help, const char* type) {
    add_list(app, request, flag, help)->type_name(type)->delimiter(',');
  };
  const auto number = [&](const char* flag, const char* help, const char* type) {
    add_flag_of<double>(app, request, flag, help)->type_name(type);
  };
  parts("--slow", "a slow part: gpu:17=1.3, node:3=1.2, link:0=2 (the links of node 0)",
        "PART:NUMBER=FACTOR");
  add_flag_of(app, request, "--checkpoint",
              "write a checkpoint beside the step: synchronous, two-phase or asynchronous; "
              "needs --storage")
      ->type_name("MODE");
  add_flag_of(app, request, "--storage",
              "where the checkpoint goes: a name of `orrery list storage` or a path")
      ->type_name("NAME");
  parts("--fail",
        "a failed part, without which the run goes on: gpu:17, node:3, link:0 (one network card "
        "of node 0)",
        "PART:NUMBER");
  number("--spread", "make each GPU slower by its own random share, up to this: 0.05", "SHARE");
  number("--jitter", "make each pass longer by a random share, up to this", "SHARE");
  number("--prefetch", "fetch sharded weights layer by layer, this many layers ahead", "LAYERS");
  number("--expert-load", "tokens of the fullest rank of experts over the mean", "FACTOR");
  add_flag_of<std::uint64_t>(app, request, "--seed", "seed of the random speeds")->type_name("N");
}

void declare_files(CLI::App& app, Json& request) {
  const auto file = [&](const char* flag, const char* help, const char* type) {
    add_flag_of(app, request, flag, help)->type_name(type);
  };
  file("--trace", "write Chrome trace events, which ui.perfetto.dev opens; FILE.gz is compressed",
       "FILE");
  file("--trace-ranks", "ranks to trace: 0,8,16-23 or all (the first rank of every stage)",
       "RANKS");
  file("--chakra",
       "write Chakra execution traces, PREFIX.RANK.et, and their process groups, PREFIX.json",
       "PREFIX");
  file("--simai", "write the step as a SimAI workload", "FILE");
  file("--memory-snapshot",
       "write the memory of every stage as PyTorch's allocator does, which "
       "pytorch.org/memory_viz opens",
       "FILE");
  file("--html", "write the timeline as an HTML page", "FILE");
}

}  // namespace

void declare_simulate(CLI::App& app, Json& request) {
  add_run_options(app, request);
  declare_effects(app, request);
  declare_disturbances(app, request);
  declare_files(app, request);
  add_switch(app, request, "--picture", "draw the schedule in the terminal, one line per stage");
}

}  // namespace orrery

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
        "leave an effect out: contention (for links), send-overlap (a stage goes on while it "
        "sends); or what runs beside compute: grad-reduce, param-gather, tp, cp, ep, offload, "
        "pairs, checkpoint, reshard");
  names("--with", "take one in: slowdown (of kernels beside a reduction or gather)");
  add_switch(app, request, "--every-gpu",
             "play every replica, also those that are alike; --csv has a row a GPU");
}

void declare_disturbances(CLI::App& app, Json& request) {
  const auto parts = [&](const char* flag, const char* help, const char* type) {
    add_list(app, request, flag, help)->type_name(type)->delimiter(',');
  };
  const auto number = [&](const char* flag, const char* help, const char* type) {
    add_flag_of<double>(app, request, flag, help)->type_name(type);
  };
  parts("--slow", "a part that takes longer: gpu:17=1.3, node:3=1.2, link:0=2 (a node's)",
        "PART:NUMBER=FACTOR");
  add_flag_of(app, request, "--checkpoint",
              "write one beside the step: synchronous, two-phase or asynchronous; with --storage")
      ->type_name("MODE");
  add_flag_of(app, request, "--storage",
              "where to: a name of configs/storage or a path; with --checkpoint")
      ->type_name("NAME");
  parts("--fail",
        "a part that has failed, the run going on without: gpu:17, node:3, link:0 (one of "
        "a node's)",
        "PART:NUMBER");
  number("--spread", "every GPU up to this share slower, each its own: 0.05", "SHARE");
  number("--jitter", "every pass up to this share longer, at random", "SHARE");
  number("--prefetch", "fetch sharded weights layer by layer, so many layers ahead", "LAYERS");
  number("--expert-load", "tokens of the fullest rank of experts over the mean", "FACTOR");
  add_flag_of<std::uint64_t>(app, request, "--seed", "of what is random")->type_name("N");
}

void declare_files(CLI::App& app, Json& request) {
  const auto file = [&](const char* flag, const char* help, const char* type) {
    add_flag_of(app, request, flag, help)->type_name(type);
  };
  file("--trace", "write Chrome trace events, which ui.perfetto.dev opens; FILE.gz is compressed",
       "FILE");
  file("--trace-ranks", "whose: 0,8,16-23 or all; the first rank of every stage where not given",
       "RANKS");
  file("--chakra", "write Chakra execution traces, PREFIX.RANK.et, and their groups, PREFIX.json",
       "PREFIX");
  file("--simai", "write the step as a SimAI workload", "FILE");
  file("--html", "write the timeline as a page of its own", "FILE");
}

}  // namespace

void declare_simulate(CLI::App& app, Json& request) {
  add_run_options(app, request);
  declare_effects(app, request);
  declare_disturbances(app, request);
  declare_files(app, request);
  add_switch(app, request, "--picture", "show the schedule, a line a stage");
}

}  // namespace orrery

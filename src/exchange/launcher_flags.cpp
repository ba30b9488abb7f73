// SPDX-License-Identifier: Apache-2.0
#include "exchange/launcher_flags.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "exchange/arguments.h"
#include "exchange/import_files.h"
#include "exchange/text_lines.h"

namespace orrery {
namespace {

using Words = std::vector<std::string>;

struct Launcher {
  std::string_view names;
  std::string_view flags;  // as names of settings
};

constexpr std::array kLaunchers = {
    // torch/distributed/run.py and launch.py, PyTorch 2.8
    Launcher{"torchrun torchrun_main torch.distributed.run torch.distributed.launch",
             "nnodes nproc_per_node rdzv_backend rdzv_endpoint rdzv_id rdzv_conf standalone "
             "max_restarts monitor_interval start_method event_log_handler role module no_python "
             "run_path log_dir redirects tee local_ranks_filter node_rank master_addr master_port "
             "local_addr logs_specs numa_binding signals_to_handle shutdown_timeout "
             "duplicate_stdout_filters duplicate_stderr_filters virtual_local_rank use_env m r t"},
    // deepspeed/launcher/runner.py, DeepSpeed@2d991ba3; --num_accelerators, another name of
    // --num_gpus, is asked for
    Launcher{"deepspeed",
             "hostfile include exclude num_nodes min_elastic_nodes max_elastic_nodes num_gpus "
             "master_port node_rank master_addr launcher launcher_args module no_python "
             "no_local_rank no_ssh_check no_ssh force_multi save_pid enable_each_rank_log "
             "autotuning elastic_training bind_cores_to_rank bind_core_list ssh_port venv_script "
             "comment account i e H"}};

bool holds(std::string_view list, std::string_view word) {
  const std::vector<std::string_view> all = fields_of(list, ' ');
  return std::find(all.begin(), all.end(), word) != all.end();
}

const Launcher* launcher_at(const std::string& word) {
  const std::string name = base_name(word);
  const auto found = std::find_if(kLaunchers.begin(), kLaunchers.end(),
                                  [&](const Launcher& l) { return holds(l.names, name); });
  return found == kLaunchers.end() ? nullptr : &*found;
}

}  // namespace

std::string included_gpus(const Words& before) {
  const auto launcher = std::find_if(before.begin(), before.end(), [](const std::string& w) {
    return base_name(w) == "deepspeed";
  });
  for (auto at = launcher; at != before.end(); ++at) {
    if (begins_with(*at, "--include=")) return at->substr(at->find('=') + 1);
    if ((*at == "--include" || *at == "-i") && at + 1 != before.end()) return at[1];
    if (at->ends_with(".py")) break;
  }
  return "";
}

std::vector<ForeignSetting> odd_launcher_flags(const Words& before, const std::string& file) {
  const auto last = std::find_if(before.rbegin(), before.rend(),
                                 [](const std::string& w) { return launcher_at(w) != nullptr; });
  if (last == before.rend()) return {};
  const Launcher& launcher = *launcher_at(*last);
  const Settings given = settings_of_words({last.base(), before.end()}, file);
  std::vector<ForeignSetting> odd;
  std::copy_if(given.all().begin(), given.all().end(), std::back_inserter(odd),
               [&](const ForeignSetting& s) { return !holds(launcher.flags, s.name); });
  return odd;
}

}  // namespace orrery

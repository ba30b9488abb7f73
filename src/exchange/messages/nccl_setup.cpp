// SPDX-License-Identifier: Apache-2.0
#include "exchange/messages/nccl_setup.h"

#include <array>
#include <utility>

#include "exchange/text_lines.h"

namespace orrery {
namespace {

constexpr std::array<std::string_view, 2> kLevels = {"NCCL INFO ", "NCCL WARN "};

// "Using network IB" of NCCL from 2.4, "Using internal Network Socket" before it.
constexpr std::array<std::string_view, 3> kNetworkMarks = {"Using network ",
                                                           "Using internal Network ", " via NET/"};

// The line's own words; "" of a line that is not NCCL's.
std::string_view words_of_nccl(std::string_view line) {
  for (const std::string_view level : kLevels) {
    if (contains(line, level)) return trimmed(behind(line, level));
  }
  return "";
}

NcclNetwork network_named(std::string_view name) {
  if (begins_with(name, "Socket")) return NcclNetwork::tcp;
  if (begins_with(name, "IB") || begins_with(name, "ib")) return NcclNetwork::infiniband;
  return NcclNetwork::plugin;
}

// "NCCL_IB_DISABLE set by environment to 1", of older releases with a full stop.
bool is_set(std::string_view words, std::string_view variable, std::string_view value) {
  if (words.ends_with('.')) words.remove_suffix(1);
  return begins_with(words, variable) && contains(words, " set ") && words.ends_with(value);
}

NoInfiniband why_none(std::string_view words) {
  if (is_set(words, "NCCL_IB_DISABLE", " 1") || is_set(words, "NCCL_NET", " Socket"))
    return NoInfiniband::switched_off;
  if (contains(words, "Failed to open libibverbs")) return NoInfiniband::no_library;
  if (contains(words, "/IB : No device found") || contains(words, "returned 0 devices"))
    return NoInfiniband::no_device;
  return NoInfiniband::unknown;
}

class LinkLines {
 public:
  void take(std::string_view words) {
    for (const std::string_view mark : kNetworkMarks) {
      if (!setup_.network && contains(words, mark)) {
        setup_.network = network_named(behind(words, mark));
        setup_.network_line = shown_text(words);
      }
    }
    if (const NoInfiniband why = why_none(words); setup_.why == NoInfiniband::unknown)
      setup_.why = why;
    if (is_set(words, "NCCL_P2P_DISABLE", " 1")) setup_.peer_off = true;
    sees_peers_ = sees_peers_ || contains(words, " via P2P");
    if (setup_.host_line.empty() && contains(words, " via SHM"))
      setup_.host_line = shown_text(words);
  }

  std::optional<NcclSetup> result() {
    setup_.through_host = !setup_.host_line.empty() && !sees_peers_;
    if (!setup_.network && !setup_.through_host) return {};
    return std::move(setup_);
  }

 private:
  NcclSetup setup_;
  bool sees_peers_ = false;
};

}  // namespace

std::optional<NcclSetup> read_nccl_setup(std::string_view text) {
  LinkLines lines;
  for (const std::string_view line : lines_of(text)) {
    if (const auto words = words_of_nccl(line); !words.empty()) lines.take(words);
  }
  return lines.result();
}

}  // namespace orrery

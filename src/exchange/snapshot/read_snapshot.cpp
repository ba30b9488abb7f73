// SPDX-License-Identifier: Apache-2.0
#include "exchange/snapshot/read_snapshot.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "exchange/snapshot/pickle.h"
#include "exchange/text_lines.h"

namespace orrery {
namespace {

using Value = Pickle::Value;

constexpr std::string_view kNoStack = "no stack was recorded";
// Frames looked at for one that is not PyTorch's own.
constexpr std::size_t kMostFrames = 64;

std::int64_t whole_of(const Value& v, std::string_view key) {
  const auto found = v.find(key);
  return std::max<std::int64_t>(0, found ? found->whole().value_or(0) : 0);
}

std::string_view text_of(const Value& v, std::string_view key) {
  const auto found = v.find(key);
  return found ? found->text().value_or("") : "";
}

Bytes bytes_of(std::int64_t n) { return Bytes(static_cast<double>(n)); }

// Files of PyTorch itself and its C++ frames.
bool is_of_pytorch(std::string_view file) {
  constexpr std::array kOwn = {"/torch/", "/c10/", "/ATen/"};
  if (file.empty() || file[0] == '?' || file[0] == '<') return true;
  return std::any_of(kOwn.begin(), kOwn.end(),
                     [&](const char* own) { return contains(file, own); });
}

std::string frame_words(const Value& frame) {
  const std::string_view file = text_of(frame, "filename");
  std::string words(file.substr(file.rfind('/') + 1));
  words +=
      ":" + std::to_string(whole_of(frame, "line")) + " " + std::string(text_of(frame, "name"));
  return shown_text(words);
}

std::string where_of(const Value& block_or_event) {
  const auto frames = block_or_event.find("frames");
  if (!frames || frames->size() == 0) return std::string(kNoStack);
  for (std::size_t i = 0; i < std::min(kMostFrames, frames->size()); ++i) {
    const Value frame = (*frames)[i];
    if (!is_of_pytorch(text_of(frame, "filename"))) return frame_words(frame);
  }
  return frame_words((*frames)[0]);
}

struct LiveBlock {
  std::int64_t size = 0;
  std::string where;
};
using LiveBlocks = std::unordered_map<std::int64_t, LiveBlock>;  // by address

class SnapshotReader {
 public:
  SnapshotReader(const Pickle& pickle, const std::string& file)
      : pickle_(pickle), file_(file), left_(pickle.values()) {}

  std::vector<SnapshotDevice> devices() {
    const auto segments = pickle_.root().find("segments");
    if (!segments) refuse("a pickle without segments");
    for (std::size_t i = 0; i < segments->size(); ++i) add_segment((*segments)[i]);
    const auto traces = pickle_.root().find("device_traces");
    for (std::size_t d = 0; traces && d < traces->size(); ++d)
      add_history(static_cast<std::int64_t>(d), (*traces)[d]);
    std::vector<SnapshotDevice> all;
    for (auto& [number, device] : devices_) {
      if (!(device.reserved > Bytes()) && !device.asked) continue;
      if (device.holders.empty()) device.holders = holders_of(live_[number]);
      device.peak_allocated = std::max(device.peak_allocated, device.allocated);
      all.push_back(std::move(device));
    }
    if (all.empty()) refuse("a snapshot of no memory");
    return all;
  }

 private:
  [[noreturn]] void refuse(const std::string& found) const {
    throw InputError(file_, "", found, "a snapshot of torch.cuda.memory._dump_snapshot()");
  }

  // Each block and event is a row of its own in a file that PyTorch wrote.
  void visit() {
    if (left_ == 0) refuse("a snapshot whose blocks repeat");
    --left_;
  }

  SnapshotDevice& device_at(std::int64_t number) {
    SnapshotDevice& d = devices_[number];
    d.device = number;
    return d;
  }

  void add_segment(const Value& segment) {
    visit();
    const std::int64_t number = whole_of(segment, "device");
    SnapshotDevice& d = device_at(number);
    d.reserved += bytes_of(whole_of(segment, "total_size"));
    const auto blocks = segment.find("blocks");
    std::int64_t address = whole_of(segment, "address");
    for (std::size_t i = 0; blocks && i < blocks->size(); ++i) {
      visit();
      const Value block = (*blocks)[i];
      const std::int64_t size = whole_of(block, "size");
      add_block(d, block, address, size);
      address += size;
    }
  }

  void add_block(SnapshotDevice& d, const Value& block, std::int64_t address, std::int64_t size) {
    const std::string_view state = text_of(block, "state");
    if (state == "active_allocated") {
      d.allocated += bytes_of(size);
      live_[d.device][address] = {size, where_of(block)};
    } else if (state == "inactive") {
      d.largest_free = std::max(d.largest_free, bytes_of(size));
    }
  }

  // Backwards to the peak, then forwards from the beginning to it, where the lines of blocks that
  // were freed since are known.
  void add_history(std::int64_t number, const Value& events) {
    if (events.size() == 0) return;
    SnapshotDevice& d = device_at(number);
    LiveBlocks blocks = live_[number];
    std::int64_t live = 0;
    for (const auto& [address, block] : blocks) live += block.size;
    std::int64_t peak = live;
    std::size_t events_to_peak = events.size();
    for (std::size_t i = events.size(); i-- > 0;) {
      visit();
      const Value event = events[i];
      live += undo(event, blocks);
      add_failure(d, event);
      if (live > peak) {
        peak = live;
        events_to_peak = i;
      }
    }
    for (std::size_t i = 0; i < events_to_peak; ++i) redo(events[i], blocks);
    d.peak_allocated = bytes_of(peak);
    d.holders = holders_of(blocks);
  }

  // How many more bytes were live before the event.
  static std::int64_t undo(const Value& event, LiveBlocks& blocks) {
    const std::string_view action = text_of(event, "action");
    const std::int64_t size = whole_of(event, "size");
    if (action == "alloc") {
      blocks.erase(whole_of(event, "addr"));
      return -size;
    }
    if (action != "free_requested") return 0;
    blocks[whole_of(event, "addr")] = {size, "allocated before the history begins"};
    return size;
  }

  static void redo(const Value& event, LiveBlocks& blocks) {
    const std::string_view action = text_of(event, "action");
    if (action == "alloc")
      blocks[whole_of(event, "addr")] = {whole_of(event, "size"), where_of(event)};
    if (action == "free_requested") blocks.erase(whole_of(event, "addr"));
  }

  // Events come from the last to the first.
  static void add_failure(SnapshotDevice& d, const Value& event) {
    if (text_of(event, "action") != "oom") return;
    ++d.failures;
    if (d.asked) return;
    d.asked = bytes_of(whole_of(event, "size"));
    d.free = bytes_of(whole_of(event, "device_free"));
  }

  static std::vector<HeldMemory> holders_of(const LiveBlocks& blocks) {
    std::map<std::string, HeldMemory> by_line;
    for (const auto& [address, block] : blocks) {
      HeldMemory& held = by_line[block.where];
      held.where = block.where;
      held.size += bytes_of(block.size);
      ++held.blocks;
    }
    std::vector<HeldMemory> holders;
    for (auto& [where, held] : by_line) holders.push_back(std::move(held));
    std::stable_sort(holders.begin(), holders.end(),
                     [](const HeldMemory& a, const HeldMemory& b) { return a.size > b.size; });
    return holders;
  }

  const Pickle& pickle_;
  const std::string& file_;
  std::size_t left_;
  std::map<std::int64_t, SnapshotDevice> devices_;
  std::map<std::int64_t, LiveBlocks> live_;
};

}  // namespace

std::vector<SnapshotDevice> read_memory_snapshot(std::string_view bytes, const std::string& file) {
  const Pickle pickle(bytes, file);
  return SnapshotReader(pickle, file).devices();
}

}  // namespace orrery

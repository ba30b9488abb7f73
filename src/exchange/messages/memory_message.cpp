// SPDX-License-Identifier: Apache-2.0
#include "exchange/messages/memory_message.h"

#include <algorithm>
#include <array>

#include "core/units.h"
#include "exchange/messages/amounts.h"
#include "exchange/messages/memory_forms.h"
#include "exchange/messages/xla_allocations.h"
#include "exchange/text_lines.h"

namespace orrery {
namespace {

using namespace memory_messages;

// Characters of a message behind its beginning; PyTorch's longest has 900.
constexpr std::size_t kMostOfMessage = 1500;
constexpr std::size_t kMostOfLine = 160;
// Messages round to a hundredth of a GiB.
constexpr double kOfProcess = 0.98;

// A shell's "Killed", alone in its line or behind the number of a process.
bool is_shells_kill(std::string_view line) {
  const std::size_t at = line.find("Killed");
  if (at == std::string_view::npos) return false;
  const std::string_view before = trimmed(line.substr(0, at));
  const bool ends = at + 6 == line.size() || line[at + 6] == ' ' || line[at + 6] == '\r';
  return ends && (before.empty() || (before.back() >= '0' && before.back() <= '9'));
}

constexpr std::string_view kSummary = "memory summary, device ID";
constexpr std::string_view kUsage = "Max_MA";
// DeepSpeed's, and PyTorch's own count.
constexpr std::array<std::string_view, 2> kFlushes = {
    "pytorch allocator cache flushes since last step", "CUDA memory allocation retries"};
constexpr std::size_t kTraceback = 16384;  // characters before a message that may be its traceback

// Without the colours and line ends that a terminal or a log put into it.
std::string message_at(std::string_view text, std::size_t at) {
  std::string out;
  for (const char c : without_colours(text.substr(at, kMostOfMessage))) {
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

std::optional<Bytes> amount_beside(std::string_view message, const AmountWords& a) {
  switch (a.side) {
    case Side::behind:
      return amount_behind(message, a.words);
    case Side::before:
      return amount_before(message, a.words);
    case Side::bare:
      return amount_behind(message, a.words, true);
    case Side::gigabytes:
      if (const auto bare = amount_behind(message, a.words, true)) return *bare * 1e9;
      return {};
  }
  return {};
}

template <class Table>
void take_amounts(const Table& table, std::string_view message, MemoryMessage& out) {
  for (const AmountWords& a : table) {
    if (out[a.stated]) continue;
    out[a.stated] = amount_beside(message, a);
  }
}

std::int64_t times_of(std::string_view text, std::string_view mark) {
  std::int64_t n = 0;
  for (std::size_t at = text.find(mark); at != std::string_view::npos;
       at = text.find(mark, at + mark.size())) {
    ++n;
  }
  return n;
}

// reserved = allocated + unallocated, whichever two are stated.
void complete_reserved(MemoryMessage& m) {
  auto& unallocated = m[Stated::unallocated];
  auto& reserved = m[Stated::reserved];
  const auto& allocated = m[Stated::allocated];
  if (!allocated) return;
  if (!reserved && unallocated) reserved = *allocated + *unallocated;
  if (reserved && !unallocated && *reserved > *allocated) unallocated = *reserved - *allocated;
}

// In a container the driver does not tell PyTorch its own process, which then prints 0 bytes.
// Fewer bytes than the allocator of the process holds are no statement.
void complete(MemoryMessage& m) {
  complete_reserved(m);
  const auto& process = m[Stated::process];
  const auto& reserved = m[Stated::reserved];
  if (process && reserved && *process < *reserved * kOfProcess) m[Stated::process].reset();
}

std::string first_words(std::string_view message) {
  return shown_text(message.substr(0, kMostOfLine));
}

// "Free memory on device (67.24/79.25 GiB)"
void take_shares(std::string_view message, MemoryMessage& m) {
  const std::string_view shares = behind(message, "Free memory on device (");
  const std::size_t slash = shares.find('/');
  if (slash == std::string_view::npos) return;
  m[Stated::capacity] = leading_amount(shares.substr(slash + 1));
  const auto free = parse_number(shares.substr(0, slash));
  if (free && *free >= 0) m[Stated::free] = Bytes(*free * 0x1p30);
}

void take_message(std::string_view message, MemoryMessage& m) {
  switch (m.kind) {
    case MessageKind::device_out_of_memory:
      take_amounts(kTorchAmounts, message, m);
      break;
    case MessageKind::xla_out_of_memory:
      take_amounts(kXlaAmounts, message, m);
      break;
    case MessageKind::host_out_of_memory:
      take_amounts(kHostAmounts, message, m);
      break;
    case MessageKind::engine_out_of_memory:
      take_amounts(kEngineAmounts, message, m);
      take_shares(message, m);
      break;
    case MessageKind::memory_summary:
    case MessageKind::memory_usage:
    case MessageKind::outside_allocator:
    case MessageKind::shared_memory:
    case MessageKind::allocator_flushes:
    case MessageKind::device_list:
    case MessageKind::memory_snapshot:
      break;
  }
  complete(m);
}

// Words of an engine and of the traceback stand before the message, in the whole text.
void take_surroundings(std::string_view text, std::size_t at, MemoryMessage& m) {
  if (m.kind != MessageKind::device_out_of_memory && m.kind != MessageKind::outside_allocator)
    return;
  take_amounts(kEngineShares, text, m);
  // "can use total_gpu_memory (79.10GiB) x gpu_memory_utilization (0.90) = 71.19GiB"
  const std::string_view share = behind(text, "x gpu_memory_utilization (");
  if (const auto whole = amount_behind(share, ") =")) m[Stated::engine] = whole;
  if (contains(m.line, kEngineWords)) {
    m.moment = JobMoment::generating;
    return;
  }
  const std::string_view before =
      text.substr(at > kTraceback ? at - kTraceback : 0, std::min(at, kTraceback));
  for (const MomentWords& w : kMomentWords) {
    if (contains(before, w.words)) {
      m.moment = w.moment;
      return;
    }
  }
}

void add_failures(std::string_view text, std::vector<MemoryMessage>& all) {
  for (const MessageForm& f : kForms) {
    const bool known = std::any_of(all.begin(), all.end(),
                                   [&](const MemoryMessage& m) { return m.kind == f.kind; });
    const std::size_t at = text.find(f.mark);
    if (known || at == std::string_view::npos) continue;
    const std::string message = message_at(text, at);
    MemoryMessage m;
    m.kind = f.kind;
    m.form = f.form;
    m.line = first_words(message);
    m.count = times_of(text, f.mark);
    m.maker = f.maker;
    take_message(message, m);
    take_surroundings(text, at, m);
    if (m.kind == MessageKind::xla_out_of_memory) m.holders = xla_allocations(text);
    all.push_back(std::move(m));
  }
}

// "2 pytorch allocator cache flushes since last step" of DeepSpeed
void add_flushes(std::string_view text, std::vector<MemoryMessage>& all) {
  MemoryMessage m;
  m.kind = MessageKind::allocator_flushes;
  m.form = "DeepSpeed's warning of cache flushes";
  m.count = 0;
  for (const std::string_view line : lines_of(text)) {
    std::size_t at = line.find(kFlushes[0]);
    if (at == std::string_view::npos) {
      at = line.find(kFlushes[1]);
      if (at != std::string_view::npos) m.form = "PyTorch's count of allocation retries";
    }
    if (at == std::string_view::npos) continue;
    const std::string_view digits = trimmed(line.substr(0, at));
    const std::size_t other = digits.find_last_not_of("0123456789");
    const auto n =
        parse_number(other == std::string_view::npos ? digits : digits.substr(other + 1));
    if (m.count++ == 0) m.line = first_words(without_colours(line));
    m.retries = std::max(m.retries, static_cast<std::int64_t>(n.value_or(1)));
  }
  if (m.count > 0) all.push_back(std::move(m));
}

void add_shells_kill(std::string_view text, std::vector<MemoryMessage>& all) {
  if (!all.empty()) return;
  for (const std::string_view line : lines_of(text)) {
    if (!is_shells_kill(line)) continue;
    MemoryMessage m;
    m.kind = MessageKind::host_out_of_memory;
    m.form = "a process that the shell says was killed";
    m.line = first_words(trimmed(line));
    all.push_back(std::move(m));
    return;
  }
}

struct SummaryRow {
  std::string_view name;
  Stated now;
  Stated peak;
};
constexpr std::array kSummaryRows = {
    SummaryRow{"Allocated memory", Stated::allocated, Stated::peak_allocated},
    SummaryRow{"GPU reserved memory", Stated::reserved, Stated::peak_reserved},
};

// "| Allocated memory      |    1062 MB |    4877 MB |   89299 MB |   88237 MB |"
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (const std::string_view cell : fields_of(line, '|')) cells.push_back(trimmed(cell));
  return cells;
}

void take_summary_row(std::string_view line, MemoryMessage& m) {
  const std::vector<std::string_view> cells = cells_of(line);
  if (cells.size() < 4) return;
  for (const SummaryRow& row : kSummaryRows) {
    if (cells[1] != row.name || m[row.now]) continue;
    m[row.now] = leading_amount(cells[2]);
    m[row.peak] = leading_amount(cells[3]);
  }
  if (cells[1] == "Non-releasable memory" && !m[Stated::inactive])
    m[Stated::inactive] = leading_amount(cells[2]);
}

void add_summary(std::string_view text, std::vector<MemoryMessage>& all) {
  const std::size_t at = text.find(kSummary);
  if (at == std::string_view::npos) return;
  MemoryMessage m;
  m.kind = MessageKind::memory_summary;
  m.form = "torch.cuda.memory_summary()";
  m.count = times_of(text, kSummary);
  for (const std::string_view line : lines_of(text.substr(at))) {
    if (const auto retries = behind(line, "cudaMalloc retries:");
        !retries.empty() && m.retries == 0)
      m.retries = static_cast<std::int64_t>(
          parse_number(words_of(retries).empty() ? "" : words_of(retries)[0]).value_or(0));
    take_summary_row(line, m);
  }
  complete(m);
  if (m[Stated::allocated] || m[Stated::reserved]) all.push_back(std::move(m));
}

// "MA 7.12 GB         Max_MA 7.12 GB         CA 7.13 GB         Max_CA 7 GB" of DeepSpeed; what it
// is of stands in the line before.
bool take_usage(std::string_view line, std::string_view before, MemoryMessage& m) {
  const auto peak = amount_behind(line, "Max_MA");
  if (!peak) return false;
  ++m.count;
  if (m[Stated::peak_allocated] && !(*peak > *m[Stated::peak_allocated])) return true;
  m[Stated::peak_allocated] = peak;
  m[Stated::peak_reserved] = amount_behind(line, "Max_CA");
  m[Stated::allocated] = amount_behind(line, "MA");
  m[Stated::reserved] = amount_behind(line, " CA");
  const std::size_t mark = before.rfind(']');
  m.label = std::string(trimmed(mark == std::string_view::npos ? before : before.substr(mark + 1)));
  m.label = shown_text(m.label);
  return true;
}

void add_usage(std::string_view text, std::vector<MemoryMessage>& all) {
  if (!contains(text, kUsage)) return;
  MemoryMessage m;
  m.kind = MessageKind::memory_usage;
  m.form = "DeepSpeed's see_memory_usage()";
  m.count = 0;
  std::string_view before;
  for (const std::string_view line : lines_of(text)) {
    if (!take_usage(line, before, m) && contains(line, "CPU Virtual Memory:")) {
      const auto used = amount_behind(line, "used =");
      if (used && (!m[Stated::host_used] || *used > *m[Stated::host_used]))
        m[Stated::host_used] = used;
    }
    before = line;
  }
  complete(m);
  if (m.count > 0) all.push_back(std::move(m));
}

// "54W / 400W"
void take_power(std::string_view cell, ListedDevice& d) {
  const std::size_t watts = cell.find("W / ");
  if (watts == std::string_view::npos) return;
  const std::size_t blank = cell.rfind(' ', watts);
  const std::size_t first = blank == std::string_view::npos ? 0 : blank + 1;
  const std::string_view cap = cell.substr(watts + 4);
  if (const auto p = parse_number(cell.substr(first, watts - first))) d.power = Watts(*p);
  if (const auto p = parse_number(cap.substr(0, cap.find('W')))) d.cap = Watts(*p);
}

// "| N/A   28C    P0     54W / 400W |   1234MiB / 40960MiB |     97%      Default |"
std::optional<ListedDevice> device_in(std::string_view line) {
  ListedDevice d;
  for (const std::string_view cell : cells_of(line)) {
    const std::size_t slash = cell.find("MiB /");
    if (slash != std::string_view::npos) {
      d.used = leading_amount(cell).value_or(Bytes());
      d.capacity = amount_behind(cell, "/").value_or(Bytes());
    }
    const std::size_t sign = cell.find('%');
    if (d.capacity > Bytes() && sign < 4)
      d.load = parse_number(cell.substr(0, sign)).value_or(0) / 100;
    take_power(cell, d);
  }
  return d.capacity > Bytes() ? std::optional(d) : std::nullopt;
}

void add_devices(std::string_view text, std::vector<MemoryMessage>& all) {
  if (!contains(text, "NVIDIA-SMI") && !contains(text, "MiB |")) return;
  MemoryMessage m;
  m.kind = MessageKind::device_list;
  m.form = "nvidia-smi";
  for (const std::string_view line : lines_of(text)) {
    if (const auto d = device_in(trimmed(line))) m.devices.push_back(*d);
  }
  if (!m.devices.empty()) all.push_back(std::move(m));
}

}  // namespace

std::vector<MemoryMessage> read_memory_messages(std::string_view text) {
  std::vector<MemoryMessage> all;
  add_failures(text, all);
  add_summary(text, all);
  add_usage(text, all);
  add_flushes(text, all);
  add_devices(text, all);
  add_shells_kill(text, all);
  std::stable_sort(all.begin(), all.end(),
                   [](const MemoryMessage& a, const MemoryMessage& b) { return a.kind < b.kind; });
  return all;
}

MemoryMessage snapshot_message(std::string_view bytes, const std::string& file) {
  std::vector<SnapshotDevice> devices = read_memory_snapshot(bytes, file);
  SnapshotDevice& d = *std::max_element(devices.begin(), devices.end(),
                                        [](const SnapshotDevice& a, const SnapshotDevice& b) {
                                          return a.peak_allocated < b.peak_allocated;
                                        });
  MemoryMessage m;
  m.kind = MessageKind::memory_snapshot;
  m.form = "a snapshot of PyTorch's allocator, GPU " + std::to_string(d.device);
  m.count = std::max<std::int64_t>(1, d.failures);
  m[Stated::asked] = d.asked;
  m[Stated::free] = d.free;
  m[Stated::allocated] = d.allocated;
  m[Stated::reserved] = d.reserved;
  m[Stated::unallocated] = d.reserved - d.allocated;
  m[Stated::peak_allocated] = d.peak_allocated;
  m[Stated::largest_piece] = d.largest_free;
  m.holders = std::move(d.holders);
  return m;
}

}  // namespace orrery

// SPDX-License-Identifier: Apache-2.0
//
// nccl-tests' and rccl-tests' output: lines of `#` that name the ranks, then rows of
//
//   size count type [redop] [root] time algbw busbw [#wrong] time algbw busbw [#wrong]
//
// out of place first, in place after; the first are taken. The first row is a warm-up where it took
// over twice its own time in place and longer than the next size: it is set aside. Size is S of
// network/collective.h (the larger of the two buffers: NVIDIA/nccl-tests doc/PERFORMANCE.md). Which
// collective it was only newer versions say ("Collective test starting: all_reduce_perf"): else bus
// over algorithm bandwidth tells an all-reduce, 2(n−1)/n, from the others, and the user says which
// of those. The same ratio must be that of the collective and its ranks: a file whose head was cut,
// of several groups at once (NCCL_TESTS_SPLIT), or of another collective than the one given, is
// refused; so is one whose results are wrong. Prefixes of lines by mpirun --tag-output
// ("[1,0]<stdout>:") and srun -l ("0: ") are skipped, and so are NCCL's own logs. One output a
// file: a rank that is named twice is refused. The lines of ranks say the GPU and how many ranks a
// host has.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "core/divide.h"
#include "core/units.h"
#include "exchange/collective_names.h"
#include "exchange/measurements/readers.h"
#include "exchange/text_lines.h"
#include "network/bus_factor.h"

namespace orrery {
namespace {

struct Row {
  Bytes size{};
  Seconds time{};
  double in_place = 0;  // seconds; 0: not printed
  double algbw = 0;
  double busbw = 0;
  std::size_t line = 0;
};

bool is_count(std::string_view word) {
  const auto x = parse_number(word);
  return x && *x >= 0 && *x == std::floor(*x);
}

// The column of the header's first `time`, and the number of columns. A row whose redop or root is
// blank, as in older versions, is short by as many.
struct NcclColumns {
  std::size_t time = 0;
  std::size_t in_place = 0;  // the second `time`, or 0
  std::size_t count = 0;
  bool has_wrong = false;  // `#wrong` behind busbw
};

std::optional<NcclColumns> header_in(const std::vector<std::string_view>& words) {
  if (words.size() < 6 || words[0] != "#" || words[1] != "size") return {};
  const auto time = std::find(words.begin(), words.end(), "time");
  if (time == words.end()) return {};
  const auto second = std::find(time + 1, words.end(), "time");
  const auto column = [&](auto at) { return static_cast<std::size_t>(at - words.begin()) - 1; };
  return NcclColumns{column(time), second == words.end() ? 0 : column(second), words.size() - 1,
                     std::find(words.begin(), words.end(), "#wrong") != words.end()};
}

// Times of a collective whose results are wrong are times of nothing. "N/A": it did not look.
void refuse_wrong(const LinePlace& place, std::string_view results) {
  if (parse_number(results).value_or(0) <= 0) return;
  fail(place, std::string(results) + " wrong results", "a run that passes its own check");
}

Row read_row(const LinePlace& place, const std::vector<std::string_view>& words,
             const NcclColumns& columns) {
  const std::size_t lacks = columns.count > words.size() ? columns.count - words.size() : 0;
  const std::size_t at = columns.time - std::min(columns.time, lacks);
  if (at < 2 || words.size() < at + 3) {
    fail(place, std::to_string(words.size()) + " columns",
         std::to_string(columns.count) + ", as the header has");
  }
  const auto rate = [&](std::size_t i) { return parse_number(words[i]).value_or(-1); };
  const std::size_t again = columns.in_place - std::min(columns.in_place, lacks);
  const bool twice = again > at && again < words.size();
  Row row{Bytes(positive(place, words[0], "size")),
          Seconds(positive(place, words[at], "time") * kMicro),
          twice ? std::max(rate(again), 0.0) * kMicro : 0,
          rate(at + 1),
          rate(at + 2),
          place.line};
  if (row.algbw < 0 || row.busbw < 0) fail(place, "no bandwidths", "time, algbw and busbw");
  for (const std::size_t time : {at, again}) {
    const bool has = columns.has_wrong && (time == at || twice) && time + 3 < words.size();
    if (has) refuse_wrong(place, words[time + 3]);
  }
  return row;
}

// Without what a launcher puts before the lines of a rank: "[1,0]<stdout>:", "0: ".
std::string_view without_tag(std::string_view line) {
  const std::size_t out = line.find("<stdout>:");
  if (!line.empty() && line.front() == '[' && out != std::string_view::npos) {
    return line.substr(out + std::string_view("<stdout>:").size());
  }
  const std::vector<std::string_view> words = words_of(line.substr(0, line.find(':')));
  const bool is_tagged = line.find(':') != std::string_view::npos && words.size() == 1;
  return is_tagged && is_count(words.front()) ? line.substr(line.find(':') + 1) : line;
}

// "#  Rank  0 Group  0 Pid …"
bool names_rank(const std::vector<std::string_view>& words) {
  return words.size() > 2 && words[0] == "#" && words[1] == "Rank" && is_count(words[2]);
}

// The ranks that the head names, their group, hosts and GPUs.
struct SeenRanks {
  std::set<std::string_view> ranks;
  std::string_view group;
  std::map<std::string_view, std::int64_t> hosts = {};
  std::set<std::string> places = {};
  std::string gpu = {};
  bool hosts_tell = true;

  // Empty where hosts go by one name: a GPU is there twice.
  std::vector<std::int64_t> ranks_of_hosts() const {
    std::vector<std::int64_t> counts;
    for (const auto& [host, n] : hosts) counts.push_back(n);
    return hosts_tell ? counts : std::vector<std::int64_t>();
  }
};

std::string joined(const std::vector<std::string_view>& words, std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < words.size(); ++i) {
    text += (i == from ? "" : " ") + std::string(words[i]);
  }
  return text;
}

// "… on gpu-node-1 device  0 [0000:07:00] NVIDIA A100-SXM4-80GB"
void see_place(const LinePlace& place, const std::vector<std::string_view>& words,
               SeenRanks& seen) {
  const auto on = std::find(words.begin(), words.end(), "on");
  const auto at = static_cast<std::size_t>(on - words.begin());
  constexpr std::size_t kName = 5;  // words before it
  if (words.size() <= at + kName || words[at + 2] != "device") {
    seen.hosts_tell = false;
    return;
  }
  ++seen.hosts[words[at + 1]];
  const std::string gpu = joined(words, at + kName);
  const std::string one = joined(words, at + 1);
  seen.hosts_tell = seen.places.insert(one).second && seen.hosts_tell;
  if (seen.gpu.empty()) seen.gpu = gpu;
  if (gpu != seen.gpu) fail(place, gpu + " beside " + seen.gpu, "GPUs of one kind");
}

void see_rank(const LinePlace& place, const std::vector<std::string_view>& words, SeenRanks& seen) {
  if (!seen.ranks.insert(words[2]).second) {
    fail(place, "rank " + std::string(words[2]) + " for the second time",
         "one run of nccl-tests a file");
  }
  see_place(place, words, seen);
  if (words.size() < 5 || words[3] != "Group") return;
  if (seen.group.empty()) seen.group = words[4];
  if (words[4] == seen.group) return;
  fail(place, "ranks of groups " + std::string(seen.group) + " and " + std::string(words[4]),
       "one group of all ranks: several at once share what lies between them");
}

std::optional<Collective> named_in(std::string_view line) {
  const std::size_t end = line.find("_perf");
  if (end == std::string_view::npos) return {};
  std::size_t begin = end;
  while (begin > 0 && (std::isalpha(static_cast<unsigned char>(line[begin - 1])) != 0 ||
                       line[begin - 1] == '_')) {
    --begin;
  }
  std::string_view name = line.substr(begin, end - begin);
  if (name == "sendrecv") return Collective::point_to_point;
  return collective_named(name);
}

// By the largest message, where rounding of the printed bandwidths matters least.
bool tells_ratio(const Row& row) { return row.algbw > 1; }

bool has_ratio_of(Collective kind, std::size_t ranks, const Row& row) {
  constexpr double kRounding = 0.02;
  const double factor = bus_factor(kind, static_cast<std::int64_t>(ranks));
  return std::abs(row.busbw / row.algbw / factor - 1) < kRounding;
}

bool is_all_reduce(const Row& row, std::size_t ranks) {
  return ranks > 2 && tells_ratio(row) && has_ratio_of(Collective::all_reduce, ranks, row);
}

std::string two_digits(double x) { return shortest(std::round(x * 100) / 100); }

void refuse_other_ratio(const std::string& file, Collective kind, std::size_t ranks,
                        const Row& row) {
  if (!tells_ratio(row) || has_ratio_of(kind, ranks, row)) return;
  const double factor = bus_factor(kind, static_cast<std::int64_t>(ranks));
  fail({file, row.line}, "a busbw of " + two_digits(row.busbw / row.algbw) + " times algbw",
       two_digits(factor) + ", as " + std::string(name_of(kind)) + " over " +
           std::to_string(ranks) + " ranks has: the whole output, and its own collective");
}

// Bus over algorithm bandwidth is 2(n−1)/n of an all-reduce and (n−1)/n of gathers and exchanges.
// The ranks that rounding to hundredths leaves: one number, or the one that whole nodes of 8 make.
std::size_t ranks_of(const Row& row, double factor) {
  constexpr double kHundredth = 0.005;
  constexpr double kMostRanks = 1e6;
  const auto ranks = [&](double bus, double algorithm) {
    const double left = 1 - bus / algorithm / factor;
    return left > 0 ? std::min(1 / left, kMostRanks) : kMostRanks;
  };
  if (row.algbw <= 2 * kHundredth) return 0;
  const auto low =
      static_cast<std::size_t>(std::ceil(ranks(row.busbw - kHundredth, row.algbw + kHundredth)));
  const auto high = static_cast<std::size_t>(ranks(row.busbw + kHundredth, row.algbw - kHundredth));
  if (low == high) return low;
  constexpr std::size_t kNode = 8;
  const std::size_t whole = rounded_up(low, kNode);
  return whole <= high && whole + kNode > high ? whole : 0;
}

// True of a row that sums without a root, of an all-reduce or a reduce-scatter.
bool sums_everywhere(const std::vector<std::string_view>& words) {
  const auto at = std::find(words.begin(), words.end(), "sum");
  return at != words.end() && at + 1 != words.end() && at[1] == "-1";
}

// Ranks from busbw over algbw, if no line names one: only an all-reduce has a ratio above 1, and of
// those that sum without a root only one over two ranks has a ratio of 1.
std::size_t unnamed_ranks(const Row& row, bool sums, std::optional<Collective>& kind) {
  constexpr double kMoreThanOne = 1.02;
  constexpr double kRounding = 0.002;
  const double ratio = row.algbw > 0 ? row.busbw / row.algbw : 0;
  if (!kind && ratio > kMoreThanOne) kind = Collective::all_reduce;
  if (!kind && sums && tells_ratio(row) && std::abs(ratio - 1) < kRounding) {
    kind = Collective::all_reduce;
    return 2;
  }
  if (!kind) return 0;
  if (*kind == Collective::all_reduce) return ranks_of(row, 2);
  const bool gathers = *kind == Collective::all_gather || *kind == Collective::reduce_scatter ||
                       *kind == Collective::all_to_all;
  return gathers ? ranks_of(row, 1) : 0;
}

Collective kind_of(const std::string& file, std::optional<Collective> named,
                   const MeasurementHints& hints, const Row& largest, std::size_t ranks) {
  if (named && hints.collective && *named != *hints.collective) {
    fail({file, 1}, "the output of " + std::string(name_of(*named)),
         "that, not " + std::string(name_of(*hints.collective)));
  }
  if (named) return *named;
  if (hints.collective) return *hints.collective;
  if (is_all_reduce(largest, ranks)) return Collective::all_reduce;
  fail({file, largest.line}, "no name of a collective",
       "the name of the collective beside it, as its kind or --collective: the output alone does "
       "not tell which it was");
}

void set_warm_up_aside(std::vector<Row>& rows, MeasurementSet& set) {
  constexpr double kLonger = 2;
  if (rows.size() < 2) return;
  const Row& first = rows.front();
  const bool slow = first.in_place > 0 && first.time.si() > kLonger * first.in_place;
  if (!slow || first.time <= rows[1].time) return;
  set.left_out.push_back(
      "the first row, a warm-up: over twice its time in place, and longer than "
      "the next size's");
  rows.erase(rows.begin());
}

}  // namespace

bool is_nccl_tests(std::string_view text) {
  return contains(text, "busbw") && contains(text, "algbw") && contains(text, "#");
}

MeasurementSet read_nccl_tests(std::string_view text, const std::string& file,
                               const MeasurementHints& hints) {
  MeasurementSet set;
  std::vector<Row> rows;
  std::optional<Collective> named;
  std::optional<NcclColumns> columns;
  SeenRanks seen;
  bool sums = false;
  const std::vector<std::string_view> lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::vector<std::string_view> words = words_of(without_tag(lines[i]));
    if (!named) named = named_in(lines[i]);
    if (words.empty()) continue;
    if (names_rank(words)) see_rank({file, i + 1}, words, seen);
    if (!columns) columns = header_in(words);
    if (words.front().front() == '#' || !is_count(words.front()) || words.size() < 6) continue;
    if (!columns) fail({file, i + 1}, "numbers before a header", "\"# size count type … time\"");
    if (words.front() == "0") continue;  // no bytes
    rows.push_back(read_row({file, i + 1}, words, *columns));
    sums = sums_everywhere(words);
  }
  set_warm_up_aside(rows, set);
  set.gpu = seen.gpu;
  set.ranks_of_hosts = seen.ranks_of_hosts();
  std::size_t ranks = seen.ranks.size();
  if (ranks == 0 && !rows.empty()) {
    if (!named) named = hints.collective;
    ranks = unnamed_ranks(rows.back(), sums, named);
  }
  if (ranks < 2) {
    fail({file, 1}, std::to_string(ranks) + " ranks",
         "lines \"#  Rank  0 …\" of at least two: what the benchmark prints first");
  }
  if (rows.empty()) return set;
  const Collective kind = kind_of(file, named, hints, rows.back(), ranks);
  refuse_other_ratio(file, kind, ranks, rows.back());
  for (const Row& row : rows) {
    Measurement m;
    m.work = MeasuredCollective{kind, static_cast<std::int64_t>(ranks), row.size};
    m.timed.time = row.time;
    set.points.push_back(m);
  }
  return set;
}

}  // namespace orrery

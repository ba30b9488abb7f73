// SPDX-License-Identifier: Apache-2.0
#include "exchange/kineto/work.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

#include "core/json.h"
#include "exchange/collective_names.h"
#include "exchange/kineto/trace_events.h"
#include "exchange/text_lines.h"

namespace orrery {
namespace {

struct Category {
  std::string_view name;
  std::string_view older;  // before 1.12
  GpuWork::Kind kind;
};

constexpr std::array<Category, 3> kCategories = {
    {{"kernel", "Kernel", GpuWork::Kind::kernel},
     {"gpu_memset", "Memset", GpuWork::Kind::memory_set},
     {"gpu_memcpy", "Memcpy", GpuWork::Kind::copy}}};

bool is_over_host_link(const GpuWork& w) {
  return w.kind == GpuWork::Kind::copy && (contains(w.name, "HtoD") || contains(w.name, "DtoH"));
}

struct ElementSize {
  std::string_view name;  // of c10::ScalarType
  double bytes;
};

constexpr std::array<ElementSize, 11> kElements = {{{"BFloat16", 2},
                                                    {"Half", 2},
                                                    {"Float", 4},
                                                    {"Double", 8},
                                                    {"Long", 8},
                                                    {"Int", 4},
                                                    {"Short", 2},
                                                    {"Byte", 1},
                                                    {"Char", 1},
                                                    {"Bool", 1},
                                                    {"Float8_e4m3fn", 1}}};

double element_size(std::string_view name) {
  const auto found = std::find_if(kElements.begin(), kElements.end(),
                                  [&](const ElementSize& e) { return e.name == name; });
  return found == kElements.end() ? 0 : found->bytes;
}

// The numbers of "[0, 1, 2, ..., 127]", text or array; what was left out for length stays out.
std::vector<std::int64_t> numbers_in(const Json& given) {
  const std::string text = given.is_string()
                               ? given.get<std::string>()
                               : given.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::vector<std::int64_t> numbers;
  bool within = false;
  for (const char c : text) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (digit && !within) numbers.push_back(0);
    constexpr std::int64_t kMost = 100'000'000;
    if (digit) numbers.back() = std::min(kMost, numbers.back() * 10 + (c - '0'));
    within = digit;
  }
  return numbers;
}

std::vector<std::int64_t> numbers_at(const Json& args, const char* key) {
  const auto found = args.find(key);
  return found == args.end() ? std::vector<std::int64_t>{} : numbers_in(*found);
}

// Side by side from a multiple of their number: rank `first` + i is the i-th.
bool are_side_by_side(const std::vector<std::int64_t>& ranks, std::int64_t size) {
  if (ranks.empty() || ranks.front() % size != 0 || ranks.back() != ranks.front() + size - 1) {
    return false;
  }
  for (std::size_t i = 0; i + 1 < ranks.size(); ++i) {
    if (ranks[i] != ranks.front() + static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

// The full buffer, in elements (network/collective.h); nothing where in and out do not fit.
std::optional<double> buffer_of(Collective kind, double in, double out, double ranks) {
  if (kind == Collective::all_gather) return out == in * ranks ? std::optional(out) : std::nullopt;
  if (kind == Collective::reduce_scatter) {
    return in == out * ranks ? std::optional(in) : std::nullopt;
  }
  return in == out ? std::optional(in) : std::nullopt;
}

// Several collectives in one kernel, or parts of unequal size, do not give the time of one.
std::optional<Collective> kind_of_kernel(const std::string& name, const Json& args) {
  if (contains(name, "coalesced")) return {};
  for (const char* key : {"In split size", "Out split size"}) {
    const std::vector<std::int64_t> parts = numbers_at(args, key);
    if (std::any_of(parts.begin(), parts.end(),
                    [&](std::int64_t n) { return n != parts.front(); })) {
      return {};
    }
  }
  const auto kind = collective_named(name);
  return kind == Collective::point_to_point ? std::nullopt : kind;
}

using Dims = std::vector<std::int64_t>;

// The positions of an attention's inputs among the operator's.
struct AttentionForm {
  std::string_view name;
  AttentionPass pass;
  std::size_t query;    // then key and value
  std::size_t lengths;  // of sequences packed together; none of equal ones
  std::size_t dropout;
  std::size_t causal;
  std::size_t window;
  std::string_view kernel;
};

constexpr std::array<AttentionForm, 2> kAttention = {
    {{"aten::_flash_attention_forward", AttentionPass::forward, 0, 3, 7, 8, 11, "flash_fwd"},
     {"aten::_flash_attention_backward", AttentionPass::backward, 1, 6, 10, 11, 15, "flash_bwd"}}};

const AttentionForm* attention_named(std::string_view name) {
  const auto* found = std::find_if(kAttention.begin(), kAttention.end(),
                                   [&](const AttentionForm& f) { return f.name == name; });
  return found == kAttention.end() ? nullptr : found;
}

const Json& item(const Json& args, const char* key, std::size_t i) {
  static const Json kNone;
  const auto list = args.find(key);
  return list != args.end() && list->is_array() && i < list->size() ? (*list)[i] : kNone;
}

// {} of scalars, lists of tensors and what is not there.
Dims dims_of(const Json& args, std::size_t i) {
  constexpr std::int64_t kMost = 1'000'000'000;
  const Json& given = item(args, "Input Dims", i);
  if (!given.is_array()) return {};
  Dims dims;
  for (const Json& d : given) {
    if (!d.is_number_integer()) return {};
    const auto n = d.get<std::int64_t>();
    if (n < 1 || n > kMost) return {};
    dims.push_back(n);
  }
  return dims;
}

std::string input_text(const Json& args, const char* key, std::size_t i) {
  const Json& given = item(args, key, i);
  return given.is_string() ? given.get<std::string>() : "";
}

bool any_contains(const std::vector<std::string>& names, std::string_view part) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return contains(name, part); });
}

std::optional<Precision> precision_of_float(const std::vector<std::string>& kernels) {
  if (any_contains(kernels, "tf32") || any_contains(kernels, "1688")) return Precision::tf32;
  if (any_contains(kernels, "sgemm") || any_contains(kernels, "simt")) return Precision::fp32;
  return {};
}

// "c10::BFloat16", "c10::Half", "float", "c10::Float8_e4m3fn", …
std::optional<Precision> precision_of(const std::string& type,
                                      const std::vector<std::string>& kernels) {
  if (contains(type, "BFloat16")) return Precision::bf16;
  if (contains(type, "Half")) return Precision::fp16;
  if (contains(type, "Float8_e4m3") || contains(type, "Float8_e5m2")) return Precision::fp8;
  if (type == "float") return precision_of_float(kernels);
  return {};
}

// Scales of blocks make another format of the same elements.
bool has_block_scales(const Json& args) {
  for (std::size_t i = 2; i < 6; ++i) {
    if (contains(input_text(args, "Input type", i), "e8m0")) return true;
  }
  return false;
}

TracedWork product_work(const TorchProduct& f, const Json& args,
                        const std::vector<std::string>& kernels) {
  const auto shape = shape_of(f, dims_of(args, f.first), dims_of(args, f.first + 1));
  if (!shape) return {{}, "products without shapes, or of shapes that do not fit"};
  const std::string type = input_text(args, "Input type", f.first);
  const auto precision = precision_of(type, kernels);
  const auto other = precision_of(input_text(args, "Input type", f.first + 1), kernels);
  if (!precision || precision != other || has_block_scales(args)) {
    return {{},
            type == "float" ? "products in float whose kernel tells neither fp32 nor tf32"
                            : "products in " + (type.empty() ? "elements unsaid" : type)};
  }
  return {MeasuredProduct{*shape, *precision}, ""};
}

bool is_none(const std::string& value) { return value.empty() || value == "None" || value == "-1"; }
bool is_zero(const std::string& value) {
  return !value.empty() && value.find_first_not_of("0.") == std::string::npos;
}

TracedWork attention_work(const AttentionForm& f, const Json& args,
                          const std::vector<std::string>& kernels) {
  const auto stated = [&](std::size_t i) { return input_text(args, "Concrete Inputs", i); };
  const Dims q = dims_of(args, f.query);
  const Dims k = dims_of(args, f.query + 1);
  const Dims v = dims_of(args, f.query + 2);
  if (q.size() != 4 || k != v || k.size() != 4 || q[1] != k[1] || q[3] != k[3]) {
    return {{}, "calls of attention whose queries and keys differ in shape, or are unsaid"};
  }
  if (!dims_of(args, f.lengths).empty()) return {{}, "calls of attention over packed sequences"};
  const std::string causal = stated(f.causal);
  const bool is_causal = causal == "True" || causal == "true";
  if (!is_causal && causal != "False" && causal != "false") {
    return {{}, "calls of attention whose mask is unsaid"};
  }
  if (!is_zero(stated(f.dropout))) return {{}, "calls of attention with dropout"};
  if (!is_none(stated(f.window)) || !is_none(stated(f.window + 1))) {
    return {{}, "calls of attention within a window"};
  }
  const auto precision = precision_of(input_text(args, "Input type", f.query), {});
  if (!precision || !any_contains(kernels, f.kernel)) {
    return {{}, "calls of attention by a kernel that is not flash-2"};
  }
  MeasuredAttention a;
  a.pass = f.pass;
  a.precision = *precision;
  a.shape.groups = q[0] * q[2];
  a.shape.queries = a.shape.keys = q[1];
  a.shape.head_dim = a.shape.value_dim = q[3];
  a.shape.pairs = is_causal ? 0.5 : 1;
  return {a, ""};
}

constexpr std::array<TorchProduct, 5> kProducts = {{{"aten::mm", 0, 2, false},
                                                    {"aten::addmm", 1, 2, false},
                                                    {"aten::bmm", 0, 3, false},
                                                    {"aten::baddbmm", 1, 3, false},
                                                    {"aten::_scaled_mm", 0, 2, true}}};

}  // namespace

std::optional<std::int64_t> external_id(const Json& args) {
  const auto now = whole_at(args, "External id");
  return now ? now : whole_at(args, "external id");
}

std::optional<GpuWork> gpu_work_of(const Json& event) {
  const std::string name = text_at(event, "cat");
  const auto category =
      std::find_if(kCategories.begin(), kCategories.end(),
                   [&](const Category& c) { return name == c.name || name == c.older; });
  const auto args = event.find("args");
  if (category == kCategories.end() || args == event.end()) return {};
  GpuWork w;
  w.kind = category->kind;
  w.name = text_at(event, "name");
  w.begin = number_at(event, "ts").value_or(0);
  w.time = std::max(0.0, number_at(event, "dur").value_or(0));
  w.device = whole_at(*args, "device").value_or(0);
  w.stream = whole_at(*args, "stream").value_or(0);
  w.external = external_id(*args).value_or(-1);
  w.correlation = whole_at(*args, "correlation").value_or(-1);
  w.bytes = whole_at(*args, "bytes").value_or(0);
  if (has_collective(*args)) w.collective = *args;
  return w;
}

namespace {

// The work that began last on each stream of one GPU; of each event the time is logarithmic in
// their number.
class Streams {
 public:
  // By the order of beginnings.
  void start(GpuWork& now) {
    mark_others(now);
    const auto old = ends_by_stream_.find(now.stream);
    if (old != ends_by_stream_.end()) ends_.erase({old->second, now.stream});
    now.beside = now.beside || (!ends_.empty() && ends_.rbegin()->first > now.begin + kResolved);
    const double end = now.begin + now.time;
    ends_by_stream_[now.stream] = end;
    ends_.emplace(end, now.stream);
    alone_[now.stream] = &now;
  }

 private:
  static constexpr double kResolved = 1.0;  // µs: what times of 10¹⁵ µs tell apart, their rounding

  // Work of another stream that has ended by now overlaps nothing that begins later.
  void mark_others(const GpuWork& now) {
    for (auto& [stream, other] : alone_) {
      if (stream != now.stream && other->begin + other->time > now.begin + kResolved)
        other->beside = true;
    }
    alone_.clear();
  }

  std::map<std::int64_t, double> ends_by_stream_;
  std::set<std::pair<double, std::int64_t>> ends_;
  std::map<std::int64_t, GpuWork*> alone_;  // beside nothing that has begun since
};

}  // namespace

void mark_beside(std::vector<GpuWork>& work) {
  std::vector<GpuWork*> order;
  for (GpuWork& w : work) {
    if (!is_over_host_link(w)) order.push_back(&w);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const GpuWork* a, const GpuWork* b) { return a->begin < b->begin; });
  std::map<std::int64_t, Streams> devices;
  for (GpuWork* now : order) devices[now->device].start(*now);
}

bool has_collective(const Json& args) { return !text_at(args, "Collective name").empty(); }

TracedWork collective_work(const Json& args, std::int64_t world) {
  const std::string name = text_at(args, "Collective name");
  if (name.empty()) return {{}, "collectives whose kernel does not say its size"};
  const auto kind = kind_of_kernel(name, args);
  if (!kind) return {{}, "collectives by the name of " + name};
  const std::int64_t ranks = whole_at(args, "Group size").value_or(0);
  if (ranks < 2) return {{}, "collectives of one rank, or of ranks unsaid"};
  const std::vector<std::int64_t> group = numbers_at(args, "Process Group Ranks");
  if (group.empty() ? ranks != world : !are_side_by_side(group, ranks)) {
    return {{}, "collectives over ranks that are not side by side, or unsaid"};
  }
  const auto in = static_cast<double>(whole_at(args, "In msg nelems").value_or(0));
  const auto out = static_cast<double>(whole_at(args, "Out msg nelems").value_or(0));
  const auto elements = buffer_of(*kind, in, out, static_cast<double>(ranks));
  const double size = elements.value_or(0) * element_size(text_at(args, "dtype"));
  if (size < 1) return {{}, "collectives whose bytes are unsaid"};
  return {MeasuredCollective{*kind, ranks, Bytes(size)}, ""};
}

bool is_known_operator(std::string_view name) {
  return torch_product(name) != nullptr || attention_named(name) != nullptr;
}

TracedWork operator_work(std::string_view name, const Json& args,
                         const std::vector<std::string>& kernels) {
  const TorchProduct* product = torch_product(name);
  if (product != nullptr) return product_work(*product, args, kernels);
  return attention_work(*attention_named(name), args, kernels);
}

const TorchProduct* torch_product(std::string_view name) {
  const auto* found = std::find_if(kProducts.begin(), kProducts.end(),
                                   [&](const TorchProduct& p) { return p.name == name; });
  return found == kProducts.end() ? nullptr : found;
}

std::optional<ProductShape> shape_of(const TorchProduct& p, const std::vector<std::int64_t>& a,
                                     const std::vector<std::int64_t>& b) {
  const bool fit = a.size() == p.rank && b.size() == p.rank && a[p.rank - 1] == b[p.rank - 2] &&
                   (p.rank == 2 || a[0] == b[0]);
  if (!fit) return {};
  ProductShape shape{a[p.rank - 2], b[p.rank - 1], a[p.rank - 1]};
  if (p.rank == 3) shape.groups = a[0];
  return shape;
}

}  // namespace orrery

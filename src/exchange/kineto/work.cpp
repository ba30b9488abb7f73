// SPDX-License-Identifier: Apache-2.0
#include "exchange/kineto/work.h"

#include <algorithm>
#include <array>

#include "core/json.h"
#include "exchange/kineto/torch_products.h"
#include "exchange/text_lines.h"

namespace orrery::detail {
namespace {

using Dims = std::vector<std::int64_t>;

// Where its inputs stand among the operator's.
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
  const auto said = [&](std::size_t i) { return input_text(args, "Concrete Inputs", i); };
  const Dims q = dims_of(args, f.query);
  const Dims k = dims_of(args, f.query + 1);
  const Dims v = dims_of(args, f.query + 2);
  if (q.size() != 4 || k != v || k.size() != 4 || q[1] != k[1] || q[3] != k[3]) {
    return {{}, "calls of attention whose queries and keys differ in shape, or are unsaid"};
  }
  if (!dims_of(args, f.lengths).empty()) return {{}, "calls of attention over packed sequences"};
  const std::string causal = said(f.causal);
  const bool is_causal = causal == "True" || causal == "true";
  if (!is_causal && causal != "False" && causal != "false") {
    return {{}, "calls of attention whose mask is unsaid"};
  }
  if (!is_zero(said(f.dropout))) return {{}, "calls of attention with dropout"};
  if (!is_none(said(f.window)) || !is_none(said(f.window + 1))) {
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

}  // namespace

bool is_known_operator(std::string_view name) {
  return torch_product(name) != nullptr || attention_named(name) != nullptr;
}

TracedWork operator_work(std::string_view name, const Json& args,
                         const std::vector<std::string>& kernels) {
  const TorchProduct* product = torch_product(name);
  if (product != nullptr) return product_work(*product, args, kernels);
  return attention_work(*attention_named(name), args, kernels);
}

}  // namespace orrery::detail

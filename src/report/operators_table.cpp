// SPDX-License-Identifier: Apache-2.0
#include "report/operators_table.h"

#include <array>

#include "core/json.h"
#include "core/units.h"
#include "cost/operator_time.h"
#include "document/words.h"
#include "parallel/shard.h"

namespace orrery {
namespace {

constexpr std::array<const char*, kMaxLayerTypes> kLayerNames = {
    "layer", "local layer", "expert layer", "local expert layer"};

std::string size_text(const ShardedOperator& op) {
  std::string text = grouped(op.rows) + "×" + grouped(op.cols);
  if (op.inner > 0) text += "×" + grouped(op.inner);
  if (op.groups > 1) text += " ×" + grouped(op.groups);
  return text;
}

Json size_json(const ShardedOperator& op) {
  return {{"rows", op.rows}, {"columns", op.cols}, {"inner", op.inner}, {"groups", op.groups}};
}

std::string exchange_text(const Exchange& e) {
  return std::string(name_of(e.group)) + " " + std::string(name_of(e.collective));
}

// "tp all-gather →←": the same exchange in both passes is said once.
void add_exchange_text(const Exchange& e, std::vector<std::string>& texts) {
  const char* arrow = e.pass == Pass::forward ? "→" : "←";
  const std::string text = exchange_text(e);
  for (std::string& t : texts) {
    if (t.rfind(text, 0) == 0) {
      t += arrow;
      return;
    }
  }
  texts.push_back(text + " " + arrow);
}

Json exchange_json(const Exchange& e) {
  return {{"group", std::string(name_of(e.group))},
          {"collective", std::string(name_of(e.collective))},
          {"pass", e.pass == Pass::forward ? "forward" : "backward"},
          {"times", e.times},
          {"buffer_bytes", e.buffer.si()}};
}

Cell exchanges_cell(const ShardedOperator& op) {
  std::vector<std::string> texts;
  Json list = Json::array();
  for (std::uint8_t i = 0; i < op.exchange_count; ++i) {
    add_exchange_text(op.exchanges[i], texts);
    list.push_back(exchange_json(op.exchanges[i]));
  }
  return {joined(texts, ", "), value_of(list)};
}

template <Dimension D>
Cell amount(Quantity<D> q) {
  return {q.si() == 0 ? "·" : pretty(q, 4), q.si()};
}

void add_block(const Run& run, const Block& block, const std::string& name, Table& list) {
  ShardedBlock sharded;
  shard(block, degrees_of(run.strategy), sharded);
  for (std::uint8_t i = 0; i < sharded.count; ++i) {
    const ShardedOperator& op = sharded.operators[i];
    list.add({name,
              std::string(name_of(op.name)),
              {size_text(op), value_of(size_json(op))},
              {op.parameters == 0 ? "·" : grouped(op.parameters), op.parameters},
              amount(forward_flops(op.kind, op, op.pairs)),
              amount(kept_bytes(op, recomputed_modules(run.strategy))),
              exchanges_cell(op)});
  }
}

}  // namespace

Table operator_list(const Run& run) {
  Table list({{"block", "block"},
              {"operator", "operator"},
              {"rows×columns×inner", "size"},
              {"parameters", "parameters", true},
              {"forward", "forward_flops", true},
              {"saved", "saved_bytes", true},
              {"exchanges", "exchanges"}});
  const ModelOperators model = model_operators(run.model, list_options(run));
  add_block(run, model.embedding, "embedding", list);
  for (std::size_t i = 0; i < kMaxLayerTypes; ++i) {
    add_block(run, model.layers[i], kLayerNames[i], list);
  }
  add_block(run, model.head, "head", list);
  add_block(run, model.mtp, "token prediction", list);
  return list;
}

}  // namespace orrery

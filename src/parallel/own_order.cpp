// SPDX-License-Identifier: Apache-2.0
#include "parallel/own_order.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "core/json_reader.h"
#include "parallel/schedules/order.h"
#include "parallel/strategy.h"

namespace orrery {
namespace {

constexpr const char* kStepForm =
    "F, B, I or W, a chunk and a dot where there are several, a micro batch: \"F3\", \"B1.3\"";
constexpr std::int64_t kMostMicroBatches = std::int64_t{1} << 20;

std::optional<std::int64_t> number_of(std::string_view text, std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || text.front() == '-' || value >= most) return {};
  return value;
}

constexpr EnumArray<StepKind, char> kLetters = {'F', 'B', 'I', 'W', '\0'};

// A pair cannot be said.
std::optional<StepKind> kind_of(char letter) {
  for (const StepKind kind : kAllOf<StepKind>) {
    if (letter != '\0' && kLetters[kind] == letter) return kind;
  }
  return {};
}

Step read_step(const Reader& r) {
  const std::string text = r.text();
  const std::string_view all(text);
  const std::optional<StepKind> kind = all.empty() ? std::nullopt : kind_of(all.front());
  if (!kind || all.size() < 2) r.fail(kStepForm);
  const std::size_t dot = all.find('.');
  const bool chunked = dot != std::string_view::npos;
  const std::optional<std::int64_t> chunk =
      chunked ? number_of(all.substr(1, dot - 1), kMaxStages) : std::optional<std::int64_t>(0);
  const std::optional<std::int64_t> micro_batch =
      number_of(all.substr(chunked ? dot + 1 : 1), kMostMicroBatches);
  if (!chunk || !micro_batch) r.fail(kStepForm);
  return {*kind, *chunk, *micro_batch};
}

std::string text_of(const Step& s, const PipelineShape& shape) {
  const std::string chunk = shape.chunks > 1 ? std::to_string(s.chunk) + "." : "";
  const std::array<const char*, 4> letters = {"F", "B", "I", "W"};
  return letters[static_cast<std::size_t>(s.kind)] + chunk + std::to_string(s.micro_batch);
}

std::string path_of(std::size_t stage, std::size_t position) {
  return "stages[" + std::to_string(stage) + "][" + std::to_string(position) + "]";
}

// The finished passes of one stage, by chunk and micro batch.
class StageCheck {
 public:
  StageCheck(const OwnOrder& order, std::size_t stage, const std::string& file)
      : order_(order),
        stage_(stage),
        file_(file),
        done_(static_cast<std::size_t>(steps_each_way(order.shape)), 0) {}

  void run() {
    const Program& program = order_.programs[stage_];
    for (std::size_t k = 0; k < program.size(); ++k) step(program[k], k);
    const auto missing =
        std::find_if(done_.begin(), done_.end(), [](unsigned d) { return d != kAll; });
    if (missing == done_.end()) return;
    const std::int64_t cell = missing - done_.begin();
    const StepKind kind = (*missing & kForward) == 0         ? StepKind::forward
                          : (*missing & kInputGradient) == 0 ? StepKind::backward
                                                             : StepKind::weight_gradient;
    const Step lacking{kind, cell / order_.shape.micro_batches, cell % order_.shape.micro_batches};
    throw InputError(file_, "stages[" + std::to_string(stage_) + "]",
                     "no step " + text_of(lacking, order_.shape),
                     "every chunk and micro batch that any stage names, once forward and back");
  }

 private:
  static constexpr unsigned kForward = 1;
  static constexpr unsigned kInputGradient = 2;
  static constexpr unsigned kWeightGradient = 4;
  static constexpr unsigned kAll = 7;

  void step(const Step& s, std::size_t position) {
    unsigned& done =
        done_[static_cast<std::size_t>(s.chunk * order_.shape.micro_batches + s.micro_batch)];
    const unsigned does = (has_forward(s.kind) ? kForward : 0) |
                          (has_input_gradient(s.kind) ? kInputGradient : 0) |
                          (has_weight_gradient(s.kind) ? kWeightGradient : 0);
    const unsigned before = s.kind == StepKind::forward           ? 0
                            : s.kind == StepKind::weight_gradient ? kForward | kInputGradient
                                                                  : kForward;
    if ((done & does) != 0) refuse(s, position, " a second time", "each step once");
    if ((done & before) != before) {
      refuse(s, position, " before what it needs", "forward first, then the gradients, W last");
    }
    done |= does;
  }

  [[noreturn]] void refuse(const Step& s, std::size_t position, const char* what,
                           const char* allowed) const {
    throw InputError(file_, path_of(stage_, position), text_of(s, order_.shape) + what, allowed);
  }

  const OwnOrder& order_;
  std::size_t stage_;
  const std::string& file_;
  std::vector<unsigned> done_;
};

void check_deadlock(const OwnOrder& order, const std::string& file) {
  const std::optional<Deadlock> stuck =
      walk_programs(order.layout, order.shape, order.programs, [](std::int64_t, const Step&) {});
  if (!stuck) return;
  const auto stage = static_cast<std::size_t>(stuck->stage);
  const auto position = static_cast<std::size_t>(stuck->position);
  const Result& r = stuck->missing;
  const Seat seat = seat_of(order.layout, order.shape, r.part, r.micro_batch);
  const Step cause{r.forward ? StepKind::forward : StepKind::backward, seat.chunk, r.micro_batch};
  throw InputError(file, path_of(stage, position),
                   text_of(order.programs[stage][position], order.shape) + ", which waits for " +
                       text_of(cause, order.shape) + " of stage " + std::to_string(seat.stage) +
                       ", which waits for this stage",
                   "an order in which no stage waits for ever");
}

ChunkLayout read_layout(Reader& root) {
  constexpr std::array<std::string_view, 2> kLayouts = {"looped", "v"};
  const std::optional<Reader> layout = root.find("layout");
  return layout ? static_cast<ChunkLayout>(layout->choice(kLayouts)) : ChunkLayout{};
}

// Stages, chunks and micro batches are as many as the steps name.
void read_programs(const Reader& stages, OwnOrder& order) {
  PipelineShape& shape = order.shape;
  shape.micro_batches = 1;
  for (const Reader& stage : stages.items()) {
    Program program;
    for (const Reader& step : stage.items()) {
      program.push_back(read_step(step));
      shape.chunks = std::max(shape.chunks, program.back().chunk + 1);
      shape.micro_batches = std::max(shape.micro_batches, program.back().micro_batch + 1);
    }
    order.programs.push_back(std::move(program));
  }
  shape.stages = static_cast<std::int64_t>(order.programs.size());
}

void check_size(const Reader& stages, const PipelineShape& shape) {
  if (shape.stages > 0 && shape.stages * shape.chunks <= kMaxStages) return;
  stages.fail(
      std::to_string(shape.stages) + " stages of " + std::to_string(shape.chunks) + " chunks",
      "1 to " + std::to_string(kMaxStages) + " chunks in all");
}

void check_program(const OwnOrder& order, std::size_t stage, const std::string& file) {
  const PipelineShape& shape = order.shape;
  const std::string path = "stages[" + std::to_string(stage) + "]";
  const std::size_t steps = order.programs[stage].size();
  if (steps == 0) throw InputError(file, path, "no steps", "its steps in order");
  // More than it can name: the first repeated or missing step is found without their table.
  if (steps_each_way(shape) > static_cast<std::int64_t>(steps)) {
    throw InputError(file, path, std::to_string(steps) + " steps",
                     "every one of " + std::to_string(shape.micro_batches) +
                         " micro batches through " + std::to_string(shape.chunks) +
                         " chunks, forward and back");
  }
  StageCheck(order, stage, file).run();
}

}  // namespace

OwnOrder read_own_order(const Json& json, const std::string& file) {
  Reader root(json, file);
  root.must_be_object();
  OwnOrder order;
  order.layout = read_layout(root);
  const Reader stages = root.at("stages");
  read_programs(stages, order);
  root.reject_unknown();
  check_size(stages, order.shape);
  for (std::size_t i = 0; i < order.programs.size(); ++i) check_program(order, i, file);
  check_deadlock(order, file);
  return order;
}

}  // namespace orrery

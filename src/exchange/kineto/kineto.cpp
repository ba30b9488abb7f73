// SPDX-License-Identifier: Apache-2.0
//
// The trace PyTorch's profiler exports through Kineto: `prof.export_chrome_trace("t.json")`, or the
// .pt.trace.json of tensorboard_trace_handler; recorded with activities CPU and CUDA, and
// record_shapes=True.
//
// A kernel belongs to the operator of its "External id", which is the innermost one that launched
// it, so that aten::linear is not counted beside its aten::addmm; where a kernel has none, to the
// operator of the launch with its "correlation". The time of an operator is the sum of its kernels
// and memory sets; exchange/kineto/work.h says which operators and collectives are read. Copies are
// read by their bytes, except those of pageable memory, which go through a buffer of the driver.
//
// The forms are of work alone: what ran beside another kernel of its GPU is left out, and of a
// collective the shortest time counts, since a kernel of NCCL waits for the other ranks. Durations
// of whole microseconds, as older versions write them, are known to 0.29 µs. Times that fall with
// bytes were disturbed and are left out. All that is left out is counted, by name.
// Errors: InputError where the file is no whole trace, or nothing in it says shape and time.
#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "core/json_in.h"
#include "exchange/kineto/trace_events.h"
#include "exchange/kineto/work.h"
#include "exchange/measurements/measurements.h"
#include "exchange/measurements/readers.h"
#include "exchange/text_lines.h"

namespace orrery {
namespace {

struct TimedOperator {
  std::string name;
  Json args;  // of those that are read
  bool twice = false;
};

class LeftOut {
 public:
  void add(const std::string& what, std::size_t count = 1) { counts_[what] += count; }

  // Kernels of operators that have no form: the commonest by name, the rest together.
  void add_kernels(const std::map<std::string, std::size_t>& by_operator) {
    constexpr std::size_t kNamed = 8;
    std::vector<std::pair<std::size_t, std::string>> order;
    for (const auto& [name, count] : by_operator) order.emplace_back(count, name);
    std::sort(order.rbegin(), order.rend());
    for (std::size_t i = 0; i < order.size(); ++i) {
      add(i < kNamed ? "kernels of " + order[i].second : "kernels of further operators",
          order[i].first);
    }
  }

  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (const auto& [what, count] : counts_) lines.push_back(std::to_string(count) + " " + what);
    return lines;
  }

 private:
  std::map<std::string, std::size_t> counts_;
};

class KinetoTrace {
 public:
  explicit KinetoTrace(const Json& head) : head_(head) {}

  void add(const Json& event) {
    const std::string category = text_at(event, "cat");
    const auto args = event.find("args");
    if (text_at(event, "ph") != "X" || args == event.end()) return;
    if (category == "cpu_op" || category == "Operator") {
      add_operator(event, *args);
    } else if (category == "cuda_runtime" || category == "cuda_driver" || category == "Runtime") {
      const auto external = external_id(*args);
      const auto correlation = whole_at(*args, "correlation");
      if (external && correlation) launches_[*correlation] = *external;
    } else if (auto work = gpu_work_of(event)) {
      if (work->time <= 0) return leave_out("events of a GPU without a duration");
      whole_microseconds_ = whole_microseconds_ && work->time == std::floor(work->time);
      gpu_.push_back(std::move(*work));
    }
  }

  void leave_out(const std::string& what) { left_out_.add(what); }

  // To collectives, copies, operators that have a form, and the rest.
  void join() {
    mark_beside(gpu_);
    std::map<std::string, std::size_t> others;
    for (const GpuWork& w : gpu_) {
      const std::int64_t id = operator_of(w);
      const auto op = operators_.find(id);
      const TimedOperator* known = op == operators_.end() ? nullptr : &op->second;
      const bool is_kernel = w.kind == GpuWork::Kind::kernel;
      if (is_kernel && contains(w.name, "nccl")) {
        add_collective(w, known);
      } else if (w.kind == GpuWork::Kind::copy) {
        add_copy(w);
      } else if (known != nullptr && is_known_operator(known->name)) {
        of_operator_[id].push_back(&w);
      } else if (is_kernel) {
        ++others[known == nullptr ? "no operator" : known->name];
      }
    }
    left_out_.add_kernels(others);
    for (const auto& [id, kernels] : of_operator_) add_operator_work(operators_.at(id), kernels);
  }

  MeasurementSet set(const std::string& file) const {
    MeasurementSet s;
    s.file = file;
    s.points = points();
    s.left_out = left_out_.lines();
    s.gpu = gpu_name();
    s.source = "a trace of PyTorch's profiler" + (s.gpu.empty() ? "" : ", " + s.gpu);
    leave_out_disturbed(s);
    return s;
  }

  bool has_gpu() const { return !gpu_.empty(); }
  bool has_shapes() const { return has_shapes_; }

 private:
  using Kernels = std::vector<const GpuWork*>;

  void add_operator(const Json& event, const Json& args) {
    const auto id = external_id(args);
    if (!id) return;
    const auto [at, is_new] = operators_.try_emplace(*id);
    TimedOperator& op = at->second;
    op.twice = !is_new;
    op.name = text_at(event, "name");
    has_shapes_ = has_shapes_ || args.contains("Input Dims");
    if (is_known_operator(op.name) || has_collective(args)) op.args = args;
  }

  std::int64_t operator_of(const GpuWork& w) const {
    if (operators_.count(w.external) > 0) return w.external;
    const auto launch = launches_.find(w.correlation);
    return launch == launches_.end() ? -1 : launch->second;
  }

  void add_point(const Measurement& m, double microseconds) {
    repeats_.add(m, Seconds(microseconds * kMicro));
  }

  void add_collective(const GpuWork& w, const TimedOperator* op) {
    const bool says = !w.collective.is_null() || op == nullptr;
    const auto run = head_.find("distributedInfo");
    const std::int64_t world = run == head_.end() ? 0 : whole_at(*run, "world_size").value_or(0);
    const TracedWork traced = collective_work(says ? w.collective : op->args, world);
    if (!traced.work) return leave_out(traced.why_not);
    if (w.beside) return leave_out("collectives that ran beside another kernel");
    add_point({*traced.work, {}, ""}, w.time);
  }

  void add_copy(const GpuWork& w) {
    const auto copy = copy_named(w.name, Bytes(static_cast<double>(w.bytes)));
    if (!copy || w.bytes < 1) return leave_out("copies of another kind, or of no bytes");
    if (contains(w.name, "Pageable")) return leave_out("copies from or to pageable memory");
    if (w.beside) return leave_out("copies on the device that ran beside a kernel");
    add_point(*copy, w.time);
  }

  void add_operator_work(const TimedOperator& op, const Kernels& kernels) {
    if (op.twice) return leave_out("operators whose External id another has too");
    std::vector<std::string> names;
    double time = 0;
    bool beside = false;
    for (const GpuWork* k : kernels) {
      names.push_back(k->name);
      time += k->time;
      beside = beside || k->beside;
    }
    const TracedWork traced = operator_work(op.name, op.args, names);
    if (!traced.work) return leave_out(traced.why_not);
    if (beside) return leave_out("calls of " + op.name + " that ran beside another kernel");
    add_point({*traced.work, {}, ""}, time);
  }

  std::vector<Measurement> points() const {
    constexpr double kRounding = 0.29 * kMicro;  // 1/√12: a time anywhere within a microsecond
    std::vector<Measurement> points = repeats_.middles();
    for (std::size_t i = 0; i < points.size(); ++i) {
      const std::vector<double>& seconds = repeats_.all()[i].seconds;
      TimedWork& t = points[i].timed;
      if (std::holds_alternative<MeasuredCollective>(points[i].work)) {
        t.time = Seconds(*std::min_element(seconds.begin(), seconds.end()));
      }
      if (whole_microseconds_) t.spread = std::max(t.spread, kRounding / t.time.si());
    }
    return points;
  }

  std::string gpu_name() const {
    const auto devices = head_.find("deviceProperties");
    if (devices == head_.end() || !devices->is_array() || devices->empty()) return "";
    return text_at(devices->front(), "name");
  }

  const Json& head_;
  std::unordered_map<std::int64_t, TimedOperator> operators_;  // by External id
  std::unordered_map<std::int64_t, std::int64_t> launches_;    // External id by correlation
  std::vector<GpuWork> gpu_;
  std::map<std::int64_t, Kernels> of_operator_;
  Repeats repeats_;
  LeftOut left_out_;
  bool has_shapes_ = false;
  bool whole_microseconds_ = true;
};

// The form without Kineto, of older PyTorch and of builds without it: events have no shapes.
bool is_older(std::string_view text) {
  return first_character(text) == '[' && contains(text, "\"ph\"");
}

void read_events(TraceEvents& events, KinetoTrace& trace) {
  while (const auto event = events.next()) {
    const std::optional<Json> parsed = json_in(*event);
    if (parsed && parsed->is_object()) {
      trace.add(*parsed);
    } else {
      trace.leave_out("events that are no JSON");
    }
  }
}

}  // namespace

bool is_kineto(std::string_view text) { return has_trace_events(text) || is_older(text); }

MeasurementSet read_kineto(std::string_view text, const std::string& file,
                           const MeasurementHints& /*hints*/) {
  if (!has_trace_events(text)) {
    fail({file, 1}, "a trace of a PyTorch without Kineto, which has no shapes",
         "a trace by Kineto, or the table of key_averages(group_by_input_shape=True)");
  }
  TraceEvents events(text, file);
  // PyTorch writes the members before the events, a tool that saves them again often behind.
  Json head = events.head();
  KinetoTrace trace(head);
  read_events(events, trace);
  const Json tail = events.tail();
  for (const auto& [key, value] : tail.items()) {
    if (!head.contains(key)) head[key] = value;
  }
  if (!trace.has_gpu()) {
    fail({file, 1}, "a trace without work of a GPU",
         "one of profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], "
         "record_shapes=True)");
  }
  trace.join();
  MeasurementSet set = trace.set(file);
  if (set.points.empty() && !trace.has_shapes()) {
    fail({file, 1}, "operators without shapes", "a trace of profile(record_shapes=True)");
  }
  return set;
}

}  // namespace orrery

// SPDX-License-Identifier: Apache-2.0
#include "sim/stage_lines.h"

#include <algorithm>

#include "estimate/boundary_sends.h"
#include "estimate/classes.h"
#include "estimate/comm_lines.h"
#include "estimate/data_parallel.h"
#include "estimate/exchange_lines.h"
#include "estimate/run.h"
#include "estimate/workspace.h"

namespace orrery {
namespace {

// The term that waits for messages of a dimension.
constexpr EnumArray<CommDimension, Term> kTerms = {
    Term::tp_exposed, Term::cp_exposed, Term::ep_exposed, Term::tp_exposed,
    Term::pp_exposed, Term::pp_exposed, Term::dp_exposed, Term::dp_exposed};

// Gives lines together this exposed time, each its share of what they expose, or of their time.
template <class Lines>
void expose(Lines& lines, Seconds exposed) {
  Seconds before{};
  Seconds time{};
  for (const CommLine<double>* l : lines) before += l->exposed, time += l->time;
  for (CommLine<double>* l : lines) {
    if (before > Seconds()) {
      l->exposed = exposed * (l->exposed / before);
    } else if (time > Seconds()) {
      l->exposed = exposed * (l->time / time);
    }
  }
}

class LineReader {
 public:
  LineReader(const Run& run, const Workspace& w, const StepPlan& plan, const StepClock& times,
             std::size_t stage)
      : run_(run), w_(w), plan_(plan), times_(times), stage_(stage) {}

  StageLines read() {
    add_exchanges();
    add_sharded_traffic();
    const ExposedTraffic measured = exposed_traffic(plan_, times_, stage_);
    add_end_of_step(false, measured.gradients);
    add_end_of_step(true, measured.weights);
    add_sends();
    return {a_.comm.begin(), a_.comm.begin() + a_.comm_count};
  }

 private:
  template <class Visit>
  void for_cells(Visit&& visit) const {
    for (std::size_t j = stage_; j < plan_.passes.size(); j += plan_.stages.size()) {
      visit(j, class_of<double>(w_, part_of_cell(plan_, static_cast<std::int64_t>(j))),
            micro_batches_through(plan_, j));
    }
  }

  // Exchanges as priced, then as long as the passes have them.
  void add_exchanges() {
    Terms<double> priced{};
    Terms<double> planned{};
    for_cells([&](std::size_t j, const StageClass<double>& c, double m) {
      add_exchange_lines<double>(w_, c, static_cast<std::int64_t>(m), a_);
      const PassPlan& p = plan_.passes[j];
      for (const Term t : kAllOf<Term>) {
        priced[t] += (c.costs.forward[t] + c.costs.backward[t]) * m;
        planned[t] += (p.forward_terms[t] + p.backward_terms[t]) * m;
      }
    });
    for (std::uint8_t i = 0; i < a_.comm_count; ++i) {
      CommLine<double>& l = a_.comm[i];
      const Term t = kTerms[l.dimension];
      if (!(priced[t] > Seconds()) || planned[t] == priced[t]) continue;
      const double longer = planned[t] / priced[t];
      l.time = l.time * longer;
      l.codec = l.codec * longer;
      l.exposed = l.exposed * longer;
    }
  }

  // Weights and gradients that are sharded in every micro batch.
  void add_sharded_traffic() {
    Answer moves;
    Seconds exposed{};
    for_cells([&](std::size_t j, const StageClass<double>& c, double m) {
      const PassPlan& p = plan_.passes[j];
      exposed += (p.forward_terms[Term::dp_exposed] + p.backward_terms[Term::dp_exposed]) * m;
      for (const Pass pass : {Pass::forward, Pass::backward}) {
        for (CommLine<double> l :
             pass_traffic(run_, w_.prices, c.blocks, pass, c.again.resharded)) {
          l.count *= static_cast<std::int64_t>(m);
          l.bytes = l.bytes * m;
          l.sent = l.sent * m;
          l.uncompressed = l.uncompressed * m;
          l.time = l.time * m;
          l.codec = l.codec * m;
          add_line(moves, l);
        }
      }
    });
    std::vector<CommLine<double>*> lines;
    for (std::uint8_t i = 0; i < moves.comm_count; ++i) lines.push_back(&moves.comm[i]);
    expose(lines, exposed);
    for (const CommLine<double>* l : lines) add_line(a_, *l);
  }

  // The hidden part stays as planned.
  void add_end_of_step(bool gathers, Seconds measured) {
    StageLines all = plan_.stages[stage_].lines;
    std::vector<CommLine<double>*> lines;
    for (CommLine<double>& l : all) {
      if ((l.collective == Collective::all_gather) == gathers) lines.push_back(&l);
    }
    std::vector<Seconds> hidden;
    for (const CommLine<double>* l : lines) hidden.push_back(l->time - l->exposed);
    expose(lines, measured);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      lines[i]->time = hidden[i] + lines[i]->exposed;
      add_line(a_, *lines[i]);
    }
  }

  void add_sends() {
    const std::int64_t m = run_.strategy.micro_batches / copies_of_model(plan_.schedule.layout());
    add_send_lines<double>(run_, w_, static_cast<std::int64_t>(stage_), m, {},
                           CommSink<double>{a_});
    for (const Rendezvous& r : plan_.rendezvous) {
      if (r.first == stage_ || r.second == stage_) add_line(a_, r.line);
    }
  }

  const Run& run_;
  const Workspace& w_;
  const StepPlan& plan_;
  const StepClock& times_;
  std::size_t stage_;
  Answer a_;
};

}  // namespace

std::vector<StageLines> stage_lines(const Run& run, const Workspace& w, const StepPlan& plan,
                                    const StepClock& times) {
  std::vector<StageLines> all;
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    all.push_back(LineReader(run, w, plan, times, i).read());
  }
  return all;
}

void fit_lines(const StageLines& lines, Answer& a) {
  a.comm_count = static_cast<std::uint8_t>(lines.size());
  std::copy(lines.begin(), lines.end(), a.comm.begin());
  for (const Term t : kAllOf<Term>) {
    std::vector<CommLine<double>*> of_term;
    for (std::uint8_t i = 0; i < a.comm_count; ++i) {
      if (kTerms[a.comm[i].dimension] == t) of_term.push_back(&a.comm[i]);
    }
    expose(of_term, a.breakdown[t]);
    for (CommLine<double>* l : of_term) l->time = std::max(l->time, l->exposed);
  }
}

}  // namespace orrery

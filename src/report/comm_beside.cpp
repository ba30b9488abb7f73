// SPDX-License-Identifier: Apache-2.0
#include "core/json.h"
#include "core/units.h"
#include "document/words.h"
#include "insight/neighbours.h"
#include "report/comm.h"

namespace orrery {
namespace {

struct Meeting {
  SharedTraffic own;
  SharedTraffic other;
};

Meeting meeting_of(const CommBeside& b) { return {shared_traffic(b.own), shared_traffic(b.other)}; }

std::string step_beside(Seconds step, Seconds alone) {
  return pretty(step, 4) + " (" + signed_percent(step / alone - 1) + ")";
}

void add_job(const std::string& name, const SharedTraffic& own, const SharedTraffic& other,
             Table& t) {
  const StepsBeside s = steps_beside(own, other);
  t.add({name, pretty(own.step, 4), pretty(own.busy, 3), step_beside(s.mean, own.step),
         step_beside(s.at_95, own.step), step_beside(s.worst, own.step)});
}

Json job_json(const SharedTraffic& own, const SharedTraffic& other) {
  const StepsBeside s = steps_beside(own, other);
  return {{"tier", own.tier},        {"alone_s", own.step.si()},
          {"busy_s", own.busy.si()}, {"halved_s", own.halved.si()},
          {"mean_s", s.mean.si()},   {"p95_s", s.at_95.si()},
          {"worst_s", s.worst.si()}};
}

}  // namespace

AnswerDocument comm_beside_document(const CommBeside& b) {
  AnswerDocument d = comm_document(b.own);
  const Meeting m = meeting_of(b);
  Table t({{"job"},
           {"alone", true},
           {"sends for", true},
           {"beside: mean", true},
           {"1 of 20", true},
           {"worst", true}},
          2);
  add_job("this run", m.own, m.other, t);
  add_job(b.name, m.other, m.own, t);
  d.add({bold("Beside ") + b.name + ": steps where both share " + m.own.tier + " in halves", {t}});
  d.add({"",
         {Paragraph{
             "over all phases of the two; 1 of 20: as long or longer in one phase of twenty. "
             "Traffic counts as one burst a step: where it is spread, the tail is shorter."}}});
  return d;
}

Json comm_beside_json(const CommBeside& b) {
  Json j = comm_json(b.own);
  const Meeting m = meeting_of(b);
  j["beside"] = {
      {"run", b.name}, {"own", job_json(m.own, m.other)}, {"other", job_json(m.other, m.own)}};
  return j;
}

}  // namespace orrery

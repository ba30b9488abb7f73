// SPDX-License-Identifier: Apache-2.0
#include "core/json.h"
#include "core/units.h"
#include "document/words.h"
#include "insight/neighbours.h"
#include "report/comm.h"

namespace orrery {
namespace {

struct Meeting {
  LinkParts parts;
  SharedTraffic own;
  SharedTraffic other;
};

const Cluster& cluster_of(const CommReport& r) { return r.run.resolved.run.cluster; }

Meeting meeting_of(const CommBeside& b) {
  const LinkParts parts = link_parts(cluster_of(b.own), cluster_of(b.other));
  const bool uplinks = parts.pods.has_value();
  return {parts, shared_traffic(b.own, parts.own, uplinks),
          shared_traffic(b.other, parts.other, uplinks)};
}

// "in halves", "on the uplinks of 3 pods"
std::string parts_words(const Meeting& m) {
  if (!m.parts.pods) return "both share " + m.own.tier + " in halves";
  if (*m.parts.pods == 0) return "no pod holds nodes of both";
  const std::string pods = counted(*m.parts.pods, "pod");
  if (m.parts.own == 1 && m.parts.other == 1) {
    return "both have nodes in " + pods + ", whose uplinks carry them all";
  }
  return "both share the uplinks of " + pods + ": " + percent(m.parts.own, 0) + " for this run, " +
         percent(m.parts.other, 0) + " for the other";
}

std::string step_beside(Seconds step, Seconds alone) {
  return pretty(step, 4) + " (" + signed_percent(step / alone - 1) + ")";
}

void add_job(const std::string& name, const SharedTraffic& own, const SharedTraffic& other,
             Table& t) {
  const StepsBeside s = steps_beside(own, other);
  t.add({name, pretty(own.step, 4), pretty(own.busy, 3), step_beside(s.mean, own.step),
         step_beside(s.at_95, own.step), step_beside(s.worst, own.step)});
}

Json job_json(const SharedTraffic& own, const SharedTraffic& other, double part) {
  const StepsBeside s = steps_beside(own, other);
  return {{"tier", own.tier},        {"alone_s", own.step.si()},    {"link_part", part},
          {"busy_s", own.busy.si()}, {"halved_s", own.halved.si()}, {"mean_s", s.mean.si()},
          {"p95_s", s.at_95.si()},   {"worst_s", s.worst.si()}};
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
  d.add({bold("Beside ") + b.name + ": steps where " + parts_words(m), {t}});
  d.add({"",
         {Paragraph{
             "over all phases of the two; 1 of 20: as long or longer in one phase of twenty. "
             "Traffic counts as one burst a step: where it is spread, the tail is shorter."}}});
  return d;
}

Section write_section(const WriteBeside& w) {
  Table t({{"step", true},
           {"during the write", true},
           {"mean", true},
           {"1 of 20", true},
           {"worst", true}},
          2);
  t.add({pretty(w.alone, 4), step_beside(w.during, w.alone), step_beside(w.mean, w.alone),
         step_beside(w.at_95, w.alone), step_beside(w.worst, w.alone)});
  return {bold("Beside a checkpoint") + " every " + pretty(w.interval, 3) + ": " +
              pretty(w.per_node, 3) + " of a node at " + pretty(w.rate, 3) + " take " +
              pretty(w.write, 3) + " and leave " + percent(w.link_part, 1) +
              " of the network to the step",
          {t}};
}

AnswerDocument comm_write_document(const CommReport& r, const WriteBeside& w) {
  AnswerDocument d = comm_document(r);
  d.add(write_section(w));
  return d;
}

Json comm_write_json(const CommReport& r, const WriteBeside& w) {
  Json j = comm_json(r);
  j["write"] = {{"bytes_per_node", w.per_node.si()},
                {"interval_s", w.interval.si()},
                {"write_s", w.write.si()},
                {"rate_bytes_per_s", w.rate.si()},
                {"link_part", w.link_part},
                {"alone_s", w.alone.si()},
                {"during_s", w.during.si()},
                {"mean_s", w.mean.si()},
                {"p95_s", w.at_95.si()},
                {"worst_s", w.worst.si()}};
  return j;
}

Json comm_beside_json(const CommBeside& b) {
  Json j = comm_json(b.own);
  const Meeting m = meeting_of(b);
  j["beside"] = {{"run", b.name},
                 {"shared_pods", m.parts.pods ? Json(*m.parts.pods) : Json()},
                 {"own", job_json(m.own, m.other, m.parts.own)},
                 {"other", job_json(m.other, m.own, m.parts.other)}};
  return j;
}

}  // namespace orrery

// SPDX-License-Identifier: Apache-2.0
#include "report/fleet.h"

#include <algorithm>

#include "core/json.h"
#include "document/words.h"
#include "report/capacity_words.h"
#include "report/frame.h"
#include "report/frame_json.h"
#include "report/money_json.h"

namespace orrery {
namespace {

const FleetPlacement& place_of(const FleetAnswer& a, std::size_t i) { return a.schedule.jobs[i]; }

const FleetWay& way_of(const FleetAnswer& a, std::size_t i) {
  return a.trainings[i].job.ways[place_of(a, i).way];
}

const OptionAnswer& option_of(const FleetAnswer& a, std::size_t i) {
  const FleetTraining& t = a.trainings[i];
  return t.options[t.fitting[place_of(a, i).way]].answer;
}

// Ends of the 80 % interval of the steps, from the planned start.
Ranged<Seconds> end_of(const FleetAnswer& a, std::size_t i) {
  const FleetPlacement& p = place_of(a, i);
  const Ranged<Seconds>& time = option_of(a, i).training.time;
  const Seconds wall = p.end - p.start;
  return {p.end, p.start + wall * (time.low / time.value),
          p.start + wall * (time.high / time.value)};
}

Seconds late_by(const FleetAnswer& a, std::size_t i) {
  const std::optional<Seconds>& deadline = a.trainings[i].job.deadline;
  if (!deadline || !place_of(a, i).placed) return {};
  return std::max(Seconds(), place_of(a, i).end - *deadline);
}

std::string when(const FleetAnswer& a, Seconds t) {
  return a.start ? text_of(after(*a.start, t)) : "day " + fixed(in_days(t), 1);
}

std::string names_of_late(const FleetAnswer& a) {
  std::vector<std::string> late;
  for (std::size_t i = 0; i < a.trainings.size(); ++i) {
    if (late_by(a, i) > Seconds()) {
      late.push_back(a.trainings[i].name + " by " + fixed(in_days(late_by(a, i)), 1) + " days");
    }
  }
  return joined(late, ", ");
}

std::string names_of_unplaced(const FleetAnswer& a) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < a.trainings.size(); ++i) {
    if (!place_of(a, i).placed) names.push_back(a.trainings[i].name);
  }
  return joined(names, ", ");
}

Seconds last_end(const FleetAnswer& a) {
  Seconds last;
  for (const FleetPlacement& p : a.schedule.jobs) last = std::max(last, p.end);
  return last;
}

std::string verdict(const FleetAnswer& a) {
  const std::string late = names_of_late(a);
  const std::string unplaced = names_of_unplaced(a);
  std::string text = late.empty() ? "Nothing is late" : "Late: " + late;
  if (!unplaced.empty()) text += "; not possible: " + unplaced;
  text += ". The last training ends on " + when(a, last_end(a));
  if (a.schedule.score.rent.amount() > 0) {
    text += "; rents cost " + money_text(a.schedule.score.rent);
  }
  return text + ".";
}

std::string how_good(const FleetAnswer& a) {
  if (a.schedule.exact) {
    return "No other schedule is less late, then cheaper in rent, then earlier (" +
           grouped(a.schedule.nodes) + " placements looked at).";
  }
  return "The best found among " + grouped(a.schedule.nodes) +
         " placements; a better one may exist.";
}

Table trainings_table(const FleetAnswer& a) {
  Table table({"training",
               "pool",
               {"GPUs", true},
               {"from", true},
               {"to", true},
               {"80 % range", true},
               {"deadline", true},
               {"waits", true},
               {"rent", true}},
              2);
  for (std::size_t i = 0; i < a.trainings.size(); ++i) {
    const FleetPlacement& p = place_of(a, i);
    const FleetTraining& t = a.trainings[i];
    const std::string deadline = t.job.deadline ? when(a, *t.job.deadline) : "–";
    if (!p.placed) {
      table.add({t.name, "not possible", "", "", "", "", deadline, "", ""});
      continue;
    }
    const FleetWay& w = way_of(a, i);
    const Ranged<Seconds> end = end_of(a, i);
    const Seconds waits = p.start - t.job.ready;
    table.add({t.name, a.pools[w.pool].name, grouped(w.gpus), when(a, p.start), when(a, p.end),
               when(a, end.low) + " – " + when(a, end.high), deadline,
               waits > Seconds() ? fixed(in_days(waits), 1) + " days" : "",
               w.rent.amount() > 0 ? money_text(w.rent) : ""});
  }
  return table;
}

Money rent_of(const FleetAnswer& a, std::size_t pool) {
  Money rent(0, a.currency);
  for (std::size_t i = 0; i < a.trainings.size(); ++i) {
    if (place_of(a, i).placed && way_of(a, i).pool == pool) rent += way_of(a, i).rent;
  }
  return rent;
}

Table pools_table(const FleetAnswer& a) {
  const std::vector<FleetJob> jobs = jobs_of(a);
  Table table({"pool", {"GPUs", true}, {"most in use", true}, {"used", true}, {"rent", true}}, 2);
  for (std::size_t i = 0; i < a.pools.size(); ++i) {
    const FleetPool& p = a.pools[i];
    table.add({p.name, grouped(p.gpus), grouped(most_busy(jobs, a.schedule, i)),
               percent(used_share(jobs, a.schedule, i, p.gpus)),
               p.is_rented ? money_text(rent_of(a, i)) : "owned"});
  }
  return table;
}

std::string price_words(const FleetAddition& x) {
  std::vector<std::string> ways;
  if (x.purchase) ways.push_back(money_text(*x.purchase) + " to buy");
  if (x.rent) {
    ways.push_back(money_text(*x.rent) + " to rent from then until the last training ends");
  }
  return ways.empty() ? "; no price of them given (`prices`)" : "; " + joined(ways, ", ");
}

Section additions(const FleetAnswer& a) {
  if (a.additions.empty()) return {};
  Section s{"What to add so that nothing is late"};
  for (const FleetAddition& x : a.additions) {
    const std::string& pool = a.pools[x.pool].name;
    s.add(Paragraph{x.gpus > 0
                        ? pool + ": " + grouped(x.gpus) + " GPUs more, in use from " +
                              when(a, x.needed_from) + price_words(x)
                        : pool + ": up to " + grouped(x.most_tried) + " GPUs more are not enough",
                    4, 2});
  }
  return s;
}

// Why a training has no place.
Section refused(const FleetAnswer& a) {
  Section s;
  for (std::size_t i = 0; i < a.trainings.size(); ++i) {
    if (place_of(a, i).placed) continue;
    s.heading = "Not possible";
    for (const FleetOption& o : a.trainings[i].options) {
      const std::string why = o.answer.status == OptionStatus::fits
                                  ? "more GPUs than the pool has"
                                  : std::string(name_of(o.answer.status)) + ": " + o.answer.reason;
      s.add(Paragraph{a.trainings[i].name + " on " + grouped(o.answer.gpus) + " GPUs of " +
                          a.pools[o.pool].name + ": " + why,
                      4, 2});
    }
  }
  return s;
}

Table rows_of(const FleetAnswer& a) {
  Table table({"training", "pool", "gpus", "start_days", "end_days", "end_days_low",
               "end_days_high", "deadline_days", "late_days", "rent_" + a.currency.text()});
  for (std::size_t i = 0; i < a.trainings.size(); ++i) {
    const FleetPlacement& p = place_of(a, i);
    const FleetTraining& t = a.trainings[i];
    const std::string deadline = t.job.deadline ? plain_number(in_days(*t.job.deadline)) : "";
    if (!p.placed) {
      table.add({t.name, "", "", "", "", "", "", deadline, "", ""});
      continue;
    }
    const FleetWay& w = way_of(a, i);
    const Ranged<Seconds> end = end_of(a, i);
    table.add({t.name, a.pools[w.pool].name, std::to_string(w.gpus), plain_number(in_days(p.start)),
               plain_number(in_days(p.end)), plain_number(in_days(end.low)),
               plain_number(in_days(end.high)), deadline, plain_number(in_days(late_by(a, i))),
               plain_number(w.rent.amount())});
  }
  return table;
}

Json training_json(const FleetAnswer& a, std::size_t i) {
  const FleetPlacement& p = place_of(a, i);
  const FleetTraining& t = a.trainings[i];
  Json j = {{"name", t.name},
            {"placed", p.placed},
            {"deadline_days", json_or_null(t.job.deadline, in_days)},
            {"ready_days", in_days(t.job.ready)},
            {"priority", t.job.priority}};
  j["options"] = json_list(t.options, [&](const FleetOption& o) -> Json {
    const bool fits = o.answer.status == OptionStatus::fits;
    return {{"pool", a.pools[o.pool].name},
            {"gpus", o.answer.gpus},
            {"status", name_of(o.answer.status)},
            {"reason", o.answer.reason},
            {"days", fits ? Json(in_days(o.answer.outcome.wall)) : Json()}};
  });
  if (!p.placed) return j;
  const FleetWay& w = way_of(a, i);
  const Ranged<Seconds> end = end_of(a, i);
  j["pool"] = a.pools[w.pool].name;
  j["gpus"] = w.gpus;
  j["start_days"] = in_days(p.start);
  j["end_days"] = {in_days(end.low), in_days(end.value), in_days(end.high)};
  j["late_days"] = in_days(late_by(a, i));
  j["waits_days"] = in_days(p.start - t.job.ready);
  j["rent"] = w.rent.amount();
  return j;
}

}  // namespace

bool is_answered(const FleetAnswer& a) {
  return a.schedule.score.lateness <= 0 && names_of_unplaced(a).empty();
}

AnswerDocument fleet_document(const FleetAnswer& a) {
  AnswerDocument d{a.name};
  d.add({bold(a.name)});
  Section head;
  head.add(Paragraph{verdict(a)});
  head.add(Paragraph{how_good(a)});
  d.add(std::move(head));
  d.add(Section{"Trainings, by the middle of their time"}.add(trainings_table(a)));
  d.add(Section{"Pools, until the last training ends"}.add(pools_table(a)));
  d.add(additions(a));
  d.add(refused(a));
  d.rows = rows_of(a);
  return d;
}

Json fleet_json(const FleetAnswer& a) {
  Json trainings = Json::array();
  for (std::size_t i = 0; i < a.trainings.size(); ++i) trainings.push_back(training_json(a, i));
  const std::vector<FleetJob> jobs = jobs_of(a);
  Json pools = Json::array();
  for (std::size_t i = 0; i < a.pools.size(); ++i) {
    const FleetPool& p = a.pools[i];
    pools.push_back({{"name", p.name},
                     {"gpus", p.gpus},
                     {"rented", p.is_rented},
                     {"most_in_use", most_busy(jobs, a.schedule, i)},
                     {"used", used_share(jobs, a.schedule, i, p.gpus)},
                     {"rent", rent_of(a, i).amount()}});
  }
  const auto added = [&](const FleetAddition& x) -> Json {
    return {{"pool", a.pools[x.pool].name},       {"gpus", x.gpus > 0 ? Json(x.gpus) : Json()},
            {"most_tried", x.most_tried},         {"needed_from_days", in_days(x.needed_from)},
            {"purchase", money_json(x.purchase)}, {"rent", money_json(x.rent)}};
  };
  return versioned({{"name", a.name},
                    {"currency", a.currency.text()},
                    {"trainings", trainings},
                    {"pools", pools},
                    {"rent", a.schedule.score.rent.amount()},
                    {"exact", a.schedule.exact},
                    {"placements_tried", a.schedule.nodes},
                    {"additions", json_list(a.additions, added)}});
}

}  // namespace orrery

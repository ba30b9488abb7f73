// SPDX-License-Identifier: Apache-2.0
#include "validate/claim_verdict.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/error.h"
#include "validate/claim_where.h"

namespace orrery {
namespace {

// The claim is written wrongly, so that no point of its map has an answer.
bool is_mistake(ErrorCode code) {
  return code == ErrorCode::unknown_key || code == ErrorCode::missing_key ||
         code == ErrorCode::wrong_type;
}

constexpr std::string_view kMeasured = "measured.";

// Data shared by the points of the map: answers by the text of the run, documents and published
// runs by name.
struct Shared {
  std::map<std::string, Json> answers;
  std::map<std::string, Json> documents;
  std::map<std::string, PublishedRun> published;
};

class PointRun {
 public:
  PointRun(const Claim& claim, const ClaimContext& context, Shared& shared, ClaimPoint& point)
      : claim_(claim), context_(context), shared_(shared), point_(point) {
    for (const auto& [name, document] : shared.documents) documents_[name] = &document;
  }

  void run() {
    try {
      take_values();
      answer_runs();
    } catch (const InputError& e) {
      if (is_mistake(e.code())) throw;
      point_.refusal = (asked_.empty() ? "" : "run " + asked_ + ": ") + e.what();
      return;
    }
    compute();
  }

 private:
  void take_values() {
    for (std::size_t a = 0; a < claim_.axes.size(); ++a) {
      const ClaimValue& v = claim_.axes[a].values[point_.at[a]];
      for (const auto& [name, number] : v.let) known_[name] = number;
    }
  }

  Json document_of(const ClaimRun& r) const {
    if (!r.published.empty()) return shared_.published.at(r.name).run;
    Json run = r.like.empty()
                   ? (r.run.is_string() ? context_.load(r.run.get<std::string>()) : r.run)
                   : runs_.at(r.like);
    change(run, r.set);
    for (std::size_t a = 0; a < claim_.axes.size(); ++a) {
      const Json& set = claim_.axes[a].values[point_.at[a]].set;
      if (set.contains(r.name)) change(run, set.at(r.name));
    }
    return run;
  }

  void change(Json& run, const Json& set) const {
    for (const auto& [path, value] : set.items()) context_.set(run, path, value);
  }

  // The same run at another point is not asked for again.
  void answer_runs() {
    for (const ClaimRun& r : claim_.runs) {
      asked_ = r.name;
      runs_[r.name] = document_of(r);
      const std::string text = runs_[r.name].dump();
      auto found = shared_.answers.find(text);
      if (found == shared_.answers.end()) {
        found = shared_.answers.emplace(text, context_.answer(runs_[r.name], claim_.file)).first;
      }
      documents_[r.name] = &found->second;
    }
  }

  std::optional<double> value_of(const std::string& path) const {
    const auto known = known_.find(path);
    if (known != known_.end()) return known->second;
    const std::size_t dot = path.find('.');
    const auto document = documents_.find(path.substr(0, dot));
    if (dot == std::string::npos || document == documents_.end()) return {};
    const std::string_view rest = std::string_view(path).substr(dot + 1);
    const auto published = shared_.published.find(path.substr(0, dot));
    if (published != shared_.published.end() && rest.starts_with(kMeasured)) {
      return number_at(published->second.measured, rest.substr(kMeasured.size()));
    }
    return number_at(*document->second, rest);
  }

  double evaluated(const Expression& e, const std::string& where) const {
    return evaluate(
        e, [this](const std::string& path) { return value_of(path); }, claim_.file, where);
  }

  void compute() {
    for (const ClaimQuantity& q : claim_.quantities) {
      const double x = evaluated(q.is, "compute." + q.name);
      known_[q.name] = x;
      point_.values.push_back(x);
    }
    for (std::size_t i = 0; i < claim_.checks.size(); ++i) {
      const ClaimCheck& c = claim_.checks[i];
      const std::string where = "checks[" + std::to_string(i) + "].holds";
      point_.holds.push_back(c.holds && evaluated(*c.holds, where) != 0);
    }
  }

  const Claim& claim_;
  const ClaimContext& context_;
  Shared& shared_;
  ClaimPoint& point_;
  std::string asked_;  // the run at hand
  std::map<std::string, double> known_;
  std::map<std::string, Json> runs_;
  std::map<std::string, const Json*> documents_;
};

// The last axis moves fastest.
std::vector<ClaimPoint> points_of(const Claim& claim) {
  std::vector<ClaimPoint> points(1);
  points[0].at = {};
  for (const ClaimAxis& axis : claim.axes) {
    std::vector<ClaimPoint> more;
    for (const ClaimPoint& p : points) {
      for (std::size_t i = 0; i < axis.values.size(); ++i) {
        more.push_back(p);
        more.back().at.push_back(i);
      }
    }
    points = std::move(more);
  }
  return points;
}

JudgedCheck judged(const Claim& claim, const std::vector<ClaimPoint>& points, std::size_t i) {
  const ClaimCheck& check = claim.checks[i];
  if (!check.holds) return {Verdict::not_checkable, check.not_checkable};
  std::size_t computed = 0;
  std::size_t holding = 0;
  std::string refusal;
  for (const ClaimPoint& p : points) {
    if (!p.refusal.empty()) refusal = p.refusal;
    computed += p.refusal.empty() ? 1 : 0;
    holding += p.refusal.empty() && p.holds[i] ? 1 : 0;
  }
  if (computed == 0) return {Verdict::not_checkable, refusal};
  if (holding == 0) return {Verdict::contradicted, ""};
  if (holding == points.size()) return {Verdict::reproduced, ""};
  return {Verdict::holds_if, where_it_holds(claim, points, i)};
}

Shared shared_of(const Claim& claim, const ClaimContext& context) {
  Shared shared;
  for (const ClaimDocument& d : claim.documents) {
    shared.documents[d.name] = context.document(d, claim.file);
  }
  for (const ClaimRun& r : claim.runs) {
    if (r.published.empty()) continue;
    std::optional<PublishedRun> found = context.published(r.published);
    if (!found) {
      throw InputError(claim.file, "runs." + r.name + ".published", "\"" + r.published + "\"",
                       "the id of a published run of validation/runs");
    }
    shared.published.emplace(r.name, *std::move(found));
  }
  return shared;
}

}  // namespace

JudgedClaim judge(Claim claim, const ClaimContext& context) {
  JudgedClaim j;
  j.claim = std::move(claim);
  j.points = points_of(j.claim);
  Shared shared = shared_of(j.claim, context);
  for (ClaimPoint& p : j.points) PointRun(j.claim, context, shared, p).run();
  for (std::size_t i = 0; i < j.claim.checks.size(); ++i) {
    j.checks.push_back(judged(j.claim, j.points, i));
  }
  return j;
}

}  // namespace orrery

// SPDX-License-Identifier: Apache-2.0
#include "report/collective.h"

#include "engine/collective_question.h"
#include "engine/commands/commands.h"
#include "report/collective_sizes.h"
#include "report/estimate_json.h"
#include "report/rests_on_text.h"

namespace orrery {
namespace {

Json document_of(const CollectiveQuestion& q, const std::vector<CollectivePoint>& points,
                 const std::vector<RestsOnPart>& rests_on) {
  Json j = collective_json(q, points);
  j["rests_on"] = rests_on_json(rests_on);
  return j;
}

CommandAnswer answer_curve(const CollectiveChoice& choice, const Look& look,
                           const CommandContext& context) {
  CollectiveQuestion q = collective_question(choice, context);
  q.sizes = collective_sizes(choice.size.empty() ? "1MiB..16GiB" : choice.size, choice.step);
  CommandAnswer answer;
  answer.warnings = q.cluster.notes;
  const std::vector<CollectivePoint> points = collective_curve(q);
  answer.text = look.json() ? dump(document_of(q, points, network_rests_on(q.cluster)))
                            : drawn(collective_document(q, points), look);
  return answer;
}

}  // namespace

CommandAnswer answer_collective(Request& request, const CommandContext& context) {
  const CollectiveChoice choice = collective_choice(request);
  const Look look = request.look();
  request.done();
  return choice.against.empty() ? answer_curve(choice, look, context)
                                : collective_against(choice, look, context);
}

}  // namespace orrery

// SPDX-License-Identifier: Apache-2.0
#include "explore/search_team.h"

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>

#include "explore/search_tally.h"

namespace orrery {
namespace {

class MessageWriter {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  template <class T>
  void put(const std::vector<T>& values) {
    put_each(values);
  }
  template <class T>
  void put(const std::deque<T>& values) {
    put_each(values);
  }

  const std::string& text() const { return text_; }

 private:
  template <class List>
  void put_each(const List& values) {
    put(values.size());
    for (const auto& v : values) put(v);
  }

  std::string text_;
};

class MessageReader {
 public:
  explicit MessageReader(std::string_view text) : rest_(text) {}

  template <class T>
  void get(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (rest_.size() < sizeof value) throw std::runtime_error("a message that was cut off");
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
  }

  template <class T>
  void get(std::vector<T>& values) {
    get_each<T>(values);
  }
  template <class T>
  void get(std::deque<T>& values) {
    get_each<T>(values);
  }

 private:
  template <class T, class List>
  void get_each(List& values) {
    std::size_t size = 0;
    get(size);
    if (size > rest_.size() / sizeof(T)) throw std::runtime_error("a message that was cut off");
    values.resize(size);
    for (T& v : values) get(v);
  }

  std::string_view rest_;
};

// Every member, so that one more does not compile until it travels too.
template <class Tally, class Visit>
void for_members(Tally& tally, Visit&& visit) {
  auto& [candidates, rejected, refused, infeasible, too_risky, feasible, best, nearest, contenders,
         unbounded, unbounded_refused, families] = tally;
  auto& [contender_list, contender_aims] = contenders;
  visit(candidates);
  visit(rejected);
  visit(refused);
  visit(infeasible);
  visit(too_risky);
  visit(feasible);
  visit(best);
  visit(nearest);
  visit(contender_list);
  visit(contender_aims);
  visit(unbounded);
  visit(unbounded_refused);
  visit(families);
}

constexpr std::int64_t kNoPlace = -1;

void tell(MessageWriter& message, const SharedBest& best) {
  message.put(best.incumbents.values());
  message.put(best.front.points());
}

void hear(MessageReader& message, const SharedBest& best) {
  std::vector<double> incumbents;
  std::vector<Candidate> points;
  message.get(incumbents);
  message.get(points);
  best.incumbents.offer(incumbents);
  best.front.offer(points);
}

}  // namespace

SearchTeam share_of_search(std::size_t part, std::size_t of, std::vector<std::string>& handed) {
  const auto next = std::make_shared<std::size_t>(part);
  return {{}, [=, &handed](const std::string& question) -> std::optional<std::string> {
            bool is_last = false;
            MessageReader(question).get(is_last);
            if (is_last) {
              handed.push_back(question);
              *next = part;
              return {};
            }
            MessageWriter reply;
            reply.put(static_cast<std::int64_t>(*next));
            reply.put(std::vector<double>());
            reply.put(std::vector<Candidate>());
            *next += of;
            return reply.text();
          }};
}

SearchTeam leader_of_shares(std::vector<std::string> handed) {
  return {[all = std::move(handed)](const SearchTeam::Answering& answering) {
            for (const std::string& question : all) answering(question);
          },
          {}};
}

void lead_search(const SearchTeam& team, std::size_t places, const SharedBest& best,
                 const std::function<void(const SearchTally&)>& add) {
  std::size_t next = 0;
  team.serve([&](const std::string& question) -> std::optional<std::string> {
    MessageReader reported(question);
    bool is_last = false;
    reported.get(is_last);
    hear(reported, best);
    if (is_last) {
      SearchTally tally;
      for_members(tally, [&](auto& member) { reported.get(member); });
      add(tally);
      return {};
    }
    MessageWriter reply;
    reply.put(next < places ? static_cast<std::int64_t>(next++) : kNoPlace);
    tell(reply, best);
    return reply.text();
  });
}

std::optional<std::size_t> next_place(const SearchTeam& team, const SharedBest& best) {
  MessageWriter question;
  question.put(false);
  tell(question, best);
  const auto reply = team.ask(question.text());
  if (!reply) return {};
  MessageReader reported(*reply);
  std::int64_t place = kNoPlace;
  reported.get(place);
  hear(reported, best);
  return place < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(place));
}

void hand_over(const SearchTeam& team, const SharedBest& best, const SearchTally& tally) {
  MessageWriter last;
  last.put(true);
  tell(last, best);
  for_members(tally, [&](const auto& member) { last.put(member); });
  team.ask(last.text());
}

}  // namespace orrery

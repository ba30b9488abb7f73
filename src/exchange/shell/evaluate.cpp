// SPDX-License-Identifier: Apache-2.0
#include "exchange/shell/evaluate.h"

#include <algorithm>

#include "core/error.h"
#include "core/limits.h"
#include "exchange/shell/parse.h"

namespace orrery::shell {
namespace {

constexpr int kMostRounds = 256;        // of a while that are followed
constexpr std::size_t kOfCommand = 16;  // work of a command beside its text

Truth truth_of(const Numbers& numbers) {
  const auto zeros = std::count(numbers.begin(), numbers.end(), 0);
  if (numbers.empty() || (zeros > 0 && zeros < std::ssize(numbers))) return {};
  return zeros == 0;
}

// A branch that is taken, not taken, or in doubt: then it is kept to be joined.
Status taken(Truth truth, std::size_t line, const char* what, Machine& m,
             std::vector<Branch>& doubtful, const std::function<Status()>& run) {
  if (truth == false) return {};
  if (truth == true) return run();
  doubtful.push_back(in_branch(line, what, m, run));
  return {};
}

Status in_doubt(std::size_t line, const char* what, Machine& m,
                const std::function<Status()>& run) {
  return join({in_branch(line, what, m, run)}, false, m);
}

Status run_from(const List& list, std::size_t first, Machine& m);

Status run_pipeline(const Pipeline& p, Machine& m) {
  Status status;
  Pipe pipe;
  for (std::size_t i = 0; i < p.commands.size(); ++i) {
    const bool last = i + 1 == p.commands.size();
    Pipe next;
    status = run_command(*p.commands[i], m, i > 0 ? &pipe : nullptr, last ? nullptr : &next);
    pipe = std::move(next);
  }
  if (p.negated) status = {negated(status.truth), status.leave, status.perhaps};
  return status;
}

Status run_chain(const Chain& chain, Machine& m) {
  Status status = run_pipeline(chain[0].pipeline, m);
  for (std::size_t i = 1; i < chain.size(); ++i) {
    if (status.leave != Leave::nothing) return status;
    const Link& link = chain[i];
    const bool also = link.join == Link::Join::both;
    const Truth truth = status.truth;
    const Truth next = also && status.started ? Truth(true) : also ? truth : negated(truth);
    const auto run = [&] { return run_pipeline(link.pipeline, m); };
    if (next == true) {
      status = run();
    } else if (!next) {
      std::vector<Branch> branches = {in_branch(link.line, "&& or ||", m, run)};
      status = join(branches, false, m);
      const Truth done = branches[0].status.truth;
      status.truth = also ? both(truth, done) : either(truth, done);
    }
  }
  return status;
}

Status run_from(const List& list, std::size_t first, Machine& m) {
  Status status{true};
  for (std::size_t i = first; i < list.chains.size(); ++i) {
    status = run_chain(list.chains[i], m);
    if (status.leave == Leave::nothing) continue;
    if (!status.perhaps) return status;
    const Leave leave = status.leave;
    if (leave == Leave::script) continue;
    in_doubt(m.line,
             leave == Leave::function ? "a function that may have been left"
                                      : "a loop that may have been left",
             m, [&] { return run_from(list, i + 1, m); });
    return {{}, leave, true};
  }
  return status;
}

Status run_choice(const If& all, Machine& m) {
  Truth open = true;  // whether no branch was taken
  std::vector<Branch> branches;
  for (const Choice& c : all.choices) {
    const Truth truth = c.condition == nullptr ? Truth(true) : run_list(*c.condition, m).truth;
    const Truth takes = both(open, truth);
    const Status status =
        taken(takes, c.line, c.what, m, branches, [&] { return run_list(*c.body, m); });
    if (takes == true) return status;
    open = both(open, negated(truth));
    if (open == false) break;
  }
  return join(branches, open == false, m);
}

// Bodies of a case that fall through to the next.
Status run_case_body(const Case& all, std::size_t at, Machine& m) {
  Status status = run_list(*all.branches[at].body, m);
  while (all.branches[at].falls && at + 1 < all.branches.size() && status.leave == Leave::nothing)
    status = run_list(*all.branches[++at].body, m);
  return status;
}

Status run_case(const Case& all, std::size_t line, Machine& m) {
  const Text value = expanded_text(all.value, m);
  Truth open = true;
  std::vector<Branch> branches;
  for (std::size_t i = 0; i < all.branches.size() && open != false; ++i) {
    Truth truth = false;
    for (const Word& p : all.branches[i].patterns) truth = either(truth, fits(value, p, m));
    const Truth takes = both(open, truth);
    const Status status =
        taken(takes, line, "case", m, branches, [&] { return run_case_body(all, i, m); });
    if (takes == true) return status;
    open = both(open, negated(truth));
  }
  return join(branches, open == false, m);
}

// Rounds of a loop, which one of them may end for all that follow.
class Rounds {
 public:
  Rounds(const List& body, Machine& machine) : body_(body), m_(machine) {}

  // Whether another round may follow.
  bool one(const std::function<void()>& begin) {
    const auto run = [&] {
      begin();
      return run_list(body_, m_);
    };
    const Status s =
        perhaps_ ? in_doubt(m_.line, "a loop that may have been left", m_, run) : run();
    const bool leaves = s.leave != Leave::nothing && s.leave != Leave::round;
    perhaps_ = perhaps_ || (leaves && s.perhaps);
    if (s.leave == Leave::function || s.leave == Leave::script) status_ = s;
    return !leaves || s.perhaps;
  }

  bool in_doubt_now() const { return perhaps_; }
  Status status() const { return status_; }

 private:
  const List& body_;
  Machine& m_;
  bool perhaps_ = false;
  Status status_{true};
};

// The words of `for NAME in …`; nothing where the text does not tell them.
std::optional<std::vector<Text>> words_of_loop(const For& loop, Machine& m) {
  std::vector<Text> all;
  const auto add = [&](const Word& word) {
    // A script is read as started without words of its own.
    const bool arguments = word.written.find_first_not_of("\"$@*") == std::string::npos;
    if (arguments && m.variables.find(kArguments) == nullptr) return true;
    for (Text& field : expanded_fields(word, m)) {
      if (!is_known(field) || written(field).find_first_of("*?") != std::string::npos) return false;
      all.push_back(std::move(field));
    }
    return true;
  };
  if (!loop.listed &&
      !add({"$@",
            {{Part::Kind::parameter, true, "$@", std::make_shared<Parameter>(Parameter{"@"})}}}))
    return {};
  for (const Word& word : loop.words) {
    if (!add(word)) return {};
  }
  return all;
}

Status run_for(const For& loop, Machine& m) {
  const auto words = words_of_loop(loop, m);
  Rounds rounds(*loop.body, m);
  if (!words) {
    rounds.one([&] { forget(loop.name, m); });
    return rounds.status();
  }
  for (const Text& word : *words) {
    if (!rounds.one([&] { m.variables.set(loop.name, word); })) break;
  }
  return rounds.status();
}

Status run_counting(const Counting& loop, Machine& m) {
  const std::string begin = written(expanded_text(loop.begin, m));
  assign_number(begin, m);
  Rounds rounds(*loop.body, m);
  for (;;) {
    const Truth truth = truth_of(expanded_numbers(loop.holds, m));
    if (truth == false) return rounds.status();
    const auto start = [&] {
      if (!truth) forget(begin.substr(0, begin.find_first_of(" =")), m);
    };
    if (!rounds.one(start) || !truth) return rounds.status();
    assign_number(written(expanded_text(loop.step, m)), m);
  }
}

// After many rounds what they change is unknown.
void forget_changes(const While& loop, Machine& m) {
  Branch branch =
      in_branch(m.line, "a loop of many rounds", m, [&] { return run_list(*loop.body, m); });
  join({branch}, false, m);
  for (const auto& change : branch.after) m.variables.set(change.first, unknown("", Why::branch));
}

// A loop whose round changes no variable would not end: one round tells what it does.
Status run_while(const While& loop, Machine& m) {
  const std::size_t line = m.line;
  Rounds rounds(*loop.body, m);
  for (int count = 0;; ++count) {
    const std::int64_t before = m.variables.changes();
    Truth truth = run_list(*loop.condition, m).truth;
    if (loop.until) truth = negated(truth);
    if (truth == false) return rounds.status();
    if (!truth) return in_doubt(line, "while", m, [&] { return run_list(*loop.body, m); });
    if (count == kMostRounds) return forget_changes(loop, m), rounds.status();
    if (!rounds.one([] {}) || rounds.in_doubt_now()) return rounds.status();
    if (before == m.variables.changes()) return rounds.status();
  }
}

struct Runner {
  const Command& command;
  Machine& m;
  Pipe* input;
  Pipe* output;

  Status operator()(const Simple& s) const { return run_simple(s, command, m, input, output); }
  Status operator()(const Test& t) const { return {truth_of_test(t.words, m)}; }
  Status operator()(const Arithmetic& a) const {
    return {truth_of(assign_number(written(expanded_text(a.expression, m)), m))};
  }
  Status operator()(const If& i) const { return run_choice(i, m); }
  Status operator()(const Case& c) const { return run_case(c, command.begins, m); }
  Status operator()(const For& f) const { return run_for(f, m); }
  Status operator()(const Counting& c) const { return run_counting(c, m); }
  Status operator()(const While& w) const { return run_while(w, m); }
  Status operator()(const Group& g) const { return run_list(*g.body, m); }
  Status operator()(const Function& f) const {
    m.functions[f.name] = f.body;
    return {true};
  }
};

}  // namespace

void Machine::spend(std::size_t bytes) {
  work += bytes;
  if (work > kLongestDocument) fail("loops and calls that make more than 32 MiB of text");
}

void Machine::fail(const std::string& found) const {
  throw InputError(ErrorCode::malformed, file, "line " + std::to_string(line), found,
                   "a shell script");
}

Level::Level(Machine& machine, int levels) : machine_(machine), levels_(levels) {
  if (machine_.depth + levels > kDeepestNesting) machine_.fail("commands nested deeper than 64");
  machine_.depth += levels;
}

Status run_list(const List& list, Machine& machine) {
  const Level level(machine);
  return run_from(list, 0, machine);
}

void run_script(const List& list, Machine& machine) {
  const Level level(machine);
  for (const Chain& chain : list.chains) run_chain(chain, machine);
}

void run_text(const std::string& text, Machine& machine) {
  const Level level(machine);
  run_script(*parse_script(text, machine.file, machine.line, machine.depth), machine);
}

Status run_command(const Command& command, Machine& machine, Pipe* input, Pipe* output) {
  machine.line = command.begins;
  machine.spend(kOfCommand);
  return std::visit(Runner{command, machine, input, output}, command.what);
}

}  // namespace orrery::shell

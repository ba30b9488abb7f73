// SPDX-License-Identifier: Apache-2.0
#include "exchange/shell/evaluate.h"

#include <algorithm>

#include "core/error.h"
#include "core/limits.h"
#include "exchange/shell/parse.h"

namespace orrery::shell {
namespace {

constexpr int kMostRounds = 256;         // of a while that are followed
constexpr std::size_t kOfCommand = 256;  // work of a command beside its text

Truth truth_of(const Numbers& numbers) {
  const auto zeros = std::count(numbers.begin(), numbers.end(), 0);
  if (numbers.empty() || (zeros > 0 && zeros < std::ssize(numbers))) return {};
  return zeros == 0;
}

// A branch that is taken, not taken, or in doubt: then it is kept to be joined.
Status taken(Truth truth, std::size_t line, const char* what, Evaluation& state,
             std::vector<Branch>& doubtful, const std::function<Status()>& run) {
  if (truth == false) return {};
  if (truth == true) return run();
  doubtful.push_back(in_branch(line, what, state, run));
  return {};
}

Status in_doubt(std::size_t line, const char* what, Evaluation& state,
                const std::function<Status()>& run) {
  return join({in_branch(line, what, state, run)}, false, state);
}

Status run_from(const List& list, std::size_t first, Evaluation& state);

Status run_pipeline(const Pipeline& p, Evaluation& state) {
  Status status;
  Pipe pipe;
  for (std::size_t i = 0; i < p.commands.size(); ++i) {
    const bool last = i + 1 == p.commands.size();
    Pipe next;
    status = run_command(*p.commands[i], state, i > 0 ? &pipe : nullptr, last ? nullptr : &next);
    pipe = std::move(next);
  }
  if (p.negated) status = {negated(status.truth), status.leave, status.perhaps};
  return status;
}

// The assignment that is all of a command; nullptr for another one.
const ShellAssignment* only_assignment(const Pipeline& p) {
  const auto* simple = p.commands.size() == 1 ? std::get_if<Simple>(&p.commands[0]->what) : nullptr;
  return simple != nullptr && simple->items.size() == 1 ? simple->items[0].assignment.get()
                                                        : nullptr;
}

std::string without_quotes(std::string word) {
  std::erase_if(word, [](char c) { return c == '"' || c == '{' || c == '}'; });
  return word;
}

// [[ -n "$RUN" ]] && r=$RUN || r=python is r=${RUN:-python} written out.
bool gives_default(const Chain& chain, const Evaluation& state) {
  const bool is_choice = chain.size() == 3 && chain[1].join == Link::Join::both &&
                         chain[2].join == Link::Join::either &&
                         chain[0].pipeline.commands.size() == 1;
  if (!is_choice) return false;
  const auto* test = std::get_if<TestCommand>(&chain[0].pipeline.commands[0]->what);
  const ShellAssignment* given = only_assignment(chain[1].pipeline);
  const ShellAssignment* otherwise = only_assignment(chain[2].pipeline);
  if (test == nullptr || given == nullptr || otherwise == nullptr) return false;
  if (test->words.size() != 2 || test->words[0].written != "-n") return false;
  const std::string tested = without_quotes(test->words[1].written);
  return given->name == otherwise->name && without_quotes(given->value.written) == tested &&
         tested.starts_with('$') && state.variables.find(tested.substr(1)) == nullptr;
}

Status run_chain(const Chain& chain, Evaluation& state) {
  Status status = run_pipeline(chain[0].pipeline, state);
  if (!status.truth && gives_default(chain, state)) status.truth = false;
  for (std::size_t i = 1; i < chain.size(); ++i) {
    if (status.leave != Leave::nothing) return status;
    const Link& link = chain[i];
    const bool also = link.join == Link::Join::both;
    const Truth truth = status.truth;
    const Truth next = also && status.started ? Truth(true) : also ? truth : negated(truth);
    const auto run = [&] { return run_pipeline(link.pipeline, state); };
    if (next == true) {
      status = run();
    } else if (!next) {
      std::vector<Branch> branches = {in_branch(link.line, "&& or ||", state, run)};
      status = join(branches, false, state);
      const Truth done = branches[0].status.truth;
      status.truth = also ? both(truth, done) : either(truth, done);
    }
  }
  return status;
}

Status run_from(const List& list, std::size_t first, Evaluation& state) {
  Status status{true};
  for (std::size_t i = first; i < list.chains.size(); ++i) {
    status = run_chain(list.chains[i], state);
    if (status.leave == Leave::nothing) continue;
    if (!status.perhaps) return status;
    const Leave leave = status.leave;
    if (leave == Leave::script) continue;
    in_doubt(state.line,
             leave == Leave::function ? "a function that may have been left"
                                      : "a loop that may have been left",
             state, [&] { return run_from(list, i + 1, state); });
    return {{}, leave, true};
  }
  return status;
}

Status run_choice(const If& all, Evaluation& state) {
  Truth open = true;  // no branch was taken
  std::vector<Branch> branches;
  for (const Choice& c : all.choices) {
    const Truth truth = c.condition == nullptr ? Truth(true) : run_list(*c.condition, state).truth;
    const Truth takes = both(open, truth);
    const Status status =
        taken(takes, c.line, c.what, state, branches, [&] { return run_list(*c.body, state); });
    if (takes == true) return status;
    open = both(open, negated(truth));
    if (open == false) break;
  }
  return join(branches, open == false, state);
}

// Bodies of a case that fall through to the next.
Status run_case_body(const Case& all, std::size_t at, Evaluation& state) {
  Status status = run_list(*all.branches[at].body, state);
  while (all.branches[at].falls && at + 1 < all.branches.size() && status.leave == Leave::nothing)
    status = run_list(*all.branches[++at].body, state);
  return status;
}

Status run_case(const Case& all, std::size_t line, Evaluation& state) {
  const Text value = expanded_text(all.value, state);
  Truth open = true;
  std::vector<Branch> branches;
  for (std::size_t i = 0; i < all.branches.size() && open != false; ++i) {
    const Truth truth = fits(value, all.branches[i].patterns, state);
    const Truth takes = both(open, truth);
    const Status status =
        taken(takes, line, "case", state, branches, [&] { return run_case_body(all, i, state); });
    if (takes == true) return status;
    open = both(open, negated(truth));
  }
  return join(branches, open == false, state);
}

// Rounds of a loop, which one of them may end for all that follow.
class Rounds {
 public:
  Rounds(const List& body, Evaluation& state) : body_(body), state_(state) {}

  // True if another round may follow.
  bool one(const std::function<void()>& begin) {
    const auto run = [&] {
      begin();
      return run_list(body_, state_);
    };
    const Status s =
        perhaps_ ? in_doubt(state_.line, "a loop that may have been left", state_, run) : run();
    const bool leaves = s.leave != Leave::nothing && s.leave != Leave::round;
    perhaps_ = perhaps_ || (leaves && s.perhaps);
    if (s.leave == Leave::function || s.leave == Leave::script) status_ = s;
    return !leaves || s.perhaps;
  }

  bool in_doubt_now() const { return perhaps_; }
  Status status() const { return status_; }

 private:
  const List& body_;
  Evaluation& state_;
  bool perhaps_ = false;
  Status status_{true};
};

// The words of `for NAME in …`; nothing where the text does not tell them.
std::optional<std::vector<Text>> words_of_loop(const For& loop, Evaluation& state) {
  std::vector<Text> all;
  const auto add = [&](const Word& word) {
    // A script is read as started without words of its own.
    const bool arguments = word.written.find_first_not_of("\"$@*") == std::string::npos;
    if (arguments && state.variables.find(kArguments) == nullptr) return true;
    for (Text& field : expanded_fields(word, state)) {
      if (!is_known(field) || written(field).find_first_of("*?") != std::string::npos) return false;
      all.push_back(std::move(field));
    }
    return true;
  };
  if (!loop.listed && !add({"$@",
                            {{WordPart::Kind::parameter, true, "$@",
                              std::make_shared<Parameter>(Parameter{"@"})}}}))
    return {};
  for (const Word& word : loop.words) {
    if (!add(word)) return {};
  }
  return all;
}

Status run_for(const For& loop, Evaluation& state) {
  const auto words = words_of_loop(loop, state);
  Rounds rounds(*loop.body, state);
  if (!words) {
    rounds.one([&] { forget(loop.name, state); });
    return rounds.status();
  }
  for (const Text& word : *words) {
    if (!rounds.one([&] { state.variables.set(loop.name, word); })) break;
  }
  return rounds.status();
}

Status run_counting(const Counting& loop, Evaluation& state) {
  const std::string begin = written(expanded_text(loop.begin, state));
  assign_number(begin, state);
  Rounds rounds(*loop.body, state);
  for (;;) {
    const Truth truth = truth_of(expanded_numbers(loop.holds, state));
    if (truth == false) return rounds.status();
    const auto start = [&] {
      if (!truth) forget(begin.substr(0, begin.find_first_of(" =")), state);
    };
    if (!rounds.one(start) || !truth) return rounds.status();
    assign_number(written(expanded_text(loop.step, state)), state);
  }
}

// After many rounds what they change is unknown.
void forget_changes(const While& loop, Evaluation& state) {
  Branch branch = in_branch(state.line, "a loop of many rounds", state,
                            [&] { return run_list(*loop.body, state); });
  join({branch}, false, state);
  for (const auto& change : branch.after)
    state.variables.set(change.first, unknown("", Why::branch));
}

// A loop whose round changes no variable would not end: one round tells what it does.
Status run_while(const While& loop, Evaluation& state) {
  const std::size_t line = state.line;
  Rounds rounds(*loop.body, state);
  for (int count = 0;; ++count) {
    const std::int64_t before = state.variables.changes();
    Truth truth = run_list(*loop.condition, state).truth;
    if (loop.until) truth = negated(truth);
    if (truth == false) return rounds.status();
    if (!truth) return in_doubt(line, "while", state, [&] { return run_list(*loop.body, state); });
    if (count == kMostRounds) return forget_changes(loop, state), rounds.status();
    if (!rounds.one([] {}) || rounds.in_doubt_now()) return rounds.status();
    if (before == state.variables.changes()) return rounds.status();
  }
}

struct Runner {
  const Statement& command;
  Evaluation& state;
  Pipe* input;
  Pipe* output;

  Status operator()(const Simple& s) const { return run_simple(s, command, state, input, output); }
  Status operator()(const TestCommand& t) const { return {truth_of_test(t.words, state)}; }
  Status operator()(const Arithmetic& a) const {
    return {truth_of(assign_number(written(expanded_text(a.expression, state)), state))};
  }
  Status operator()(const If& i) const { return run_choice(i, state); }
  Status operator()(const Case& c) const { return run_case(c, command.begins, state); }
  Status operator()(const For& f) const { return run_for(f, state); }
  Status operator()(const Counting& c) const { return run_counting(c, state); }
  Status operator()(const While& w) const { return run_while(w, state); }
  Status operator()(const Grouped& g) const { return run_list(*g.body, state); }
  Status operator()(const Function& f) const {
    state.functions[f.name] = f.body;
    return {true};
  }
};

}  // namespace

void Evaluation::spend(std::size_t bytes) {
  work += bytes;
  if (work > kLongestDocument) fail("loops and calls that make more than 32 MiB of text");
}

void Evaluation::fail(const std::string& found) const {
  throw InputError(ErrorCode::malformed, file, "line " + std::to_string(line), found,
                   "a shell script");
}

Level::Level(Evaluation& state, int levels) : state_(state), levels_(levels) {
  if (state_.depth + levels > kDeepestNesting) state_.fail("commands nested deeper than 64");
  state_.depth += levels;
}

Status run_list(const List& list, Evaluation& state) {
  const Level level(state);
  return run_from(list, 0, state);
}

void run_script(const List& list, Evaluation& state) {
  const Level level(state);
  for (const Chain& chain : list.chains) run_chain(chain, state);
}

void run_text(const std::string& text, Evaluation& state) {
  const Level level(state);
  run_script(*parse_script(text, state.file, state.line, state.depth), state);
}

Status run_command(const Statement& command, Evaluation& state, Pipe* input, Pipe* output) {
  state.line = command.begins;
  state.spend(kOfCommand);
  return std::visit(Runner{command, state, input, output}, command.what);
}

}  // namespace orrery::shell

// SPDX-License-Identifier: Apache-2.0
//
// Random scripts without unknowns: the words that their commands get are those of bash itself.
#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "core/error.h"
#include "exchange/shell/shell.h"

namespace orrery {
namespace {

constexpr int kScripts = 150;
constexpr int kDeepest = 3;

class ScriptGenerator {
 public:
  explicit ScriptGenerator(unsigned seed) : random_(seed) {}

  std::string script() {
    std::string text = "A=ax; B='b c'; C=7; D=; E=(p 'q r' s)\n";
    text += "f() { local Q=$1; shift; run f $Q $# \"$@\"; " + condition() + " && return; D=$Q; }\n";
    for (int i = 0; i < 6; ++i) text += statement(0);
    return text + "run end \"$A\" $B \"$C\" \"$D\" \"${E[@]}\"\n";
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  std::string any(const std::vector<std::string>& all) {
    return all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
  }

  std::string name() { return any({"A", "B", "C", "D"}); }

  std::string number() { return any({"0", "1", "2", "7", "${#A}", "${#E[@]}", "12"}); }

  std::string sum() {
    return number() + any({" + ", " * ", " - ", "+"}) + "(" + number() +
           any({" < ", " == ", " % "}) + any({"1", "2", "5"}) + ")" +
           any({"", " * 3", " - 1", " ? 4 : 5"});
  }

  std::string expansion() {
    const std::string n = name();
    switch (below(16)) {
      case 0:
        return "${" + n + ":-" + any({"x", "y z", "$A"}) + "}";
      case 1:
        return "${" + n + ":+" + any({"t", "$C"}) + "}";
      case 2:
        return "${" + n + any({"%", "%%", "#", "##"}) + any({"a*", "*x", "?", "[a-m]*"}) + "}";
      case 3:
        return "${" + n + any({"/", "//", "/#", "/%"}) + any({"a", "x", "b*"}) + "/" +
               any({"N", "", "_$C"}) + "}";
      case 4:
        return "$((" + sum() + "))";
      case 5:
        return "$(echo " + word() + any({" m", ""}) + ")";
      case 6:
        return "${E[" + any({"0", "1", "-1", "1+1"}) + "]}";
      case 7:
        return "${" + n + any({"^^", ",,"}) + "}";
      case 8:
        return "${" + n + ":" + any({"0:1", "1", "1:2"}) + "}";
      case 9:
        return "${#" + n + "}";
      default:
        return "${" + n + "}";
    }
  }

  std::string word() {
    std::string text;
    for (int i = 1 + below(2); i > 0; --i) {
      switch (below(6)) {
        case 0:
          text += "'" + any({"s t", "u", "$A"}) + "'";
          break;
        case 1:
          text += "\"" + any({"v ", "w\\$", "\\\"", ""}) + expansion() + "\"";
          break;
        case 2:
          text += expansion();
          break;
        case 3:
          text += any({"\\ ", "k=v", "a.b", "7"});
          break;
        default:
          text += any({"x", "yz", "a1"});
          break;
      }
    }
    return text;
  }

  std::string words() {
    std::string text = word();
    for (int i = below(3); i > 0; --i)
      text += " " +
              any({word(), word(), "{l,m}" + any({"", "n"}), "\"${E[@]}\"", "${E[*]}", "o{1..3}"});
    return text;
  }

  std::string condition() {
    switch (below(8)) {
      case 0:
        return "[ " + number() + any({" -eq ", " -lt ", " -ge ", " -ne "}) + number() + " ]";
      case 1:
        return "[[ \"$" + name() + "\"" + any({" == ", " != "}) +
               any({"a*", "7", "\"b c\"", "*x"}) + " ]]";
      case 2:
        return "[ -" + any({"z", "n"}) + " \"$" + name() + "\" ]";
      case 3:
        return "((" + sum() + "))";
      case 4:
        return any({"true", "false"});
      case 5:
        return "! " + any({"true", "[ $C = 7 ]"});
      case 6:
        return "[[ -n $A && ${#C} -gt " + number() + " || -z $D ]]";
      default:
        return "[ \"$A\" = \"" + any({"ax", "$B", "x"}) + "\" ]";
    }
  }

  std::string block(int depth) {
    std::string text;
    for (int i = 1 + below(2); i > 0; --i) text += statement(depth + 1);
    return text;
  }

  std::string loop(int depth) {
    const std::string leaves =
        below(3) == 0 ? condition() + " && " + any({"break", "continue"}) + "\n" : "";
    const std::string i = "I" + std::to_string(depth);
    const std::string body = leaves + "C=$((" + i + " + 7))\n" + block(depth) + "done\n";
    switch (below(3)) {
      case 0:
        return "for v in " + words() + "; do\nrun in \"$v\"\n" + leaves + block(depth) + "done\n";
      case 1:
        return "for ((" + i + " = 0; " + i + " < 3; " + i + "++)); do\n" + body;
      default:
        return i + "=0\nwhile [ $" + i + " -lt 3 ]; do\n" + i + "=$((" + i + " + 1))\n" + body;
    }
  }

  std::string compound(int depth) {
    switch (below(4)) {
      case 0:
        return "if " + condition() + "; then\n" + block(depth) + "elif " + condition() +
               "; then\n" + block(depth) + any({"", "else\n" + block(depth)}) + "fi\n";
      case 1:
        return "case \"$" + name() + "\" in\n" + any({"a*", "7|b*", "\"$C\""}) + ")\n" +
               block(depth) + ";;\n" + any({"*", "?", "[!a]*"}) + ") " + block(depth) + "esac\n";
      default:
        return loop(depth);
    }
  }

  std::string statement(int depth) {
    const int kind = below(depth < kDeepest ? 14 : 10);
    switch (kind) {
      case 0:
      case 1:
        return name() + any({"=", "=", "+="}) + word() + "\n";
      case 2:
        return "E" + any({"=", "+="}) + "(" + words() + ")\n";
      case 3:
        return condition() + any({" && ", " || "}) + "run " + words() + "\n";
      case 4:
        return "f " + words() + "\n";
      case 5:
        return "C=" + any({"3", "$((" + sum() + "))", "${#B}"}) + "\n";
      case 6:
        return "read -r A D <<< \"" + any({"one two three", "$C 4", "n"}) + "\"\n";
      case 7:
        return "D=$(cat <<EOF\n" + expansion() + " line\nEOF\n)\n";
      case 8:
        return "E[" + any({"0", "2"}) + "]=" + word() + "\n";
      case 9:
        return "run " + words() + "\n";
      default:
        return compound(depth);
    }
  }

  std::mt19937 random_;
};

// The words that bash gives a command `run`, a line a command, for each of the scripts.
std::vector<std::string> bash_runs(const std::vector<std::string>& scripts) {
  const std::string path = "against-bash." + std::to_string(::getpid()) + ".sh";
  std::ofstream file(path);
  file << "set -f\nrun() { [ $# -eq 0 ] || printf '<%s>' \"$@\"; echo; }\n";
  for (const std::string& s : scripts) file << "(\n" << s << "); echo =end\n";
  file.close();
  std::FILE* pipe = ::popen(("timeout 60 bash " + path + " 2> /dev/null").c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string all;
  std::array<char, 4096> part{};
  for (std::size_t n; (n = std::fread(part.data(), 1, part.size(), pipe)) > 0;)
    all.append(part.data(), n);
  ::pclose(pipe);
  std::remove(path.c_str());
  std::vector<std::string> out;
  for (std::size_t at = 0, end; (end = all.find("=end\n", at)) != std::string::npos; at = end + 5)
    out.push_back(all.substr(at, end - at));
  return out;
}

std::string our_run(const std::string& script) {
  const ShellRun run = run_shell(script, "x.sh");
  std::string text;
  for (const ShellCommand& c : run.commands) {
    const std::vector<std::string> words = words_of(run, c);
    if (words.front() != "run") continue;
    for (std::size_t i = 1; i < words.size(); ++i) text += "<" + words[i] + ">";
    text += "\n";
  }
  for (const ShellDoubt& d : run.doubts) text += "doubt of line " + std::to_string(d.line) + "\n";
  return text;
}

}  // namespace

TEST_CASE("commands of random scripts get the words that bash gives them") {
  std::vector<std::string> scripts;
  for (int i = 0; i < kScripts; ++i)
    scripts.push_back(ScriptGenerator(static_cast<unsigned>(i)).script());
  const std::vector<std::string> expected = bash_runs(scripts);
  REQUIRE(expected.size() == scripts.size());
  for (std::size_t i = 0; i < scripts.size(); ++i) {
    CAPTURE(scripts[i]);
    CHECK(our_run(scripts[i]) == expected[i]);
  }
}

}  // namespace orrery

// SPDX-License-Identifier: Apache-2.0
#include "exchange/shell/shell.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/error.h"

namespace orrery {
namespace {

using Words = std::vector<std::string>;

Words words_passed(const std::string& text) { return run_shell(text, "x.sh").words; }

}  // namespace

TEST_CASE("a command gets the words a shell would pass") {
  CHECK(words_passed("run a 'b c' \"d $X\" # e") == Words{"run", "a", "b c", "d $X", ";"});
  CHECK(words_passed("N=3\nM=$((N * 4))\nrun --x ${M} --y ${Z:-7} --z $(hostname)") ==
        Words{"run", "--x", "12", "--y", "7", "--z", "$(hostname)", ";"});
  CHECK(words_passed("A=\"--p 1 \\\n --q 2\"\nrun $A") ==
        Words{"run", "--p", "1", "--q", "2", ";"});
  CHECK(words_passed("run --a 1 2>&1 | tee log.txt") ==
        Words{"run", "--a", "1", ";", "tee", "log.txt", ";"});
  CHECK(words_passed("echo --tp 8; printf -- --pp 2\nrun --tp 4") ==
        Words{"run", "--tp", "4", ";"});
  CHECK_THROWS_AS(words_passed("run 'b"), InputError);
}

TEST_CASE("what a program prints is any number of members") {
  CHECK(words_passed("A=($(hostnames))\nrun --n ${#A[@]} --first ${A[0]}") ==
        Words{"run", "--n", "${#A[@]}", "--first", "$(hostnames)", ";"});
  CHECK(words_passed("B=$(hostnames)\nA=($B)\nrun --n ${#A[@]}") ==
        Words{"run", "--n", "${#A[@]}", ";"});
  CHECK(words_passed("A=(\"$(date)\" b)\nrun --n ${#A[@]}") == Words{"run", "--n", "2", ";"});
}

TEST_CASE("arrays keep their members, and a member of two words is two") {
  const std::string text =
      "A=(\n  --tp 8  # degree\n  \"--fp8-format hybrid\"\n)\nA+=(--pp $P)\nB=()\n";
  CHECK(words_passed(text + "run \"${A[@]}\" ${B[@]} ${NEVER[@]} --n ${#A[@]}") ==
        Words{"run", "--tp", "8", "--fp8-format", "hybrid", "--pp", "$P", "--n", "5", ";"});
}

TEST_CASE("the branch of a known condition is taken, and no other") {
  const auto size = [](const std::string& n) {
    return words_passed(
        "S=" + n +
        "\nif [[ ${S} == 7 ]]; then H=4096; L=36\nelif [ $S -eq 52 ]; then H=8192; L=64\n"
        "else H=1; L=1\nfi\nrun --h $H --l $L");
  };
  CHECK(size("7") == Words{"run", "--h", "4096", "--l", "36", ";"});
  CHECK(size("52") == Words{"run", "--h", "8192", "--l", "64", ";"});
  CHECK(size("207") == Words{"run", "--h", "1", "--l", "1", ";"});
  CHECK(words_passed(
            "T=fp8\ncase \"$T\" in\n bf16) A=1 ;;\n fp8|FP8*) A=2 ;;\n *) A=3 ;;\nesac\nrun $A") ==
        Words{"run", "2", ";"});
  CHECK(words_passed(
            "A=no\n[ \"$A\" = yes ] && B=1\n[ -z \"$B\" ] || run b\n[ $A != yes ] && run a") ==
        Words{"run", "a", ";"});
  CHECK(words_passed("while [[ $# -gt 0 ]]; do case $1 in --x) X=$2 ;; esac; shift; done\nrun a") ==
        Words{"run", "a", ";"});
}

TEST_CASE("what all branches of an unknown condition set alike is known") {
  const auto after = [](const std::string& text) { return words_passed(text + "\nrun $N"); };
  const std::string unknown = "if grep -q x y; then\n";
  CHECK(after(unknown + "N=8; A=1\nelse\nN=8; A=2\nfi") == Words{"run", "8", ";"});
  CHECK(after(unknown + "N=8\nelif grep z y; then N=8; else N=8; fi") == Words{"run", "8", ";"});
  CHECK(after(unknown + "N=8\nelse\nfor i in $(f); do N=8; done\nfi") == Words{"run", "8", ";"});
  CHECK(after(unknown + "N+=8\nelse\nN+=8\nfi") == Words{"run", "8", ";"});
  // A branch that ends the script does not count.
  CHECK(after(unknown + "N=8\nelse\necho no\nexit 1\nfi") == Words{"run", "8", ";"});
  CHECK(after("case $(uname) in\n a) N=8 ;;\n *) N=8 ;;\nesac") == Words{"run", "8", ";"});
  for (const char* other :
       {"N=8\nelse\nN=4\nfi", "N=8\nfi", "N=8\nelse\nA=1\nfi", "N=8\nelse\nN=8; N=$(f)\nfi",
        "N=8\nelse\nN=8; grep q y && N=4\nfi", "N=8\nelse\nif grep q y; then N=8; fi\nfi",
        "N=8\nread N\nelse\nN=8\nfi"})
    CHECK_MESSAGE((after(unknown + other) == Words{"run", "$N", ";"}), other);
  CHECK(after("case $(uname) in\n a) N=8 ;;\n b) N=8 ;;\nesac") == Words{"run", "$N", ";"});
}

TEST_CASE("a script that is given alone is started without words") {
  CHECK(words_passed("Z=$2\nif [ \"$Z\" == \"\" ]; then Z=3; fi\nrun $Z") ==
        Words{"run", "3", ";"});
  CHECK(words_passed("E=64\nif [ -n \"${3}\" ]; then E=$3; fi\nrun $E") == Words{"run", "64", ";"});
  const std::string inner = "E=64\nif [ -n \"${1}\" ]; then E=$1; fi\n[ -z $1 ] && E=5\nrun $E\n";
  CHECK(run_shell("bash b.sh 7", "a.sh", {}, {{"b.sh", inner}}).words == Words{"run", "7", ";"});
}

TEST_CASE("a default for a variable that nothing sets is taken, as in ${TP:-8}") {
  CHECK(words_passed("[ -z \"$TP\" ] && TP=8\nif [[ -z ${PP} ]]; then PP=2; fi\nrun $TP $PP") ==
        Words{"run", "8", "2", ";"});
  CHECK(words_passed("TP=4\n[ -z \"$TP\" ] && TP=8\nrun $TP") == Words{"run", "4", ";"});
  CHECK(words_passed("TP=$(nproc)\n[ -z \"$TP\" ] && TP=8\nrun $TP") == Words{"run", "$TP", ";"});
}

TEST_CASE("a branch that only the shell knows is in doubt, with its line") {
  const ShellRun run = run_shell(
      "Z=1\nif [ -n \"$OUTSIDE\" ]; then\n  Z=3\n  ARGS=\"--zero-stage 3\"\nfi\nrun --z $Z $ARGS\n",
      "x.sh");
  CHECK(run.words == Words{"run", "--z", "$Z", "$ARGS", ";"});
  REQUIRE(run.doubts.size() == 1);
  CHECK(run.doubts[0].line == 2);
  const Words& words = run.doubts[0].words;
  CHECK(std::find(words.begin(), words.end(), "--zero-stage") != words.end());
}

TEST_CASE("texts for another shell are followed") {
  CHECK(words_passed("export CMD=\" train.py --tp $T \"\nsrun bash -c \"torchrun $CMD --pp 2\"") ==
        Words{"srun", "bash", "-c", ";", "torchrun", "train.py", "--tp", "$T", "--pp", "2", ";"});
  CHECK(words_passed("N=4\nsbatch <<EOF\n#SBATCH --nodes=2\nrun --n $N\nEOF\n") ==
        Words{"sbatch", ";", "run", "--n", "4", ";"});
  const ShellRun run = run_shell("Z=2\ncat <<EOT > $C\n{\"stage\": $Z}\nEOT\n", "x.sh");
  REQUIRE(run.documents.size() == 1);
  CHECK(run.documents[0].text == "{\"stage\": 2}\n");
  CHECK(words_passed("f() {\n run --x 1\n}\nf\n") == Words{"run", "--x", "1", ";"});
  CHECK(words_passed("ARGS=\"--a 1 --b 2\"\n") == Words{"--a", "1", "--b", "2", ";"});
}

TEST_CASE("what the scheduler sets stands in its lines") {
  const ShellRun run = run_shell(
      "#!/bin/bash\n#SBATCH --nodes=16 # many\n#SBATCH "
      "--gres=gpu:4\nN=$SLURM_NNODES\nG=${SLURM_GPUS_ON_NODE}\n",
      "x.sh");
  CHECK(shell_value(run.variables, "N") == "16");
  CHECK(shell_value(run.variables, "G") == "4");
}

TEST_CASE("a job knows that it is one, and a script that may be started by hand does not") {
  const std::string test =
      "if [ -z \"$SLURM_JOB_ID\" ]; then N=1; else N=4; fi\n[[ -n ${SLURM_JOBID} ]] && M=2\n";
  const ShellRun job = run_shell("#SBATCH --nodes=4\n" + test, "x.sh");
  CHECK(shell_value(job.variables, "N") == "4");
  CHECK(shell_value(job.variables, "M") == "2");
  CHECK(job.doubts.empty());
  const ShellRun either = run_shell(test, "x.sh");
  CHECK(std::count(either.doubted.begin(), either.doubted.end(), "N") > 0);
  CHECK(shell_value(run_shell("SLURM_JOB_ID=7\n" + test, "x.sh").variables, "N") == "4");
}

TEST_CASE("whole numbers are those of a shell") {
  const auto value = [](const std::string& text) {
    return shell_value(run_shell("A=12\nB=8\nX=$((" + text + "))", "x").variables, "X");
  };
  CHECK(value("A / B * B") == "8");
  CHECK(value("(A + B - 1) / B") == "2");
  CHECK(value("$A % ${B} == 4 && !0") == "1");
  CHECK(value("-A + 2 * (3 - B)") == "-22");
  CHECK(value("(A > B) ? A : B") == "12");
  CHECK(value("A < B ? 1 : B < A ? 2 : 3") == "2");
  CHECK(value("1 + (0 ? 5 : 6)") == "7");
  CHECK(value("A ? B") == "$((A ? B))");
  CHECK(value("A / 0") == "$((A / 0))");
  CHECK(value("C + 1") == "$((C + 1))");
}

TEST_CASE("text that is no script neither hangs nor crashes") {
  for (const char* text : {")",     "((", "if",    "fi",    "case x in", "a=(", "<<",       "${",
                           "`",     "{",  "}",     ";;",    "&&",        "for", "function", "[[ a",
                           "x=$((", "|",  "f() {", "<<EOF", "a () b",    "! "}) {
    CAPTURE(text);
    try {
      run_shell(text, "x");
    } catch (const InputError&) {
    }
  }
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "( ";
  CHECK_THROWS_AS(run_shell(deep, "x"), InputError);
}

TEST_CASE("a function has the words it is called with") {
  const std::string f =
      "go() {\n local TP=$1 PP=${2:-2}\n shift 2\n run --tp $TP --pp $PP \"$@\"\n}\n";
  CHECK(words_passed(f + "go 4 8 --sp --n $#") ==
        Words{"run", "--tp", "4", "--pp", "8", "--sp", "--n", "0", ";"});
  CHECK(words_passed(f + "go 4") == Words{"run", "--tp", "4", "--pp", "2", ";"});
  CHECK(words_passed("run $1 ${1:-7}") == Words{"run", "$1", "7", ";"});
}

TEST_CASE("text that a script reads into a name is that name's value") {
  CHECK(words_passed("read -r -d '' A <<EOF || true\n--tp 8\n--pp 2\nEOF\nrun $A") ==
        Words{"run", "--tp", "8", "--pp", "2", ";"});
  CHECK(words_passed("mapfile -t A <<EOF\n--tp=8\n--pp=2\nEOF\nrun \"${A[@]}\"") ==
        Words{"run", "--tp=8", "--pp=2", ";"});
  CHECK(words_passed("IFS=',' read -r T P <<< \"2,4\"\nrun $T $P") == Words{"run", "2", "4", ";"});
  CHECK(words_passed("A=$(cat <<EOF\n--tp 8\n--pp 2\nEOF\n)\nrun $A") ==
        Words{"run", "--tp", "8", "--pp", "2", ";"});
  // Words from a file are unknown, not absent.
  CHECK(words_passed("mapfile -t A < x\nrun \"${A[@]}\"") == Words{"run", "${A}", ";"});
}

TEST_CASE("a choice between a variable that nothing sets and a default takes the default") {
  const std::string choice = "[[ -n \"$R\" ]] && r=$R || r=python\nrun $r";
  CHECK(words_passed(choice) == Words{"run", "python", ";"});
  CHECK(words_passed("R=bash\n" + choice) == Words{"run", "bash", ";"});
  CHECK(words_passed("R=$(which python3)\n" + choice) != Words{"run", "python", ";"});
}

TEST_CASE("defaults, members and parts of values") {
  CHECK(words_passed(": ${TP:=4} \"${PP:=2}\"\nPP=${PP:=9}\nrun $TP $PP") ==
        Words{"run", "4", "2", ";"});
  CHECK(words_passed("declare -A S=( [7b]=32 [x]=40 )\nS[\"y\"]=48\nM=7b\nrun ${S[$M]} ${S[y]}") ==
        Words{"run", "32", "48", ";"});
  CHECK(words_passed("A=()\nA[0]=--bf16\nA[1]=\"--mb 2\"\nrun ${A[*]}") ==
        Words{"run", "--bf16", "--mb", "2", ";"});
  CHECK(
      words_passed("P=a/b-8.json\nQ=${P##*/}\nrun $Q ${Q%.*} ${P#*-} ${P//a/c} ${P^^} ${P%%-*}") ==
      Words{"run", "b-8.json", "b-8", "8.json", "c/b-8.json", "A/B-8.JSON", "a/b", ";"});
  CHECK(words_passed("N=4\n((G=N*8))\nlet G+=1\nrun $G $(echo \"$N*2\" | bc) $(expr $N \\* 3)") ==
        Words{"run", "33", "8", "12", ";"});
}

TEST_CASE("srun's nodes are the launcher's") {
  CHECK(words_passed("srun -N 16 --gpus-per-node=8 run") ==
        Words{"--nnodes", "16", ";", "srun", "-N", "16", "--gpus-per-node=8", "run", ";"});
}

TEST_CASE("a here-document behind a sign that goes on is read before what follows") {
  CHECK(words_passed("cat <<E > f ||\n{}\nE\nrun a") == Words{});
  CHECK(words_passed("cat <<E > f; A=(\n{}\nE\n--tp 8)\nrun ${A[@]}") ==
        Words{"run", "--tp", "8", ";"});
  CHECK(words_passed("cat <<E | [[ a\nx\nE\n]]\nrun a") == Words{"run", "a", ";"});
}

TEST_CASE("a loop over words runs once for each") {
  CHECK(words_passed("A=()\nfor f in bf16 swiglu; do A+=(\"--$f\"); done\nrun \"${A[@]}\"") ==
        Words{"run", "--bf16", "--swiglu", ";"});
  CHECK(words_passed("for n in {1..3} a{b,c}; do X=\"$X $n\"; done\nrun $X").back() == ";");
  CHECK(words_passed("X=\nfor n in {1..3} a{b,c} $(seq 5 6); do X=\"$X $n\"; done\nrun $X") ==
        Words{"run", "1", "2", "3", "ab", "ac", "5", "6", ";"});
  CHECK(words_passed("for n in $(hostname); do X=$n; done\nrun $X") == Words{"run", "${n}", ";"});
  CHECK(words_passed("for a in \"$@\"; do export \"$a\"; done\nrun a") == Words{"run", "a", ";"});
  CHECK(words_passed("N=0\nfor ((i = 1; i <= 3; i++)); do N=$((N + i)); done\nrun $N") ==
        Words{"run", "6", ";"});
  CHECK(words_passed("N=1\nwhile [ $N -lt 8 ]; do N=$((N * 2)); done\nrun $N") ==
        Words{"run", "8", ";"});
  CHECK(words_passed("while true; do run a; done") == Words{"run", "a", ";"});
}

TEST_CASE("break, continue and return leave their part") {
  CHECK(words_passed("for n in 1 2 3; do [ $n = 2 ] && break; run $n; done\nrun $n") ==
        Words{"run", "1", ";", "run", "2", ";"});
  CHECK(words_passed("for n in 1 2 3; do if [ $n = 2 ]; then continue; fi; run $n; done") ==
        Words{"run", "1", ";", "run", "3", ";"});
  CHECK(
      words_passed("f() { if [ $1 = a ]; then X=1; return; fi; X=2; }\nf a\nrun $X\nf b\nrun $X") ==
      Words{"run", "1", ";", "run", "2", ";"});
  const ShellRun run =
      run_shell("X=1\nfor n in 2 3; do [ -n \"$OUT\" ] && break; X=$n; done\nrun --x $X", "x");
  CHECK(run.doubts.size() == 1);
  CHECK(run.words == Words{"run", "--x", "$X", ";"});
}

TEST_CASE("loops and calls without measure are refused") {
  const std::string long_line = "A=" + std::string(60'000, 'x') + "\n";
  CHECK_THROWS_AS(words_passed("for n in {1..4000}; do\n" + long_line + "done"), InputError);
  CHECK_THROWS_AS(words_passed("for a in {1..4000}; do for b in {1..4000}; do X=$a; done; done"),
                  InputError);
  CHECK(words_passed("N=0; while [ $N -lt 9999 ]; do N=$((N + 1)); done\nrun $N") ==
        Words{"run", "$N", ";"});
  CHECK(words_passed("A=(a b)\nA=()\nA+=(c)\nrun \"${A[@]}\"") == Words{"run", "c", ";"});
}

TEST_CASE("a command behind its preparations is run") {
  CHECK(words_passed("cd /opt && git pull && export A=2 && pip install -q x && run --a $A") ==
        Words{"run", "--a", "2", ";"});
  CHECK(words_passed("docker run x bash -c \"cd /opt && run --a 2\"") ==
        Words{"docker", "run", "x", "bash", "-c", ";", "run", "--a", "2", ";"});
  CHECK(words_passed("mkdir a || A=1\nrun $A") == Words{"run", "$A", ";"});
  CHECK(run_shell("grep -q x y && A=--fp16\nrun $A", "x").doubts.size() == 1);
}

TEST_CASE("a script sources and starts the files that are given with it") {
  const ShellFiles files = {
      {"env.sh", "TP=${TP:-4}\nPP=2\n"},
      {"job.sh", "#SBATCH --nodes=4\ntorchrun --nnodes $SLURM_NNODES --tp $1\n"}};
  const auto passed = [&](const std::string& text) {
    return run_shell(text, "x", {}, files).words;
  };
  CHECK(passed("TP=8\nsource `pwd`/env.sh\nPP=3\nrun $TP $PP") == Words{"run", "8", "3", ";"});
  CHECK(passed("bash scripts/job.sh 2") == Words{"torchrun", "--nnodes", "4", "--tp", "2", ";"});
  CHECK(passed("sbatch -p gpu --nodes=16 job.sh 2") ==
        Words{"torchrun", "--nnodes", "16", "--tp", "2", ";"});
  CHECK(run_shell("source $DIR/other.sh", "x", {}, files).sources == Words{"$DIR/other.sh"});
}

TEST_CASE("one of several values decides what holds for each of them") {
  const std::string unknown = "N=4\nif grep -q x y; then N=8; fi\n";
  CHECK(words_passed(unknown + "[ $N -gt 2 ] && A=1 || A=2\nrun $N $A") ==
        Words{"run", "$N", "1", ";"});
  CHECK(words_passed(unknown + "[ $N = 16 ] && run a\n[ $N -lt 8 ] || A=1\nrun b $A") ==
        Words{"run", "b", "$A", ";"});
  CHECK(words_passed(unknown + "M=$((N / N + 1 - N % 4))\nrun $((N * 0)) ${N%9} $M") ==
        Words{"run", "0", "${N%9}", "$((N / N + 1 - N % 4))", ";"});
  CHECK(words_passed(unknown + "case $N in 4|8) A=1 ;; *) A=2 ;; esac\nrun $A") ==
        Words{"run", "1", ";"});
  // A value of which one choice is unknown is unknown.
  CHECK(words_passed("N=$(f)\nif grep x y; then N=8; fi\n[ $N -gt 2 ] && A=1\nrun $A") ==
        Words{"run", "$A", ";"});
}

TEST_CASE("a branch in doubt sees its own values, and adds to those beside") {
  const ShellRun run = run_shell(
      "A=\"--a 1\"\nB=(--b)\nif grep x y; then T=2; P=$((T * 2)); A=\"$A --p $P\"; B+=(--c $T); "
      "fi\n"
      "run $A \"${B[@]}\" ${#B[@]}",
      "x");
  CHECK(run.words == Words{"run", "--a", "1", "--b", "${#B[@]}", ";"});
  REQUIRE(run.doubts.size() == 1);
  CHECK(run.doubts[0].line == 3);
  for (const char* word : {"--p", "4", "--c", "2"})
    CHECK(std::count(run.doubts[0].words.begin(), run.doubts[0].words.end(), word) > 0);
  const auto& words = run.doubts[0].words;
  CHECK(std::count(words.begin(), words.end(), "--a") == 0);
}

TEST_CASE("what follows a return that may be taken is in doubt, and an error is not taken") {
  const std::string call = "}\nN=1\nf\nrun $N";
  CHECK(words_passed("f() {\n[ -f x ] && return\nN=2\n" + call) == Words{"run", "$N", ";"});
  CHECK(words_passed("f() {\n[ -f x ] || return 1\nN=2\n" + call) == Words{"run", "2", ";"});
  CHECK(words_passed("f() {\nreturn\nN=2\n" + call) == Words{"run", "1", ";"});
  CHECK(words_passed("is() { [ $1 = a ]; }\nis a && run a\nif is b; then run b; fi") ==
        Words{"run", "a", ";"});
  CHECK(words_passed("has() { grep -q x y; }\nif has; then N=1; fi\nrun $N") ==
        Words{"run", "$N", ";"});
}

TEST_CASE("a program is taken to succeed where another follows it") {
  CHECK(words_passed("python prepare.py && run a") ==
        Words{"python", "prepare.py", ";", "run", "a", ";"});
  CHECK(words_passed("if python check.py; then N=1; fi\nrun $N").back() == ";");
  CHECK(run_shell("python a.py || run b", "x").doubts.size() == 1);
}

TEST_CASE("patterns, parts and members of values") {
  CHECK(
      words_passed("A=llama-3-8b\n[[ $A == llama-[0-9]* ]] && run a\n[[ $A == \"l*\" ]] && run b\n"
                   "case $A in [!l]*) run c ;; *8?) run d ;; esac") ==
      Words{"run", "a", ";", "run", "d", ";"});
  CHECK(words_passed("A=a-b-c\nrun ${A/-*/x} ${A//[ac]/_} ${A:2:1} ${A: -1} ${A/#a/z} ${A/%c/z}") ==
        Words{"run", "ax", "_-b-_", "b", "c", "z-b-c", "a-b-z", ";"});
  CHECK(words_passed("A=(a b c d)\nrun ${A[@]:1:2} ${A[-1]} ${A[@]/#/x} \"${!A[@]}\"") ==
        Words{"run", "b", "c", "d", "xa", "xb", "xc", "xd", "0", "1", "2", "3", ";"});
  CHECK(words_passed("A=()\nA[2]=x\nrun \"${A[@]}\"") == Words{"run", "x", ";"});
  CHECK(words_passed("A=(a)\nA[2]=x\nrun ${#A[@]} ${!A[@]} b${A[1]}") ==
        Words{"run", "2", "0", "2", "b", ";"});
  CHECK(words_passed("N=A\nA=5\nrun ${!N}") == Words{"run", "5", ";"});
  CHECK(words_passed("f() { run \"${@:2}\"; }\nf a b c") == Words{"run", "b", "c", ";"});
}

TEST_CASE("words in braces, in quotes and behind escapes") {
  CHECK(words_passed("run a{b,c}d {1..3} '{x,y}' \"{x,y}\" \\{x,y}") ==
        Words{"run", "abd", "acd", "1", "2", "3", "{x,y}", "{x,y}", "{x,y}", ";"});
  CHECK(words_passed("run $'a\\tb' a\\ b \"a\\$b\" '\\'") ==
        Words{"run", "a\tb", "a b", "a$b", "\\", ";"});
  CHECK(words_passed("export \"TP=4\"\nset -- x y\nrun $TP $2 $#") ==
        Words{"run", "4", "y", "2", ";"});
  CHECK(words_passed("A=$(cat <<EOF\nit's $((1 + 1)) :)\nEOF\n)\nrun \"$A\"") ==
        Words{"run", "it's 2 :)", ";"});
  CHECK(words_passed("A=\"a b\"\nrun $(echo $A) \"$(echo \"$A\" | bc)\"") ==
        Words{"run", "a", "b", "$(echo \"$A\" | bc)", ";"});
}

TEST_CASE("a document goes through a pipeline to a shell or a file") {
  CHECK(words_passed("cat <<EOF | bash\nrun a\nEOF") == Words{"bash", ";", "run", "a", ";"});
  const ShellRun run = run_shell("cat <<EOF | tee out.json\n{}\nEOF\n", "x");
  REQUIRE(run.documents.size() == 1);
  CHECK(run.documents[0].target == "out.json");
}

TEST_CASE("a function or a group without its bracket is refused with its line") {
  CHECK_THROWS_AS(words_passed("f() {\nrun a\n"), InputError);
  CHECK_THROWS_AS(words_passed("for a in 1; do run a\n"), InputError);
  CHECK_THROWS_AS(words_passed("f() { f; }\nf"), InputError);
}

}  // namespace orrery

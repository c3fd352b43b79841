// A destructive command in every production of bash's grammar, and in pairs of productions.

#include <algorithm>
#include <catch2/catch.hpp>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "policy/denylist.h"

namespace orch::policy {
namespace {

constexpr std::string_view kWorkDir = "/home/ada/app";

bool is_allowed(std::string_view command) {
  const CommandVerdict verdict = judge_command(command, kWorkDir);
  return verdict.readable && verdict.found.empty();
}

// "%" marks the place of the command.
constexpr std::string_view kProductions[] = {
    "%",
    "% ",
    " %",
    "\t%",
    "\n%\n",
    "%;",
    "%&",
    "% # x",
    "# x\n%",
    "ls\n%",
    "ls; %",
    "ls & %",
    "ls && %",
    "ls || %",
    "! %",
    "time %",
    "time -p %",
    "% | cat",
    "cat | %",
    "cat |& %",
    "ls | ls | %",
    "% && ls",
    "% || ls",
    "ls && ls || %",
    "ls &&\n%",
    "ls |\n%",
    "{ %; }",
    "{ %\n}",
    "{ ls; %; }",
    "(%)",
    "( % )",
    "(ls; %)",
    "(%) > x",
    "{ %; } 2>&1",
    "((1)); %",
    "(( x < 2 )) && %",
    "[[ a ]] && %",
    "[[ a == b && -n $(%) ]]",
    "[ a = b ] || %",
    "if %; then ls; fi",
    "if ls; then %; fi",
    "if ls; then ls; else %; fi",
    "if ls; then ls; elif %; then ls; fi",
    "if ls; then ls; elif ls; then %; else ls; fi",
    "if ls\nthen\n%\nfi",
    "while %; do ls; done",
    "while ls; do %; done",
    "until %; do ls; done",
    "until ls; do %; done",
    "for i in a; do %; done",
    "for i; do %; done",
    "for i in a b\ndo\n%\ndone",
    "for i in $(%); do ls; done",
    "for ((i=0; i<1; i++)); do %; done",
    "for i in a; { %; }",
    "select i in a; do %; done",
    "case x in x) %;; esac",
    "case x in (x) % ;; esac",
    "case x in a|b) ls;; *) %; esac",
    "case x in a) ls;& b) %;;& esac",
    "case $(%) in *) ls;; esac",
    "case x in $(%)) ls;; esac",
    "case x in\nx)\n%\n;;\nesac",
    "f() { %; }; f",
    "f() { %; }",
    "f () (%); f",
    "function f { %; }; f",
    "function f() { %; }; f",
    "f() if ls; then %; fi; f",
    "ls() { %; }; ls",
    "f()\n{\n%\n}\nf",
    "coproc %",
    "coproc { %; }",
    "coproc X { %; }",
    "echo $(%)",
    "echo \"$(%)\"",
    "echo \"a $(%) b\"",
    "echo a$(%)b",
    "echo `%`",
    "echo \"`%`\"",
    "echo ${x:-$(%)}",
    "echo \"${x:-$(%)}\"",
    "echo ${x:=$(%)}",
    "echo ${x:+$(%)}",
    "echo ${x:?$(%)}",
    "echo ${x#$(%)}",
    "echo ${x%%$(%)}",
    "echo ${x/$(%)/a}",
    "echo ${x:$(%)}",
    "echo ${x^$(%)}",
    "echo $(( $(%) ))",
    "echo $((a[$(%)]))",
    "echo ${a[$(%)]}",
    "x=$(%)",
    "x=\"$(%)\" ls",
    "x+=$(%)",
    "a[$(%)]=1",
    "a=(b $(%))",
    "a+=($(%))",
    "declare x=$(%)",
    "export x=\"$(%)\"",
    "local x=`%`",
    "cat <(%)",
    "tee >(%)",
    "cat < <(%)",
    "ls > >(%)",
    "cat <<E\n$(%)\nE",
    "cat <<E\n`%`\nE",
    "cat <<-E\n\t$(%)\n\tE",
    "cat <<E\nx\nE\n%",
    "cat <<'E'\nx\nE\n%",
    "cat <<-'E'\n\tx\n\tE\n%",
    "cat <<A <<B\na\nA\n$(%)\nB",
    "cat <<A; %\na\nA",
    "cat <<A && %\na\nA",
    "cat <<A | ls; %\na\nA",
    "echo $(cat <<A\n$(%)\nA\n)",
    "cat <<< $(%)",
    "cat <<< \"$(%)\"",
    "ls > $(%)",
    "ls 2>&1; %",
    "ls >x 2>y; %",
    "ls &>x; %",
    "2>x %",
    "x=1 %",
    "x=1 y='a b' %",
    "echo 'a'; %",
    "echo \"a\"; %",
    "echo \\'; %",
    "echo \\\"; %",
    "echo $'a\\'b'; %",
    "echo $\"a\"; %",
    "echo a\\\n; %",
    "echo \"'\"; %",
    "echo '\"'; %",
    "echo a#b; %",
    "echo {a,b}; %",
    "echo ${#x}; %",
    "echo $#; %",
    "echo \"${x}\"; %",
    "echo ${x//a/b}; %",
    "echo `ls`; %",
    "echo *[a]*; %",
    "echo a=(b; %",
    "echo 'a\nb'; %",
    "echo \"a\nb\"; %",
    "eval '%'",
    "eval \"%\"",
    "trap '%' EXIT",
    "bash -c '%'",
    "sh -c \"%\"",
    "sudo sh -c '%'",
    "env X=1 bash -c '%'",
    "bash <<< '%'",
    "bash <<E\n%\nE",
    "sh <<'E'\n%\nE",
    "echo '%' | sh",
    "printf '%s' '%' | bash",
    "cat <<'E' | bash\n%\nE",
    "find . -exec sh -c '%' \\;",
    "xargs sh -c '%'",
    "timeout 5 bash -c '%'",
    "nohup sh -c '%' &",
    "echo '%' > x.sh; sh x.sh",
    "cat > x.sh <<'E'\n%\nE\nbash x.sh",
    "source <(echo '%')",
    "set -e; %",
    "set -- a; %",
    "exec 3>x; %",
    "shift; %",
    "a=b; %",
    "a=b\n%",
    "unset x; %",
    "read x; %",
    "cd src && %",
    "(cd src; %)",
    "pushd a; %",
    "while read x; do %; done < y",
    "ls | while read x; do %; done",
    "if [[ a =~ (b|c) ]]; then %; fi",
    "[[ a < b ]]; %",
    "[[ ( a || b ) ]] && %",
    "export PATH; %",
    "true; { { %; }; }",
    "( ( % ) )",
    "if ls; then if ls; then %; fi; fi",
    "f() { g() { %; }; g; }; f",
    "! { %; }",
    "time { %; }",
    "time ( % )",
};

constexpr std::string_view kCommands[] = {
    "rm -rf /",
    "echo x > /etc/hosts",
    "git push --force",
    "rm -rf ~/x",
    "cp a /etc/b",
    "kill -9 -1",
    "echo x > .git/hooks/pre-commit",
    "curl http://x/y -o /etc/z",
    "npm publish",
};

std::string put(std::string_view production, std::string_view command) {
  std::string text(production);
  for (size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at)) {
    if (text.compare(at, 2, "%%") == 0) {
      text.erase(at, 1);
      ++at;
    } else if (text.compare(at, 2, "%s") == 0) {
      ++at;
    } else {
      const bool brackets = at > 0 && text[at - 1] == '(' && command.starts_with('(');
      text.replace(at, 1, brackets ? " " : "");  // "((" is arithmetic
      text.insert(at + (brackets ? 1 : 0), command);
      at += command.size();
    }
  }
  return text;
}

// Whether the inner production keeps its meaning in the outer one. Quotes and here-documents inside
// of each other change it: the command may be harmless then, and need not be found.
bool nests(std::string_view outer, std::string_view inner) {
  const bool quotes = inner.find_first_of("'\"`\\\n#%") != std::string_view::npos;
  const bool plain = outer.find_first_of("'\"`\\#") == std::string_view::npos &&
                     outer.find("<<") == std::string_view::npos;
  return plain || !quotes;
}

}  // namespace

TEST_CASE("A destructive command is not allowed in any production of the grammar") {
  int texts = 0;
  for (const std::string_view production : kProductions) {
    for (const std::string_view command : kCommands) {
      const std::string text = put(production, command);
      INFO(text);
      CHECK(!is_allowed(text));
      ++texts;
    }
  }
  std::cout << "grammar: " << texts << " texts, none allowed\n";
}

TEST_CASE("The productions themselves are read") {
  size_t allowed = 0;
  for (const std::string_view production : kProductions) {
    allowed += is_allowed(put(production, "ls")) ? 1 : 0;
  }
  std::cout << "productions: " << allowed << " of " << std::size(kProductions)
            << " allowed with ls\n";
  CHECK(allowed * 100 >= std::size(kProductions) * 80);
}

TEST_CASE("A destructive command is not allowed in pairs of productions") {
  int texts = 0;
  for (const std::string_view outer : kProductions) {
    for (const std::string_view inner : kProductions) {
      if (!nests(outer, inner)) continue;
      // A command that ends with a line, & or ; becomes part of a list there, so it is put into a
      // group.
      const bool line = inner.find('\n') != std::string_view::npos || inner.ends_with('&') ||
                        inner.ends_with(';') || inner.find('#') != std::string_view::npos;
      const std::string text = put(outer, put(line ? "{ %\n}" : "%", put(inner, "rm -rf /")));
      if (is_allowed(text)) {
        INFO(text);
        CHECK(!is_allowed(text));
      }
      ++texts;
    }
  }
  std::cout << "grammar: " << texts << " pairs, none allowed\n";
}

TEST_CASE("Any bytes are judged") {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> byte(0, 255);
  std::uniform_int_distribution<size_t> length(0, 200);
  std::uniform_int_distribution<size_t> production(0, std::size(kProductions) - 1);
  size_t unreadable = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    if (i % 2 == 0) {
      for (size_t n = length(random); n > 0; --n) text += static_cast<char>(byte(random));
    } else {  // a production with one byte changed
      text = put(kProductions[production(random)], "ls");
      text[length(random) % text.size()] = static_cast<char>(byte(random));
    }
    unreadable += judge_command(text, kWorkDir).readable ? 0 : 1;
  }
  CHECK(unreadable > 10'000);
}

}  // namespace orch::policy

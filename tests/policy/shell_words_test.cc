#include "policy/shell_words.h"

#include <catch2/catch.hpp>

namespace orch::policy {
namespace {

// Words in brackets, commands joined by |, pipelines by ;, groups in braces.
std::string shown(const std::vector<ShellPipeline>& script);

std::string shown(const ShellCommand& command) {
  std::string out;
  for (const ShellWord& word : command.assignments) out += "<" + word.text + ">";
  for (const ShellWord& word : command.words) out += "[" + word.text + "]";
  if (!command.body.empty()) out += "{" + shown(command.body) + "}";
  for (const Redirection& redirection : command.redirections) {
    const bool writes = redirection.kind == Redirection::Kind::kWrite;
    const bool here = redirection.kind == Redirection::Kind::kHereText;
    out += (writes ? ">" : here ? "<<" : "<") + redirection.target.text;
  }
  return out;
}

std::string shown(const std::vector<ShellPipeline>& script) {
  std::string out;
  for (const ShellPipeline& pipeline : script) {
    if (!out.empty()) out += ";";
    bool first = true;
    for (const ShellCommand& command : pipeline.commands) {
      if (!first) out += "|";
      first = false;
      out += shown(command);
    }
  }
  return out;
}

std::string read(std::string_view text) {
  const auto script = read_shell(text);
  return script ? shown(*script) : "unreadable";
}

ShellWord word(std::string_view text) {
  const auto script = read_shell(text);
  REQUIRE(script);
  return script->front().commands.front().words.front();
}

}  // namespace

TEST_CASE("Quotes and backslashes make words and go") {
  CHECK(read("a 'b c' \"d e\" f\\ g") == "[a][b c][d e][f g]");
  CHECK(read("a'b'\"c\"d") == "[abcd]");
  CHECK(read("'' \"\"") == "[][]");
  CHECK(read("\"a \\\" b\" 'a \\'") == "[a \" b][a \\]");
  CHECK(read("\"a\\nb\"") == "[a\\nb]");
  CHECK(read("a \\\n b") == "[a][b]");
}

TEST_CASE("Operators part commands") {
  CHECK(read("a&&b||c;d&e\nf") == "[a];[b];[c];[d];[e];[f]");
  CHECK(read("a|b |& c") == "[a]|[b]|[c]");
  CHECK(read("a |\n b") == "[a]|[b]");
  CHECK(read("a 'x;y' # ; z") == "[a][x;y]");
  CHECK(read("a#b") == "[a#b]");
}

TEST_CASE("Redirections are no words") {
  CHECK(read("a >b 2>c >>d <e") == "[a]>b>c>d<e");
  CHECK(read("a 2>&1 >&-") == "[a]");
  CHECK(read("a &> b") == "[a]>b");
  CHECK(read("a <<< 'b c'") == "[a]<<b c");
  CHECK(read("a >& b") == "[a]>b");
}

TEST_CASE("A here-document is the lines up to its end") {
  CHECK(read("cat <<EOF > f\nx; y\nEOF\nls") == "[cat]<<x; y\n>f;[ls]");
  CHECK(read("cat <<'A' <<B\n1\nA\n2\nB\nls") == "[cat]<<1\n<<2\n;[ls]");
  CHECK(read("cat <<-EOF\n\tx\n\tEOF\nls") == "[cat]<<\tx\n;[ls]");
  CHECK(read("cat <<EOF\nx") == "unreadable");
}

TEST_CASE("Assignments stand before the words") {
  CHECK(read("A=1 B='x y' c D=2") == "<A=1><B=x y>[c][D=2]");
  CHECK(read("A=(1 2); b") == "<A=>;[b]");
}

TEST_CASE("Groups hold their commands") {
  CHECK(read("(a; b) | c") == "{[a];[b]}|[c]");
  CHECK(read("{ a; b; } > f") == "{[a];[b]}>f");
  CHECK(read("if a; then b; elif c; then d; else e; fi; f") == "{[a];[b];[c];[d];[e]};[f]");
  CHECK(read("while a; do b; done < f") == "{[a];[b]}<f");
  CHECK(read("for x in 1 2; do a $x; done") == "[for][x][in][1][2]{[a][$x]}");
  CHECK(read("for ((i=0; i<3; i++)); do a; done") == "[for]{[a]}");
  CHECK(read("case $x in a|b) c ;; (*) d;; esac; e") == "[$x]{[c];[d]};[e]");
  CHECK(read("case $x in a) c ;; b) d\nesac") == "[$x]{[c];[d]}");
  CHECK(read("f() { a; }; g") == "{{[a]}};[g]");
  CHECK(read("f ()\n{ a; }") == "{{[a]}}");
  CHECK(read("[[ a < b && c ]] && d") == "[d]");
  CHECK(read("echo done; echo fi") == "[echo][done];[echo][fi]");
}

TEST_CASE("Of a word with expansions only the front is known") {
  CHECK(word("abc").exact());
  CHECK(word("ab$c").known == 2);
  CHECK(word("'ab$c'").exact());
  CHECK(word("\"ab$c/d\"").text == "ab$c/d");
  CHECK(word("ab`c`").known == 2);
  CHECK(word("${HOME}/x").known == 0);
  CHECK(word("a{b,c}").known == 1);
  CHECK(word("{}").exact());
  CHECK(word("$").exact());
  CHECK(word("a*").glob);
  CHECK(!word("'a*'").glob);
  CHECK(word("'~'").quoted);
}

TEST_CASE("Commands in a word are kept to be read") {
  CHECK(word("$(a 'b)' c)").scripts == std::vector<std::string>{"a 'b)' c"});
  CHECK(word("\"x $(a \"b\") $(c)\"").scripts == std::vector<std::string>{"a \"b\"", "c"});
  CHECK(word("`a \\`b\\``").scripts == std::vector<std::string>{"a `b`"});
  CHECK(word("<(a | b)").scripts == std::vector<std::string>{"a | b"});
  CHECK(word("$((1 + 2))").scripts.empty());
}

TEST_CASE("What has no end cannot be read") {
  for (const char* text : {"'a", "\"a", "a\\", "$(a", "`a", "${a", "(a", "{ a", "if a; then b",
                           "case x in a) b", "a |", "| a", ")", "a >"}) {
    INFO(text);
    CHECK(read(text) == "unreadable");
  }
}

}  // namespace orch::policy

#include "policy/shell_reader.h"

#include <algorithm>
#include <utility>

namespace orch::policy {
namespace {

constexpr size_t kMaxLength = 64 << 10;
constexpr int kMaxDepth = 48;  // how deep groups, substitutions and quotes may be nested

constexpr std::string_view kMetacharacters = " \t\n;&|<>()";

bool is_metacharacter(char c) { return kMetacharacters.find(c) != std::string_view::npos; }

}  // namespace

void ShellReader::skip_continuations() {
  while (at_ + 1 < text_.size() && text_[at_] == '\\' && text_[at_ + 1] == '\n') at_ += 2;
}

char ShellReader::peek() { return at_end() ? '\0' : text_[at_]; }

char ShellReader::peek_after(size_t skipped) const {
  return at_ + skipped < text_.size() ? text_[at_ + skipped] : '\0';
}

bool ShellReader::take(std::string_view token) {
  const size_t begin = at_;
  for (const char c : token) {
    if (peek() != c) {
      at_ = begin;
      return false;
    }
    ++at_;
  }
  return !failed_;
}

// The word at this point, if it is written plainly as keywords are. The word is not taken.
std::string ShellReader::keyword() {
  const size_t begin = at_;
  std::string word;
  for (char c = peek(); c != '\0' && !is_metacharacter(c) && word.size() < 16; c = peek()) {
    word += c;
    ++at_;
  }
  at_ = begin;
  return word;
}

bool ShellReader::take_keyword(std::string_view word) { return keyword() == word && take(word); }

void ShellReader::expect(std::string_view keyword_word) {
  skip_newlines();
  if (!take_keyword(keyword_word)) fail();
}

void ShellReader::skip_blanks() {
  while (peek() == ' ' || peek() == '\t') ++at_;
  if (peek() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
}

// The lines of a here-document were taken from after the first line break behind its mark. If that
// line break is not one of the grammar, because it is in quotes, the reader was wrong and fails.
void ShellReader::take_newline() {
  if (here_end_ != 0) {
    if (at_ != here_begin_) return fail();
    at_ = here_end_;
    here_end_ = 0;
    return;
  }
  ++at_;
}

void ShellReader::skip_newlines() {
  for (skip_blanks(); peek() == '\n' && !failed_; skip_blanks()) take_newline();
}

ShellList ShellReader::read_all() {
  ShellList list = read_list({});
  if (here_end_ != 0) fail();
  return list;
}

// Whether the list ends at this point, with one of the words in `ends`, a closing bracket or ";;".
// The end is not taken.
bool ShellReader::at_list_end(Ends ends) {
  if (peek() == ')') return true;
  if (peek() == ';') {
    const size_t begin = at_;
    const bool ends_branch = take(";;") || take(";&");
    at_ = begin;
    return ends_branch;
  }
  const std::string word = keyword();
  return std::find(ends.begin(), ends.end(), word) != ends.end();
}

// Reads commands up to one of `ends`, a closing bracket or the end of a branch of case.
ShellList ShellReader::read_list(Ends ends) {
  ShellList list;
  if (++depth_ > kMaxDepth) fail();
  for (skip_newlines(); !at_end() && !at_list_end(ends); skip_newlines()) {
    list.items.push_back(read_and_or());
    skip_blanks();
    if (at_end() || at_list_end(ends)) break;
    if (peek() == '&') {
      ++at_;
      list.items.back().background = true;
    } else if (peek() == ';') {
      ++at_;
    } else if (peek() != '\n') {
      fail();
    }
  }
  if (ends.size() == 0 && !at_end()) fail();
  --depth_;
  return list;
}

AndOrList ShellReader::read_and_or() {
  AndOrList list;
  list.steps.push_back({false, read_pipeline()});
  for (skip_blanks(); !failed_; skip_blanks()) {
    const bool after_failure = take("||");
    if (!after_failure && !take("&&")) break;
    skip_newlines();
    list.steps.push_back({after_failure, read_pipeline()});
  }
  return list;
}

ShellPipeline ShellReader::read_pipeline() {
  ShellPipeline pipeline;
  for (bool prefix = true; prefix && !failed_;) {
    skip_blanks();
    prefix = false;
    if (take_keyword("!")) {
      pipeline.negated = prefix = true;
    } else if (take_keyword("time")) {
      prefix = true;
      skip_blanks();
      take_keyword("-p");
      skip_blanks();
      take_keyword("--");
    }
  }
  skip_blanks();
  const char next = peek();
  const bool nothing = next == '\0' || next == '\n' || next == ';' || next == ')';
  if (nothing && pipeline.negated) return fail(), pipeline;
  do {
    skip_newlines();
    pipeline.commands.push_back(read_command());
    skip_blanks();
    const size_t begin = at_;
    if (take("||")) {
      at_ = begin;
      break;
    }
  } while (!failed_ && (take("|&") || take("|")));
  return pipeline;
}

ShellCommand ShellReader::read_command() {
  ShellCommand command;
  if (++depth_ > kMaxDepth) fail();
  const size_t begin = at_;
  if (read_compound(command)) {
    for (skip_blanks(); !failed_ && read_redirection(command); skip_blanks()) {
    }
  } else if (take_keyword("coproc")) {
    read_coproc(command);
  } else {
    read_simple(command);
  }
  if (at_ == begin) fail();  // there is an operator where a command must be
  --depth_;
  return command;
}

bool ShellReader::read_compound(ShellCommand& command) {
  using Kind = ShellCommand::Kind;
  const size_t begin = at_;
  if (take("((")) {
    command.kind = Kind::kTest;
    SyntaxWord word;
    word.parts.emplace_back();
    word.parts.back().kind = WordPart::Kind::kNumber;
    read_arithmetic(word.parts.back(), "))");
    command.words.push_back(std::move(word));
    return true;
  }
  at_ = begin;
  if (take("(")) {
    command.kind = Kind::kSubshell;
    command.bodies.push_back(read_script_to_paren());
    return true;
  }
  const std::string word = keyword();
  if (word == "{") {
    take(word);
    command.kind = Kind::kGroup;
    command.bodies.push_back(read_list({"}"}));
    expect("}");
  } else if (word == "if") {
    read_if(command);
  } else if (word == "while" || word == "until") {
    read_loop(command);
  } else if (word == "for" || word == "select") {
    read_for(command);
  } else if (word == "case") {
    read_case(command);
  } else if (word == "[[") {
    read_test(command);
  } else if (word == "function") {
    take(word);
    skip_blanks();
    std::string name = keyword();
    if (!take(name)) fail();
    skip_blanks();
    if (take("(")) {
      skip_blanks();
      if (!take(")")) fail();
    }
    read_function(command, std::move(name));
  } else {
    return false;
  }
  return true;
}

void ShellReader::read_if(ShellCommand& command) {
  command.kind = ShellCommand::Kind::kIf;
  take("if");
  do {
    command.bodies.push_back(read_list({"then"}));
    expect("then");
    command.bodies.push_back(read_list({"elif", "else", "fi"}));
  } while (!failed_ && take_keyword("elif"));
  if (take_keyword("else")) command.bodies.push_back(read_list({"fi"}));
  expect("fi");
}

void ShellReader::read_loop(ShellCommand& command) {
  command.kind = ShellCommand::Kind::kLoop;
  take(keyword());
  command.bodies.push_back(read_list({"do"}));
  expect("do");
  command.bodies.push_back(read_list({"done"}));
  expect("done");
}

// Reads "for NAME [in WORDS]; do ... done" or "for ((...)); do ... done"; the same with select.
void ShellReader::read_for(ShellCommand& command) {
  command.kind = ShellCommand::Kind::kFor;
  take(keyword());
  skip_blanks();
  if (take("((")) {
    SyntaxWord word;
    word.parts.emplace_back();
    word.parts.back().kind = WordPart::Kind::kNumber;
    read_arithmetic(word.parts.back(), "))");
    command.words.push_back(std::move(word));
    skip_blanks();
    take(";");
    return read_loop_body(command);
  }
  command.name = take_name();
  if (command.name.empty()) return fail();
  skip_newlines();
  if (take_keyword("in")) {
    for (skip_blanks(); !at_end() && !at_word_end(); skip_blanks()) {
      command.words.push_back(read_word());
    }
  } else {  // the positional parameters
    command.words.push_back(
        {{{WordPart::Kind::kUnknown, "", false, "", {}, {}, {}, false}}, false});
  }
  skip_blanks();
  take(";");
  read_loop_body(command);
}

void ShellReader::read_loop_body(ShellCommand& command) {
  skip_newlines();
  if (take_keyword("{")) {
    command.bodies.push_back(read_list({"}"}));
    return expect("}");
  }
  expect("do");
  command.bodies.push_back(read_list({"done"}));
  expect("done");
}

// Reads "case WORD in PATTERN) commands ;; ... esac".
void ShellReader::read_case(ShellCommand& command) {
  command.kind = ShellCommand::Kind::kCase;
  take("case");
  skip_blanks();
  command.words.push_back(read_word());
  expect("in");
  for (skip_newlines(); !take_keyword("esac"); skip_newlines()) {
    if (at_end()) return fail();
    take("(");
    do {
      skip_blanks();
      command.words.push_back(read_word());
      skip_blanks();
    } while (!failed_ && take("|"));
    if (!take(")")) return fail();
    command.bodies.push_back(read_list({"esac"}));
    skip_newlines();
    if (!take(";;&") && !take(";;") && !take(";&")) return expect("esac");
  }
}

void ShellReader::read_function(ShellCommand& command, std::string name) {
  command.kind = ShellCommand::Kind::kFunction;
  command.name = std::move(name);
  skip_newlines();
  ShellCommand body;
  if (++depth_ > kMaxDepth) fail();
  if (failed_ || !read_compound(body)) return fail();
  for (skip_blanks(); !failed_ && read_redirection(body); skip_blanks()) {
  }
  --depth_;
  AndOrList list;
  list.steps.emplace_back();
  list.steps.back().pipeline.commands.push_back(std::move(body));
  command.bodies.emplace_back();
  command.bodies.back().items.push_back(std::move(list));
}

void ShellReader::read_test(ShellCommand& command) {
  command.kind = ShellCommand::Kind::kTest;
  take("[[");
  for (skip_newlines(); !at_end(); skip_newlines()) {
    if (take_keyword("]]")) return;
    if (is_metacharacter(peek())) {
      ++at_;  // ( ) < > && || and the like in patterns and regular expressions
    } else {
      command.words.push_back(read_word());
    }
  }
  fail();
}

// Reads "coproc [NAME] COMMAND", which runs next to the shell.
void ShellReader::read_coproc(ShellCommand& command) {
  command.kind = ShellCommand::Kind::kSubshell;
  command.name = "coproc";
  skip_blanks();
  ShellCommand inner;
  if (!read_compound(inner)) {
    const size_t begin = at_;
    const bool named = !take_name().empty() && (peek() == ' ' || peek() == '\t');
    skip_blanks();
    if (!named || !read_compound(inner)) {
      at_ = begin;
      read_simple(inner);
    }
  }
  for (skip_blanks(); !failed_ && read_redirection(inner); skip_blanks()) {
  }
  AndOrList list;
  list.steps.emplace_back();
  list.steps.back().pipeline.commands.push_back(std::move(inner));
  command.bodies.emplace_back();
  command.bodies.back().items.push_back(std::move(list));
}

void ShellReader::read_simple(ShellCommand& command) {
  for (skip_blanks(); !at_end(); skip_blanks()) {
    if (read_redirection(command)) continue;
    if (at_word_end()) break;
    if (command.words.empty() && at_assignment()) {
      command.assignments.push_back(read_assignment());
      continue;
    }
    const size_t begin = at_;
    SyntaxWord word = read_word();
    const std::string_view written = text_.substr(begin, at_ - begin);
    command.words.push_back(std::move(word));
    if (command.words.size() == 1 && command.assignments.empty()) {
      skip_blanks();
      if (take("(")) {
        skip_blanks();
        if (!take(")") || written.find_first_of("$`'\"\\*?[{~=") != std::string_view::npos) {
          return fail();
        }
        command.words.clear();
        return read_function(command, std::string(written));
      }
    }
    if (peek() == '(') {  // declare name=(...): the list is read like an assignment's
      const bool list = !written.empty() && written.back() == '=';
      if (!list) return fail();
      take("(");
      for (skip_newlines(); !at_end() && peek() != ')'; skip_newlines()) {
        command.words.push_back(read_word());
      }
      if (!take(")")) return fail();
    }
  }
}

std::optional<ShellList> read_shell(std::string_view text) {
  const auto unreadable = [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n') || c == 0x7f;
  };
  if (text.size() > kMaxLength || std::any_of(text.begin(), text.end(), unreadable)) {
    return std::nullopt;
  }
  ShellReader reader(text, 0);
  ShellList list = reader.read_all();
  if (reader.failed()) return std::nullopt;
  return list;
}

}  // namespace orch::policy

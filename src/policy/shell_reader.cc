#include "policy/shell_reader.h"

#include <algorithm>
#include <array>
#include <utility>

namespace orch::policy {
namespace {

constexpr size_t kMaxLength = 64 << 10;
constexpr int kMaxDepth = 48;  // groups, substitutions and quotes in each other

constexpr std::string_view kMetacharacters = " \t\n;&|<>()";

bool is_metacharacter(char c) { return kMetacharacters.find(c) != std::string_view::npos; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

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

// The word here if it is written plainly, as keywords are; it is not taken.
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

// What a here-document's lines are was decided by the first line break behind its mark. When that
// was no line break of the grammar (it stands in quotes), the reader was wrong.
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

// Is one of the words (or brackets, or ;;) here that end a list? It is not taken.
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

// Commands up to one of `ends`, a closing bracket or the end of a case's branch.
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
  if (at_ == begin) fail();  // an operator where a command must be
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

// for NAME [in WORDS]; do ... done; for ((...)); do ... done; select likewise.
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

// case WORD in PATTERN) commands ;; ... esac
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
      ++at_;  // ( ) < > && || and what a pattern or a regular expression holds
    } else {
      command.words.push_back(read_word());
    }
  }
  fail();
}

// coproc [NAME] COMMAND: runs beside the shell.
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
    if (peek() == '(') {  // declare name=(...): read as an assignment's list
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

// NAME= or NAME+= or NAME[; what begins with the last and is no assignment cannot be read.
bool ShellReader::at_assignment() {
  const size_t begin = at_;
  const bool named = !take_name().empty();
  const bool assigns = named && (take("=") || take("+=") || take("["));
  at_ = begin;
  return assigns;
}

Assignment ShellReader::read_assignment() {
  Assignment assignment;
  assignment.name = take_name();
  if (peek() == '[') {
    assignment.whole = false;
    WordPart part;
    part.kind = WordPart::Kind::kNumber;
    read_subscript(part);
    assignment.value.push_back(std::move(part));
  }
  if (take("+=")) {
    assignment.whole = false;
  } else if (!take("=")) {
    return fail(), assignment;
  }
  if (take("(")) {
    for (skip_newlines(); !at_end() && peek() != ')'; skip_newlines()) {
      assignment.items.push_back(read_word());
    }
    if (!take(")")) fail();
    assignment.whole = false;
    return assignment;
  }
  if (at_word_end() || at_end()) return assignment;
  SyntaxWord word = read_word();
  std::move(word.parts.begin(), word.parts.end(), std::back_inserter(assignment.value));
  return assignment;
}

bool ShellReader::read_redirection(ShellCommand& command) {
  const size_t begin = at_;
  bool descriptor = false;
  std::string number;
  for (; is_digit(peek()); ++at_) number += peek();
  if (number.empty() && peek() == '{') {  // {fd}>file
    ++at_;
    descriptor = !take_name().empty() && take("}");
  }
  constexpr std::array<std::string_view, 12> kOperators{"&>>", "&>", "<<<", "<<-", "<<", "<&",
                                                        "<>",  "<",  ">>",  ">|",  ">&", ">"};
  const bool bare = at_ != begin && !descriptor && number.empty();
  const auto* op = std::find_if(kOperators.begin(), kOperators.end(),
                                [this](std::string_view token) { return take(token); });
  const bool process = op != kOperators.end() && (*op == "<" || *op == ">") && peek() == '(' &&
                       number.empty() && !descriptor;
  const bool numbered = !number.empty() || descriptor;
  if (op == kOperators.end() || bare || process || (numbered && op->starts_with('&'))) {
    at_ = begin;
    return false;
  }
  Redirection redirection;
  redirection.of_output = (number.empty() && !descriptor) || number == "1";
  skip_blanks();
  if (*op == "<<" || *op == "<<-") {
    redirection.kind = Redirection::Kind::kHereText;
    redirection.target.quoted = true;
    redirection.target.parts = read_here_document(*op == "<<-");
    command.redirections.push_back(std::move(redirection));
    return true;
  }
  if (at_end() || at_word_end()) return fail(), true;
  const size_t word_begin = at_;
  redirection.target = read_word();
  const std::string_view written = text_.substr(word_begin, at_ - word_begin);
  const bool duplicates = *op == "<&" || (*op == ">&" && written.find_first_not_of("0123456789-") ==
                                                             std::string_view::npos);
  redirection.kind = duplicates     ? Redirection::Kind::kDuplicate
                     : *op == "<<<" ? Redirection::Kind::kHereText
                     : *op == "<"   ? Redirection::Kind::kRead
                                    : Redirection::Kind::kWrite;
  if (*op == "<>" || *op == "<&") redirection.of_output = false;
  if (*op == ">&" && duplicates) redirection.of_output = true;  // of whatever number
  command.redirections.push_back(std::move(redirection));
  return true;
}

// The lines after this one up to the one that is the delimiter. All of this line must be read
// before: take_newline holds that.
std::vector<WordPart> ShellReader::read_here_document(bool strips_tabs) {
  const size_t mark = at_;
  if (at_end() || at_word_end()) return fail(), Parts{};
  const SyntaxWord word = read_word();
  const std::string_view written = text_.substr(mark, at_ - mark);
  const bool expands = written.find_first_of("'\"\\") == std::string_view::npos;
  std::string delimiter;
  for (const WordPart& part : word.parts) {
    if (part.kind != WordPart::Kind::kText) return fail(), Parts{};
    delimiter += part.text;
  }
  if (here_end_ == 0) {
    here_begin_ = text_.find('\n', at_);
    if (here_begin_ == std::string_view::npos) return fail(), Parts{};
    here_end_ = here_begin_ + 1;
  }
  std::string body;
  bool continued = false;
  while (here_end_ < text_.size()) {
    const size_t end = std::min(text_.find('\n', here_end_), text_.size());
    std::string_view line = text_.substr(here_end_, end - here_end_);
    here_end_ = std::min(end + 1, text_.size());
    while (strips_tabs && line.starts_with('\t')) line.remove_prefix(1);
    if (line == delimiter) {
      if (continued) return fail(), Parts{};  // an escaped line break stands before it
      if (!expands) return {{WordPart::Kind::kText, body, true, "", {}, {}, {}, false}};
      ShellReader inner(body, depth_ + 1);
      Parts parts = inner.read_here_text();
      if (inner.failed_) fail();
      return parts;
    }
    if (expands && continued && delimiter.ends_with(line)) return fail(), Parts{};
    continued = expands && line.ends_with('\\');
    body.append(line).append("\n");
  }
  return fail(), Parts{};
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

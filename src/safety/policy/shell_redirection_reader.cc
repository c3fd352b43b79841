// Reads assignments, redirections and here-documents.

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"
#include "policy/shell_reader.h"

namespace orch::policy {
namespace {}  // namespace

// Whether NAME=, NAME+= or NAME[ is at this point. A word that begins with NAME[ but is not an
// assignment cannot be read.
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
  for (; base::is_digit(peek()); ++at_) number += peek();
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
  redirection.appends = op->ends_with(">>") || *op == "<>";
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
  if (*op == ">&" && duplicates) redirection.of_output = true;  // whatever the descriptor is
  command.redirections.push_back(std::move(redirection));
  return true;
}

// Reads the lines after this one, up to the delimiter. All of this line must be read before the
// lines are skipped; take_newline() ensures that.
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
      if (continued) return fail(), Parts{};  // the line break before the delimiter is escaped
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

}  // namespace orch::policy

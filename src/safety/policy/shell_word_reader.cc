#include <utility>

#include "base/text.h"
#include "policy/shell_reader.h"

namespace orch::policy {
namespace {

using Kind = WordPart::Kind;

constexpr std::string_view kWordEnds = " \t\n;&|<>()";

bool is_name_character(char c) { return base::is_letter_or_digit(c) || c == '_'; }
WordPart part_of(Kind kind, std::string_view text, bool quoted) {
  WordPart part;
  part.kind = kind;
  part.text = text;
  part.quoted = quoted;
  return part;
}

// Whether an arithmetic expression gives a variable a value.
bool assigns(std::string_view expression) {
  if (expression.find("++") != std::string_view::npos ||
      expression.find("--") != std::string_view::npos) {
    return true;
  }
  for (size_t i = 0; i < expression.size(); ++i) {
    if (expression[i] != '=') continue;
    const std::string_view before = expression.substr(0, i);
    const bool shifts = before.ends_with("<<") || before.ends_with(">>");
    const bool compares = before.ends_with('!') || before.ends_with('<') || before.ends_with('>');
    if (expression.substr(i, 2) == "==") {
      ++i;
    } else if (shifts || !compares) {
      return true;
    }
  }
  return false;
}

int digit_value(char c) {
  if (base::is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

}  // namespace

void ShellReader::add_text(Parts& parts, std::string_view text, bool quoted) {
  if (parts.empty() || parts.back().kind != Kind::kText || parts.back().quoted != quoted) {
    parts.push_back(part_of(Kind::kText, "", quoted));
  }
  parts.back().text += text;
}

std::string ShellReader::take_name() {
  std::string name;
  while (is_name_character(peek()) && !(name.empty() && base::is_digit(peek()))) name += take_raw();
  return name;
}

bool ShellReader::at_word_end() {
  const char c = peek();
  if (kWordEnds.find(c) == std::string_view::npos) return false;
  if (c != '<' && c != '>') return true;
  const size_t begin = at_;
  const bool process = take("<(") || take(">(");
  at_ = begin;
  return !process;
}

SyntaxWord ShellReader::read_word() {
  SyntaxWord word;
  const size_t begin = at_;
  while (!at_end() && !at_word_end()) read_word_part(word);
  if (at_ == begin) fail();
  return word;
}

void ShellReader::read_word_part(SyntaxWord& word) {
  Parts& parts = word.parts;
  const char c = peek();
  if (c == '<' || c == '>') {
    at_ += 1;
    take("(");
    parts.push_back(part_of(Kind::kProcess, std::string(1, c), false));
    parts.back().scripts.push_back(read_script_to_paren());
  } else if (c == '\'') {
    read_single_quoted(word);
  } else if (c == '"') {
    word.quoted = true;
    read_double_quoted(parts);
  } else if (c == '\\') {
    ++at_;
    if (at_ >= text_.size()) return fail();
    word.quoted = true;
    add_text(parts, std::string(1, take_raw()), true);
  } else if (c == '$') {
    const char next = peek_after(1);
    if (next == '\'' || next == '"') word.quoted = true;
    if (next == '\'') return read_ansi_quoted(parts);
    if (next == '"') ++at_;
    next == '"' ? read_double_quoted(parts) : read_dollar(parts, false);
  } else if (c == '`') {
    read_backticks(parts, false);
  } else if (c == '*' || c == '?' || c == '[') {
    ++at_;
    parts.push_back(part_of(Kind::kGlob, std::string(1, c), false));
  } else if (c == '{' || c == ',' || c == '}') {
    ++at_;
    parts.push_back(part_of(Kind::kBrace, std::string(1, c), false));
  } else if (c == '~') {
    std::string name;
    const bool begins =
        parts.empty() || (parts.back().kind == Kind::kText && !parts.back().quoted &&
                          (parts.back().text.ends_with('=') || parts.back().text.ends_with(':')));
    do {
      name += take_raw();
    } while (is_name_character(peek()) || peek() == '+' || peek() == '-' || peek() == '.');
    const bool ends = peek() == '/' || peek() == ':' || at_end() || at_word_end();
    if (begins) {
      parts.push_back(part_of(ends ? Kind::kTilde : Kind::kUnknown, name, false));
    } else {
      add_text(parts, name, false);
    }
  } else {
    add_text(parts, std::string(1, take_raw()), false);
  }
}

void ShellReader::read_single_quoted(SyntaxWord& word) {
  word.quoted = true;
  const size_t end = text_.find('\'', at_ + 1);
  if (end == std::string_view::npos) return fail();
  add_text(word.parts, text_.substr(at_ + 1, end - at_ - 1), true);
  at_ = end + 1;
}

// Reads $'...' with the escapes of bash. If an escape gives a control character, the text is
// unknown.
void ShellReader::read_ansi_quoted(Parts& parts) {
  at_ += 2;
  std::string text;
  bool known = true;
  const auto number = [this](int base, int digits) {
    char32_t value = 0;
    int read = 0;
    for (; read < digits && at_ < text_.size() && digit_value(text_[at_]) < base; ++read) {
      value = value * static_cast<char32_t>(base) + static_cast<char32_t>(digit_value(take_raw()));
    }
    return value;
  };
  while (at_ < text_.size() && text_[at_] != '\'') {
    char c = take_raw();
    if (c != '\\') {
      text += c;
      continue;
    }
    c = take_raw();
    char32_t value = 0;
    if (c == 'n') {
      value = '\n';
    } else if (c == 't') {
      value = '\t';
    } else if (c == 'x') {
      value = number(16, 2);
      if (value >= 0x80) known = false;
    } else if (c == 'u' || c == 'U') {
      value = number(16, c == 'u' ? 4 : 8);
    } else if (c >= '0' && c <= '7') {
      --at_;
      value = number(8, 3);
      if (value >= 0x80) known = false;
    } else if (std::string_view("\\'\"?").find(c) != std::string_view::npos) {
      value = static_cast<unsigned char>(c);
    }
    if (value < 0x20 && value != '\n' && value != '\t') known = false;
    if (known) base::append_utf8(text, value);
  }
  if (take_raw() != '\'') return fail();
  if (known) return add_text(parts, text, true);
  parts.push_back(part_of(Kind::kUnknown, "", true));
}

void ShellReader::read_double_quoted(Parts& parts) {
  ++at_;
  add_text(parts, "", true);
  read_in_double_quotes(parts, '"');
  if (take_raw() != '"') fail();
}

std::vector<WordPart> ShellReader::read_here_text() {
  Parts parts;
  read_in_double_quotes(parts, '\0');
  return parts;
}

// Reads up to `end`. If `end` is '\0', reads the text of a here-document to its end; quotes have no
// meaning there.
void ShellReader::read_in_double_quotes(Parts& parts, char end) {
  while (!at_end() && (end == '\0' || peek() != end)) {
    const char c = peek();
    if (c == '$') {
      read_dollar(parts, true);
    } else if (c == '`') {
      read_backticks(parts, true);
    } else if (c == '\\') {
      ++at_;
      const char next = take_raw();
      const bool escapes =
          next == '$' || next == '`' || next == '\\' || (next == '"' && end == '"');
      if (!escapes) add_text(parts, "\\", true);
      if (next != '\0') add_text(parts, std::string(1, next), true);
    } else {
      add_text(parts, std::string(1, take_raw()), true);
    }
  }
}

ShellList ShellReader::read_script_to_paren() {
  const size_t here_end = std::exchange(here_end_, 0);
  ShellList list = read_list({")"});
  if (!take(")") || here_end_ != 0) fail();
  here_end_ = here_end;
  return list;
}

void ShellReader::read_dollar(Parts& parts, bool quoted) {
  const size_t begin = at_;
  ++at_;
  const char c = peek();
  if (take("((")) {
    parts.push_back(part_of(Kind::kNumber, "", quoted));
    return read_arithmetic(parts.back(), "))");
  }
  if (take("(")) {
    parts.push_back(part_of(Kind::kScript, "", quoted));
    parts.back().scripts.push_back(read_script_to_paren());
  } else if (take("{")) {
    read_braced_variable(parts, quoted);
  } else if (take("[")) {  // an old spelling of $((...))
    fail();
  } else if (c == '!') {  // the process id of the last background command, if there was one
    ++at_;
    parts.push_back(part_of(Kind::kVariable, "!", quoted));
  } else if (c == '?' || c == '#' || c == '$') {
    ++at_;
    parts.push_back(part_of(Kind::kNumber, "", quoted));
  } else if (c == '@' || c == '*' || c == '-' || base::is_digit(c)) {
    ++at_;
    parts.push_back(part_of(Kind::kUnknown, "", quoted && c != '@'));
  } else if (is_name_character(c)) {
    parts.push_back(part_of(Kind::kVariable, take_name(), quoted));
  } else {
    at_ = begin + 1;
    add_text(parts, "$", quoted);
  }
}

void ShellReader::read_backticks(Parts& parts, bool quoted) {
  ++at_;
  std::string script;
  while (at_ < text_.size() && text_[at_] != '`') {
    if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
      const char next = text_[at_ + 1];
      if (next == '$' || next == '`' || next == '\\' || (quoted && next == '"')) ++at_;
    }
    script += text_[at_++];
  }
  if (take_raw() != '`') return fail();
  ShellReader inner(script, depth_ + 4);
  parts.push_back(part_of(Kind::kScript, "", quoted));
  parts.back().scripts.push_back(inner.read_all());
  if (inner.failed_) fail();
}

// Reads a variable in braces; the reader is after "${".
void ShellReader::read_braced_variable(Parts& parts, bool quoted) {
  if (++depth_ > 48) fail();
  WordPart part = part_of(Kind::kVariable, "", quoted);
  bool indirect = false;
  if (peek() == '#' && peek_after(1) != '}') {  // ${#name}
    ++at_;
    part.kind = Kind::kNumber;
  } else if (peek() == '!') {  // ${!name}: the value of the variable that `name` names
    ++at_;
    part.kind = Kind::kUnknown;
    indirect = true;
  }
  const char c = peek();
  part.text = take_name();
  if (part.text.empty()) {
    if (std::string_view("?#$!@*-").find(c) != std::string_view::npos) {
      ++at_;
    } else {
      while (base::is_digit(peek())) ++at_;
    }
    if (part.kind == Kind::kVariable) part.kind = Kind::kUnknown;
  }
  // The value of `name` is evaluated like a name with a subscript. ${!prefix*}, ${!prefix@} and
  // ${!name[@]} only list names and keys.
  const char listed = peek() == '[' ? peek_after(1) : peek();
  if (indirect && listed != '*' && listed != '@') {
    part.text.empty() ? part.operand.push_back(part_of(Kind::kUnknown, "", quoted))
                      : part.numbers.push_back(part.text);
  }
  if (peek() == '[') {
    if (part.kind == Kind::kVariable) part.kind = Kind::kUnknown;
    read_subscript(part);
  }
  if (peek() != '}') read_modifier(part, quoted);
  if (!take("}")) fail();
  --depth_;
  parts.push_back(std::move(part));
}

void ShellReader::read_modifier(WordPart& part, bool quoted) {
  const char c = peek();
  if (c == '@') {  // ${name@P} runs the scripts in the value
    ++at_;
    const char what = take_raw();
    if (std::string_view("QULuEAaKk").find(what) == std::string_view::npos) return fail();
    part.kind = Kind::kUnknown;
    return;
  }
  if (take("*")) {  // ${!prefix*}
    part.kind = Kind::kUnknown;
    return;
  }
  const size_t begin = at_;
  const bool colon = take(":");
  const char op = peek();
  if (colon && std::string_view("-=?+").find(op) == std::string_view::npos) {
    part.kind = part.kind == Kind::kNumber ? part.kind : Kind::kUnknown;
    return read_arithmetic(part, "}");
  }
  if (std::string_view("-=?+#%/^,").find(op) == std::string_view::npos) {
    at_ = begin;
    return fail();
  }
  ++at_;
  part.modifier = std::string(1, op);
  part.operand = read_operand(quoted);
}

// Reads up to the brace that closes the expansion, which is not taken.
std::vector<WordPart> ShellReader::read_operand(bool quoted) {
  SyntaxWord word;
  while (!at_end() && peek() != '}') {
    const char c = peek();
    const bool substitutes = (c == '<' || c == '>') && peek_after(1) == '(';
    // Within double quotes, a single quote is a quote for some modifiers and not for others.
    if (substitutes || (quoted && c == '\'')) {
      fail();
    } else if (c == '"' || c == '\\' || c == '$' || c == '`' || c == '\'') {
      read_word_part(word);
    } else {
      add_text(word.parts, std::string(1, take_raw()), quoted);
    }
  }
  return std::move(word.parts);
}

void ShellReader::read_subscript(WordPart& part) {
  take("[");
  read_arithmetic(part, "]");
}

// Reads an arithmetic expression up to `end`, which is taken unless it is "}". The expression may
// only have numbers, names, operators and expansions; its names and scripts are kept.
void ShellReader::read_arithmetic(WordPart& part, std::string_view end) {
  if (++depth_ > 48) fail();
  std::string plain;  // without expansions
  int open = 0;
  bool closed = false;
  while (!at_end()) {
    const char c = peek();
    closed = open == 0 && c == end[0];
    if (closed) {
      if (end != "}" && !take(end)) return fail();
      break;
    }
    if (c == '(' || c == '[') ++open;
    if (c == ')' || c == ']') --open;
    if (open < 0) return fail();
    read_arithmetic_character(part, plain);
  }
  if (!closed) return fail();
  part.assigns = part.assigns || assigns(plain);
  --depth_;
}

void ShellReader::read_arithmetic_character(WordPart& part, std::string& plain) {
  const char c = peek();
  if (c == '$' || c == '`') {
    Parts parts;
    c == '$' ? read_dollar(parts, true) : read_backticks(parts, true);
    for (WordPart& inner : parts) {
      if (inner.kind == Kind::kVariable) part.numbers.push_back(inner.text);
      part.assigns = part.assigns || inner.assigns;
      std::move(inner.numbers.begin(), inner.numbers.end(), std::back_inserter(part.numbers));
      // The values of these are evaluated as expressions, which may run commands.
      std::move(inner.operand.begin(), inner.operand.end(), std::back_inserter(part.operand));
      inner.operand.clear();
      if (inner.kind == Kind::kScript || inner.kind == Kind::kUnknown) {
        part.operand.push_back(std::move(inner));
        continue;
      }
      std::move(inner.scripts.begin(), inner.scripts.end(), std::back_inserter(part.scripts));
    }
    return;
  }
  if (is_name_character(c) && !base::is_digit(c)) {
    part.numbers.push_back(take_name());
    plain += 'x';
    return;
  }
  if (std::string_view("+-*/%<>=!&|^~?:,()[]@# \t\n0123456789.").find(c) ==
      std::string_view::npos) {
    return fail();
  }
  plain += take_raw();
}

}  // namespace orch::policy

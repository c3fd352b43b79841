#include "policy/shell_words.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace orch::policy {
namespace {

constexpr size_t kMaxLength = 64 << 10;  // bytes of one command
constexpr int kMaxDepth = 32;            // groups in groups

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kWordEnds = " \t\r\n;&|<>()";

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// "NAME=" or "NAME+=" at the beginning: how long it is; 0 without one.
size_t assignment_length(std::string_view word) {
  size_t i = 0;
  while (i < word.size() && is_name_character(word[i])) ++i;
  if (i == 0 || (word[0] >= '0' && word[0] <= '9')) return 0;
  if (word.substr(i).starts_with("+=")) return i + 2;
  return word.substr(i).starts_with("=") ? i + 1 : 0;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::optional<std::vector<ShellPipeline>> read() {
    std::vector<ShellPipeline> script = read_list({});
    if (failed_) return std::nullopt;
    return script;
  }

 private:
  using Ends = std::vector<std::string_view>;

  bool at_end() const { return failed_ || at_ >= text_.size(); }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  std::string_view rest() const { return text_.substr(std::min(at_, text_.size())); }
  bool take(std::string_view token) {
    if (failed_ || !rest().starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void fail() { failed_ = true; }

  // A word that is written plainly, as keywords are; it is not taken.
  std::string_view plain_word() const {
    const std::string_view word = rest().substr(0, rest().find_first_of(kWordEnds));
    return word;
  }
  bool take_keyword(std::string_view word) { return plain_word() == word && take(word); }

  bool at_substitution() const {  // <(...) or >(...)
    return rest().starts_with("<(") || rest().starts_with(">(");
  }
  bool at_word_end() const {
    return kWordEnds.find(peek()) != std::string_view::npos && !at_substitution();
  }

  void skip_blanks() {
    while (!at_end()) {
      if (take("\\\n")) continue;
      if (kBlanks.find(peek()) == std::string_view::npos) break;
      ++at_;
    }
    if (peek() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
  }
  void take_newline() {
    ++at_;
    if (here_end_ == 0) return;
    at_ = here_end_;
    here_end_ = 0;
  }
  void skip_separators() {
    for (skip_blanks(); !at_end(); skip_blanks()) {
      if (peek() == '\n') {
        take_newline();
      } else if ((peek() == ';' && !rest().starts_with(";;")) || peek() == '&') {
        ++at_;
      } else if (!take("||")) {
        return;
      }
    }
  }

  // Commands up to one of `ends`, which is taken; without ends up to the end of the text.
  std::vector<ShellPipeline> read_list(const Ends& ends) {
    std::vector<ShellPipeline> list;
    if (++depth_ > kMaxDepth) fail();
    for (skip_separators(); !failed_; skip_separators()) {
      if (at_end()) {
        if (!ends.empty()) fail();
        break;
      }
      if (take_end(ends)) break;
      if (take_keyword("then") || take_keyword("else") || take_keyword("elif") ||
          take_keyword("do") || take_keyword("!")) {
        continue;
      }
      list.push_back(read_pipeline());
    }
    --depth_;
    return list;
  }
  bool take_end(const Ends& ends) {
    return std::any_of(ends.begin(), ends.end(), [this](std::string_view end) {
      return end == ")" || end == ";;" ? take(end) : take_keyword(end);
    });
  }

  ShellPipeline read_pipeline() {
    ShellPipeline pipeline;
    do {
      skip_blanks();
      while (peek() == '\n' && !pipeline.commands.empty()) take_newline(), skip_blanks();
      pipeline.commands.push_back(read_command());
      skip_blanks();
    } while (!failed_ && !rest().starts_with("||") && (take("|&") || take("|")));
    return pipeline;
  }

  ShellCommand read_command() {
    const size_t begin = at_;
    ShellCommand command;
    if (rest().starts_with("((")) {
      skip_to("))");
    } else if (take("(")) {
      command.subshell = true;
      command.body = read_list({")"});
    } else if (take_keyword("{")) {
      command.body = read_list({"}"});
    } else if (take_keyword("if")) {
      command.body = read_list({"fi"});
    } else if (take_keyword("while") || take_keyword("until")) {
      command.body = read_list({"done"});
    } else if (plain_word() == "for" || plain_word() == "select") {
      read_words(command);
      command.body = read_list({"done"});
    } else if (take_keyword("case")) {
      read_case(command);
    } else if (take_keyword("[[")) {
      skip_to("]]");
    } else {
      read_simple(command);
    }
    if (at_ == begin) fail();  // an operator where a command must be
    for (skip_blanks(); !failed_ && read_redirection(command); skip_blanks()) {
    }
    return command;
  }

  void skip_to(std::string_view end) {
    const size_t found = text_.find(end, at_);
    if (found == std::string_view::npos) return fail();
    at_ = found + end.size();
  }

  void read_words(ShellCommand& command) {
    for (skip_blanks(); !at_end(); skip_blanks()) {
      if (read_redirection(command)) continue;
      if (at_word_end()) break;
      command.words.push_back(read_word());
    }
  }

  void read_simple(ShellCommand& command) {
    if (take_keyword("function")) {
      skip_blanks();
      return read_function(command, read_word().text);
    }
    for (skip_blanks(); !at_end(); skip_blanks()) {
      if (read_redirection(command)) continue;
      if (at_word_end()) break;
      const bool assigns = command.words.empty() && assignment_length(plain_word()) > 0;
      ShellWord word = read_word();
      if (assigns && peek() == '(') skip_to(")");  // a list
      if (assigns) {
        command.assignments.push_back(std::move(word));
        continue;
      }
      command.words.push_back(std::move(word));
      skip_blanks();
      if (command.words.size() == 1 && rest().starts_with("()")) {
        const std::string name = command.words.front().text;
        command.words.clear();
        return read_function(command, name);
      }
    }
  }

  void read_function(ShellCommand& command, const std::string& name) {
    skip_blanks();
    if (take("(") && !take(")")) return fail();
    for (skip_blanks(); peek() == '\n'; skip_blanks()) take_newline();
    if (++depth_ > kMaxDepth) return fail();
    command.function = name;
    command.body.push_back({{read_command()}});
    --depth_;
  }

  // case WORD in PATTERN) commands ;; ... esac
  void read_case(ShellCommand& command) {
    skip_blanks();
    command.words.push_back(read_word());
    skip_separators();
    if (!take_keyword("in")) return fail();
    for (skip_separators(); !failed_ && !take_keyword("esac"); skip_separators()) {
      take("(");
      while (!at_end() && peek() != ')') {
        skip_blanks();
        if (!take("|") && peek() != ')') read_word();
      }
      if (!take(")")) return fail();
      std::vector<ShellPipeline> branch = read_branch();
      std::move(branch.begin(), branch.end(), std::back_inserter(command.body));
    }
  }
  // The last branch may end with esac itself, which is left to be taken.
  std::vector<ShellPipeline> read_branch() {
    std::vector<ShellPipeline> branch = read_list({";;", "esac"});
    if (!failed_ && text_.substr(0, at_).ends_with("esac")) at_ -= 4;
    return branch;
  }

  bool read_redirection(ShellCommand& command) {
    size_t digits = 0;
    while (digits < rest().size() && rest()[digits] >= '0' && rest()[digits] <= '9') ++digits;
    if (at_substitution()) return false;
    const std::string_view operators = rest().substr(digits);
    constexpr std::array<std::string_view, 12> kOperators{"&>>", "&>", "<<<", "<<-", "<<", "<&",
                                                          "<>",  "<",  ">>",  ">|",  ">&", ">"};
    const auto* found =
        std::find_if(kOperators.begin(), kOperators.end(),
                     [&operators](std::string_view op) { return operators.starts_with(op); });
    if (found == kOperators.end() || (digits > 0 && found->starts_with('&'))) return false;
    at_ += digits + found->size();
    skip_blanks();
    if (*found == "<<" || *found == "<<-") {
      command.redirections.push_back({Redirection::Kind::kHereText, read_here_text()});
      return true;
    }
    ShellWord target = read_word();
    const bool descriptor =
        found->ends_with('&') && target.text.find_first_not_of("0123456789-") == std::string::npos;
    if (descriptor) return true;
    const bool reads = found->starts_with('<') && *found != "<>";
    command.redirections.push_back({*found == "<<<" ? Redirection::Kind::kHereText
                                    : reads         ? Redirection::Kind::kRead
                                                    : Redirection::Kind::kWrite,
                                    std::move(target)});
    return true;
  }

  // The lines after this one up to the one that is the delimiter.
  ShellWord read_here_text() {
    const size_t mark = at_;
    const ShellWord delimiter = read_word();
    const bool expands =
        text_.substr(mark, at_ - mark).find_first_of("'\"\\") == std::string_view::npos;
    size_t line = here_end_ != 0 ? here_end_ : text_.find('\n', at_);
    if (line == std::string_view::npos) return fail(), ShellWord{};
    if (here_end_ == 0) ++line;
    const size_t begin = line;
    while (line < text_.size()) {
      const size_t end = std::min(text_.find('\n', line), text_.size());
      if (base::trim(text_.substr(line, end - line)) == delimiter.text) {
        here_end_ = std::min(end + 1, text_.size());
        return here_word(text_.substr(begin, line - begin), expands);
      }
      line = end + 1;
    }
    return fail(), ShellWord{};
  }
  ShellWord here_word(std::string_view body, bool expands) {
    if (!expands) return {std::string(body), body.size(), true, false, {}};
    Reader inner(body);
    ShellWord word;
    while (!inner.at_end()) inner.read_in_quotes(word);
    if (inner.failed_) fail();
    word.known = std::min(inner.known_, word.text.size());
    return word;
  }

  ShellWord read_word() {
    ShellWord word;
    known_ = std::string::npos;
    word.quoted = peek() == '\'' || peek() == '"' || peek() == '\\';
    const size_t begin = at_;
    while (!at_end()) {
      const char c = peek();
      if (at_substitution()) {
        at_ += 2;
        read_script(word, c);
      } else if (at_word_end()) {
        break;
      } else if (c == '\'') {
        ++at_;
        const size_t end = text_.find('\'', at_);
        if (end == std::string_view::npos) return fail(), word;
        word.text += text_.substr(at_, end - at_);
        at_ = end + 1;
      } else if (c == '"') {
        ++at_;
        while (!at_end() && peek() != '"') read_in_quotes(word);
        if (!take("\"")) return fail(), word;
      } else {
        read_unquoted(word);
      }
    }
    if (at_ == begin) fail();
    word.known = std::min(known_, word.text.size());
    return word;
  }

  void read_unquoted(ShellWord& word) {
    const char c = peek();
    if (c == '\\') {
      ++at_;
      if (at_end()) return fail();
      if (peek() != '\n') word.text += peek();
      ++at_;
      return;
    }
    if (c == '$' || c == '`') return read_expansion(word);
    if (c == '*' || c == '?' || c == '[') word.glob = true;
    const size_t close = c == '{' ? rest().find('}') : std::string_view::npos;
    const std::string_view braces = close == std::string_view::npos ? "" : rest().substr(0, close);
    if (braces.find(',') != std::string_view::npos || braces.find("..") != std::string_view::npos) {
      known_ = std::min(known_, word.text.size());
    }
    word.text += c;
    ++at_;
  }

  // One character or expansion between double quotes.
  void read_in_quotes(ShellWord& word) {
    const char c = peek();
    if (c == '$' || c == '`') return read_expansion(word);
    if (c == '\\' && rest().size() > 1) {
      const char next = rest()[1];
      const bool escapes = std::string_view("$`\"\\\n").find(next) != std::string_view::npos;
      if (!escapes) word.text += c;
      if (next != '\n' || !escapes) word.text += next;
      at_ += 2;
      return;
    }
    word.text += c;
    ++at_;
  }

  void read_expansion(ShellWord& word) {
    const size_t before = word.text.size();
    if (take("$((")) {
      word.text += "$((";
      copy_balanced(word, "))");
    } else if (take("$(")) {
      read_script(word, '$');
    } else if (take("`")) {
      std::string script;
      while (!at_end() && peek() != '`') {
        if (peek() == '\\' && rest().size() > 1) ++at_;
        script += text_[at_++];
      }
      if (!take("`")) return fail();
      word.text += "`" + script + "`";
      word.scripts.push_back(std::move(script));
    } else if (take("${")) {
      word.text += "${";
      copy_balanced(word, "}");
    } else {
      word.text += text_[at_++];  // the $
      const size_t name = at_;
      if (std::string_view("?!@*#$-").find(peek()) != std::string_view::npos && !at_end()) {
        ++at_;
      } else {
        while (!at_end() && is_name_character(peek())) ++at_;
      }
      word.text += text_.substr(name, at_ - name);
      if (at_ == name && peek() != '\'' && peek() != '"') return;  // a dollar sign
    }
    known_ = std::min(known_, before);
  }

  void copy_balanced(ShellWord& word, std::string_view end) {
    const size_t found = text_.find(end, at_);
    if (found == std::string_view::npos) return fail();
    word.text += text_.substr(at_, found + end.size() - at_);
    at_ = found + end.size();
  }

  // What stands between brackets, up to its closing one, as a command line of its own.
  void read_script(ShellWord& word, char opening) {
    const size_t known = std::min(known_, word.text.size());
    const size_t begin = at_;
    read_list({")"});
    if (failed_) return;
    known_ = known;
    const std::string_view script = text_.substr(begin, at_ - 1 - begin);
    word.text.append(1, opening).append("(").append(script).append(")");
    word.scripts.emplace_back(script);
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t known_ = std::string::npos;  // of the word being read
  size_t here_end_ = 0;               // where reading goes on after this line's here-documents
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace

std::optional<std::vector<ShellPipeline>> read_shell(std::string_view text) {
  if (text.size() > kMaxLength) return std::nullopt;
  return Reader(text).read();
}

}  // namespace orch::policy

#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "policy/shell_syntax.h"

namespace orch::policy {

// A recursive-descent parser of bash's grammar. It reads the whole text or fails; it skips only
// comments. Commands are in shell_reader.cc, assignments and redirections in
// shell_redirection_reader.cc, words in shell_word_reader.cc.
class ShellReader {
 public:
  ShellReader(std::string_view text, int depth) : text_(text), depth_(depth) {}

  // Reads the whole text as a list of commands, or as text between double quotes.
  ShellList read_all();
  std::vector<WordPart> read_here_text();
  bool failed() const { return failed_; }

 private:
  using Ends = std::initializer_list<std::string_view>;
  using Parts = std::vector<WordPart>;

  // Characters. peek() and take() skip line continuations.
  bool at_end() { return failed_ || (skip_continuations(), at_ >= text_.size()); }
  void skip_continuations();
  char peek();
  char peek_after(size_t skipped) const;
  char take_raw() { return at_ < text_.size() ? text_[at_++] : '\0'; }
  bool take(std::string_view token);
  void fail() { failed_ = true; }

  // Commands.
  std::string keyword();
  bool take_keyword(std::string_view word);
  void skip_blanks();
  void take_newline();
  void skip_newlines();
  ShellList read_list(Ends ends);
  bool at_list_end(Ends ends);
  AndOrList read_and_or();
  ShellPipeline read_pipeline();
  ShellCommand read_command();
  bool read_compound(ShellCommand& command);
  void read_if(ShellCommand& command);
  void read_loop(ShellCommand& command);
  void read_for(ShellCommand& command);
  void read_loop_body(ShellCommand& command);
  void read_case(ShellCommand& command);
  void read_function(ShellCommand& command, std::string name);
  void read_test(ShellCommand& command);
  void read_coproc(ShellCommand& command);
  void read_simple(ShellCommand& command);
  void expect(std::string_view keyword_word);

  // Assignments and redirections.
  bool at_assignment();
  Assignment read_assignment();
  bool read_redirection(ShellCommand& command);
  std::vector<WordPart> read_here_document(bool strips_tabs);

  // Words.
  bool at_word_end();
  SyntaxWord read_word();
  void read_word_part(SyntaxWord& word);
  void read_single_quoted(SyntaxWord& word);
  void read_ansi_quoted(Parts& parts);
  void read_double_quoted(Parts& parts);
  void read_in_double_quotes(Parts& parts, char end);
  void read_dollar(Parts& parts, bool quoted);
  void read_backticks(Parts& parts, bool quoted);
  void read_braced_variable(Parts& parts, bool quoted);
  void read_modifier(WordPart& part, bool quoted);
  Parts read_operand(bool quoted);
  void read_subscript(WordPart& part);
  void read_arithmetic(WordPart& part, std::string_view end);
  void read_arithmetic_character(WordPart& part, std::string& plain);
  ShellList read_script_to_paren();
  std::string take_name();
  static void add_text(Parts& parts, std::string_view text, bool quoted);

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
  // Offsets of the line break before the here-documents of this line, and of their end; here_end_
  // is 0 if this line has none.
  size_t here_begin_ = 0;
  size_t here_end_ = 0;
};

}  // namespace orch::policy

#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "policy/command_flow.h"
#include "policy/shell_state.h"
#include "policy/shell_syntax.h"
#include "policy/shell_text.h"

namespace orch::policy {

// Expands the words of a command into the arguments that a program gets, as far as they are known.
// Each script in a word ($(...)) is passed to `run` once, in order; `run` judges it and returns its
// output.
class ShellExpansion {
 public:
  using Run = std::function<Flow(const ShellList&, const Flow& input)>;
  // The text of `work_dir` and `state` must outlive the expansion.
  ShellExpansion(std::string_view work_dir, ShellState& state, Run run)
      : work_dir_(work_dir), state_(state), run_(std::move(run)) {}

  // Whether variables of the environment are assumed to have their usual values
  // (Environment::kUsual) from now on.
  void set_usual(bool usual) { usual_ = usual; }

  // False once arithmetic evaluated a value that may hold another script.
  bool readable() const { return readable_; }

  void append_words(const SyntaxWord& word, std::vector<ShellWord>& out);
  // The file of a redirection; unknown (kAnyText) if the word does not expand to exactly one word.
  ShellWord file_name(const SyntaxWord& word);
  // Expands without splitting into words, as for an assigned value or a here-document.
  ShellWord one_word(const std::vector<WordPart>& parts);

  // The value of a variable; `*assigned` says whether the command itself gave the value.
  std::string value_of(const std::string& name, bool* assigned = nullptr) const;

 private:
  void append(const WordPart& part, ShellWord& word, bool splits);
  std::string modified(const WordPart& part, const std::string& value, ShellWord& word);
  void take_number(const WordPart& part);
  void append_value(std::string value, const WordPart& part, ShellWord& word, bool splits);

  std::string_view work_dir_;
  ShellState& state_;
  Run run_;
  bool readable_ = true;
  bool usual_ = false;
};

}  // namespace orch::policy

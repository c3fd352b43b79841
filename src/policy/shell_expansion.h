#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "policy/command_flow.h"
#include "policy/shell_state.h"
#include "policy/shell_syntax.h"
#include "policy/shell_text.h"

namespace orch::policy {

// Makes of the words of a command what its programs get, as far as the text tells. Every script
// that stands in a word is run by `run`, once and in order. Lives as long as the state it was
// given.
class ShellExpansion {
 public:
  using Run = std::function<Flow(const ShellList&, const Flow& input)>;
  ShellExpansion(std::string_view work_dir, ShellState& state, Run run)
      : work_dir_(work_dir), state_(state), run_(std::move(run)) {}

  // From now on variables of the environment hold what they usually do: Environment::kUsual.
  void set_usual(bool usual) { usual_ = usual; }

  // False once arithmetic was told to read what may hold another script.
  bool readable() const { return readable_; }

  void append_words(const SyntaxWord& word, std::vector<ShellWord>& out);
  // A redirection's file: one word or none.
  ShellWord file_name(const SyntaxWord& word);
  // Without splitting it: what is assigned, a here-document.
  ShellWord one_word(const std::vector<WordPart>& parts);

  // The value of a variable; *assigned, whether the command gave it.
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

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/command_flow.h"
#include "policy/command_wrappers.h"
#include "policy/denylist.h"
#include "policy/find_command.h"
#include "policy/program_judge.h"
#include "policy/shell_expansion.h"
#include "policy/shell_state.h"
#include "policy/shell_syntax.h"
#include "policy/write_target.h"

namespace orch::policy {

// Walks through a command line as a shell would, keeps track of the shell's state as far as it is
// known, and collects the effects of each program. It runs nothing and reads no file. It walks
// through every branch, and through a loop until the known state no longer changes; the number of
// steps is bounded. The grammar of the shell is in command_judge.cc, its builtins are in
// command_builtins.cc, programs that run other commands in command_runners.cc, and the commands of
// find in command_find.cc.
class CommandJudge {
 public:
  explicit CommandJudge(std::string_view work_dir, Environment environment = Environment::kUnknown);
  CommandJudge(const CommandJudge&) = delete;
  CommandJudge& operator=(const CommandJudge&) = delete;

  Flow judge_text(std::string_view text, const Flow& input);
  const CommandVerdict& verdict() const { return effects_.verdict; }

 private:
  using Words = std::vector<ShellWord>;

  // The shell's grammar.
  Flow judge_list(const ShellList& list, const Flow& input);
  void judge_background(const ShellList& list, size_t effects_before);
  Flow judge_and_or(const AndOrList& list, const Flow& input);
  Flow judge_pipeline(const ShellPipeline& pipeline, const Flow& input);
  Flow judge_command(const ShellCommand& command, Flow input);
  Flow judge_body(const ShellCommand& command, const Flow& input);
  Flow judge_apart(const ShellList& list, const Flow& input);  // in a subshell
  Flow judge_if(const ShellCommand& command, const Flow& input);
  Flow judge_loop(const ShellCommand& command, const Flow& input);
  Flow judge_case(const ShellCommand& command, const Flow& input);
  Flow judge_test(const ShellCommand& command);
  void define_function(const ShellCommand& command);
  Flow judge_simple(const ShellCommand& command, const Flow& input);
  void assign(const Assignment& assignment, bool alone);
  Flow judge_redirections(const ShellCommand& command, Flow input, bool* output_goes);
  void note_written(const ShellCommand& command, const Flow& output);

  // Programs.
  Flow judge_words(const Words& words, const Flow& input);
  Flow judge_argv(const Words& words, const Flow& input);
  std::string program_of(const ShellWord& word);
  void assign_private_arguments();
  Flow judge_function(const std::string& name, const Flow& input);
  std::optional<Flow> judge_builtin(std::string_view program, const Words& words,
                                    const Flow& input);
  Flow judge_wrapped(std::string_view program, const Wrapped& wrapped, const Words& arguments,
                     const Flow& input);
  std::vector<Suspicion> harm_of(const Words& command);
  void judge_later_command(const Words& words);
  void judge_possible_commands(const Words& words, bool known);
  void judge_fd_command(const Words& words);
  Flow judge_shell(std::string_view program, const Words& words, const Flow& input);
  Flow judge_code(const ShellWord& code, const Flow& input, bool apart);
  Flow judge_input(const Flow& input);
  Flow judge_source(const Words& words, const Flow& input);
  void judge_trap(const Words& words);
  void judge_traps();
  void forget_state();
  void judge_remote(const Words& words, const Flow& input);
  struct Found;
  std::vector<Found> found_below(const ShellWord& root, const FindAction& action,
                                 bool root_too) const;
  void judge_find_commands(const Words& words);
  void judge_found(Words command, const Found& found);
  void change_folder(const Words& words);
  void declare(std::string_view program, const Words& words);
  void read_variables(std::string_view program, const Words& words, const Flow& input);
  void set_options(std::string_view program, const Words& words);
  bool is_evaluated_harmlessly(const SyntaxWord& word);
  bool names_no_code(std::string_view text) const;
  bool is_harmless_for_all(std::string_view name, std::string_view value) const;
  void set_variable(const std::string& name, std::string value);

  void cannot_read() { effects_.verdict.cannot_read(); }
  void suspect(DenyEntry entry, bool certain) { effects_.verdict.suspect(entry, certain); }
  Whereabouts where() const { return {work_dir_, state_.dir, effects_.linked}; }
  ProgramCall call(std::string_view program, const Words& words, const Whereabouts& where) {
    ProgramCall call{program, words, where, effects_};
    call.guessed = guessed_;
    return call;
  }
  bool take_step();
  static constexpr int kMaxSteps = 6'000;

  std::string work_dir_;
  Environment environment_;
  ShellState state_;
  std::optional<ShellState> failure_;  // the state if the last command failed, if it differs
  bool ended_ = false;                 // after exit or return: the commands that follow do not run
  std::vector<ShellState>* returns_ = nullptr;  // states at each return of the current function
  int conditions_ = 0;  // depth of nested conditions; set -e has no effect in them
  std::map<std::string, std::shared_ptr<const ShellList>> functions_;
  std::vector<std::string> active_;  // the functions that are being walked through
  std::vector<std::string> traps_;
  Effects effects_;
  Downloads downloads_;
  ShellExpansion expansion_;
  bool searches_elsewhere_ = false;                            // the command changed PATH
  bool moved_home_ = false;                                    // the command changed HOME
  ProgramCall::Origin origin_ = ProgramCall::Origin::kSystem;  // of the program that is run next
  bool guessed_ = false;  // the words are only perhaps a command
  bool apart_ = false;    // another program, not the shell, runs the words
  // The variables that the current function has made its own, with their values outside.
  std::vector<std::pair<std::string, std::string>>* locals_ = nullptr;
  int depth_ = 0;
  int steps_ = 0;
  size_t bytes_ = 0;
};

}  // namespace orch::policy

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/shell_text.h"

namespace orch::policy {

// The arguments of a program, parsed as getopt_long does: clusters, attached values, "--" and
// abbreviated long options. A specification lists the options that matter, each with the kind of
// its value: "-C@ --directory@ -o> -n= --exec! -v".
//   =  a value          >  a file that the program writes     @  a folder that it works in
//   ?  a value if it is attached ("-i{}", "--backup=numbered"), never the next argument
//   !  the effect of the option, or the code in its value, is not understood
// Options that are not in the list count as flags, but the next word may still be their value.
class ProgramOptions {
 public:
  // With `stops`, options end at the first operand, as for programs that run another one.
  ProgramOptions(const std::vector<ShellWord>& arguments, std::string_view specification,
                 bool stops = false);

  bool has(std::string_view name) const;
  std::vector<ShellWord> values(std::string_view name) const;
  std::vector<ShellWord> values_of_kind(char kind) const;
  const std::vector<ShellWord>& operands() const { return operands_; }
  // Whether this operand may be the value of an option that the specification does not list.
  bool may_be_value(size_t operand) const { return maybe_values_[operand]; }
  bool understood() const { return understood_; }  // no option of the kind "!" was given
  bool may_be_any() const { return may_be_any_; }  // an unknown argument may be any option

 private:
  struct Named {
    std::string name;
    char kind;  // ' ' for a flag
  };
  struct Option {
    std::string name;
    char kind;
    ShellWord value;
  };
  void read_long(const std::vector<ShellWord>& arguments, size_t& i);
  void read_cluster(const std::vector<ShellWord>& arguments, size_t& i);
  void add(const Named& named, ShellWord value);
  void add_unnamed(std::string name, ShellWord value);
  void take_operand(const ShellWord& word);
  const Named* named(std::string_view name) const;

  std::vector<Named> known_;
  std::vector<Option> options_;
  std::vector<ShellWord> operands_;
  std::vector<bool> maybe_values_;  // for each operand: see may_be_value()
  bool after_unnamed_ = false;      // the last argument was an unlisted option without a value
  bool understood_ = true;
  bool may_be_any_ = false;
};

// Rewrites the old style of tar and the like: the first argument has option letters without a dash,
// and their values follow in the order of the letters. "xfC a b" becomes "-x -f a -C b". Arguments
// whose first begins with a dash stay as they are.
std::vector<ShellWord> with_old_letters_apart(const std::vector<ShellWord>& arguments,
                                              std::string_view specification);

}  // namespace orch::policy

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/shell_text.h"

namespace orch::policy {

// The arguments of a program, taken apart as getopt_long does: clusters, attached values, "--",
// abbreviated long options. A specification names the options that matter, each with what its value
// is: "-C@ --directory@ -o> -n= --exec! -v".
//   =  a value          >  a file that is written     @  a folder that is worked in
//   ?  a value if one is attached ("-i{}", "--backup=numbered"), never the next argument
//   !  what it does, or the code in its value, is not understood
// Options that it does not name are flags; what follows one may be its value all the same.
class ProgramOptions {
 public:
  // With `stops` options end at the first operand, as for programs that run another one.
  ProgramOptions(const std::vector<ShellWord>& arguments, std::string_view specification,
                 bool stops = false);

  bool has(std::string_view name) const;
  std::vector<ShellWord> values(std::string_view name) const;
  std::vector<ShellWord> values_of_kind(char kind) const;
  const std::vector<ShellWord>& operands() const { return operands_; }
  size_t first_operand() const { return first_operand_; }  // its index, or how many there are
  // May this operand be the value of an option that the specification does not name?
  bool may_be_value(size_t operand) const { return maybe_values_[operand]; }
  // Is one of the arguments of a kind "!", or may one be any option?
  bool understood() const { return understood_; }
  bool may_be_any() const { return may_be_any_; }

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
  void take_operand(const ShellWord& word, size_t i);
  const Named* named(std::string_view name) const;

  std::vector<Named> known_;
  std::vector<Option> options_;
  std::vector<ShellWord> operands_;
  std::vector<bool> maybe_values_;  // of each operand
  bool after_unnamed_ = false;      // an option without an attached value stands directly before
  size_t first_operand_ = 0;
  bool understood_ = true;
  bool may_be_any_ = false;
};

// Of tar and its like: letters without a dash, whose arguments follow in the order of the letters,
// become an option each with its argument behind it: "xfC a b" is "-x -f a -C b". Arguments that
// begin with a dash stay as they are.
std::vector<ShellWord> with_old_letters_apart(const std::vector<ShellWord>& arguments,
                                              std::string_view specification);

}  // namespace orch::policy

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace orch::policy {

// The known state of a shell between two commands. It is a value, and copies are cheap.
class ShellState {
 public:
  // The current directory: absolute, with marks; nullopt if a cd could not be followed.
  std::optional<std::string> dir;
  bool stops_at_errors = false;  // set -e
  bool exports_all = false;      // set -a
  bool splits_oddly = false;     // IFS was changed

  // The value that the command gave a variable; nullopt for variables of the environment.
  std::optional<std::string> value_of(const std::string& name) const;
  void assign(const std::string& name, std::string value);
  void forget_variables();  // from now on each variable may have any value

  // The state that is known to be either `a` or `b`.
  static ShellState joined(const ShellState& a, const ShellState& b);
  bool operator==(const ShellState& other) const;

 private:
  using Variables = std::map<std::string, std::string>;
  std::shared_ptr<const Variables> variables_ = std::make_shared<const Variables>();
  bool forgotten_ = false;
};

}  // namespace orch::policy

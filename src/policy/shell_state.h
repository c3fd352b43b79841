#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace orch::policy {

// What is known of a shell between two of its commands. A value; copies are cheap.
class ShellState {
 public:
  // Where it is, absolute, with marks; nothing when a cd cannot be followed.
  std::optional<std::string> dir;
  bool stops_at_errors = false;  // set -e
  bool exports_all = false;      // set -a
  bool splits_oddly = false;     // IFS is not what it is at the start

  // The value of a variable that the command gave one; nothing for those of the environment.
  std::optional<std::string> value_of(const std::string& name) const;
  void assign(const std::string& name, std::string value);
  void forget_variables();  // each may be anything

  // After one of the two ways.
  static ShellState joined(const ShellState& a, const ShellState& b);
  bool operator==(const ShellState& other) const;

 private:
  using Variables = std::map<std::string, std::string>;
  std::shared_ptr<const Variables> variables_ = std::make_shared<const Variables>();
  bool forgotten_ = false;
};

}  // namespace orch::policy

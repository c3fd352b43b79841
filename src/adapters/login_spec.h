#pragma once

#include <string>
#include <vector>

namespace orch::adapters {

// How to see from outside that the agent is logged in: any of these variables or files exists.
// Their contents are never read or shown.
struct LoginSpec {
  std::vector<std::string> variables;  // names of environment variables
  std::vector<std::string> files;      // paths, written as in FenceSpec
  // Further variables that the agent, or a program that it starts, reads keys of its vendor from.
  // They do not prove a login.
  std::vector<std::string> keys;
  std::string how;  // how a user logs in, in one line
  bool any() const { return !variables.empty() || !files.empty(); }
};

class Members;
void login_members(Members& in, LoginSpec& login);

}  // namespace orch::adapters

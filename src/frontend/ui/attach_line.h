#pragma once

#include <string>

namespace orch::ui {

// The text of the line at the foot of an agent's screen, for the user who watches it or types into
// it, wherever that screen is shown as a whole.
struct AttachLine {
  std::string session, agent;
  std::string state;  // status and cause, "working/tool"
  int turns = 0;
  bool read_only = false;
  std::string key;  // the key that leaves; "" if there is none
};
std::string text_of(const AttachLine& line);

}  // namespace orch::ui

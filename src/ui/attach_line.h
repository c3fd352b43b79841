#pragma once

#include <string>

namespace orch::ui {

// What the line at the foot of an agent's screen says to the person who looks at it or types into
// it, wherever that screen is shown as a whole.
struct AttachLine {
  std::string session, agent;
  std::string state;  // status and cause, "working/tool"
  int turns = 0;
  bool read_only = false;
  std::string key;  // by which the person leaves; "" if there is none
};
std::string text_of(const AttachLine& line);

}  // namespace orch::ui

#include "ui/attach_line.h"

namespace orch::ui {

std::string text_of(const AttachLine& line) {
  std::string text = " " + line.session + "  " + line.agent + "  " + line.state;
  if (line.turns > 0) text += "  turn " + std::to_string(line.turns);
  if (line.read_only) text += "  read-only: q leaves";
  if (!line.key.empty()) text += "  " + line.key + " leaves";
  return text + " ";
}

}  // namespace orch::ui

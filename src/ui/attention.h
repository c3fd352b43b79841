#pragma once

#include <string>
#include <string_view>

#include "ui/output_stream.h"

namespace orch::ui {

// Tells the person at the terminal that they are needed: rings the bell, sets the window title, and
// sends a notification in the forms of iTerm2 (OSC 9) and of rxvt (OSC 777), which other terminals
// ignore. relieve() restores the title (XTPUSHTITLE, XTPOPTITLE).
class Attention {
 public:
  explicit Attention(OutputStream& stream) : stream_(stream) {}

  void call(std::string_view text);  // one line; control characters are left out
  void relieve();

 private:
  OutputStream& stream_;
  bool called_ = false;
};

}  // namespace orch::ui

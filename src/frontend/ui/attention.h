#pragma once

#include <string_view>

#include "ui/output_stream.h"

namespace orch::ui {

// Calls the user back to the terminal: rings the bell, sets the window title, and sends a
// notification as iTerm2 (OSC 9) and rxvt (OSC 777) understand it; other terminals ignore it.
// relieve() restores the title (XTPUSHTITLE, XTPOPTITLE).
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

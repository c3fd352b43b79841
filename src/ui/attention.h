#pragma once

#include <string>
#include <string_view>

#include "ui/output_stream.h"

namespace orch::ui {

// Calls the person at the terminal when somebody is needed: the bell, a title, and a notification
// in the forms of iTerm2 (OSC 9) and of rxvt (OSC 777), which a terminal that does not know them
// passes over. The title is put back by relieve() (XTPUSHTITLE, XTPOPTITLE).
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

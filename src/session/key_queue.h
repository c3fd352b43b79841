#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "loop/timer.h"
#include "term/keys.h"

namespace orch::session {

// Keys that somebody wants typed, each as a write of its own and so far from the one before that an
// Escape is no Alt.
class KeyQueue {
 public:
  struct Keyboard {
    std::function<bool()> is_free;           // else the next key waits
    std::function<void(std::string)> write;  // the bytes of one key
    std::function<void()> on_done;           // all are typed
  };
  KeyQueue(loop::Loop& loop, Keyboard keyboard) : timer_(loop), keyboard_(std::move(keyboard)) {}

  // An error names what is no key (term::key_bytes); then none of them is typed.
  base::Status type(const std::vector<std::string>& names, term::CursorKeys cursor_keys);
  bool busy() const { return timer_.active(); }
  // Keys are going out. Those that wait for a keyboard that is not free hold up nobody: who has the
  // keyboard would else wait for them, and they for it.
  bool is_typing() const { return busy() && !waits_; }
  void stop();  // what was not typed yet is not typed

 private:
  void type_next();

  loop::Timer timer_;
  Keyboard keyboard_;
  std::deque<std::string> keys_;  // as bytes
  bool waits_ = false;            // the next key, for the keyboard
};

}  // namespace orch::session

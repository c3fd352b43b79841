#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "loop/timer.h"
#include "term/keys.h"

namespace orch::session {

// Whose the agent's keyboard is: a person holds it, keys that somebody sent go out, or orch itself
// types. Each of the three waits for the others, and this alone decides for how long, so that no
// two of them wait for each other.
class Keyboard {
 public:
  struct Agent {
    std::function<bool()> orch_types;        // a message or a command is on its way
    std::function<void(std::string)> write;  // the bytes of one key
    // held() or attended() has changed. Called from the loop and from inside of the calls below.
    std::function<void()> on_change;
  };
  Keyboard(loop::Loop& loop, Agent agent) : timer_(loop), agent_(std::move(agent)) {}

  // A person takes the keyboard, or leaves it. One who is attended could answer what the agent
  // asks, whether or not the keyboard is held.
  void hold(bool held, bool attended);
  // Keys are typed each as a write of its own and so far apart that an Escape is no Alt. An error
  // names what is no key (term::key_bytes); then none of them is typed.
  base::Status type(const std::vector<std::string>& names, term::CursorKeys cursor_keys);
  void stop();  // keys that were not typed yet are not typed

  // Orch may not type now. Keys that wait until orch has typed hold nothing: orch would wait for
  // them, and they for orch.
  bool held() const { return person_holds_ || keys_go_ == KeysGo::kOut; }
  // Somebody is there who could answer what the agent asks.
  bool attended() const { return attended_ || in_use(); }
  // By somebody else than orch.
  bool in_use() const { return person_holds_ || keys_go_ != KeysGo::kNone; }

 private:
  enum class KeysGo : uint8_t {
    kNone,
    kOut,    // one after another
    kLater,  // once orch has typed
  };
  void type_next();
  template <typename Act>
  void change(Act act);

  loop::Timer timer_;  // until the next key may be typed
  Agent agent_;
  std::deque<std::string> keys_;  // as bytes
  KeysGo keys_go_ = KeysGo::kNone;
  bool person_holds_ = false, attended_ = false;
};

}  // namespace orch::session

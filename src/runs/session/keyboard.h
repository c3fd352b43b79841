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

// Decides whose turn it is to type on the agent's terminal: a user who holds the keyboard, keys
// that were sent (`orch keys`), or orch itself. orch waits for the other two, and sent keys wait
// for orch; both waits are decided here, so that no two wait for each other. Sent keys do not wait
// for a user (whose keys attach::Arbiter holds back while orch types).
class Keyboard {
 public:
  struct Agent {
    std::function<bool()> orch_types;        // a message or command of orch is being typed
    std::function<void(std::string)> write;  // the bytes of one key
    // held() or attended() has changed. Called from the loop or from inside a call below.
    std::function<void()> on_change;
  };
  Keyboard(loop::Loop& loop, Agent agent) : timer_(loop), agent_(std::move(agent)) {}

  // A user takes or leaves the keyboard. `attended`: somebody is there who could answer a dialog of
  // the agent, whether or not they hold the keyboard.
  void hold(bool held, bool attended);
  // Types keys, each as a write of its own and far enough apart that an Escape is not read as an
  // Alt. If a name is not a key (term::key_bytes), the error names it, and none of the keys is
  // typed.
  base::Status type(const std::vector<std::string>& names, term::CursorKeys cursor_keys);
  void stop();  // drops the keys that were not typed yet

  // Whether orch has to wait before it types. Keys that wait for orch to finish typing do not
  // count: orch would wait for them, and they for orch.
  bool held() const { return person_holds_ || keys_go_ == KeysGo::kOut; }
  // Somebody is there who could answer a dialog of the agent.
  bool attended() const { return attended_ || in_use(); }
  // Somebody other than orch types or is about to.
  bool in_use() const { return person_holds_ || keys_go_ != KeysGo::kNone; }

 private:
  enum class KeysGo : uint8_t {
    kNone,
    kOut,    // they are being typed, one after another
    kLater,  // they wait until orch has typed
  };
  void type_next();
  template <typename Act>
  void change(Act act);

  loop::Timer timer_;  // until the next key may be typed
  Agent agent_;
  std::deque<std::string> keys_;  // each as its bytes
  KeysGo keys_go_ = KeysGo::kNone;
  bool person_holds_ = false, attended_ = false;
};

}  // namespace orch::session

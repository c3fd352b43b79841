#include "session/keyboard.h"

#include <optional>
#include <utility>

#include "base/text.h"

namespace orch::session {
namespace {

constexpr size_t kMaxKeys = 100;  // of one request

}  // namespace

template <typename Act>
void Keyboard::change(Act act) {
  const std::pair before{held(), attended()};
  act();
  if (before != std::pair{held(), attended()}) agent_.on_change();
}

void Keyboard::hold(bool held, bool attended) {
  change([&] {
    person_holds_ = held;
    attended_ = attended;
  });
}

base::Status Keyboard::type(const std::vector<std::string>& names, term::CursorKeys cursor_keys) {
  if (names.size() > kMaxKeys) {
    return base::usage_error("more than " + std::to_string(kMaxKeys) + " keys at once");
  }
  std::deque<std::string> keys;
  for (const std::string& name : names) {
    const std::optional<std::string> bytes = term::key_bytes(name, cursor_keys);
    if (!bytes) {
      return base::usage_error("\"" + base::printable(name) +
                               "\" is not a key; write Escape, C-c, Enter, Up, Tab, 1, ...");
    }
    keys.push_back(*bytes);
  }
  keys_.insert(keys_.end(), keys.begin(), keys.end());
  if (keys_go_ == KeysGo::kNone) type_next();
  return base::Ok{};
}

// A gap follows each key, the last one too, before another source may type.
void Keyboard::type_next() {
  change([this] {
    keys_go_ = keys_.empty() ? KeysGo::kNone : agent_.orch_types() ? KeysGo::kLater : KeysGo::kOut;
  });
  if (keys_go_ == KeysGo::kNone) return;
  timer_.start(term::kKeyGapMs, [this] { type_next(); });
  if (keys_go_ == KeysGo::kLater) return;
  std::string key = std::move(keys_.front());
  keys_.pop_front();
  agent_.write(std::move(key));
}

void Keyboard::stop() {
  keys_.clear();
  keys_go_ = KeysGo::kNone;
  timer_.stop();
}

}  // namespace orch::session

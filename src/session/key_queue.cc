#include "session/key_queue.h"

#include <cstdint>
#include <optional>

#include "base/text.h"

namespace orch::session {
namespace {

constexpr size_t kMaxKeys = 100;  // of one request

}  // namespace

base::Status KeyQueue::type(const std::vector<std::string>& names, term::CursorKeys cursor_keys) {
  if (names.size() > kMaxKeys) {
    return base::usage_error("more than " + std::to_string(kMaxKeys) + " keys at once");
  }
  std::deque<std::string> keys;
  for (const std::string& name : names) {
    const std::optional<std::string> bytes = term::key_bytes(name, cursor_keys);
    if (!bytes) {
      return base::usage_error("\"" + base::printable(name) +
                               "\" is no key; write Escape, C-c, Enter, Up, Tab, 1, ...");
    }
    keys.push_back(*bytes);
  }
  keys_.insert(keys_.end(), keys.begin(), keys.end());
  if (!timer_.active()) type_next();
  return base::Ok{};
}

void KeyQueue::type_next() {
  if (keys_.empty()) return keyboard_.on_done();
  waits_ = !keyboard_.is_free();
  if (!waits_) {
    std::string key = std::move(keys_.front());
    keys_.pop_front();
    keyboard_.write(std::move(key));
  }
  timer_.start(term::kKeyGapMs, [this] { type_next(); });
}

void KeyQueue::stop() {
  keys_.clear();
  timer_.stop();
}

}  // namespace orch::session

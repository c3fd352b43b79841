#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "adapters/manifest.h"
#include "base/pattern.h"
#include "driver/delivery.h"

namespace orch::driver {

// Brings an agent back to an empty conversation: its reset keys, a pause, its clear command, and
// its prompt again. Pure, and driven as a Delivery is.
class Reset {
 public:
  enum class Outcome : uint8_t {
    kCleared,
    kFailed,  // the command did not get in, or no prompt came: the agent has to be restarted
  };

  // The two references (the second may be null) outlive the reset.
  Reset(const adapters::Manifest& manifest, const base::Pattern* placeholder, TimeMs now);

  // Bytes to write now; empty for none.
  std::string step(TimeMs now, const InputView& view, bool application_cursor);
  TimeMs next_deadline() const { return deadline_; }
  std::optional<Outcome> outcome() const { return outcome_; }

 private:
  enum class State : uint8_t { kKeys, kCommand, kPrompt };
  std::string at_keys(TimeMs now, const InputView& view, bool application_cursor);
  std::string at_command(TimeMs now, const InputView& view);
  std::string at_prompt(TimeMs now, const InputView& view);

  const adapters::Manifest& manifest_;
  const base::Pattern* placeholder_;
  State state_ = State::kKeys;
  size_t keys_ = 0;  // typed
  TimeMs deadline_;
  TimeMs give_up_at_ = kNever;
  std::optional<Delivery> command_;
  std::optional<Outcome> outcome_;
};

}  // namespace orch::driver

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "adapters/manifest.h"
#include "base/pattern.h"
#include "driver/delivery.h"

namespace orch::driver {

// Brings an agent back to an empty conversation. Unless the agent rests at an empty prompt already,
// it types the agent's reset keys and waits a little. Then it delivers the agent's clear command,
// removing any text from the input box, and waits for the prompt. If the keys opened a dialog or
// did not end the work, the first of them is typed again. It does no I/O and is driven like a
// Delivery.
class Reset {
 public:
  enum class Outcome : uint8_t {
    kCleared,
    kFailed,  // the command was not accepted or no prompt came: the agent has to be restarted
  };

  // `manifest` and `placeholder` must outlive the reset; `placeholder` may be null.
  Reset(const adapters::Manifest& manifest, const base::Pattern* placeholder, TimeMs now);

  // Bytes to write now; empty for none.
  std::string step(TimeMs now, const InputView& view, bool application_cursor);
  TimeMs next_deadline() const { return deadline_; }
  std::optional<Outcome> outcome() const { return outcome_; }

 private:
  enum class State : uint8_t {
    kStart,    // before the first look at the screen
    kKeys,     // typing the keys, and the pause after them
    kCommand,  // delivering the clear command
    kPrompt,   // waiting until the prompt is back and has stood for a while
  };
  std::string at_keys(TimeMs now, const InputView& view, bool application_cursor);
  std::string at_command(TimeMs now, const InputView& view);
  std::string at_prompt(TimeMs now, const InputView& view);
  std::string begin_command(TimeMs now, const InputView& view);
  void begin_keys(TimeMs now);
  bool needs_keys_again(TimeMs now, const InputView& view) const;
  std::string end(Outcome outcome);

  const adapters::Manifest& manifest_;
  const base::Pattern* placeholder_;
  State state_ = State::kStart;
  size_t keys_ = 0;     // keys typed in this round
  int rounds_ = 0;      // rounds of keys that were begun
  TimeMs keys_at_ = 0;  // when the last key was typed
  TimeMs deadline_;
  TimeMs give_up_at_ = kNever;
  std::optional<TimeMs> stands_since_;  // since when the empty prompt is back after the command
  std::optional<Delivery> command_;
  std::optional<Outcome> outcome_;
};

}  // namespace orch::driver

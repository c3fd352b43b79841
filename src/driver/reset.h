#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "adapters/manifest.h"
#include "base/pattern.h"
#include "driver/delivery.h"

namespace orch::driver {

// Brings an agent back to an empty conversation: its reset keys, where it does not rest at an empty
// prompt already, a pause, its clear command, and its prompt again. What stands in the box is
// cleared away; a dialog that the keys opened, and work that they did not end, get the first of
// them again. Pure, and driven as a Delivery is.
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
  enum class State : uint8_t {
    kStart,    // the first look
    kKeys,     // typing the keys, and the pause behind them
    kCommand,  // delivering the clear command
    kPrompt,   // waiting for the prompt to come back and to stand
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
  size_t keys_ = 0;  // typed in this round
  int rounds_ = 0;   // of keys, begun
  TimeMs keys_at_ = 0;
  TimeMs deadline_;
  TimeMs give_up_at_ = kNever;
  std::optional<TimeMs> stands_since_;  // the empty prompt, after the command
  std::optional<Delivery> command_;
  std::optional<Outcome> outcome_;
};

}  // namespace orch::driver

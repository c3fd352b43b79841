#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "agent/dialog_choice.h"
#include "agent/dialog_request.h"
#include "base/result.h"

namespace orch::run {

// The options that a user's answer chooses, and the words that go with them.
struct ChosenOptions {
  std::vector<size_t> options;  // as in agent::Answer
  std::string words;            // sent as a message once the dialog is gone; "" for none
  bool operator==(const ChosenOptions&) const = default;
};

// Finds the options that a user's choices name. "Yes" and "no" are meanings, as for policies: the
// only option that allows the request once, or the only one that denies it. Text must be all of an
// option's words, in upper or lower case; any other text chooses the only option that leads to the
// prompt, and is sent there. A dialog that was not seen completely, or that the manifest does not
// know, can be answered only by number. Where options have tick boxes, each choice names one to
// tick, and "no" ticks none; elsewhere there is exactly one choice. An error (kUsage) lists the
// dialog's options in one line.
base::Result<ChosenOptions> options_chosen(const agent::DialogRequest& request,
                                           std::span<const agent::DialogChoice> choices);

}  // namespace orch::run

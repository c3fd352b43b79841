#pragma once

#include <cstddef>
#include <string>

#include "agent/dialog_choice.h"
#include "agent/dialog_request.h"
#include "base/result.h"

namespace orch::run {

// The option that a person's answer chooses, and the words that go with it.
struct ChosenOption {
  size_t option = 0;  // an index into DialogRequest::options
  std::string words;  // sent as a message once the dialog is gone; "" for none
  bool operator==(const ChosenOption&) const = default;
};

// Finds the option that a person's choice names. "Yes" and "no" are meanings, as for policies: the
// only option that allows the request once, or the only one that denies it. Text must be all of an
// option's words, in upper or lower case; any other text chooses the only option that leads to the
// prompt, and is sent there. A dialog that was not seen completely, or that the manifest does not
// know, can be answered only by number. An error (kUsage) says in one line what the dialog offers.
base::Result<ChosenOption> option_chosen(const agent::DialogRequest& request,
                                         const agent::DialogChoice& choice);

}  // namespace orch::run

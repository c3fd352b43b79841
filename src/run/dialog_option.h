#pragma once

#include <cstddef>
#include <string>

#include "agent/dialog_choice.h"
#include "agent/dialog_request.h"
#include "base/result.h"

namespace orch::run {

// What a person's answer comes to.
struct ChosenOption {
  size_t option = 0;  // an index into DialogRequest::options
  std::string words;  // that follow as a message once the dialog is gone; "" for none
  bool operator==(const ChosenOption&) const = default;
};

// The option that a person's choice names. Yes and no are meanings, as policies have them: the one
// option that allows this once, the one that denies. Text is an option's own words, whole, in
// either case; other words go to the one option after which the agent is told what to do instead.
// A dialog that was not seen whole, or that nobody knows, is answered by number alone. An error,
// of kUsage, says in one line what the dialog offers instead.
base::Result<ChosenOption> option_chosen(const agent::DialogRequest& request,
                                         const agent::DialogChoice& choice);

}  // namespace orch::run

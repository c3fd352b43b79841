#pragma once

#include <string>
#include <vector>

#include "client/find.h"
#include "store/session_file.h"
#include "wire/status_report.h"

// How a person answers the dialog of a session, in the words of `orch answer`.
namespace orch::client {

// "yes" and "no" where they have one meaning and all of the dialog was seen, then the numbers of
// its options.
std::vector<std::string> answers_to(const wire::DialogReport& dialog);

// The word by which commands find the session from where the user is: its issue, or its name in
// full.
std::string word_for(const store::SessionRecord& session, const Place& place);

}  // namespace orch::client

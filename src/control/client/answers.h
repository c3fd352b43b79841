#pragma once

#include <string>
#include <vector>

#include "client/find.h"
#include "store/session_file.h"
#include "wire/status_report.h"

// The words with which a user answers the dialog of a session by `orch answer`.
namespace orch::client {

// See agent::answers_to().
std::vector<std::string> answers_to(const wire::DialogReport& dialog);

// The word that names the session to commands from the user's place: its issue, or its full name
// where that is needed.
std::string word_for(const store::SessionRecord& session, const Place& place);

}  // namespace orch::client

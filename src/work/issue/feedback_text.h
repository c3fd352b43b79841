#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "forge/github_look.h"

// What a forge says about an issue's pull request, as a message to its agent. Pure.
namespace orch::issue {

struct FailedCheck {
  forge::Check check;
  std::string log;     // its end
  std::string no_log;  // why there is none; ""
};

// The last lines of a job's log, without what nobody sees.
std::string end_of_log(std::string_view log);

// All of it is quoted, with its authors.
std::string feedback_message(const std::string& pull_request,
                             const std::vector<FailedCheck>& failed,
                             const std::vector<forge::Remark>& remarks);

// By what a delivered check is known: a check that fails on another commit is news.
std::string id_of(const forge::Check& check, const std::string& commit);

}  // namespace orch::issue

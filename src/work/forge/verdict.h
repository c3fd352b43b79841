#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "forge/look.h"

// What a look at a pull request means. Pure.
namespace orch::forge {

enum class Verdict : uint8_t {
  kGreen,    // merged; or every check has passed, and what was asked for is approved
  kPending,  // something is still to come: look again
  kRed,      // a check failed, changes are requested, or a member's remark is new
  kUser,     // a user has to act: a conflict, a closed pull request, a word that is not known
};

struct Wanted {
  std::string commit;     // the one that was pushed: what others pushed is not judged
  bool approved = false;  // green only if approved
  int new_remarks = 0;    // of members, unresolved, that the agent was not given yet
  // The checks of the last look (checks_text()): more may come as long as their names change.
  std::string seen_checks;
};

struct Judged {
  Verdict verdict = Verdict::kPending;
  std::string why;            // one line
  std::vector<Check> failed;  // the red checks
};
// No checks, an unread page of checks and an unknown word are never green.
Judged judge(const LookedAt& look, const Wanted& wanted);

// The commit and the names of all its checks, to be compared with another look's.
std::string checks_text(const LookedAt& look);

// Whether each of the failed checks is red in the look at another commit, too.
bool are_red_there(const std::vector<Check>& failed, const LookedAt& there);

}  // namespace orch::forge

#include "forge/verdict.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace orch::forge {
namespace {

std::string name_of(const Check& check) {
  return check.workflow.empty() ? check.name : check.workflow + " / " + check.name;
}

std::vector<Check> checks_with(const LookedAt& look, CheckState state) {
  std::vector<Check> found;
  std::copy_if(look.checks.begin(), look.checks.end(), std::back_inserter(found),
               [state](const Check& check) { return check.state == state; });
  return found;
}

// "check CI / test (FAILURE)", "3 checks, CI / test (FAILURE) first"
std::string named(const std::vector<Check>& checks) {
  const std::string first = name_of(checks.front()) + " (" + checks.front().word + ")";
  if (checks.size() == 1) return "check " + first;
  return std::to_string(checks.size()) + " checks, " + first + " first";
}

// The pull request itself; nullopt if it does not decide.
std::optional<Judged> judge_pull_request(const LookedAt& look, const Wanted& wanted) {
  const std::string& pr = look.pr.name;
  if (look.pr.number == 0) return Judged{Verdict::kUser, "there is no pull request", {}};
  if (look.pr.state == "MERGED") return Judged{Verdict::kGreen, pr + " is merged", {}};
  if (look.pr.state != "OPEN") {
    return Judged{Verdict::kUser, pr + " was closed without a merge", {}};
  }
  if (look.pull_requests > 1) {
    return Judged{Verdict::kUser,
                  "the branch has " + std::to_string(look.pull_requests) + " open pull requests",
                  {}};
  }
  if (!look.knows_commit)
    return Judged{Verdict::kPending, "the forge has not got the commit yet", {}};
  if (look.pr.head_oid != wanted.commit) {
    return Judged{
        Verdict::kUser, "somebody pushed " + look.pr.head_oid.substr(0, 12) + " to the branch", {}};
  }
  if (look.mergeable == "CONFLICTING") {
    return Judged{Verdict::kUser, pr + " conflicts with " + look.pr.base, {}};
  }
  if (look.in_merge_queue) return Judged{Verdict::kPending, pr + " is in the merge queue", {}};
  return std::nullopt;
}

// The checks; nullopt if all of them are known, and each is green.
std::optional<Judged> judge_checks(const LookedAt& look, const Wanted& wanted) {
  if (const auto pending = checks_with(look, CheckState::kPending); !pending.empty()) {
    return Judged{Verdict::kPending, named(pending) + " has not ended", {}};
  }
  if (look.checks.empty()) return Judged{Verdict::kPending, "no check has begun", {}};
  const bool are_all =
      look.next_checks.empty() && static_cast<int64_t>(look.checks.size()) >= look.checks_in_all;
  if (!are_all) return Judged{Verdict::kPending, "some checks were not read", {}};
  if (look.rollup != "SUCCESS") {
    return Judged{Verdict::kPending, "the forge's own word for all checks is " + look.rollup, {}};
  }
  if (checks_text(look) != wanted.seen_checks) {
    return Judged{Verdict::kPending, "every check has passed so far; more may come", {}};
  }
  return std::nullopt;
}

}  // namespace

std::string checks_text(const LookedAt& look) {
  std::vector<std::string> names;
  for (const Check& check : look.checks) names.push_back(name_of(check));
  std::sort(names.begin(), names.end());
  std::string text = look.pr.head_oid;
  for (const std::string& name : names) text += "\n" + name;
  return text;
}

bool are_red_there(const std::vector<Check>& failed, const LookedAt& there) {
  return !failed.empty() && std::all_of(failed.begin(), failed.end(), [&there](const Check& one) {
    return std::any_of(there.checks.begin(), there.checks.end(), [&one](const Check& other) {
      return name_of(other) == name_of(one) && other.state == CheckState::kRed;
    });
  });
}

Judged judge(const LookedAt& look, const Wanted& wanted) {
  if (auto judged = judge_pull_request(look, wanted)) return *judged;
  if (auto red = checks_with(look, CheckState::kRed); !red.empty()) {
    const std::string why = named(red) + " failed";
    return {Verdict::kRed, why, std::move(red)};
  }
  if (const auto unclear = checks_with(look, CheckState::kUnclear); !unclear.empty()) {
    return {Verdict::kUser, named(unclear) + " is for a user to look at", {}};
  }
  if (wanted.new_remarks > 0) {
    return {Verdict::kRed,
            std::to_string(wanted.new_remarks) + (wanted.new_remarks == 1
                                                      ? " remark of a member is new"
                                                      : " remarks of members are new"),
            {}};
  }
  // The decision stays until its author looks again; on a new commit it is awaited.
  for (const Review& review : look.reviews) {
    if (review.state != "CHANGES_REQUESTED" || !is_member(review.role)) continue;
    if (review.is_of_head) return {Verdict::kRed, review.author + " requests changes", {}};
    return {Verdict::kPending, review.author + " has not looked at the new commit", {}};
  }
  if (look.review_decision == "CHANGES_REQUESTED")
    return {Verdict::kRed, "changes are requested", {}};
  if (auto judged = judge_checks(look, wanted)) return *judged;
  if (wanted.approved && look.review_decision != "APPROVED") {
    return {Verdict::kPending, "it is not approved yet", {}};
  }
  if (look.has_more_remarks) {
    return {Verdict::kUser, "there are more remarks than one look shows", {}};
  }
  return {Verdict::kGreen, "every check has passed", {}};
}

}  // namespace orch::forge

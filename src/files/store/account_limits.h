#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "store/found.h"
#include "store/time_text.h"

namespace orch::store {

// An account as a provider counts it: an agent, and the folder with its configuration, which says
// who is logged in.
struct Account {
  std::string agent;
  std::string config;  // absolute; "" without one
};

// The provider's limit that a run of an account has met. It is kept in limits/<agent>@<hash of
// config>.json for other runs of the account, because they would meet it, too.
struct AccountLimit {
  Account account;
  TimePoint until;  // its end according to the provider, or guessed by orch
  std::string run;  // the id of the run that met it
  std::string file;
};

// Replaces an earlier note, unless that limit ends later. A note that the system does not let us
// read stays, and is an error.
base::Status note_limit(const std::string& state_dir, const AccountLimit& limit);
// The limit of an account that has not ended at `now`; absent if none is known. A note that is
// further away than kLongestLimit does not count: the time was read from the agent's screen and may
// be wrong.
Found<AccountLimit> limit_of(const std::string& state_dir, const Account& account, TimePoint now);
void forget_limit(const std::string& state_dir, const Account& account);
// All limits that have not ended at `now`, sorted by agent; `unreadable` takes a line for each note
// that cannot be read.
std::vector<AccountLimit> limits_now(const std::string& state_dir, TimePoint now,
                                     std::vector<std::string>& unreadable);

// "claude is at its limit until 15:04:05, as run 2026…-42-0a1b was told", in local time.
std::string describe(const AccountLimit& limit);

// The longest limits of providers are those of a week; one more day for clocks and time zones that
// differ.
inline constexpr std::chrono::hours kLongestLimit{8 * 24};

}  // namespace orch::store

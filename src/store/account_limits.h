#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/time_text.h"

namespace orch::store {

// Whom a provider counts: an agent, and the folder in which it keeps its configuration, which says
// who is logged in.
struct Account {
  std::string agent;
  std::string config;  // absolute; "": it has none
};

// A limit that a run of an account has met. limits/<agent>@<hash of config>.json tells the others,
// which would only meet it, too.
struct AccountLimit {
  Account account;
  TimePoint until;  // when it ends, as the provider or, where that names no moment, orch guesses
  std::string run;  // the id of the run that met it
  std::string file;
};

// What was noted before is replaced, unless that ends later.
base::Status note_limit(const std::string& state_dir, const AccountLimit& limit);
// Nothing where none is known that lasts at `now`. A moment that nobody can mean (kLongestLimit
// away) counts as none: agents draw what is read there.
std::optional<AccountLimit> limit_of(const std::string& state_dir, const Account& account,
                                     TimePoint now);
void forget_limit(const std::string& state_dir, const Account& account);
// All that last, by agent.
std::vector<AccountLimit> limits_now(const std::string& state_dir, TimePoint now);

// "claude is at its limit until 15:04:05, as run 2026…-42-0a1b was told", for a person on this
// machine's clock.
std::string describe(const AccountLimit& limit);

// The longest limits are those of a week; a day more for clocks and zones that differ.
inline constexpr std::chrono::hours kLongestLimit{8 * 24};

}  // namespace orch::store

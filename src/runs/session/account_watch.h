#pragma once

#include <optional>
#include <string>

#include "run/limit_reset.h"
#include "session/session_setup.h"
#include "store/account_limits.h"

namespace orch::session {

// Shares the provider's limit with the other runs of the same agent account, through the notes of
// store/account_limits.h: reads the others' notes, and adds or removes its own.
class AccountWatch {
 public:
  explicit AccountWatch(const SessionSetup& setup);

  // The limit that another run had met and that had not ended when this run began.
  const std::optional<store::AccountLimit>& known() const { return known_; }
  // This run has met a limit, which ends at `reset`; nullopt: the provider did not say when.
  void on_limit(const std::optional<run::LimitReset>& reset, const std::string& run);
  // A turn went well, so the account is at no limit: removes the note.
  void on_turn();

 private:
  std::string state_dir_;
  store::Account account_;
  std::optional<store::AccountLimit> known_;
  bool may_be_noted_ = false;
};

}  // namespace orch::session

#pragma once

#include <optional>
#include <string>

#include "run/limit_reset.h"
#include "session/session_setup.h"
#include "store/account_limits.h"

namespace orch::session {

// What a run tells the other runs of its agent's account about the provider's limit, and is told by
// them (store/account_limits.h).
class AccountWatch {
 public:
  explicit AccountWatch(const SessionSetup& setup);

  // That another run has met, and that lasts; of the run's beginning.
  const std::optional<store::AccountLimit>& known() const { return known_; }
  // This run has met one, which ends then; nothing: that is not said.
  void on_limit(const std::optional<run::LimitReset>& reset, const std::string& run);
  // A turn went well: there is none any more.
  void on_turn();

 private:
  std::string state_dir_;
  store::Account account_;
  std::optional<store::AccountLimit> known_;
  bool may_be_noted_ = false;
};

}  // namespace orch::session

#include "session/account_watch.h"

#include <chrono>
#include <utility>

#include "base/log.h"
#include "session/environment.h"
#include "session/record_search.h"

namespace orch::session {
namespace {

store::TimePoint now_by_clock() { return std::chrono::system_clock::now(); }

store::Account account_of(const SessionSetup& setup) {
  const std::vector<std::string> environment =
      agent_environment(own_environment(), setup.launch.env, "");
  std::string config = record_home(setup.manifest->record, environment);
  if (config.empty()) config = value_in(environment, "HOME");
  return {setup.manifest->name, std::move(config)};
}

}  // namespace

AccountWatch::AccountWatch(const SessionSetup& setup)
    : state_dir_(setup.state_dir), account_(account_of(setup)) {
  store::Found<store::AccountLimit> known = store::limit_of(state_dir_, account_, now_by_clock());
  if (known.is_unknown()) base::log_warn("session", known.error().text);
  may_be_noted_ = known.is_present();
  known_ = std::move(known).if_present();
}

void AccountWatch::on_limit(const std::optional<run::LimitReset>& reset, const std::string& run) {
  const int64_t seconds = reset ? reset->seconds : run::growing_delay_s(0);
  const base::Status noted = store::note_limit(
      state_dir_, {account_, now_by_clock() + std::chrono::seconds(seconds), run, ""});
  if (!noted) base::log_warn("session", noted.error().text, run);
  may_be_noted_ = true;
}

void AccountWatch::on_turn() {
  if (std::exchange(may_be_noted_, false)) store::forget_limit(state_dir_, account_);
}

}  // namespace orch::session

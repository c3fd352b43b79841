#include "host/crew_post.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/log.h"
#include "crew/message_text.h"
#include "event/event.h"
#include "store/atomic_file.h"
#include "store/crew_folder.h"
#include "store/folder.h"
#include "store/state_file.h"
#include "store/time_text.h"

namespace orch::host {
namespace {

using base::Result;
using base::Status;

constexpr const char* kPostComponent = "crew";
constexpr size_t kMaxDebtsBytes = size_t{16} << 20;

// Whether the message is done with. A message is sent again only if the agent's end or a time limit
// kept it from the agent: one that may have been typed would come twice, and one that cannot be
// typed would be tried for ever.
bool is_settled(const run::SendReport& report) {
  return report.result != agent::DeliveryResult::kExited &&
         report.result != agent::DeliveryResult::kTimeout;
}

std::string run_of(const std::string& message) { return message.substr(0, message.find('/')); }

}  // namespace

// A file that cannot be read is renamed instead of overwritten.
void CrewPost::open(std::string file, bool anew) {
  file_ = std::move(file);
  const store::Found<std::string> text = store::read_state(file_, kMaxDebtsBytes);
  if (text.is_absent()) return;
  Result<crew::Debts> debts =
      text.is_present() ? crew::debts_from_json(*text, file_) : text.error();
  if (!debts) {
    base::log_warn(kPostComponent, debts.error().text + "; it is kept as .unreadable");
    std::error_code failure;
    std::filesystem::rename(file_, file_ + ".unreadable", failure);
    return;
  }
  debts_ = std::move(debts).value();
  if (anew) {
    debts_.handovers.clear();
    debts_.spent = {};
  }
  settle_what_was_on_its_way();
}

// The last host may have died before it noted which messages its agents have taken. Once Enter may
// have been typed after a message, the message is never typed again. If nothing shows that the
// agent has it, the user gets a note.
void CrewPost::settle_what_was_on_its_way() {
  const crew::Debts before = debts_;
  std::erase_if(debts_.handovers, [this](const crew::Debts::Handover& it) { return is_done(it); });
  for (crew::Debts::Handover& owed : debts_.handovers) owed.message.clear();
  for (const auto& [agent, notice] : debts_.notices) {
    if (is_done(agent, notice)) debts_.told[agent] = notice.bytes;
  }
  debts_.notices.clear();
  if (debts_ != before) keep();
}

bool CrewPost::is_done(const crew::Debts::Handover& handover) const {
  if (handover.message.empty()) return false;  // it never was on its way
  if (reach_.was_taken(handover.message)) return true;
  if (handover.entered.empty()) return false;
  const std::string text = crew::nudge_from(handover.from, handover.text);
  if (reach_.was_recorded(run_of(handover.message), text, handover.entered)) return true;
  reach_.say(handover.to,
             "may or may not have got this, for it or its host ended while it was "
             "typed; it is not typed again: " +
                 text);
  return true;
}

bool CrewPost::is_done(const std::string& agent, const crew::Debts::Notice& notice) const {
  if (reach_.was_taken(notice.message)) return true;
  if (notice.entered.empty()) return false;
  reach_.say(agent,
             "may or may not know of its mail: it or its host ended while the note "
             "was typed: " +
                 store::CrewFolder::inbox_of(agent));
  return true;
}

void CrewPost::tell_of_mail(const std::string& agent, const std::string& from, std::string notice) {
  if (noticed_.contains(agent) || !reach_.hears(agent)) {
    unheard_[agent] = {from, std::move(notice)};
    return;
  }
  const uint64_t bytes = reach_.inbox_bytes(agent);
  const auto on_report = [this, agent, bytes](const run::SendReport& report) {
    noticed_.erase(agent);
    const auto notice = debts_.notices.extract(agent);
    const bool has_it = is_settled(report) || (notice && is_done(agent, notice.mapped()));
    if (!has_it) {
      unheard_.try_emplace(agent);
      return;
    }
    debts_.told[agent] = bytes;
    keep();
    tell_what_waits(agent);  // more mail may have come since then
  };
  noticed_.insert(agent);
  if (const Result<std::string> sent = reach_.queue(agent, from, std::move(notice), on_report)) {
    debts_.notices[agent] = {*sent, bytes};
    return keep();
  }
  noticed_.erase(agent);
  unheard_.try_emplace(agent);
}

void CrewPost::tell_what_waits(const std::string& agent) {
  give(agent);
  Notice notice;
  if (const auto newest = unheard_.extract(agent); !newest.empty()) {
    notice = std::move(newest.mapped());
  }
  const auto told = debts_.told.find(agent);
  // After an inbox was emptied its mail is counted anew.
  const uint64_t bytes = reach_.inbox_bytes(agent);
  if (bytes == 0 || (told != debts_.told.end() && bytes == told->second)) return;
  if (notice.text.empty()) {
    notice = {std::string(event::kFromRun), crew::mail_waits(store::CrewFolder::inbox_of(agent))};
  }
  tell_of_mail(agent, notice.from, std::move(notice.text));
}

void CrewPost::try_again() {
  std::set<std::string> owed;
  for (const auto& [agent, notice] : unheard_) owed.insert(agent);
  for (const crew::Debts::Handover& each : debts_.handovers) owed.insert(each.to);
  for (const std::string& agent : owed) {
    unheard_.contains(agent) ? tell_what_waits(agent) : give(agent);
  }
}

void CrewPost::hand_over(const crew::Debts::Handover& handover) {
  debts_.handovers.push_back(handover);
  keep();
  give(handover.to);
}

// Sends an agent the messages that the rules hand over to it. They stay on the list until it has
// taken them.
void CrewPost::give(const std::string& to) {
  if (!reach_.hears(to)) return;
  std::vector<crew::Debts::Handover> due;
  for (crew::Debts::Handover& owed : debts_.handovers) {
    if (owed.to != to || owed.id != 0) continue;
    owed.id = ++last_handover_;
    due.push_back(owed);
  }
  for (const crew::Debts::Handover& each : due) {
    const auto on_report = [this, id = each.id](const run::SendReport& report) {
      on_given(id, is_settled(report));
    };
    const Result<std::string> sent =
        reach_.queue(to, each.from, crew::nudge_from(each.from, each.text), on_report);
    if (sent) {
      const auto owed = owed_by(each.id);
      owed->message = *sent;
      owed->entered.clear();
      continue;
    }
    on_given(each.id, false);
    base::log_warn(kPostComponent, sent.error().text);
  }
  if (!due.empty()) keep();
}

std::vector<crew::Debts::Handover>::iterator CrewPost::owed_by(uint64_t id) {
  return std::find_if(debts_.handovers.begin(), debts_.handovers.end(),
                      [id](const crew::Debts::Handover& it) { return it.id == id; });
}

void CrewPost::on_given(uint64_t id, bool settled) {
  const auto owed = owed_by(id);
  if (owed == debts_.handovers.end()) return;
  owed->id = 0;
  if (!settled && !is_done(*owed)) return;
  debts_.handovers.erase(owed);
  keep();
}

void CrewPost::on_enter(const std::string& message) {
  const std::string now = store::rfc3339_utc(std::chrono::system_clock::now());
  for (crew::Debts::Handover& owed : debts_.handovers) {
    if (owed.message != message) continue;
    owed.entered = now;
    return keep();
  }
  for (auto& [agent, notice] : debts_.notices) {
    if (notice.message != message) continue;
    notice.entered = now;
    return keep();
  }
}

void CrewPost::keep_spent(const crew::Debts::Purse& spent, const crew::Debts::Purse& budget) {
  if (debts_.spent == spent && debts_.budget == budget) return;
  debts_.spent = spent;
  debts_.budget = budget;
  keep();
}

void CrewPost::keep() const {
  Status kept = store::create_folder_of(file_);
  if (kept) kept = store::write_file_unsynced(file_, crew::to_json(debts_));
  if (!kept) base::log_warn(kPostComponent, kept.error().text);
}

}  // namespace orch::host

#include "session/watches.h"

#include <algorithm>
#include <utility>

namespace orch::session {
namespace {

constexpr int64_t kFirstLookMs = 250, kLastLookMs = 64'000;

bool accumulates(const adapters::HeadlessSpec& spec) {
  return std::any_of(spec.rules.begin(), spec.rules.end(), [](const auto& rule) {
    return rule.usage.since == adapters::UsageSpec::Since::kConversation;
  });
}

}  // namespace

// In an enclosure the agent's own files are not on this machine.
Watches::Watches(loop::Loop& loop, const SessionSetup& setup, const AgentProcess& agent,
                 std::string run, store::TimePoint started, Told told)
    : setup_(setup),
      agent_(agent),
      run_(std::move(run)),
      told_(std::move(told)),
      life_(
          loop, [this](const LifeWatch::Found& found) { look_for_life(found); }, told_.on_life),
      record_(setup.enclosure ? adapters::RecordSpec{} : setup.manifest->record,
              agent.environment(), setup.cwd, setup.own_program),
      own_session_(loop) {
  if (setup.launch.resume.empty()) record_.expect(setup.launch.session);
  watch_usage(loop, started);
}

void Watches::watch_usage(loop::Loop& loop, store::TimePoint started) {
  if (!setup_.manifest->record.usage.any() || setup_.enclosure) return;
  // In a continued conversation, an agent that accumulates reports its total usage, earlier runs
  // included.
  const bool headless = setup_.mode == Mode::kHeadless;
  const bool tells_all = accumulates(setup_.manifest->headless) && !setup_.launch.resume.empty();
  if (headless && !tells_all) return;
  const auto who = [this, headless] {
    const adapters::LaunchPlan& launch = setup_.launch;
    return UsageWatch::Agent{agent_.source().pid(), headless ? launch.resume : launch.session};
  };
  usage_.emplace(loop,
                 UsageFiles(setup_.manifest->record, agent_.environment(), setup_.cwd, started),
                 who, told_.on_usage, told_.on_record_line);
}

// The processes in an enclosure cannot be seen from here: of them only the client runs on this
// machine.
void Watches::look_for_life(const LifeWatch::Found& found) const {
  if (setup_.enclosure) return setup_.enclosure->find_life_signs(run_, found);
  found(pty::read_life_signs(agent_.source().pid()));
}

void Watches::on_status(event::AgentStatus status) {
  if (usage_) usage_->on_status(status);
}

void Watches::on_turn_ended() {
  if (usage_) usage_->look();
}

void Watches::on_message_taken(const std::string& text, store::TimePoint typed) {
  if (setup_.enclosure || setup_.manifest->record.session.empty()) return;
  look_for_own_session(text, typed, kFirstLookMs);
}

// The file with the message in it is that of the agent's own session. The agent writes it some time
// after it has taken the message, so the search is repeated, each time after twice as long.
void Watches::look_for_own_session(const std::string& text, store::TimePoint typed,
                                   int64_t patience_ms) {
  if (patience_ms > kLastLookMs) return;
  own_session_.start(patience_ms, [this, text, typed, patience_ms] {
    if (!record_.read(text, typed) || !record_.session()) {
      return look_for_own_session(text, typed, patience_ms * 2);
    }
    told_.on_own_session(*record_.session());
  });
}

// A file that holds an earlier message belongs to another session, so that is not looked for any
// more.
void Watches::on_new_conversation(const std::string& session) {
  own_session_.stop();
  record_.expect(session);
}

void Watches::on_process_end() {
  life_.saw_life();
  own_session_.stop();
}

}  // namespace orch::session

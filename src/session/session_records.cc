// The part of a session that reads what the agent itself writes down, in files of its own.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "session/session.h"

namespace orch::session {
namespace {

constexpr int64_t kLastLookMs = 64'000;

bool accumulates(const adapters::HeadlessSpec& spec) {
  return std::any_of(spec.rules.begin(), spec.rules.end(), [](const auto& rule) {
    return rule.usage.since == adapters::UsageSpec::Since::kConversation;
  });
}

}  // namespace

// What the agent itself wrote down of the turn that ends: words that it said in a fence look like
// any others on its screen, and some may never have been seen there.
void Session::end_turn() {
  if (usage_) usage_->look();
  if (const std::string id = driver_->conversation(); !id.empty()) {
    log_->take_agent_session(id, "");
  }
  std::optional<driver::RecordedTurn> turn;
  const bool drawn = setup_.mode == Mode::kInteractive;  // else the driver has told it
  const bool asked = setup_.plan.until != run::Until::kExit || turn_words_.holds();
  if (drawn && asked && !delivered_.text.empty()) {
    turn = record_->read(delivered_.text, delivered_.typed);
  }
  std::vector<std::string> texts;
  agent::Recorded recorded;
  for (driver::RecordedPiece& piece : turn.value_or(driver::RecordedTurn()).pieces) {
    const bool tool = piece.kind == driver::RecordedPiece::Kind::kTool;
    if (!tool && base::trim(piece.text).empty()) continue;  // it says nothing
    recorded.tool_after = tool;
    if (tool) continue;
    recorded.last_words = piece.text;
    texts.push_back(std::move(piece.text));
  }
  log_->tell(now(), turn_words_.finish(texts));
  // A turn of which nothing is written down yet is no turn without words.
  if (turn && !turn->pieces.empty()) machine_.on_news(now(), recorded);
}

// The file that holds the message is that of the agent's own session. It is written soon after the
// agent has taken the message, but nobody says when: so it is looked for again and again, each time
// after twice as long.
void Session::look_for_own_session(int64_t patience_ms) {
  if (setup_.enclosure || setup_.manifest->record.session.empty() || patience_ms > kLastLookMs)
    return;
  look_timer_.start(patience_ms, [this, patience_ms] {
    if (!record_->read(delivered_.text, delivered_.typed) || !record_->session()) {
      return look_for_own_session(patience_ms * 2);
    }
    log_->take_agent_session(record_->session()->id, record_->session()->version);
  });
}

void Session::watch_usage() {
  if (!setup_.manifest->record.usage.any() || setup_.enclosure) return;
  // What it tells itself of a conversation that it takes up is what all of that took.
  const bool headless = setup_.mode == Mode::kHeadless;
  const bool tells_all = accumulates(setup_.manifest->headless) && !setup_.launch.resume.empty();
  if (headless && !tells_all) return;
  const auto who = [this, headless] {
    const adapters::LaunchPlan& launch = setup_.launch;
    return UsageWatch::Agent{agent_pid(), headless ? launch.resume : launch.session};
  };
  usage_.emplace(loop_,
                 UsageFiles(setup_.manifest->record, agent_->environment(), setup_.cwd, started_),
                 who, [this](const event::Usage& usage) {
                   log_->tell(now(), usage);
                   machine_.on_news(now(), usage);
                 });
}

}  // namespace orch::session

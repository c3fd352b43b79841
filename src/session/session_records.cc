// The part of a session that reads what the agent itself writes down, in files of its own.
#include <utility>

#include "base/text.h"
#include "session/session.h"

namespace orch::session {

// What the agent itself wrote down of the turn that ends: words that it said in a fence look like
// any others on its screen, and some may never have been seen there.
void Session::end_turn() {
  watches_->on_turn_ended();
  if (const std::string id = driver_->conversation(); !id.empty()) {
    log_->take_agent_session(id, "");
  }
  std::optional<driver::RecordedTurn> turn;
  const bool drawn = setup_.mode == Mode::kInteractive;  // else the driver has told it
  const bool asked = setup_.plan.until != run::Until::kExit || turn_words_.holds();
  if (drawn && asked && !delivered_.text.empty()) {
    turn = watches_->record().read(delivered_.text, delivered_.typed);
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

}  // namespace orch::session

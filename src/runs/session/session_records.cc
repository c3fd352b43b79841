// The part of a session that reads the agent's own session files.
#include <utility>

#include "base/text.h"
#include "session/session.h"

namespace orch::session {

// At the end of a turn takes the agent's words from its own session file: on the screen, text in a
// code block looks like other text, and parts of it may never have been visible.
void Session::end_turn() {
  watches_->on_turn_ended();
  if (const std::string id = driver_->conversation(); !id.empty()) {
    log_->take_agent_session(id, "");
  }
  std::optional<driver::RecordedTurn> turn;
  const bool drawn = setup_.mode == Mode::kInteractive;  // otherwise the driver has reported the
                                                         // words
  const bool asked = setup_.plan.until != run::Until::kExit || turn_words_.holds();
  if (drawn && asked && !delivered_.text.empty()) {
    turn = watches_->record().read(delivered_.text, delivered_.typed);
  }
  std::vector<std::string> texts;
  agent::Recorded recorded;
  for (driver::RecordedPiece& piece : turn.value_or(driver::RecordedTurn()).pieces) {
    const bool tool = piece.kind == driver::RecordedPiece::Kind::kTool;
    if (!tool && base::trim(piece.text).empty()) continue;  // an empty text says nothing
    recorded.tool_after = tool;
    if (tool) continue;
    recorded.last_words = piece.text;
    texts.push_back(std::move(piece.text));
  }
  // An agent may draw its last words before it records them.
  const bool behind = recorded.tool_after && turn_words_.outrun(texts);
  log_->tell(now(), turn_words_.finish(texts));
  // A turn missing from the record may still have words.
  if (!behind && turn && !turn->pieces.empty()) machine_.on_news(now(), recorded);
}

}  // namespace orch::session

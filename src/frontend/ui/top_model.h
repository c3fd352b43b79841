#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/dialog_choice.h"
#include "term/screen.h"
#include "ui/dialog_page.h"
#include "ui/terminal_input.h"
#include "wire/status_report.h"

namespace orch::ui {

// How much a session needs the user, the most urgent first.
enum class Need : uint8_t { kWaiting, kError, kIdle, kWorking, kQueued, kDone };
std::string_view name(Need need);
Need need_of(event::AgentStatus status);

// One session's row. All times are of one clock, in milliseconds.
struct TopSession {
  std::string key;   // identifies the session among all
  std::string name;  // "orch-42"
  std::string agent, repository;
  Need need = Need::kWorking;
  std::string state;  // "waiting/permission", "unresponsive", "complete"
  int64_t started_ms = 0;
  int64_t since_ms = 0;           // when the session came into this state
  std::optional<int64_t> end_ms;  // when the session ended
  int turns = 0;
  int viewers = 0;
  std::string tokens;  // tokens used, "1.2k"; "" if the agent does not report them
  std::string last_words;
  std::optional<wire::DialogReport> dialog;

  // A dialog's question, otherwise the last words.
  const std::string& words() const { return dialog ? dialog->text : last_words; }
};

// A duration, "9s", "12m", "2h10m", "3d04h": coarse, so that few rows change from one second to the
// next.
std::string age_text(int64_t ms);

// Compares names so that orch-2 comes before orch-10.
bool comes_before(std::string_view name, std::string_view other);
// Sorts by need. Of waiting sessions, the one that has waited longest comes first; of ended ones,
// the last one to end.
bool is_more_urgent(const TopSession& a, const TopSession& b);

// The actions that the user's input can lead to.
namespace top {
struct Nothing {};
struct Leave {};
struct Suspend {};
struct Redraw {};
struct Attach {
  std::string key;
};
struct Answer {
  std::string key, dialog;
  agent::DialogChoice choice;
};
struct Kill {
  std::string key;
};
}  // namespace top
using TopAction = std::variant<top::Nothing, top::Leave, top::Suspend, top::Redraw, top::Attach,
                               top::Answer, top::Kill>;

// How many rows each part of the screen has. On a low terminal the least needed parts are left out.
struct TopLayout {
  int header = 0, titles = 0, list = 0, panel = 0, foot = 0;  // in rows, from the top down
  // The panel's rows below its rule and its session's name.
  int panel_rows() const { return panel - 2; }
};
// The panel grows for a dialog of `dialog_rows` rows, but leaves the list some.
TopLayout layout_of(term::Size size, int dialog_rows);

// The state of `orch top` and its reaction to keys; it owns no terminal and no clock. From the
// first key on the selection stays on its session wherever that moves, and goes to a neighbour when
// the session is gone. A key answers the selected session's dialog only as DialogPage allows.
class TopModel {
 public:
  enum class Mode : uint8_t { kList, kFilter, kKill, kHelp };
  static constexpr int64_t kDoubleClickMs = 600;
  static constexpr int64_t kMessageMs = 8'000;

  void update(std::vector<TopSession> sessions);
  void resize(term::Size size);
  TopAction on_input(const TerminalInput& input, int64_t now_ms);
  // All of it is on the terminal now.
  void on_drawn(int64_t now_ms) {
    if (mode_ != Mode::kHelp) page_.on_drawn(now_ms);
  }
  // The last top::Answer has failed, so that the dialog may be answered again.
  void on_answer_failed() { answered_.clear(); }
  // Shows the message in the last row for kMessageMs.
  void say(std::string message, int64_t now_ms);
  // Shows the message in the last row whenever say() has none there; "": shows nothing.
  void stand(std::string message) { standing_ = std::move(message); }

  term::Size size() const { return size_; }
  Mode mode() const { return mode_; }
  const std::string& filter() const { return filter_; }
  // The name of the session that kKill asks about.
  const std::string& target() const { return target_; }
  std::string message(int64_t now_ms) const;

  size_t count() const { return sessions_.size(); }
  std::map<Need, int> counts() const;
  // The sessions that pass the filter.
  const std::vector<const TopSession*>& rows() const { return rows_; }
  const TopSession* selected() const;  // nullptr without rows
  int selected_row() const { return selected_; }
  int first_row() const { return first_; }  // index of the first row on the screen
  TopLayout layout() const;
  const DialogPage& page() const { return page_; }  // of the selected session's dialog

 private:
  TopAction on_list_key(const TerminalInput& input, int64_t now_ms);
  TopAction on_text(std::string_view text, int64_t now_ms);
  void on_filter_input(const TerminalInput& input);
  TopAction on_kill_input(const TerminalInput& input, int64_t now_ms);
  TopAction on_click(const TerminalInput& input, int64_t now_ms);
  TopAction attach(int64_t now_ms);
  TopAction answer(const agent::DialogChoice& choice, int64_t now_ms);
  TopAction ask_to_kill(int64_t now_ms);
  void select(int row);
  void choose_rows();
  void show_dialog();
  void scroll();

  std::vector<TopSession> sessions_;  // sorted by is_more_urgent()
  std::vector<const TopSession*> rows_;
  std::string selected_key_, filter_, target_, target_key_, message_, standing_;
  DialogPage page_;
  std::string answered_;  // the id of the page whose answer is under way
  int64_t message_until_ms_ = 0, clicked_ms_ = 0;
  term::Size size_;
  int selected_ = 0, first_ = 0;
  Mode mode_ = Mode::kList;
};

}  // namespace orch::ui

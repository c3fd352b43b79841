#include "ui/top_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/ascii.h"

namespace orch::ui {
namespace {

using Kind = TerminalInput::Kind;

// Takes the digits at the beginning off `text` and returns them without leading zeros.
std::string_view take_number(std::string_view& text) {
  const size_t length = static_cast<size_t>(
      std::find_if_not(text.begin(), text.end(), base::is_digit) - text.begin());
  std::string_view number = text.substr(0, length);
  text.remove_prefix(length);
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

bool passes(const TopSession& session, const std::string& filter) {
  if (filter.empty()) return true;
  const std::string wanted = base::lower(filter);
  for (const std::string* text :
       {&session.name, &session.agent, &session.state, &session.repository, &session.words()}) {
    if (base::lower(*text).find(wanted) != std::string::npos) return true;
  }
  return false;
}

void drop_last_character(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
}

constexpr size_t kMaxFilterBytes = 200;

}  // namespace

std::string_view name(Need need) {
  switch (need) {
    case Need::kWaiting:
      return "waiting";
    case Need::kError:
      return "error";
    case Need::kIdle:
      return "idle";
    case Need::kWorking:
      return "working";
    case Need::kQueued:
      return "queued";
    case Need::kDone:
      return "done";
  }
  return "";
}

Need need_of(event::AgentStatus status) {
  switch (status) {
    case event::AgentStatus::kWaiting:
      return Need::kWaiting;
    case event::AgentStatus::kError:
      return Need::kError;
    case event::AgentStatus::kIdle:
      return Need::kIdle;
    case event::AgentStatus::kStarting:
    case event::AgentStatus::kWorking:
      return Need::kWorking;
    case event::AgentStatus::kExited:
      return Need::kDone;
  }
  return Need::kWorking;
}

std::string age_text(int64_t ms) {
  const int64_t s = std::max<int64_t>(ms, 0) / 1000;
  if (s < 60) return fmt::format("{}s", s);
  if (s < 3600) return fmt::format("{}m", s / 60);
  if (s < 86'400) return fmt::format("{}h{:02}m", s / 3600, s / 60 % 60);
  return fmt::format("{}d{:02}h", s / 86'400, s / 3600 % 24);
}

bool comes_before(std::string_view name, std::string_view other) {
  while (!name.empty() && !other.empty()) {
    if (base::is_digit(name.front()) && base::is_digit(other.front())) {
      const std::string_view a = take_number(name), b = take_number(other);
      if (a != b) return std::make_tuple(a.size(), a) < std::make_tuple(b.size(), b);
      continue;
    }
    if (name.front() != other.front()) return name.front() < other.front();
    name.remove_prefix(1);
    other.remove_prefix(1);
  }
  return name.size() < other.size();
}

bool is_more_urgent(const TopSession& a, const TopSession& b) {
  if (a.need != b.need) return a.need < b.need;
  if (a.need == Need::kWaiting && a.since_ms != b.since_ms) return a.since_ms < b.since_ms;
  if (a.need == Need::kDone && a.end_ms != b.end_ms) return a.end_ms > b.end_ms;
  if (a.name != b.name) return comes_before(a.name, b.name);
  return a.key < b.key;
}

TopLayout layout_of(term::Size size, int dialog_rows) {
  constexpr int kFewestListRows = 3;
  TopLayout layout;
  layout.foot = size.rows >= 2 ? 1 : 0;
  layout.header = size.rows >= 4 ? 1 : 0;
  layout.titles = size.rows >= 8 ? 1 : 0;
  layout.panel = size.rows >= 14 ? 5 : size.rows >= 10 ? 3 : 0;
  const int room = size.rows - layout.foot - layout.header - layout.titles;
  if (layout.panel > 0 && dialog_rows > layout.panel_rows()) {
    layout.panel = std::max(layout.panel, std::min(dialog_rows + 2, room - kFewestListRows));
  }
  layout.list = room - layout.panel;
  return layout;
}

void TopModel::update(std::vector<TopSession> sessions) {
  sessions_ = std::move(sessions);
  std::sort(sessions_.begin(), sessions_.end(), is_more_urgent);
  choose_rows();
  const auto is_target = [this](const TopSession& it) { return it.key == target_key_; };
  if (mode_ == Mode::kKill && std::none_of(sessions_.begin(), sessions_.end(), is_target)) {
    mode_ = Mode::kList;
  }
}

void TopModel::resize(term::Size size) {
  size_ = size;
  show_dialog();
  scroll();
}

// Selects the rows that pass the filter; the selection stays on its session, or goes to a
// neighbour.
void TopModel::choose_rows() {
  rows_.clear();
  for (const TopSession& session : sessions_) {
    if (passes(session, filter_)) rows_.push_back(&session);
  }
  const auto found = std::find_if(rows_.begin(), rows_.end(), [this](const TopSession* session) {
    return session->key == selected_key_;
  });
  // Until the user chooses a session, the most urgent one is selected.
  const int wanted = found != rows_.end() ? static_cast<int>(found - rows_.begin()) : selected_;
  selected_ = std::clamp(wanted, 0, std::max(static_cast<int>(rows_.size()) - 1, 0));
  show_dialog();
  if (rows_.empty()) {
    first_ = 0;
    return;
  }
  if (!selected_key_.empty()) selected_key_ = rows_[static_cast<size_t>(selected_)]->key;
  scroll();
}

// Puts the selected session's dialog on the page, where there is a panel for it.
void TopModel::show_dialog() {
  const TopSession* session = selected();
  if (session == nullptr || !session->dialog || layout().panel == 0) return page_.clear();
  page_.set(session->key + " " + session->dialog->id, text_of(*session->dialog), size_.cols,
            layout().panel_rows());
}

TopLayout TopModel::layout() const {
  const TopSession* session = selected();
  if (session == nullptr || !session->dialog) return layout_of(size_, 0);
  const size_t rows = rows_of(text_of(*session->dialog), std::max(size_.cols, 1)).size();
  return layout_of(size_, static_cast<int>(rows));
}

void TopModel::scroll() {
  const int shown = std::max(layout().list, 1);
  const int last_first = std::max(static_cast<int>(rows_.size()) - shown, 0);
  first_ = std::clamp(first_, std::max(selected_ - shown + 1, 0), selected_);
  first_ = std::min(first_, last_first);
}

void TopModel::select(int row) {
  if (rows_.empty()) return;
  selected_ = std::clamp(row, 0, static_cast<int>(rows_.size()) - 1);
  selected_key_ = rows_[static_cast<size_t>(selected_)]->key;
  show_dialog();
  scroll();
}

const TopSession* TopModel::selected() const {
  return rows_.empty() ? nullptr : rows_[static_cast<size_t>(selected_)];
}

std::map<Need, int> TopModel::counts() const {
  std::map<Need, int> counts;
  for (const TopSession& session : sessions_) ++counts[session.need];
  return counts;
}

void TopModel::say(std::string message, int64_t now_ms) {
  message_ = std::move(message);
  message_until_ms_ = now_ms + kMessageMs;
}

std::string TopModel::message(int64_t now_ms) const {
  return now_ms < message_until_ms_ ? message_ : standing_;
}

TopAction TopModel::on_input(const TerminalInput& input, int64_t now_ms) {
  const bool is_key = input.kind == Kind::kKey;
  if (selected() != nullptr) selected_key_ = selected()->key;
  if (is_key && input.text == "C-c") return top::Leave{};
  if (is_key && input.text == "C-z") return top::Suspend{};
  if (is_key && input.text == "C-l") return top::Redraw{};
  switch (mode_) {
    case Mode::kList:
      return on_list_key(input, now_ms);
    case Mode::kFilter:
      on_filter_input(input);
      return top::Nothing{};
    case Mode::kKill:
      return on_kill_input(input, now_ms);
    case Mode::kHelp:
      mode_ = Mode::kList;  // by any key
      return top::Nothing{};
  }
  return top::Nothing{};
}

TopAction TopModel::on_list_key(const TerminalInput& input, int64_t now_ms) {
  const int page = std::max(layout().list - 1, 1);
  switch (input.kind) {
    case Kind::kText:
      return on_text(input.text, now_ms);
    case Kind::kPaste:
      return top::Nothing{};  // nobody pastes commands
    case Kind::kClick:
      return on_click(input, now_ms);
    case Kind::kWheelUp:
      select(selected_ - 1);
      return top::Nothing{};
    case Kind::kWheelDown:
      select(selected_ + 1);
      return top::Nothing{};
    case Kind::kKey:
      break;
  }
  const std::string& key = input.text;
  if (key == "Up" || key == "C-p") select(selected_ - 1);
  if (key == "Down" || key == "C-n") select(selected_ + 1);
  if (key == "PageUp") select(selected_ - page);
  if (key == "PageDown") select(selected_ + page);
  if (key == "Home") select(0);
  if (key == "End") select(static_cast<int>(rows_.size()) - 1);
  if (key == "Enter") return attach(now_ms);
  if (key == "Escape" && !filter_.empty()) {
    filter_.clear();
    choose_rows();
  }
  return top::Nothing{};
}

TopAction TopModel::on_text(std::string_view text, int64_t now_ms) {
  using Choice = agent::DialogChoice;
  const char c = text.size() == 1 ? text.front() : '\0';
  switch (c) {
    case 'q':
      return top::Leave{};
    case 'j':
      select(selected_ + 1);
      return top::Nothing{};
    case 'k':
      select(selected_ - 1);
      return top::Nothing{};
    case 'x':
      return ask_to_kill(now_ms);
    case 'y':
      return answer({.kind = Choice::Kind::kYes, .text = ""}, now_ms);
    case 'n':
      return answer({.kind = Choice::Kind::kNo, .text = ""}, now_ms);
    case ' ':
      page_.turn();
      return top::Nothing{};
    case '/':
      mode_ = Mode::kFilter;
      return top::Nothing{};
    case '?':
      mode_ = Mode::kHelp;
      return top::Nothing{};
    default:
      break;
  }
  if (c < '1' || c > '9') return top::Nothing{};
  return answer({.kind = Choice::Kind::kNumber, .number = c - '0', .text = ""}, now_ms);
}

void TopModel::on_filter_input(const TerminalInput& input) {
  const bool is_text = input.kind == Kind::kText || input.kind == Kind::kPaste;
  if (is_text && filter_.size() + input.text.size() <= kMaxFilterBytes) filter_ += input.text;
  if (input.kind == Kind::kKey) {
    if (input.text == "Backspace") drop_last_character(filter_);
    if (input.text == "C-u") filter_.clear();
    if (input.text == "Escape") filter_.clear();
    if (input.text == "Enter" || input.text == "Escape") mode_ = Mode::kList;
    if (input.text == "Up") select(selected_ - 1);
    if (input.text == "Down") select(selected_ + 1);
  }
  choose_rows();
}

TopAction TopModel::on_kill_input(const TerminalInput& input, int64_t now_ms) {
  mode_ = Mode::kList;
  if (input.kind == Kind::kText && (input.text == "y" || input.text == "Y")) {
    return top::Kill{target_key_};
  }
  say(target_ + " goes on", now_ms);
  return top::Nothing{};
}

TopAction TopModel::on_click(const TerminalInput& input, int64_t now_ms) {
  const TopLayout now = layout();
  const int at = input.row - now.header - now.titles;
  const int row = first_ + at;
  if (at < 0 || at >= now.list || row >= static_cast<int>(rows_.size())) return top::Nothing{};
  const bool again = row == selected_ && now_ms - clicked_ms_ <= kDoubleClickMs && clicked_ms_ != 0;
  select(row);
  clicked_ms_ = again ? 0 : now_ms;
  return again ? attach(now_ms) : top::Nothing{};
}

TopAction TopModel::attach(int64_t now_ms) {
  const TopSession* session = selected();
  if (session == nullptr) return top::Nothing{};
  if (session->need == Need::kDone) {
    say(session->name + " has ended; orch logs shows what it said", now_ms);
    return top::Nothing{};
  }
  return top::Attach{session->key};
}

TopAction TopModel::answer(const agent::DialogChoice& choice, int64_t now_ms) {
  const TopSession* session = selected();
  if (session == nullptr) return top::Nothing{};
  if (!session->dialog) {
    say(session->name + " asks nothing", now_ms);
    return top::Nothing{};
  }
  if (page_.id().empty()) {
    say(session->name + " asks what this window is too low for; Enter attaches to it", now_ms);
    return top::Nothing{};
  }
  if (page_.id() == answered_) return top::Nothing{};
  const DialogPage::Verdict verdict = page_.check(choice, now_ms);
  if (verdict != DialogPage::Verdict::kTake) {
    say(refusal_of(verdict, session->name), now_ms);
    return top::Nothing{};
  }
  answered_ = page_.id();
  return top::Answer{session->key, session->dialog->id, choice};
}

TopAction TopModel::ask_to_kill(int64_t now_ms) {
  const TopSession* session = selected();
  if (session == nullptr) return top::Nothing{};
  if (session->need == Need::kDone) {
    say(session->name + " has ended", now_ms);
    return top::Nothing{};
  }
  target_ = session->name;
  target_key_ = session->key;
  mode_ = Mode::kKill;
  return top::Nothing{};
}

}  // namespace orch::ui

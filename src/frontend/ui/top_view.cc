#include "ui/top_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "ui/need_style.h"

namespace orch::ui {
namespace {

std::string_view folder_of(const TopSession& session) {
  const std::string_view path = session.repository;
  return path.substr(path.rfind('/') + 1);
}

int64_t age_of(const TopSession& session, int64_t now_ms) {
  return session.end_ms.value_or(now_ms) - session.started_ms;
}

std::string summary(const TopModel& model) {
  std::string text;
  for (const auto& [need, count] : model.counts()) {
    text += fmt::format("{}{} {}", text.empty() ? "" : " · ", count, name(need));
  }
  return text.empty() ? "no session" : text;
}

void draw_header(const TopModel& model, Canvas& canvas) {
  int col = canvas.put(0, 0, "orch", kBold) + 2;
  for (const auto& [need, count] : model.counts()) {
    if (col > 6) col = canvas.put(0, col, " · ", kDim);
    col = canvas.put(0, col, fmt::format("{} {}", count, name(need)), style_of(need));
  }
  if (model.count() == 0) col = canvas.put(0, col, summary(model), kDim);
  if (model.filter().empty()) return;
  canvas.put(0, col + 2, "/" + model.filter(), kBold);
}

std::string how_it_stands(const TopSession& session, int64_t now_ms) {
  std::string text = " · " + session.agent + " · " + session.state;
  if (!session.end_ms) text += " for " + age_text(now_ms - session.since_ms);
  text += fmt::format(" · {} turn{} · {}", session.turns, session.turns == 1 ? "" : "s",
                      age_text(age_of(session, now_ms)));
  if (!session.tokens.empty()) text += " · " + session.tokens + " tokens";
  if (session.viewers > 0) text += fmt::format(" · {} attached", session.viewers);
  return text + " · " + session.repository;
}

// Draws the question or the last words of the selected session, below the list.
void draw_panel(const TopModel& model, int64_t now_ms, int top, Canvas& canvas) {
  const int cols = canvas.size().cols;
  const DialogPage& page = model.page();
  const std::string position = page.position();
  std::string rule = position.empty() ? "" : fitted("── " + position + " ", cols);
  for (int col = columns_of(rule); col < cols; ++col) rule += "─";
  canvas.put(top, 0, rule, kDim);
  const TopSession* session = model.selected();
  if (session == nullptr) return;
  const int after = canvas.put(top + 1, 0, fitted(session->name, cols), kBold);
  canvas.put(top + 1, after, fitted(how_it_stands(*session, now_ms), cols - after), kPlain);
  int at = top + 2;
  if (page.id().empty()) canvas.put(at, 0, fitted(session->last_words, cols), kPlain);
  for (const DialogRow& row : page.shown()) canvas.put(at++, 0, row.text, style_of(row.part));
}

constexpr std::array<std::string_view, 9> kKeys{
    "↑ ↓ wheel         select a session; j and Ctrl-N, Ctrl-P, too",
    "Enter, 2 clicks   attach to it",
    "y, n, 1 to 9      answer the dialog that it shows: yes, no, or this option",
    "Space             the next rows of a dialog that is too long for its place",
    "x                 kill it; asks first",
    "/                 show only what has these letters; Escape shows all again",
    "Ctrl-L            draw all anew",
    "Ctrl-Z            suspend; fg comes back",
    "q, Ctrl-C         leave",
};

constexpr std::array<std::string_view, 6> kFirstCommands{
    "Nothing runs. Begin in another window, and see it here:",
    "",
    "  orch run \"fix the bug\" -d   an agent works on it",
    "  orch run demo -d            a look at orch, without any agent installed",
    "  orch runs                   what has ended",
    "  orch help                   all commands",
};

void draw_lines(std::span<const std::string_view> lines, int top, int rows, Canvas& canvas) {
  for (int at = 0; at < rows && at < static_cast<int>(lines.size()); ++at) {
    const std::string_view line = lines[static_cast<size_t>(at)];
    canvas.put(top + at, 0, fitted(line, canvas.size().cols), kPlain);
  }
}

// The help for as many keys as there is room for.
std::string keys_in(int cols) {
  std::string text = "q leave";
  for (const std::string_view key :
       {"Enter attach", "y/n answer", "x kill", "/ filter", "? keys", "↑↓ select"}) {
    const std::string longer = std::string(key) + "  " + text;
    if (columns_of(longer) > cols) break;
    text = longer;
  }
  return text;
}

void draw_foot(const TopModel& model, int64_t now_ms, int row, Canvas& canvas) {
  const int cols = canvas.size().cols;
  switch (model.mode()) {
    case TopModel::Mode::kKill:
      canvas.put(row, 0, fitted("Kill " + model.target() + " and all that it started? y/n", cols),
                 style_of(Need::kError));
      return;
    case TopModel::Mode::kFilter: {
      const int col = canvas.put(row, 0, "/" + model.filter(), kBold, cols - 1);
      canvas.set_cursor(Canvas::Position{row, std::min(col, cols - 1)});
      return;
    }
    case TopModel::Mode::kHelp:
      canvas.put(row, 0, fitted("Any key goes back", cols), kDim);
      return;
    case TopModel::Mode::kList:
      break;
  }
  const std::string message = model.message(now_ms);
  canvas.put(row, 0, message.empty() ? keys_in(cols) : fitted(message, cols),
             message.empty() ? kDim : kBold);
}

constexpr int kGap = 2;
constexpr int kMostName = 24, kMostState = 20, kMostAgent = 10, kMostFolder = 16;
constexpr int kWordsColumns = 24;       // reserved for the words before less important columns
constexpr int kFewestWordsColumns = 6;  // fewer columns of words say nothing
constexpr int kMark = 2;

}  // namespace

TopColumns::TopColumns(const std::vector<const TopSession*>& sessions, int width) : width_(width) {
  int name = 7, state = 6, agent = 5, folder = 0;
  std::string_view first_folder;
  bool several = false;
  for (const TopSession* session : sessions) {
    name = std::max(name, columns_of(session->name));
    state = std::max(state, columns_of(session->state));
    agent = std::max(agent, columns_of(session->agent));
    folder = std::max(folder, columns_of(folder_of(*session)));
    several = several || (session != sessions.front() && folder_of(*session) != first_folder);
    first_folder = folder_of(*session);
  }
  name_ = std::min({name, kMostName, std::max(width - kMark, 0)});
  int left = width - kMark - name_ - kGap;
  const auto take = [&left](int& column, int wanted, int spared) {
    if (left - wanted - kGap < spared) return;
    column = wanted;
    left -= wanted + kGap;
  };
  take(state_, std::min(state, kMostState), 0);
  take(age_, 6, 0);
  take(agent_, std::min(agent, kMostAgent), kWordsColumns);
  take(turns_, 5, kWordsColumns);
  if (several) take(folder_, std::min(folder, kMostFolder), 2 * kWordsColumns);
}

void TopColumns::draw_titles(Canvas& canvas, int row) const {
  int col = kMark;
  const auto title = [&](std::string_view text, int width) {
    if (width == 0) return;
    canvas.put(row, col, text, kDim, width);
    col += width + kGap;
  };
  title("SESSION", name_);
  title("STATUS", state_);
  title("AGENT", agent_);
  title("   AGE", age_);
  title("TURNS", turns_);
  title("FOLDER", folder_);
  title("WORDS", std::max(width_ - col, 0));
}

void TopColumns::draw(Canvas& canvas, int row, const TopSession& session, int64_t now_ms) const {
  const term::Style style = style_of(session.need);
  canvas.put(row, 0, mark_of(session.need), style);
  int col = kMark;
  const auto cell = [&](std::string_view text, int width, const term::Style& drawn) {
    if (width <= 0) return;
    canvas.put(row, col, fitted(text, width), drawn);
    col += width + kGap;
  };
  const bool over = session.need == Need::kDone || session.need == Need::kQueued;
  const term::Style text_style = over ? kDim : kPlain;
  cell(session.name, name_, session.need == Need::kWaiting ? kBold : text_style);
  cell(session.state, state_, style);
  cell(session.agent, agent_, text_style);
  const std::string age = session.need == Need::kQueued ? "" : age_text(age_of(session, now_ms));
  cell(fmt::format("{:>{}}", age, age_), age_, text_style);
  cell(fmt::format("{:>{}}", session.turns, turns_), turns_, text_style);
  cell(folder_of(session), folder_, text_style);
  const int left = width_ - col;
  cell(session.words(), left < kFewestWordsColumns ? 0 : left, session.dialog ? style : text_style);
}

void draw_top(const TopModel& model, int64_t now_ms, Canvas& canvas) {
  const TopLayout layout = model.layout();
  const int cols = canvas.size().cols;
  if (layout.header > 0) draw_header(model, canvas);
  if (layout.foot > 0) draw_foot(model, now_ms, canvas.size().rows - 1, canvas);
  if (model.mode() == TopModel::Mode::kHelp || model.count() == 0) {
    const int rows = layout.titles + layout.list + layout.panel;
    const bool help = model.mode() == TopModel::Mode::kHelp;
    draw_lines(help ? std::span<const std::string_view>(kKeys) : kFirstCommands, layout.header,
               rows, canvas);
    return;
  }
  const TopColumns columns(model.rows(), cols);
  if (layout.titles > 0) columns.draw_titles(canvas, layout.header);
  const int top = layout.header + layout.titles;
  const int count = static_cast<int>(model.rows().size());
  for (int at = 0; at < layout.list && model.first_row() + at < count; ++at) {
    const int row = model.first_row() + at;
    columns.draw(canvas, top + at, *model.rows()[static_cast<size_t>(row)], now_ms);
    if (row == model.selected_row()) {
      canvas.mark({.row = top + at, .col = 0, .rows = 1, .cols = cols}, term::kInverse);
    }
  }
  if (layout.panel > 0) draw_panel(model, now_ms, top + layout.list, canvas);
}

}  // namespace orch::ui

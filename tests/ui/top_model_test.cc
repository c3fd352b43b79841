#include "ui/top_model.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <string>

#include "ui/top_view.h"

namespace orch::ui {
namespace {

using Kind = TerminalInput::Kind;

TopSession session(const std::string& name, Need need, int64_t since_ms = 0) {
  TopSession it;
  it.key = name + "@1";
  it.name = name;
  it.agent = "demo";
  it.repository = "/home/me/project";
  it.need = need;
  it.state = std::string(ui::name(need));
  it.since_ms = since_ms;
  it.last_words = "words of " + name;
  if (need == Need::kWaiting) {
    it.dialog = wire::DialogReport{.id = "d1",
                                   .kind = event::Cause::kPermission,
                                   .title = "Bash",
                                   .text = "Proceed with " + name + "?",
                                   .command = "rm -rf build",
                                   .complete = true,
                                   .options = {{1, "Yes", "allow once"}, {2, "No", "deny"}}};
  }
  return it;
}

TerminalInput text(const std::string& character) {
  return {.kind = Kind::kText, .text = character};
}
TerminalInput key(const std::string& name) { return {.kind = Kind::kKey, .text = name}; }

std::string names(const TopModel& model) {
  std::string out;
  for (const TopSession* row : model.rows()) {
    out += (out.empty() ? "" : " ") + std::string(row == model.selected() ? ">" : "") + row->name;
  }
  return out;
}

// The action in words: "answer orch-1@1 d1 yes".
std::string told(const TopAction& action) {
  if (std::holds_alternative<top::Leave>(action)) return "leave";
  if (std::holds_alternative<top::Suspend>(action)) return "suspend";
  if (std::holds_alternative<top::Redraw>(action)) return "redraw";
  if (const auto* it = std::get_if<top::Attach>(&action)) return "attach " + it->key;
  if (const auto* it = std::get_if<top::Kill>(&action)) return "kill " + it->key;
  if (const auto* it = std::get_if<top::Answer>(&action)) {
    const bool number = it->choice.kind == agent::DialogChoice::Kind::kNumber;
    return "answer " + it->key + " " + it->dialog + " " +
           (number ? std::to_string(it->choice.number) : std::string(agent::name(it->choice.kind)));
  }
  return "";
}

std::string row_of(const Canvas& canvas, int row) {
  std::string out;
  for (int col = 0; col < canvas.size().cols; ++col) out += canvas.cell(row, col).glyph.text;
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

struct Rig {
  Rig() {
    model.resize({80, 24});
    model.update({session("orch-10", Need::kIdle), session("orch-2", Need::kIdle),
                  session("orch-3", Need::kWorking), session("orch-4", Need::kWaiting, 50),
                  session("orch-5", Need::kWaiting, 20), session("orch-6", Need::kError),
                  session("orch-7", Need::kDone)});
    model.on_drawn(0);
  }
  std::string type(const TerminalInput& input) { return told(model.on_input(input, now)); }

  TopModel model;
  int64_t now = 10'000;
};

TEST_CASE("who needs a person comes first, and the longest waiting before") {
  Rig rig;
  CHECK(names(rig.model) == ">orch-5 orch-4 orch-6 orch-2 orch-10 orch-3 orch-7");
  CHECK(comes_before("orch-2", "orch-10"));
  CHECK(comes_before("orch-2", "orch-2b"));
  CHECK_FALSE(comes_before("orch-010", "orch-10"));
  CHECK_FALSE(comes_before("orch-10", "orch-9"));
}

TEST_CASE("the selection stays on its session, and goes to a neighbour without it") {
  Rig rig;
  rig.type(key("Down"));
  rig.type(key("Down"));
  CHECK(names(rig.model) == "orch-5 orch-4 >orch-6 orch-2 orch-10 orch-3 orch-7");
  rig.model.update({session("orch-6", Need::kIdle), session("orch-2", Need::kWaiting),
                    session("orch-3", Need::kWaiting)});
  CHECK(names(rig.model) == "orch-2 orch-3 >orch-6");
  rig.model.update({session("orch-2", Need::kIdle), session("orch-3", Need::kIdle)});
  CHECK(names(rig.model) == "orch-2 >orch-3");
  rig.model.update({});
  CHECK(names(rig.model).empty());
  CHECK(rig.type(key("Enter")).empty());
  CHECK(rig.type(text("y")).empty());
  CHECK(rig.type(text("k")).empty());
}

TEST_CASE("who has selected nothing looks at whoever needs somebody most") {
  TopModel model;
  model.resize({80, 24});
  model.update({session("orch-1", Need::kIdle)});
  model.update({session("orch-1", Need::kIdle), session("orch-2", Need::kWaiting)});
  CHECK(names(model) == ">orch-2 orch-1");
}

TEST_CASE("keys and what is done for them") {
  struct Press {
    TerminalInput input;
    const char* action;
    const char* message;
  };
  const Press presses[] = {
      {text("q"), "leave", ""},
      {key("C-c"), "leave", ""},
      {key("C-z"), "suspend", ""},
      {key("C-l"), "redraw", ""},
      {key("Enter"), "attach orch-5@1", ""},
      {text("y"), "answer orch-5@1 d1 yes", ""},
      {text("n"), "answer orch-5@1 d1 no", ""},
      {text("2"), "answer orch-5@1 d1 2", ""},
      {text("x"), "", ""},
      {{.kind = Kind::kPaste, .text = "y"}, "", ""},
  };
  for (const Press& press : presses) {
    Rig rig;
    INFO(press.input.text);
    CHECK(rig.type(press.input) == press.action);
    CHECK(rig.model.message(rig.now) == press.message);
  }
  Rig rig;
  rig.type(key("End"));
  CHECK(rig.type(key("Enter")).empty());
  CHECK(rig.model.message(rig.now).starts_with("orch-7 has ended"));
  CHECK(rig.model.message(rig.now + TopModel::kMessageMs).empty());
  rig.type(key("Up"));
  CHECK(rig.type(text("y")).empty());
  CHECK(rig.model.message(rig.now) == "orch-3 asks nothing");
}

TEST_CASE("a dialog that has just come up is not answered by a key meant for another") {
  Rig rig;
  TopSession changed = session("orch-5", Need::kWaiting, 20);
  changed.dialog->id = "d2";
  rig.model.update({changed});
  CHECK(rig.type(text("y")).empty());  // it is not drawn yet
  rig.model.on_drawn(rig.now);
  rig.now += DialogPage::kReadMs - 1;
  CHECK(rig.type(text("y")).empty());
  CHECK(rig.model.message(rig.now) == "orch-5 has just asked this; press it again");
  rig.now += 1;
  CHECK(rig.type(text("y")) == "answer orch-5@1 d2 yes");
  CHECK(rig.type(text("y")).empty());  // the answer is under way
  rig.model.on_answer_failed();
  CHECK(rig.type(text("y")) == "answer orch-5@1 d2 yes");
  // Its end moves the next row to its place.
  rig.model.update({session("orch-8", Need::kWaiting)});
  rig.model.on_drawn(rig.now);
  CHECK(rig.type(text("y")).empty());
}

TEST_CASE("after an answer the selection stays on its session") {
  Rig rig;
  CHECK(rig.type(text("y")) == "answer orch-5@1 d1 yes");
  rig.model.update({session("orch-4", Need::kWaiting), session("orch-5", Need::kWorking)});
  rig.model.on_drawn(rig.now);
  CHECK(names(rig.model) == "orch-4 >orch-5");
  rig.now += 1'000;
  for (int i = 0; i < 3; ++i) CHECK(rig.type(text("y")).empty());
  CHECK(rig.model.message(rig.now) == "orch-5 asks nothing");
}

TEST_CASE("a dialog that does not fit is answered only after its end was shown") {
  Rig rig;
  TopSession it = session("orch-5", Need::kWaiting);
  it.dialog->command = "echo " + std::string(1'500, 'a') + " && rm -rf ~";
  rig.model.update({it});
  Canvas canvas({80, 24});
  const auto draw = [&] {
    canvas = Canvas({80, 24});
    draw_top(rig.model, rig.now, canvas);
    rig.model.on_drawn(rig.now);
    rig.now += 1'000;
    std::string all;
    for (int row = 0; row < 24; ++row) all += row_of(canvas, row) + "\n";
    return all;
  };
  CHECK(draw().find("rows 1-16 of 22, Space shows more") != std::string::npos);
  for (const char* answer : {"y", "n", "1", "2"}) CHECK(rig.type(text(answer)).empty());
  CHECK(rig.model.message(rig.now).find("Space shows the rest") != std::string::npos);
  rig.type(text(" "));
  const std::string rest = draw();
  CHECK(rest.find("rm -rf ~") != std::string::npos);
  CHECK(rest.find("\n1. Yes\n2. No\n") != std::string::npos);
  CHECK(rig.type(text("3")).empty());
  CHECK(rig.model.message(rig.now) == "orch-5 has no option of this number");
  CHECK(rig.type(text("y")) == "answer orch-5@1 d1 yes");
}

TEST_CASE("a dialog that is longer than its report, or has no place, is not answered here") {
  Rig rig;
  TopSession it = session("orch-5", Need::kWaiting);
  it.dialog->shortened = true;
  rig.model.update({it});
  rig.model.on_drawn(0);
  CHECK(rig.type(text("y")).empty());
  CHECK(rig.model.message(rig.now).find("orch attach orch-5 shows it") != std::string::npos);
  rig.model.update({session("orch-5", Need::kWaiting)});
  rig.model.resize({80, 9});
  rig.model.on_drawn(0);
  CHECK(rig.type(text("y")).empty());
  CHECK(rig.model.message(rig.now).find("Enter attaches to it") != std::string::npos);
}

// What a user who reads the screen knows: since when each row of each dialog has been drawn.
class Reader {
 public:
  void draw(TopModel& model, int64_t now) {
    Canvas canvas(model.size());
    draw_top(model, now, canvas);
    model.on_drawn(now);
    const TopSession* session = model.selected();
    const std::string id =
        session != nullptr && session->dialog ? session->key + session->dialog->id : "";
    if (id != id_) rows_.clear();
    id_ = id;
    size_ = model.size();
    if (session == nullptr || !session->dialog || model.mode() == TopModel::Mode::kHelp) return;
    for (const DialogRow& row : rows_of(text_of(*session->dialog), size_.cols)) {
      for (int at = 0; at < size_.rows; ++at) {
        if (row_of(canvas, at) == row.text) rows_.try_emplace(row.text, now);
      }
    }
  }
  // Whether every row of the session's dialog was on the screen, for 0.4 s or longer.
  bool has_read(const TopSession& session, int64_t now) const {
    const auto rows = rows_of(text_of(*session.dialog), size_.cols);
    return id_ == session.key + session.dialog->id &&
           std::all_of(rows.begin(), rows.end(), [&](const DialogRow& row) {
             const auto drawn = rows_.find(row.text);
             return drawn != rows_.end() && now - drawn->second >= DialogPage::kReadMs;
           });
  }

 private:
  std::string id_;
  term::Size size_;
  std::map<std::string, int64_t> rows_;
};

TEST_CASE("1,000 schedules of dialogs and keys: none answers what was not read") {
  static constexpr const char* kKeys[] = {"y", "n", "1", "2", "3", "j", " ", "?", "y", "y"};
  int answers = 0;
  for (unsigned seed = 0; seed < 1'000; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&random](unsigned n) { return static_cast<int>(random() % n); };
    TopModel model;
    Reader reader;
    int64_t now = 0;
    model.resize({40 + below(80), 8 + below(30)});
    std::vector<TopSession> all;
    for (int i = 0; i < 4; ++i) all.push_back(session("orch-" + std::to_string(i), Need::kIdle));
    for (int step = 0; step < 60; ++step) {
      now += below(300);
      TopSession& one = all[static_cast<size_t>(below(4))];
      if (below(3) == 0) {
        one = session(one.name, below(2) == 0 ? Need::kWaiting : Need::kWorking, now);
        if (one.dialog) {
          one.dialog->id = "d" + std::to_string(now);
          one.dialog->text = "Question " + std::to_string(now);
          one.dialog->command = "run " + std::to_string(now) + std::string(random() % 900, 'x');
          one.dialog->options[0].text = "Yes " + std::to_string(now);
          one.dialog->options[1].text = "No " + std::to_string(now);
        }
        model.update(all);
      }
      if (below(20) == 0) model.resize({40 + below(80), 8 + below(30)});
      if (below(4) != 0) reader.draw(model, now);
      now += below(500);
      const TopSession* before = model.selected();
      const TopAction action = model.on_input(text(kKeys[below(std::size(kKeys))]), now);
      const auto* answer = std::get_if<top::Answer>(&action);
      if (answer == nullptr) continue;
      ++answers;
      INFO("seed " << seed << " step " << step);
      REQUIRE(before->key == answer->key);
      REQUIRE(before->dialog->id == answer->dialog);
      REQUIRE(reader.has_read(*before, now));
    }
  }
  CHECK(answers > 1'000);
}

TEST_CASE("to kill asks first, and only y means it") {
  for (const auto& [input, action] : {std::pair{text("y"), "kill orch-5@1"},
                                      {text("n"), ""},
                                      {text("q"), ""},
                                      {key("Enter"), ""},
                                      {key("Escape"), ""}}) {
    Rig rig;
    CHECK(rig.type(text("x")).empty());
    CHECK(rig.model.mode() == TopModel::Mode::kKill);
    // The question stays with the session for which it was asked.
    rig.model.update({session("orch-1", Need::kWaiting), session("orch-5", Need::kIdle)});
    CHECK(rig.model.target() == "orch-5");
    CHECK(rig.type(input) == action);
    CHECK(rig.model.mode() == TopModel::Mode::kList);
  }
  Rig rig;
  rig.type(text("x"));
  rig.model.update({session("orch-1", Need::kWaiting)});
  CHECK(rig.model.mode() == TopModel::Mode::kList);  // the session has ended by itself
}

TEST_CASE("a filter shows what has its letters, in names, states, agents and words") {
  Rig rig;
  rig.type(text("/"));
  for (const char* letter : {"W", "O", "r", "k"}) rig.type(text(letter));
  CHECK(names(rig.model) == ">orch-3");
  rig.type(key("Backspace"));
  rig.type(key("Backspace"));
  CHECK(rig.model.filter() == "WO");
  rig.type(key("Enter"));
  CHECK(rig.model.mode() == TopModel::Mode::kList);
  CHECK(names(rig.model) == "orch-6 orch-2 orch-10 >orch-3 orch-7");  // they match by "words of"
  CHECK(rig.type(text("q")) == "leave");
  rig.type(key("Escape"));
  CHECK(rig.model.rows().size() == 7);
  rig.type(text("/"));
  rig.type(text("q"));  // here it is a letter of the filter
  CHECK(rig.model.filter() == "q");
  CHECK(rig.model.rows().empty());
  rig.type(key("Escape"));
  CHECK(rig.model.rows().size() == 7);
}

TEST_CASE("a click selects, the second one attaches, the wheel moves") {
  Rig rig;
  const TerminalInput click{.kind = Kind::kClick, .text = "", .row = 4, .col = 9};
  CHECK(rig.type(click).empty());  // the third row, below the header and the titles
  CHECK(rig.model.selected()->name == "orch-6");
  CHECK(rig.type(click) == "attach orch-6@1");
  CHECK(rig.type(click).empty());
  rig.now += TopModel::kDoubleClickMs + 1;
  CHECK(rig.type(click).empty());
  CHECK(rig.type({.kind = Kind::kWheelUp, .text = ""}).empty());
  CHECK(rig.model.selected()->name == "orch-4");
  for (const int row : {0, 1, 20, 23, 100, -1}) {
    CHECK(rig.type({.kind = Kind::kClick, .text = "", .row = row}).empty());
    CHECK(rig.model.selected()->name == "orch-4");
  }
}

TEST_CASE("the selected row is always among those shown") {
  TopModel model;
  std::mt19937 random(3);
  std::vector<TopSession> all;
  for (int i = 0; i < 60; ++i) all.push_back(session("orch-" + std::to_string(i), Need::kIdle));
  model.update(all);
  for (int step = 0; step < 5000; ++step) {
    static constexpr const char* kKeys[] = {"Up", "Down", "PageUp", "PageDown", "Home", "End"};
    if (random() % 9 == 0) {
      model.resize({20 + static_cast<int>(random() % 100), 1 + static_cast<int>(random() % 40)});
    }
    if (random() % 9 == 0) {
      for (TopSession& it : all) it.need = static_cast<Need>(random() % 6);
      model.update({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(random() % 60)});
    }
    model.on_input(key(kKeys[random() % std::size(kKeys)]), 0);
    const int list = std::max(model.layout().list, 1);
    REQUIRE(model.first_row() >= 0);
    if (model.rows().empty()) continue;
    REQUIRE(model.selected_row() >= model.first_row());
    REQUIRE(model.selected_row() < model.first_row() + list);
  }
}

TEST_CASE("what is drawn at 80, 60 and 20 columns") {
  Rig rig;
  rig.model.resize({80, 24});
  Canvas wide({80, 24});
  draw_top(rig.model, 90'000, wide);
  CHECK(row_of(wide, 0) == "orch  2 waiting · 1 error · 2 idle · 1 working · 1 done");
  CHECK(row_of(wide, 2) == "? orch-5   waiting  demo       1m      0  Proceed with orch-5?");
  CHECK(row_of(wide, 4) == "! orch-6   error    demo       1m      0  words of orch-6");
  CHECK((wide.cell(2, 0).style.attributes & term::kInverse) != 0);
  CHECK(row_of(wide, 18).starts_with("orch-5 · demo · waiting for 1m · 0 turns · 1m"));
  CHECK(row_of(wide, 19) == "Proceed with orch-5?");
  CHECK(row_of(wide, 20) == "$ rm -rf build");
  CHECK(row_of(wide, 21) == "1. Yes");
  CHECK(row_of(wide, 22) == "2. No");
  CHECK(row_of(wide, 23) ==
        "↑↓ select  ? keys  / filter  x kill  y/n answer  Enter attach  q leave");
  rig.model.resize({60, 16});
  Canvas narrow({60, 16});
  draw_top(rig.model, 90'000, narrow);
  CHECK(row_of(narrow, 2) == "? orch-5   waiting  demo       1m  Proceed with orch-5?");
  rig.model.resize({20, 5});
  Canvas tiny({20, 5});
  draw_top(rig.model, 90'000, tiny);
  CHECK(row_of(tiny, 1) == "? orch-5   waiting");
  CHECK(row_of(tiny, 4) == "q leave");
}

TEST_CASE("anything is drawn at any size, also what an agent made up") {
  std::mt19937 random(11);
  Rig rig;
  std::vector<TopSession> sessions;
  for (const char* words :
       {"\033]0;x\007\033[2J", "\u202Etxt.exe", "👩\u200D💻中文字", "", "\xff\xfe"}) {
    TopSession it = session(std::string("orch-") + words, Need::kWaiting);
    it.last_words = it.state = it.agent = it.repository = words;
    it.dialog->text = it.dialog->command = it.dialog->options[0].text = words;
    it.started_ms = INT64_MAX / 2;
    sessions.push_back(it);
  }
  rig.model.update(sessions);
  for (int cols = 1; cols < 130; cols += 3) {
    for (int rows = 1; rows < 30; rows += 2) {
      rig.model.resize({cols, rows});
      rig.type(random() % 2 == 0 ? key("Down") : text("/"));
      Canvas canvas({cols, rows});
      draw_top(rig.model, 5, canvas);
      for (int row = 0; row < rows; ++row) {
        const std::string drawn = row_of(canvas, row);
        REQUIRE(drawn.find('\033') == std::string::npos);
        REQUIRE(drawn.find("\u202E") == std::string::npos);
      }
    }
  }
}

TEST_CASE("who has nothing running is told how to begin, and ? tells the keys") {
  TopModel model;
  model.resize({80, 24});
  const auto drawn = [&model] {
    Canvas canvas({80, 24});
    draw_top(model, 5, canvas);
    std::string all;
    for (int row = 0; row < 24; ++row) all += row_of(canvas, row) + "\n";
    return all;
  };
  CHECK(drawn().find("orch run demo -d") != std::string::npos);
  CHECK(told(model.on_input(text("?"), 5)).empty());
  CHECK(drawn().find("x                 kill it") != std::string::npos);
  CHECK(told(model.on_input(text("q"), 5)).empty());  // any key goes back
  CHECK(drawn().find("orch run demo -d") != std::string::npos);
  CHECK(told(model.on_input(text("q"), 5)) == "leave");
}

}  // namespace
}  // namespace orch::ui

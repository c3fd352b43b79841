// Dialogs that the agents' own signs announce, with the whole Screen driver: a dialog is opened
// when it has been drawn, and not before.

#include <catch2/catch.hpp>

#include "adapters/registry.h"
#include "detect/row_text.h"
#include "driver/dialog_desk.h"
#include "driver/dialog_request.h"
#include "driver/screen_driver.h"

namespace orch::driver {
namespace {

using Lines = std::vector<std::string>;

constexpr const char* kBlocked = "\x1b]7501;state=blocked:app=codex:kind=permission\a";
constexpr const char* kWorking = "\x1b]7501;state=working:app=codex\a";

// codex, which reports that it is blocked before it draws the reason.
class Codex {
 public:
  enum class At : uint8_t { kStart, kWork };
  explicit Codex(At at = At::kWork) {
    if (at == At::kStart) return;
    draw(kWorking, box());
    run_to(3'000);
    opened_.clear();
  }

  // Erases the screen and draws these rows.
  void draw(const std::string& signs, const Lines& rows) {
    std::string bytes = signs + "\x1b]2;project\a\x1b[H\x1b[2J";
    for (size_t i = 0; i < rows.size(); ++i) bytes += (i == 0 ? "" : "\r\n") + rows[i];
    driver_.on_output(now_, bytes);
  }
  void run_to(TimeMs until) {
    for (TimeMs due = driver_.next_deadline(); due <= until; due = driver_.next_deadline()) {
      now_ = std::max(now_, due);
      driver_.on_timer(now_);
      take();
    }
    now_ = until;
  }
  TimeMs now() const { return now_; }
  event::AgentStatus status() const { return driver_.view().detector().status(); }
  const std::vector<agent::DialogOpened>& opened() const { return opened_; }
  // The text in the input box; nothing without a box.
  const std::optional<std::string>& typed() const {
    return driver_.view().detector().latest().typed;
  }

  static Lines box(Lines said = {}) {
    said.insert(said.end(), {"", "\x1b[1m› \x1b[0mAsk Codex to do anything", "",
                             "  GPT-5.5 default · ~/project", "  ? for shortcuts"});
    return said;
  }
  static Lines dialog(Lines said, const Lines& edits) {
    said.insert(said.end(),
                {"", "  \x1b[1mWould you like to make the following edits?\x1b[0m", ""});
    said.insert(said.end(), edits.begin(), edits.end());
    said.insert(said.end(), {"", "› 1. Yes, proceed (y)", "  2. No, and say why (esc)", "",
                             "  Press enter to confirm or esc to cancel"});
    return said;
  }

 private:
  void take() {
    for (agent::News& news : driver_.take_news()) {
      if (auto* opened = std::get_if<agent::DialogOpened>(&news)) opened_.push_back(*opened);
    }
    driver_.take_writes();
  }

  const base::Result<adapters::Registry> registry_ = adapters::Registry::load({});
  const adapters::Manifest& manifest_ = *registry_->find("codex");
  const base::Result<detect::RuleSet> rules_ = detect::RuleSet::compile(manifest_.rules);
  ScreenDriver driver_{manifest_, rules_.value(), {80, 24}, 0};
  TimeMs now_ = 0;
  std::vector<agent::DialogOpened> opened_;
};

const Lines kSteps{"• The steps:", "  1. a test", "  2. the docs", "  3. a release"};
const Lines kEdits{"  Description: \x1b[3mApply proposed file edits\x1b[0m",
                   "  Destination: \x1b[1m/src/app/main.cc\x1b[0m"};

}  // namespace

TEST_CASE("codex has an input box whatever stands in the rows below it") {
  const std::string prompt = "\x1b[1m› \x1b[0m";
  for (const Lines& below :
       {Lines{"  GPT-5.5 default · ~/project · Read the notes. Then say so."},
        Lines{"  main", "  ← for agents · ? for shortcuts"}, Lines{"  ~/my projects/a b"},
        Lines{"                                                  100% context left"},
        Lines{"  Press any key", "  ← for agents · ? for shortcuts", "      1 warning"}}) {
    for (const std::string& text : {std::string("say it."), std::string("1. say it.")}) {
      Codex codex;
      Lines rows{"• Done.", "", prompt + text, "", "  twice", ""};
      rows.insert(rows.end(), below.begin(), below.end());
      codex.draw("", rows);
      codex.run_to(codex.now() + 500);
      INFO(below.front());
      REQUIRE(codex.typed());
      CHECK(*codex.typed() == text + " twice");
    }
  }
}

TEST_CASE("codex's composer before the dialogs of its start is no prompt") {
  Codex codex(Codex::At::kStart);
  codex.draw("\x1b]7501;state=idle:app=codex\x1b\\",
             {"  >_ OpenAI Codex", "", "\x1b[1m› \x1b[0mAsk Codex to do anything", "",
              "  ? for shortcuts"});
  codex.run_to(codex.now() + 5'000);
  CHECK(codex.status() != event::AgentStatus::kIdle);
}

TEST_CASE("A list in the agent's words is no dialog while one is only announced") {
  Codex codex;
  codex.draw(kBlocked, Codex::box(kSteps));
  codex.run_to(codex.now() + 700);
  CHECK(codex.status() == event::AgentStatus::kWaiting);
  CHECK(codex.opened().empty());
  codex.draw("", Codex::dialog(kSteps, kEdits));
  codex.run_to(codex.now() + 500);
  REQUIRE(codex.opened().size() == 1);
  CHECK(codex.opened()[0].trouble.empty());
  CHECK(codex.opened()[0].request.complete);
  CHECK(codex.opened()[0].request.paths == Lines{"/src/app/main.cc"});
}

TEST_CASE("An announced dialog that does not come is told without the agent's words") {
  Codex codex;
  codex.draw(kBlocked, Codex::box(kSteps));
  codex.run_to(codex.now() + 4'500);
  CHECK(codex.opened().empty());
  codex.run_to(codex.now() + 1'000);
  REQUIRE(codex.opened().size() == 1);
  CHECK(codex.opened()[0].trouble == "the agent waits, but shows no dialog");
  CHECK(codex.opened()[0].request.kind == event::Cause::kPermission);
  CHECK(codex.opened()[0].request.options.empty());
  CHECK_FALSE(codex.opened()[0].request.complete);
}

// The request that is read from codex's question about edits.
agent::DialogRequest request_for(const Lines& edits) {
  Codex codex;
  Lines rows{"  Description: \x1b[3mApply proposed file edits\x1b[0m"};
  rows.insert(rows.end(), edits.begin(), edits.end());
  codex.draw(kBlocked, Codex::dialog({}, rows));
  codex.run_to(codex.now() + 500);
  REQUIRE(codex.opened().size() == 1);
  return codex.opened()[0].request;
}

std::string bold(const std::string& text) { return "\x1b[1m" + text + "\x1b[0m"; }
std::string destination(const std::string& path) { return "  Destination: " + bold(path); }

TEST_CASE("A path that wraps is read whole") {
  const std::string row =
      "/src/a-folder-with-a-long-name/another-one/and-another-of-them/projects/sum.";
  REQUIRE(row.size() == 76);  // all columns but two on each side
  const agent::DialogRequest request =
      request_for({"  Destination: ", "  " + bold(row), "  " + bold("py")});
  CHECK(request.complete);
  CHECK(request.paths == Lines{row + "py"});

  const std::string early = "/src/a folder with a long name, and another one of them/then";
  CHECK(request_for({destination(early), "  " + bold("the project/sum.py")}).paths ==
        Lines{early + " the project/sum.py"});
  const std::string full =
      "/src/a folder with a long name and another one of them/a comma in it that is";
  REQUIRE(full.size() == 76);
  CHECK(request_for({"  Destination: ", "  " + bold(full), "  " + bold("long.txt")}).paths ==
        Lines{full + " long.txt"});
}

TEST_CASE("Every destination of an edit is a path of its own") {
  const agent::DialogRequest request =
      request_for({destination("/etc/hosts"), destination("/src/app/a, b.cc"),
                   destination("/src/app/c d"), "  " + bold("Destination: /src/e")});
  CHECK(request.complete);
  CHECK(request.paths ==
        Lines{"/etc/hosts", "/src/app/a, b.cc", "/src/app/c d Destination: /src/e"});
}

TEST_CASE("Destinations that cannot be read leave the question incomplete") {
  CHECK_FALSE(request_for({destination("unavailable")}).complete);
  CHECK_FALSE(request_for({destination("/src/app/a.cc"), "  Destination: "}).complete);
  CHECK_FALSE(request_for({destination("/src/app/a.cc"), "", "  More of it"}).complete);
}

// Rows in gemini's frame.
std::string framed(const Lines& rows, size_t width) {
  std::string rule;
  for (size_t i = 0; i < width - 3; ++i) rule += "─";
  std::string bytes = "\x1b[H\x1b[2J ╭" + rule + "╮";
  for (const std::string& row : rows) {
    bytes += "\r\n │ " + row + std::string(width - 5 - detect::columns(row), ' ') + " │";
  }
  return bytes + "\r\n ╰" + rule + "╯";
}

TEST_CASE("Gemini asks what to do about a loop: a question, wherever its words wrap") {
  const auto [width, words] = GENERATE(table<int, Lines>({
      {120,
       {"This can happen due to repetitive tool calls or other model behavior. Do you want to keep "
        "loop detection enabled or",
        "disable it for this session?"}},
      {80,
       {"This can happen due to repetitive tool calls or other model behavior. Do",
        "you want to keep loop detection enabled or disable it for this session?"}},
      {78,
       {"This can happen due to repetitive tool calls or other model behavior.",
        "Do you want to keep loop detection enabled or disable it for this", "session?"}},
  }));
  CAPTURE(width);
  Lines rows{"?  A potential loop was detected", ""};
  rows.insert(rows.end(), words.begin(), words.end());
  rows.insert(rows.end(), {"", "● 1. Keep loop detection enabled (esc)",
                           "  2. Disable loop detection for this session"});
  const base::Result<adapters::Registry> registry = adapters::Registry::load({});
  const base::Result<detect::RuleSet> rules =
      detect::RuleSet::compile(registry->find("gemini")->rules);
  term::Screen screen({width, 24});
  detect::Detector detector(rules.value(), 0);
  screen.feed("\x1b]2;◇  Ready (project)\a" + framed(rows, static_cast<size_t>(width)));
  detector.on_output(0, screen);
  for (TimeMs now = 0; now <= 1'000; now += 10) detector.on_timer(now, screen);
  CHECK(detector.status() == event::AgentStatus::kWaiting);
  CHECK(detector.cause() == event::Cause::kQuestion);
  const agent::DialogRequest request =
      request_of(dialog_look(detector, screen).dialog, detector.cause());
  CHECK(request.complete);
  CHECK(request.kind == event::Cause::kQuestion);
  REQUIRE(request.options.size() == 2);
  CHECK(request.options[0].meaning == agent::Meaning::kDeny);
  CHECK(request.options[1].meaning == agent::Meaning::kAllowAlways);
}

TEST_CASE("Gemini asks what to do about a quota: to stop is to deny, and nothing is to allow") {
  const base::Result<adapters::Registry> registry = adapters::Registry::load({});
  const base::Result<detect::RuleSet> rules =
      detect::RuleSet::compile(registry->find("gemini")->rules);
  term::Screen screen({80, 24});
  detect::Detector detector(rules.value(), 0);
  screen.feed(
      "\x1b]2;✦  Working… (project)\a" +
      framed({"", "Usage limit reached for gemini-3-pro.", "Access resets at 11:30 PM GMT+1.", "",
              "● 1. Use AI Credits - Continue this request (Overage)",
              "  2. Switch to gemini-3-flash", "  3. Keep trying", "  4. Stop - Abort request", ""},
             80));
  detector.on_output(0, screen);
  for (TimeMs now = 0; now <= 1'000; now += 10) detector.on_timer(now, screen);
  CHECK(event::status_text(detector.status(), detector.cause()) == "waiting/limit");
  const agent::DialogRequest request =
      request_of(dialog_look(detector, screen).dialog, detector.cause());
  CHECK(request.complete);
  std::vector<agent::Meaning> meanings;
  for (const agent::DialogOption& option : request.options) meanings.push_back(option.meaning);
  using agent::Meaning;
  CHECK(meanings == std::vector{Meaning::kOther, Meaning::kOther, Meaning::kOther, Meaning::kDeny});
}

}  // namespace orch::driver

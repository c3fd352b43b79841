#include "driver/dialog_desk.h"

#include <catch2/catch.hpp>

#include "policy/dialog_answer.h"
#include "policy/policy.h"

namespace orch::driver {
namespace {

using State = DialogDesk::State;

constexpr const char* kRight = "\x1b[C";
constexpr const char* kDown = "\x1b[B";
constexpr const char* kUp = "\x1b[A";

detect::DialogView bash(std::string command = "touch out.txt") {
  detect::DialogView dialog;
  dialog.title = "Bash command";
  dialog.body = command + "\nDo you want to proceed?";
  dialog.kind = event::Cause::kPermission;
  dialog.action = detect::DialogAction::kCommand;
  dialog.command = detect::DialogText{{std::move(command)}, 80, "", false};
  dialog.options = {"Yes", "Yes, and don't ask again", "No"};
  dialog.cursor = 0;
  dialog.numbered = true;
  dialog.whole = true;
  return dialog;
}

// A permission dialog with unnumbered options in one row.
detect::DialogView row(int cursor) {
  detect::DialogView dialog = bash();
  dialog.options = {"Allow always", "Allow once", "Reject"};
  dialog.numbered = false;
  dialog.beside = true;
  dialog.cursor = cursor;
  return dialog;
}

DialogLook waits(detect::DialogView dialog) {
  return {true, event::Cause::kPermission, std::move(dialog), false};
}
DialogLook works() { return {}; }
DialogLook seen_working() {
  DialogLook look;
  look.works = true;
  return look;
}

struct Key {
  TimeMs at;
  std::string bytes;
  bool operator==(const Key&) const = default;
};

// What the owner was asked, and how it was answered.
struct Asked {
  agent::DialogRequest request;
  std::string answer, by;
};

// A desk whose owner asks a policy. It is stepped at every deadline and whenever the screen
// changes.
class Clerk {
 public:
  explicit Clerk(policy::Policy policy = policy::Policy::all()) : policy_(std::move(policy)) {}
  Clerk(const Clerk&) = delete;
  Clerk& operator=(const Clerk&) = delete;

  void show(TimeMs at, DialogLook look) {
    run_to(at);
    look_ = std::move(look);
    step(at);
  }
  void run_to(TimeMs at) {
    for (TimeMs due = desk_.next_deadline(); due < at; due = desk_.next_deadline()) step(due);
  }
  void step(TimeMs now) {
    const TimeMs before = desk_.next_deadline();
    type(now, desk_.step(now, look_));
    if (auto request = desk_.take_request()) decide(now, *std::move(request));
    if (auto reason = desk_.take_reason()) reasons.push_back(*std::move(reason));
    // A deadline that has come must not be set again for the same moment.
    if (before <= now) REQUIRE(desk_.next_deadline() > now);
  }
  // Answers, as a person, a dialog that was left to a person.
  void choose(TimeMs now, size_t option) { choose(now, std::vector{option}); }
  void choose(TimeMs now, std::vector<size_t> options) {
    run_to(now);
    desk_.choose(now, std::move(options));
    step(now);
  }
  const DialogDesk& desk() const { return desk_; }

  std::vector<Key> keys;
  std::vector<Asked> asked;
  std::vector<std::string> reasons;

 private:
  void type(TimeMs now, std::string bytes) {
    if (!bytes.empty()) keys.push_back({now, std::move(bytes)});
  }
  void decide(TimeMs now, agent::DialogRequest request) {
    const policy::Decision decision = policy_.decide({"claude", request, "/home/ada/app"});
    const auto options = policy::options_for(request, decision.answer);
    const std::string answer =
        options && !options->empty() ? request.options[options->front()].text : "";
    asked.push_back({std::move(request), answer, decision.rule});
    if (desk_.state() != State::kAsked) return;  // the dialog cannot be read: nobody answers it
    if (options) {
      desk_.choose(now, *options);
      type(now, desk_.step(now, look_));
    } else {
      desk_.leave(now);
    }
  }

  policy::Policy policy_;
  DialogDesk desk_;
  DialogLook look_;
};

}  // namespace

TEST_CASE("A dialog that stands for 300 ms is answered by its digit, and is seen to go") {
  Clerk clerk;
  clerk.show(1000, waits(bash()));
  CHECK(clerk.desk().state() == State::kReading);
  clerk.run_to(1301);
  CHECK(clerk.keys == std::vector<Key>{{1300, "1"}});
  CHECK(clerk.desk().state() == State::kChoosing);
  REQUIRE(clerk.asked.size() == 1);
  CHECK(clerk.asked[0].request.likely == std::vector<std::string>{"touch out.txt"});
  CHECK(clerk.asked[0].request.complete);
  CHECK(clerk.asked[0].answer == "Yes");
  CHECK(clerk.asked[0].by == "policy:all");
  clerk.show(1400, works());
  clerk.run_to(2000);
  CHECK(clerk.desk().state() == State::kNone);
  CHECK(clerk.desk().next_deadline() == kNever);
  CHECK(clerk.keys.size() == 1);
  CHECK(clerk.asked.size() == 1);
}

TEST_CASE("While it is being drawn the time begins anew") {
  Clerk clerk;
  clerk.show(0, waits(bash("tou")));
  clerk.show(200, waits(bash()));
  clerk.run_to(499);
  CHECK(clerk.keys.empty());
  clerk.run_to(501);
  CHECK(clerk.keys == std::vector<Key>{{500, "1"}});
}

TEST_CASE("One that is not confirmed is not read") {
  Clerk clerk;
  DialogLook look = waits(bash());
  look.waiting = false;
  clerk.show(0, look);
  CHECK(clerk.desk().state() == State::kNone);
  CHECK(clerk.desk().next_deadline() == kNever);
}

TEST_CASE("One that goes before it was decided was none") {
  Clerk clerk;
  clerk.show(0, waits(bash()));
  clerk.show(250, works());
  CHECK(clerk.desk().state() == State::kNone);
  clerk.run_to(5000);
  CHECK(clerk.keys.empty());
  CHECK(clerk.asked.empty());
}

TEST_CASE("One that never stands still is left to a person") {
  Clerk clerk;
  for (TimeMs at = 0; at <= 5000; at += 250) clerk.show(at, waits(bash(std::to_string(at))));
  CHECK(clerk.desk().state() == State::kLeft);
  CHECK(clerk.reasons == std::vector<std::string>{"the dialog does not stand still"});
  CHECK(clerk.keys.empty());
}

TEST_CASE("One that shows no options yet, or a placeholder, is waited for") {
  detect::DialogView bare = bash();
  bare.options.clear();
  detect::DialogView loading = bash("main.py\n…");
  Clerk clerk;
  clerk.show(0, waits(bare));
  clerk.show(2000, waits(loading));
  clerk.run_to(3000);
  CHECK(clerk.desk().state() == State::kReading);
  CHECK(clerk.asked.empty());
  clerk.show(3000, waits(bash()));
  clerk.run_to(3301);
  CHECK(clerk.keys == std::vector<Key>{{3300, "1"}});
}

TEST_CASE("One that shows no options for long is left to a person") {
  detect::DialogView bare = bash();
  bare.options.clear();
  Clerk clerk;
  clerk.show(0, waits(bare));
  clerk.run_to(5001);
  CHECK(clerk.desk().state() == State::kLeft);
  CHECK(clerk.reasons == std::vector<std::string>{"the dialog shows no options"});
  REQUIRE(clerk.asked.size() == 1);
  CHECK_FALSE(clerk.asked[0].request.complete);
}

TEST_CASE("A dialog that was announced is waited for until it is drawn") {
  Clerk clerk;
  clerk.show(0, waits({}));
  clerk.run_to(610);
  CHECK(clerk.desk().state() == State::kReading);
  clerk.show(610, waits(bash()));
  clerk.run_to(909);
  CHECK(clerk.asked.empty());
  clerk.run_to(911);
  CHECK(clerk.keys == std::vector<Key>{{910, "1"}});
  CHECK(clerk.reasons.empty());
}

TEST_CASE("One that is seen in a single look is not drawn yet") {
  Clerk clerk;
  clerk.show(0, waits({}));
  clerk.show(100, waits(bash()));
  clerk.show(250, waits({}));
  clerk.run_to(4'999);
  CHECK(clerk.desk().state() == State::kReading);
  CHECK(clerk.asked.empty());
}

TEST_CASE("One that is announced and never drawn is left to a person, and is told to be so") {
  Clerk clerk;
  clerk.show(0, waits({}));
  clerk.run_to(5'001);
  CHECK(clerk.desk().state() == State::kLeft);
  CHECK(clerk.reasons == std::vector<std::string>{"the agent waits, but shows no dialog"});
  REQUIRE(clerk.asked.size() == 1);
  CHECK_FALSE(clerk.asked[0].request.complete);
  CHECK(clerk.asked[0].request.options.empty());
  CHECK(agent::describe(clerk.asked[0].request) == "the agent waits, but shows no dialog");

  SECTION("the agent goes on without it") {
    clerk.show(6'000, works());
    clerk.run_to(6'301);
    CHECK(clerk.desk().state() == State::kNone);
  }
  SECTION("it is drawn at last") {
    clerk.show(6'000, waits(bash()));
    clerk.run_to(6'301);
    CHECK(clerk.keys == std::vector<Key>{{6'300, "1"}});
    CHECK(clerk.asked.size() == 2);
  }
}

TEST_CASE("What the policy leaves to a person is told once, and is typed at by nobody") {
  Clerk clerk(policy::Policy::none());
  clerk.show(0, waits(bash()));
  clerk.run_to(60'000);
  CHECK(clerk.desk().state() == State::kLeft);
  REQUIRE(clerk.asked.size() == 1);
  CHECK(clerk.asked[0].answer.empty());
  CHECK(clerk.asked[0].by == "policy:none");
  CHECK(clerk.keys.empty());
  clerk.show(60'000, works());
  clerk.run_to(61'000);
  CHECK(clerk.desk().state() == State::kNone);
}

TEST_CASE("A dialog without the wanted option is unanswered") {
  detect::DialogView dialog = bash();
  dialog.options = {"Allow always", "Nooject"};
  Clerk clerk;
  clerk.show(0, waits(dialog));
  clerk.run_to(400);
  CHECK(clerk.desk().state() == State::kLeft);
  CHECK(clerk.asked.at(0).answer.empty());
}

TEST_CASE("A row whose cursor does not show is unanswered") {
  Clerk clerk;
  clerk.show(0, waits(row(-1)));
  clerk.run_to(400);
  CHECK(clerk.desk().state() == State::kLeft);
  CHECK(clerk.reasons == std::vector<std::string>{"the dialog does not show where its cursor is"});
  CHECK(clerk.keys.empty());
}

TEST_CASE("A dialog that was left is answered all the same, while it stands") {
  Clerk clerk(policy::Policy::none());
  clerk.show(0, waits(bash()));
  clerk.run_to(10'000);
  REQUIRE(clerk.desk().state() == State::kLeft);
  REQUIRE(clerk.keys.empty());
  SECTION("its digit is typed, and it is seen to go") {
    clerk.choose(10'000, 2);
    CHECK(clerk.keys == std::vector<Key>{{10'000, "3"}});
    CHECK(clerk.desk().keys_typed() == 1);
    clerk.show(10'100, works());
    clerk.run_to(11'000);
    CHECK(clerk.desk().state() == State::kNone);
    CHECK(clerk.reasons.empty());
  }
  SECTION("when it does not take it is left again, and can be answered again") {
    clerk.choose(10'000, 2);
    clerk.run_to(31'000);
    REQUIRE(clerk.desk().state() == State::kLeft);
    CHECK(clerk.reasons ==
          std::vector<std::string>{"the dialog still stands after its answer was typed"});
    CHECK(clerk.asked.size() == 1);
    clerk.choose(31'000, 0);
    CHECK(clerk.keys.back() == Key{31'000, "1"});
  }
  SECTION("another one in its place is not typed into") {
    clerk.show(10'000, waits(bash("rm -rf /")));
    clerk.choose(10'010, 0);
    clerk.run_to(12'000);
    CHECK(clerk.keys.empty());
    CHECK(clerk.asked.size() == 2);
  }
  SECTION("one that has gone is not typed into") {
    clerk.show(10'000, works());
    clerk.choose(10'010, 0);
    clerk.run_to(12'000);
    CHECK(clerk.keys.empty());
    CHECK(clerk.desk().state() == State::kNone);
  }
}

TEST_CASE("While somebody else is at the keyboard no key of an answer is typed") {
  Clerk clerk(policy::Policy::none());
  clerk.show(0, waits(bash()));
  clerk.run_to(1'000);
  REQUIRE(clerk.desk().state() == State::kLeft);
  DialogLook held = waits(bash());
  held.waiting = held.keyboard_free = false;
  clerk.show(1'000, held);
  clerk.choose(1'010, 0);
  clerk.run_to(5'000);
  CHECK(clerk.keys.empty());
  CHECK(clerk.desk().keys_typed() == 0);
  clerk.show(5'000, waits(bash()));
  CHECK(clerk.keys == std::vector<Key>{{5'000, "1"}});
}

TEST_CASE("Where only the end of a long list is drawn the cursor is brought to the option") {
  Clerk clerk(policy::Policy::none());
  detect::DialogView scrolled = bash();
  scrolled.first = 7;
  scrolled.numbered = scrolled.whole = false;
  clerk.show(0, waits(scrolled));
  clerk.run_to(1'000);
  REQUIRE(clerk.asked.size() == 1);
  CHECK(clerk.asked[0].request.first == 7);
  clerk.choose(1'000, 1);
  CHECK(clerk.keys == std::vector<Key>{{1'000, kDown}});
}

TEST_CASE("A denied command is answered with No") {
  Clerk clerk;
  clerk.show(0, waits(bash("rm -rf /")));
  clerk.run_to(301);
  CHECK(clerk.keys == std::vector<Key>{{300, "3"}});
  CHECK(clerk.asked.at(0).answer == "No");
  CHECK(clerk.asked.at(0).by == "denylist:remove-root");
}

TEST_CASE("A digit that only moved the cursor is followed by one Enter after 500 ms") {
  Clerk clerk;
  clerk.show(0, waits(bash("rm -rf /")));
  clerk.run_to(350);
  detect::DialogView moved = bash("rm -rf /");
  moved.cursor = 2;
  clerk.show(350, waits(moved));
  clerk.run_to(30'000);
  CHECK(clerk.keys == std::vector<Key>{{300, "3"}, {800, "\r"}});
  CHECK(clerk.desk().state() == State::kLeft);
  CHECK(clerk.reasons ==
        std::vector<std::string>{"the dialog still stands after its answer was typed"});
  CHECK(clerk.asked.size() == 1);
}

TEST_CASE("Where the cursor was there before it goes away and back until Enter is typed") {
  Clerk clerk;
  clerk.show(0, waits(bash()));
  clerk.run_to(5299);
  CHECK(clerk.keys == std::vector<Key>{{300, "1"}});
  clerk.run_to(5301);
  CHECK(clerk.keys == std::vector<Key>{{300, "1"}, {5300, kDown}});
  CHECK(clerk.asked.size() == 1);
  SECTION("an agent that wants Enter shows both, and its dialog may be another by now") {
    detect::DialogView away = bash();
    away.cursor = 1;
    clerk.show(5'400, waits(away));
    CHECK(clerk.keys.back() == Key{5'400, kUp});
    clerk.show(5'500, waits(bash()));
    CHECK(clerk.keys.back() == Key{5'500, "\r"});
    CHECK(clerk.asked.size() == 2);
    clerk.show(5'600, works());
    clerk.run_to(6'000);
    CHECK(clerk.desk().state() == State::kNone);
  }
  SECTION("whatever an agent shows late that has gone on gets no Enter") {
    clerk.show(8'300, works());
    clerk.show(8'310, waits(bash("rm -rf /")));
    clerk.run_to(9'000);
    for (const Key& key : clerk.keys) CHECK(key.bytes != "\r");
  }
  SECTION("nothing is typed while the cursor stays") {
    clerk.run_to(60'000);
    CHECK(clerk.keys.size() == 2);
    CHECK(clerk.desk().state() == State::kLeft);
  }
}

TEST_CASE("A digit that does nothing is not repeated") {
  Clerk clerk;
  clerk.show(0, waits(bash("rm -rf /")));
  clerk.run_to(30'000);
  CHECK(clerk.keys == std::vector<Key>{{300, "3"}, {5300, kDown}});
  CHECK(clerk.desk().state() == State::kLeft);
}

TEST_CASE("An answered dialog counts as standing although the agent is thought to work again") {
  Clerk clerk;
  clerk.show(0, waits(bash("rm -rf /")));
  DialogLook look = waits(bash("rm -rf /"));
  look.waiting = false;
  clerk.show(400, look);
  clerk.run_to(20'000);
  CHECK(clerk.desk().state() == State::kLeft);
  CHECK(clerk.keys.size() == 1);
}

TEST_CASE("In a row the cursor is brought to the option, each key after the last has shown") {
  Clerk clerk;
  clerk.show(0, waits(row(0)));
  clerk.run_to(701);
  CHECK(clerk.keys == std::vector<Key>{{700, kRight}});
  clerk.run_to(900);
  CHECK(clerk.keys.size() == 1);
  clerk.show(900, waits(row(1)));
  CHECK(clerk.keys == std::vector<Key>{{700, kRight}, {900, "\r"}});
  clerk.show(1'000, works());
  clerk.run_to(1'301);
  CHECK(clerk.desk().state() == State::kNone);
}

TEST_CASE("Keys are at least 60 ms apart") {
  Clerk clerk;
  clerk.show(0, waits(row(0)));
  clerk.run_to(701);
  clerk.show(710, waits(row(1)));
  clerk.run_to(800);
  CHECK(clerk.keys == std::vector<Key>{{700, kRight}, {760, "\r"}});
}

TEST_CASE("A cursor that a person moves meanwhile is brought back") {
  Clerk clerk;
  clerk.show(0, waits(row(0)));
  clerk.run_to(701);
  clerk.show(800, waits(row(2)));
  CHECK(clerk.keys.back() == Key{800, "\x1b[D"});
}

TEST_CASE("A cursor that does not move is given up") {
  Clerk clerk;
  clerk.show(0, waits(row(0)));
  clerk.run_to(30'000);
  CHECK(clerk.keys.size() == 1);
  CHECK(clerk.desk().state() == State::kLeft);
}

TEST_CASE("A cursor that runs away is not followed forever") {
  Clerk clerk;
  clerk.show(0, waits(row(0)));
  clerk.run_to(701);
  for (int i = 1; i < 100; ++i) clerk.show(700 + i * 100, waits(row(i % 2 == 1 ? 2 : 0)));
  CHECK(clerk.keys.size() == 24);
  CHECK(clerk.desk().state() == State::kLeft);
  CHECK(clerk.reasons == std::vector<std::string>{"the cursor does not come to the option"});
}

TEST_CASE("Arrow keys are those of the terminal's mode") {
  detect::DialogView dialog = row(0);
  dialog.beside = false;
  Clerk clerk;
  DialogLook look = waits(dialog);
  clerk.show(0, look);
  clerk.run_to(701);
  CHECK(clerk.keys.back().bytes == kDown);
  Clerk application;
  look.application_cursor = true;
  application.show(0, look);
  application.run_to(701);
  CHECK(application.keys.back().bytes == "\x1bOB");
}

TEST_CASE("Another dialog in its place is not typed into before it was read itself") {
  Clerk clerk;
  clerk.show(0, waits(row(0)));
  clerk.run_to(701);
  clerk.show(750, waits(bash("rm -rf /")));  // the dialog changes between the arrow key and Enter
  clerk.run_to(1'049);
  CHECK(clerk.keys.size() == 1);
  clerk.run_to(1'100);
  CHECK(clerk.keys == std::vector<Key>{{700, kRight}, {1'050, "3"}});
  CHECK(clerk.asked.size() == 2);
}

// A list without numbers, in which a key of the cursor's chooses.
detect::DialogView listed(int cursor) {
  detect::DialogView dialog = row(cursor);
  dialog.beside = false;
  dialog.options = {"No, exit", "Yes, I trust this folder"};
  return dialog;
}

TEST_CASE("Enter that has no effect is typed again once the cursor has shown that keys arrive") {
  Clerk clerk;
  clerk.show(0, waits(listed(1)));
  clerk.run_to(5'699);
  CHECK(clerk.keys == std::vector<Key>{{700, "\r"}});
  clerk.run_to(5'701);
  CHECK(clerk.keys.back() == Key{5'700, kUp});
  clerk.show(5'800, waits(listed(0)));
  CHECK(clerk.keys.back() == Key{5'800, kDown});
  clerk.show(5'900, waits(listed(1)));
  CHECK(clerk.asked.size() == 2);  // it may be another dialog with the same words by now
  CHECK(clerk.keys.back() == Key{5'900, "\r"});
  clerk.run_to(40'000);
  CHECK(clerk.keys.size() == 4);
  CHECK(clerk.desk().state() == State::kLeft);
}

TEST_CASE("An option with a key of its own is chosen by that key, once") {
  detect::DialogView dialog = bash();
  dialog.numbered = false;
  dialog.options = {"Enter to proceed", "shift+Tab to leave", "Esc to cancel"};
  dialog.keys = {"Enter", "BTab", "Escape"};
  dialog.senses = {detect::OptionSense::kAllowOnce, std::nullopt, std::nullopt};
  Clerk clerk;
  clerk.show(0, waits(dialog));
  clerk.run_to(30'000);
  CHECK(clerk.keys == std::vector<Key>{{700, "\r"}});
  CHECK(clerk.desk().state() == State::kLeft);
}

// Tick boxes with their button under them, and with the cursor on a row: 0, 1 or 2, the button.
detect::DialogView ticks(bool first, bool second, int cursor, std::string title = "☐ Colours") {
  detect::DialogView dialog = bash();
  dialog.title = std::move(title);
  dialog.kind = event::Cause::kServers;
  dialog.action = detect::DialogAction::kUnknown;
  dialog.numbered = false;
  dialog.options = {"alpha", "beta"};
  dialog.ticks = {first, second};
  dialog.button = detect::OptionButton{"Enable selected", 2, cursor == 2};
  dialog.cursor = cursor < 2 ? cursor : -1;
  return dialog;
}

TEST_CASE("Tick boxes are turned as wanted, and then submitted by their button") {
  Clerk clerk;  // the policy denies: no box is to be ticked
  clerk.show(0, waits(ticks(true, true, 0)));
  clerk.run_to(701);
  CHECK(clerk.keys == std::vector<Key>{{700, " "}});
  clerk.show(800, waits(ticks(false, true, 0, "☒ Colours")));  // the same dialog: its ticks changed
  CHECK(clerk.keys.back() == Key{800, kDown});
  clerk.show(900, waits(ticks(false, true, 1, "☒ Colours")));
  CHECK(clerk.keys.back() == Key{900, " "});
  clerk.show(1'000, waits(ticks(false, false, 1)));
  CHECK(clerk.keys.back() == Key{1'000, kDown});
  clerk.show(1'100, waits(ticks(false, false, 2)));
  CHECK(clerk.keys.back() == Key{1'100, "\r"});
  clerk.show(1'200, works());
  clerk.run_to(1'600);
  CHECK(clerk.desk().state() == State::kNone);
  CHECK(clerk.asked.size() == 1);
  CHECK(clerk.keys.size() == 5);
}

TEST_CASE("A person's ticks are set as named, whatever was ticked before") {
  Clerk clerk(policy::Policy::none());
  clerk.show(0, waits(ticks(true, false, 2)));
  clerk.run_to(2'000);
  CHECK(clerk.keys.empty());
  clerk.choose(2'000, std::vector<size_t>{1});
  CHECK(clerk.keys == std::vector<Key>{{2'000, kUp}});
  clerk.show(2'100, waits(ticks(true, false, 1)));
  clerk.show(2'200, waits(ticks(true, false, 0)));
  CHECK(clerk.keys.back() == Key{2'200, " "});
  clerk.show(2'300, waits(ticks(false, false, 0)));
  clerk.show(2'400, waits(ticks(false, false, 1)));
  CHECK(clerk.keys.back() == Key{2'400, " "});
  clerk.run_to(3'000);  // nothing more is typed until the tick is seen
  CHECK(clerk.keys.size() == 5);
}

TEST_CASE("Tick boxes whose button is not seen are left to a person") {
  detect::DialogView dialog = ticks(true, true, 0);
  dialog.button.reset();
  Clerk clerk;
  clerk.show(0, waits(dialog));
  clerk.run_to(20'000);
  CHECK(clerk.keys.empty());
  CHECK(clerk.desk().state() == State::kLeft);
}

// A dialog that has no room on a screen with so many rows.
DialogLook clipped(int rows, bool resizable = true) {
  DialogLook look = waits(bash("rm -rf /"));
  look.dialog.clipped = true;
  look.dialog.whole = false;
  look.rows = rows;
  look.resizable = resizable;
  return look;
}

TEST_CASE("A dialog without room is read on a higher screen, which lasts until it is gone") {
  Clerk clerk;
  clerk.show(0, clipped(40));
  clerk.run_to(299);
  CHECK_FALSE(clerk.desk().wanted_rows());
  clerk.run_to(301);
  CHECK(clerk.desk().wanted_rows() == 200);
  CHECK(clerk.asked.empty());
  DialogLook whole = waits(bash("make all && rm -rf /"));
  whole.rows = 200;
  clerk.show(400, whole);
  clerk.run_to(701);
  REQUIRE(clerk.asked.size() == 1);
  CHECK(clerk.asked[0].request.complete);
  CHECK(clerk.desk().wanted_rows() == 200);
  clerk.show(800, works());
  clerk.run_to(1'200);
  CHECK(clerk.desk().state() == State::kNone);
  CHECK_FALSE(clerk.desk().wanted_rows());
}

TEST_CASE("A dialog that has no room on the highest screen either is read as it is") {
  Clerk clerk;
  clerk.show(0, clipped(40));
  clerk.run_to(301);
  clerk.show(400, clipped(200));
  clerk.run_to(1'801);
  CHECK(clerk.desk().wanted_rows() == 1'000);
  clerk.show(1'900, clipped(1'000));
  clerk.run_to(3'301);
  REQUIRE(clerk.asked.size() == 1);
  CHECK_FALSE(clerk.asked[0].request.complete);
}

TEST_CASE("A screen that does not become higher is not waited for again") {
  Clerk clerk;
  clerk.show(0, clipped(40));
  clerk.run_to(1'801);
  REQUIRE(clerk.asked.size() == 1);
  CHECK_FALSE(clerk.asked[0].request.complete);
}

TEST_CASE("Where the screen cannot be made higher a dialog without room is read at once") {
  Clerk clerk;
  clerk.show(0, clipped(40, /*resizable=*/false));
  clerk.run_to(301);
  CHECK(clerk.asked.size() == 1);
  CHECK_FALSE(clerk.desk().wanted_rows());
}

TEST_CASE("A dialog that is repainted for a moment is the same one") {
  Clerk clerk;
  clerk.show(0, waits(bash("rm -rf /")));
  clerk.run_to(400);
  clerk.show(400, works());
  clerk.show(500, waits(bash("rm -rf /")));
  clerk.run_to(3000);
  CHECK(clerk.keys.size() == 1);
  CHECK(clerk.asked.size() == 1);
  CHECK(clerk.desk().state() == State::kChoosing);
}

TEST_CASE("The same dialog after it was seen gone is a new one") {
  Clerk clerk;
  clerk.show(0, waits(bash()));
  clerk.run_to(400);
  clerk.show(400, works());
  clerk.show(900, waits(bash()));
  clerk.run_to(1201);
  CHECK(clerk.keys == std::vector<Key>{{300, "1"}, {1200, "1"}});
  CHECK(clerk.asked.size() == 2);
}

TEST_CASE("One with the same words after the agent was seen at work is a new one") {
  Clerk clerk;
  clerk.show(0, waits(bash()));
  clerk.run_to(400);
  clerk.show(400, works());
  clerk.show(420, seen_working());
  SECTION("it is decided as soon as it stands") {
    clerk.show(550, waits(bash()));
    clerk.run_to(900);
    CHECK(clerk.keys == std::vector<Key>{{300, "1"}, {850, "1"}});
    CHECK(clerk.asked.size() == 2);
  }
  SECTION("a repaint is shorter") {
    clerk.show(490, waits(bash()));
    clerk.run_to(5000);
    CHECK(clerk.keys.size() == 1);
    CHECK(clerk.asked.size() == 1);
  }
  SECTION("what was seen in an earlier absence does not count") {
    clerk.show(450, waits(bash()));
    clerk.show(500, works());
    clerk.show(650, waits(bash()));
    clerk.run_to(5000);
    CHECK(clerk.asked.size() == 1);
  }
}

TEST_CASE("One with the same words that came without a trace is decided before it gets a key") {
  Clerk clerk;
  clerk.show(0, waits(bash("rm -rf /")));
  clerk.run_to(5'299);
  CHECK(clerk.keys == std::vector<Key>{{300, "3"}});
  for (const int cursor : {1, 2}) {
    detect::DialogView moved = bash("rm -rf /");
    moved.cursor = cursor;
    clerk.show(5'300 + 100 * cursor, waits(moved));
  }
  clerk.run_to(6'000);
  CHECK(clerk.keys == std::vector<Key>{{300, "3"}, {5'300, kDown}, {5'400, kDown}, {5'500, "\r"}});
  CHECK(clerk.asked.size() == 2);
}

TEST_CASE("A cursor that stands elsewhere after the dialog was away is no digit's doing") {
  Clerk clerk;
  detect::DialogView first = bash();
  first.cursor = 1;
  clerk.show(0, waits(first));
  clerk.run_to(350);
  clerk.show(350, works());
  clerk.show(500, waits(bash()));
  clerk.run_to(1'300);
  CHECK(clerk.keys == std::vector<Key>{{300, "1"}, {1'200, kDown}});
  CHECK(clerk.asked.size() == 2);
}

TEST_CASE("A person's answer while it waits for one ends it") {
  Clerk clerk(policy::Policy::none());
  clerk.show(0, waits(bash()));
  clerk.run_to(400);
  clerk.show(2000, works());
  clerk.run_to(2301);
  CHECK(clerk.desk().state() == State::kNone);
  clerk.show(3000, waits(bash("ls")));
  clerk.run_to(3301);
  CHECK(clerk.desk().state() == State::kLeft);
  CHECK(clerk.asked.size() == 2);
}

TEST_CASE("A dialog that goes late after it was given up is gone") {
  Clerk clerk;
  clerk.show(0, waits(bash("rm -rf /")));
  clerk.run_to(21000);
  REQUIRE(clerk.desk().state() == State::kLeft);
  clerk.show(21000, works());
  clerk.run_to(21301);
  CHECK(clerk.desk().state() == State::kNone);
}

}  // namespace orch::driver

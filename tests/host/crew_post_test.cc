// What a crew's agents still have to be told, if they are silent, late, gone, or told twice.
#include "host/crew_post.h"

#include <catch2/catch.hpp>
#include <deque>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "rig.h"

namespace orch::host {
namespace {

// A message that was typed for agent b, and not reported yet.
struct Typed {
  std::string from, text;
  CrewPost::OnReport report;
};
class Desk {
 public:
  explicit Desk(bool anew = false) { begin(anew); }
  // Replaces the host, as when one has died and another begins.
  void begin(bool anew) {
    typed.clear();
    post.emplace(CrewPost::Reach{
        .hears = [this](const std::string&) { return hears; },
        .queue = [this](const std::string&, const std::string& from, std::string text,
                        CrewPost::OnReport report) -> base::Result<std::string> {
          if (refuses) return base::usage_error("refused");
          typed.push_back({from, std::move(text), std::move(report)});
          return "run/m" + std::to_string(++messages);
        },
        .was_taken = [this](const std::string& message) { return taken == message; },
        .inbox_bytes = [this](const std::string&) { return inbox; },
        .was_recorded = [this](const std::string&, const std::string& text,
                               const std::string&) { return text == recorded; },
        .say = [this](const std::string&, const std::string& note) { said.push_back(note); }});
    post->open(file(), anew);
  }
  void report(agent::DeliveryResult result) {
    REQUIRE_FALSE(typed.empty());
    const Typed first = std::move(typed.front());
    typed.pop_front();
    run::SendReport told;
    told.result = result;
    first.report(told);
  }
  void mail(const std::string& notice) {
    inbox += 10;
    post->tell_of_mail("b", "a", notice);
  }
  std::string file() const { return folder.file("state/crews/shop.json"); }

  TestFolder folder;
  bool hears = true, refuses = false;
  int messages = 0;
  std::string taken;     // the message that the agent of the last host had taken
  std::string recorded;  // the text that the agent's own record has
  std::vector<std::string> said;
  uint64_t inbox = 0;
  std::deque<Typed> typed;
  std::optional<CrewPost> post;
};

using agent::DeliveryResult;

}  // namespace

TEST_CASE("one notice waits, and the newest mail is told once it was taken") {
  Desk desk;
  for (const char* notice : {"one", "two", "three"}) desk.mail(notice);
  REQUIRE(desk.typed.size() == 1);
  CHECK(desk.typed[0].text == "one");
  desk.report(DeliveryResult::kAccepted);
  REQUIRE(desk.typed.size() == 1);
  CHECK(desk.typed[0].text == "three");
  desk.report(DeliveryResult::kAccepted);
  CHECK(desk.typed.empty());
  desk.post->try_again();
  desk.post->tell_what_waits("b");
  CHECK(desk.typed.empty());
}

TEST_CASE(
    "who is silent, refuses or ends is told later, and what may have arrived is not told again") {
  Desk desk;
  SECTION("it cannot hear") {
    desk.hears = false;
    desk.mail("one");
    desk.post->try_again();
    CHECK(desk.typed.empty());
    desk.hears = true;
  }
  SECTION("it takes no message") {
    desk.refuses = true;
    desk.mail("one");
    desk.refuses = false;
  }
  SECTION("it ends before it has it") {
    desk.mail("one");
    desk.report(DeliveryResult::kExited);
  }
  desk.post->try_again();
  REQUIRE(desk.typed.size() == 1);
  desk.report(DeliveryResult::kUnconfirmed);
  desk.post->try_again();
  CHECK(desk.typed.empty());
}

TEST_CASE("a hand-over outlives an agent and a host, and is given until it was taken") {
  Desk desk;
  desk.hears = false;
  desk.post->hand_over({"b", "a", "go on", 0});
  desk.begin(false);
  desk.hears = true;
  desk.post->try_again();
  REQUIRE(desk.typed.size() == 1);
  CHECK(desk.typed[0].text == "[from a] go on");
  desk.post->try_again();  // does nothing: it is on its way
  CHECK(desk.typed.size() == 1);
  desk.report(DeliveryResult::kExited);
  desk.post->try_again();
  REQUIRE(desk.typed.size() == 1);
  SECTION("the host dies with it on its way") {
    desk.begin(false);
    desk.post->try_again();
    CHECK(desk.typed.size() == 1);
  }
  SECTION("the host dies when it was taken, and has not noted that") {
    desk.taken = "run/m" + std::to_string(desk.messages);
    desk.begin(false);
    desk.post->try_again();
    CHECK(desk.typed.empty());
  }
  SECTION("it is taken") {
    desk.report(DeliveryResult::kAccepted);
    desk.begin(false);
    desk.post->try_again();
    CHECK(desk.typed.empty());
  }
  SECTION("the crew was down since") {
    desk.begin(true);
    desk.post->try_again();
    CHECK(desk.typed.empty());
  }
}

TEST_CASE(
    "what may have been entered when the host died is not typed again, and a person is told") {
  Desk desk;
  desk.post->hand_over({"b", "a", "go on", 0});
  REQUIRE(desk.typed.size() == 1);
  const std::string message = "run/m" + std::to_string(desk.messages);
  SECTION("its text stands in the box, without Enter") {
    desk.begin(false);
    desk.post->try_again();
    CHECK(desk.typed.size() == 1);
    CHECK(desk.said.empty());
  }
  SECTION("Enter was about to be typed") {
    desk.post->on_enter(message);
    desk.begin(false);
    desk.post->try_again();
    CHECK(desk.typed.empty());
    REQUIRE(desk.said.size() == 1);
    CHECK(desk.said[0].find("[from a] go on") != std::string::npos);
    desk.begin(false);
    CHECK(desk.said.size() == 1);
  }
  SECTION("... and its events or its record say that it has it") {
    desk.post->on_enter(message);
    if (GENERATE(true, false)) {
      desk.taken = message;
    } else {
      desk.recorded = "[from a] go on";
    }
    desk.begin(false);
    desk.post->try_again();
    CHECK(desk.typed.empty());
    CHECK(desk.said.empty());
  }
  SECTION("the agent ends after Enter, under the same host") {
    desk.post->on_enter(message);
    desk.report(DeliveryResult::kExited);
    desk.post->try_again();
    CHECK(desk.typed.empty());
    CHECK(desk.said.size() == 1);
  }
}

TEST_CASE("a notice of mail that may have been entered is not typed again, either") {
  Desk desk;
  desk.mail("one");
  desk.post->on_enter("run/m" + std::to_string(desk.messages));
  desk.begin(false);
  desk.post->tell_what_waits("b");
  CHECK(desk.typed.empty());
  REQUIRE(desk.said.size() == 1);
  CHECK(desk.said[0].find(".crew/inbox/b.md") != std::string::npos);
  desk.mail("two");
  CHECK(desk.typed.size() == 1);
}

TEST_CASE("debts that cannot be read are put aside, and not written over") {
  Desk desk;
  std::filesystem::create_directories(std::filesystem::path(desk.file()).parent_path());
  std::ofstream(desk.file()) << "{\"handovers\": 7}";
  desk.begin(false);
  CHECK(std::filesystem::exists(desk.file() + ".unreadable"));
  desk.mail("one");
  desk.report(DeliveryResult::kAccepted);
  CHECK(std::filesystem::exists(desk.file()));
  CHECK(std::filesystem::exists(desk.file() + ".unreadable"));
}

}  // namespace orch::host

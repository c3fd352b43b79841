// Several agents in one session of a real tmux. Hidden from a plain run of this program; see
// for_real.sh.
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "mux/tmux/tmux_source.h"
#include "session/environment.h"
#include "temporary_folder.h"

using namespace orch;
using namespace orch::mux::tmux;

namespace {

constexpr int64_t kCrewPatienceMs = 90'000;
const std::string kCrew = "crew-demo";

// The loop of a crew, and a tmux server of this test's own.
class Crew;

// An agent of the crew, in its tile.
class Member final : public session::SourceObserver {
 public:
  Member(Crew& crew, std::string title) : title(std::move(title)), crew_(crew) {}

  bool said(const std::string& text) const { return output.find(text) != std::string::npos; }

  const std::string title;
  std::unique_ptr<session::Source> source;
  std::string output, lost;
  pty::TerminalSize size;  // the last size that was reported
  bool ended = false;
  pty::ExitStatus status;

 private:
  void on_output(std::string_view bytes) override;
  void on_end(pty::ExitStatus end) override;
  void on_resized(int cols, int rows) override;
  void on_lost(const std::string& why) override;

  Crew& crew_;
};

// A pane as tmux reports it.
struct Pane {
  // The title that the agent cannot change, and the one that is shown over the pane.
  std::string title, shown;
  int left = 0, top = 0, cols = 0, rows = 0;
  bool operator==(const Pane&) const = default;
};

class Crew {
 public:
  Crew() { ::setenv("TMUX_TMPDIR", folder_.path().c_str(), 1); }
  ~Crew() {
    members.clear();
    (void)ask({}, {"kill-server"});
  }

  Member& start(const std::string& title, const std::string& script) {
    members.push_back(std::make_unique<Member>(*this, title));
    Member& member = *members.back();
    auto started = try_start(title, script, member);
    INFO((started ? "" : started.error().text));
    REQUIRE(started);
    member.source = std::move(started).value();
    return member;
  }
  base::Result<std::unique_ptr<session::Source>> try_start(const std::string& title,
                                                           const std::string& script,
                                                           session::SourceObserver& observer) {
    pty::SpawnPlan plan;
    plan.argv = {"sh", "-c", script};
    plan.cwd = "/";
    plan.env = session::own_environment();
    const Place place{{}, kCrew, {ORCH_PROGRAM, "internal", "pane"}, Tile{title}};
    return TmuxSource::start(loop, place, plan, observer);
  }

  // Runs the loop until the condition holds, which is checked at every event and in between.
  void until(const std::string& what, const std::function<bool()>& there) {
    there_ = &there;
    look_.start(0, [this] { look_again(); });
    deadline_.start(kCrewPatienceMs, [this] { loop.stop(); });
    loop.run();
    there_ = nullptr;
    look_.stop();
    INFO(what);
    for (const auto& member : members) UNSCOPED_INFO(member->title << " said: " << member->output);
    UNSCOPED_INFO(told({"list-panes", "-s", "-t", exactly(kCrew)}));
    REQUIRE(there());
  }
  void look() {
    if (there_ != nullptr && (*there_)()) loop.stop();
  }

  std::string told(const std::vector<std::string>& words) {
    const auto answered = ask({}, words);
    REQUIRE(answered);
    return answered->said;
  }
  std::vector<Pane> panes() {
    std::istringstream lines(
        told({"list-panes", "-s", "-t", exactly(kCrew), "-F",
              "#{pane_title} #{@orch-tile} #{pane_left} #{pane_top} #{pane_width} "
              "#{pane_height}"}));
    std::vector<Pane> panes;
    Pane pane;
    while (lines >> pane.title >> pane.shown >> pane.left >> pane.top >> pane.cols >> pane.rows) {
      panes.push_back(pane);
    }
    return panes;
  }
  bool sizes_are_told() {
    for (const Pane& pane : panes()) {
      for (const auto& member : members) {
        if (member->title == pane.shown && member->size != pty::TerminalSize{pane.cols, pane.rows})
          return false;
      }
    }
    return true;
  }
  bool has_session() { return ask({}, {"has-session", "-t", "=" + kCrew})->code == 0; }

  loop::Loop loop;
  std::vector<std::unique_ptr<Member>> members;

 private:
  void look_again() {
    look();
    look_.start(50, [this] { look_again(); });
  }

  TemporaryFolder folder_;
  loop::Timer deadline_{loop}, look_{loop};
  const std::function<bool()>* there_ = nullptr;
};

void Member::on_output(std::string_view bytes) {
  output += bytes;
  crew_.look();
}
void Member::on_end(pty::ExitStatus end) {
  ended = true;
  status = end;
  crew_.look();
}
void Member::on_resized(int cols, int rows) {
  size = {cols, rows};
  crew_.look();
}
void Member::on_lost(const std::string& why) {
  lost = why;
  source->stop({});
  crew_.look();
}

// A script that prints its name, its size whenever that changes, and what it is told.
std::string speaker(const std::string& name) {
  return "printf '\\033]2;a title of mine\\007'; trap 'stty size' WINCH; echo " + name +
         " is up; stty size; while :; do if read line; then echo \"" + name +
         " got $line\"; test \"$line\" = end && exit 5; fi; done";
}

}  // namespace

TEST_CASE("three agents are tiles of one session, two above and one below", "[.][real]") {
  Crew crew;
  Member& planner = crew.start("crew-planner", speaker("planner"));
  Member& implementer = crew.start("crew-implementer", speaker("implementer"));
  Member& reviewer = crew.start("crew-reviewer", speaker("reviewer"));
  crew.until("all are up", [&] {
    return planner.said("planner is up") && implementer.said("implementer is up") &&
           reviewer.said("reviewer is up") && crew.sizes_are_told();
  });
  CHECK(crew.told({"list-sessions", "-F", "#{session_name} #{session_windows}"}) == kCrew + " 1\n");
  const std::vector<Pane> three{{"crew-planner", "crew-planner", 0, 1, 99, 28},
                                {"crew-implementer", "crew-implementer", 100, 1, 100, 28},
                                {"crew-reviewer", "crew-reviewer", 0, 30, 200, 30}};
  crew.until("they are laid out, and keep their titles", [&] { return crew.panes() == three; });
  CHECK(planner.size == pty::TerminalSize{99, 28});
  CHECK(reviewer.size == pty::TerminalSize{200, 30});
  // The sizes that the first agent's terminal reported: never the one that its plan asked for.
  CHECK_FALSE(planner.said("40 120"));
  crew.until("the agent's terminal has that size", [&] { return planner.said("28 99"); });
  CHECK(crew.told({"show-options", "-wv", "-t", exactly(kCrew), "pane-border-status"}) == "top\n");

  planner.source->write("one\r");
  reviewer.source->write("three\r");
  crew.until("each gets its own", [&] {
    return planner.said("planner got one") && reviewer.said("reviewer got three");
  });
  CHECK(implementer.output.find("got") == std::string::npos);
  for (const auto& member : crew.members) {
    for (const auto& other : crew.members) {
      if (other != member) CHECK_FALSE(member->said(other->title.substr(5) + " is up"));
    }
  }

  planner.source->write("end\r");
  crew.until("the planner ends", [&] { return planner.ended; });
  CHECK(planner.status == pty::ExitStatus{5, 0});
  CHECK(planner.output.ends_with("got end\r\n"));
  planner.source->part(session::Parting::kKeep);  // a tile is not kept
  planner.source.reset();
  const std::vector<Pane> two{{"crew-implementer", "crew-implementer", 0, 1, 200, 28},
                              {"crew-reviewer", "crew-reviewer", 0, 30, 200, 30}};
  crew.until("two are laid out anew, and told",
             [&] { return crew.panes() == two && crew.sizes_are_told(); });

  const std::vector<std::string> focus{"display-message", "-p", "-t", exactly(kCrew), "#{pane_id}"};
  const std::string focused = crew.told(focus);
  Member& again = crew.start("crew-again", "sleep 1000");
  crew.until("another takes the last place", [&] {
    const std::vector<Pane> panes = crew.panes();
    return panes.size() == 3 && panes[2] == Pane{"crew-again", "crew-again", 0, 30, 200, 30} &&
           crew.sizes_are_told();
  });
  CHECK(crew.told(focus) == focused);  // the user there goes on typing to the same agent

  again.source->stop({.quit_bytes = "", .quit_ms = 0, .term_ms = 500});
  implementer.source->write("end\r");
  reviewer.source->write("end\r");
  crew.until("all end", [&] { return again.ended && implementer.ended && reviewer.ended; });
  for (const auto& member : crew.members) {
    if (member->source) member->source->part(session::Parting::kRemove);
    CHECK(member->lost.empty());
    member->source.reset();
  }
  crew.until("nothing is left", [&] { return !crew.has_session(); });
}

TEST_CASE("four tiles of which one is gone are three, whoever closed it", "[.][real]") {
  Crew crew;
  for (const char* title : {"crew-a", "crew-b", "crew-c", "crew-d"}) {
    crew.start(title, speaker(title));
  }
  crew.until("four are laid out", [&] {
    const std::vector<Pane> panes = crew.panes();
    return panes.size() == 4 && panes[3] == Pane{"crew-d", "crew-d", 100, 30, 100, 30};
  });
  crew.told({"kill-pane", "-t", "%0"});
  crew.until("its agent is told", [&] { return crew.members[0]->ended; });
  CHECK((!crew.members[0]->lost.empty() || crew.members[0]->status.signal == SIGHUP));
  const std::vector<Pane> three{{"crew-b", "crew-b", 0, 1, 99, 28},
                                {"crew-c", "crew-c", 100, 1, 100, 28},
                                {"crew-d", "crew-d", 0, 30, 200, 30}};
  crew.until("the others are laid out anew",
             [&] { return crew.panes() == three && crew.sizes_are_told(); });
  crew.members[1]->source->stop({.quit_bytes = "", .quit_ms = 0, .term_ms = 500});
  crew.until("it ends", [&] { return crew.members[1]->ended; });
  crew.members[1]->source.reset();
  crew.until("and so are two", [&] { return crew.panes().size() == 2 && crew.sizes_are_told(); });
  CHECK(crew.panes()[1] == Pane{"crew-d", "crew-d", 0, 30, 200, 30});
}

TEST_CASE("who asks for another size of a tile is told the one that it has, and draws anew",
          "[.][real]") {
  Crew crew;
  Member& member = crew.start("crew-a", speaker("a"));
  crew.until("it is up", [&] { return member.said("a is up") && crew.sizes_are_told(); });
  const pty::TerminalSize real = member.size;
  CHECK(real == pty::TerminalSize{200, 59});
  member.size = {};
  member.output.clear();
  member.source->resize(80, 24);
  crew.until("it is told, and drawn",
             [&] { return member.size == real && member.said("a is up"); });
  CHECK(member.output.find("crew-a") == std::string::npos);  // not a title that the agent has set
  CHECK(crew.panes().at(0).cols == 200);
  member.source->write("on\r");
  crew.until("it goes on", [&] { return member.said("a got on"); });
}

TEST_CASE("tiles join their own process's alone, and not where there is no room", "[.][real]") {
  Crew crew;
  Member nobody(crew, "crew-a");
  crew.told({"new-session", "-d", "-s", kCrew, "sleep 1000"});
  const auto refused = crew.try_start("crew-a", "true", nobody);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == base::ErrorCode::kUsage);
  CHECK(crew.panes().empty());  // none has a title of ours
  crew.told({"kill-session", "-t", "=" + kCrew});

  Member& first = crew.start("crew-a", speaker("a"));
  crew.told({"resize-window", "-t", exactly(kCrew), "-x", "20", "-y", "3"});
  const auto no_room = crew.try_start("crew-b", "true", nobody);
  REQUIRE_FALSE(no_room);
  CHECK(no_room.error().text.find("no space for new pane") != std::string::npos);
  crew.until("the first goes on", [&] { return first.said("a is up"); });
  CHECK_FALSE(first.ended);
}

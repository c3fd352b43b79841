// A crew on a disk that stops at each change in turn: the next host tells what the last one owed.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <deque>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "crew/flow.h"
#include "crew/message_text.h"
#include "host/crew_post.h"
#include "rig.h"
#include "stopping_disk.h"
#include "store/crew_folder.h"

namespace orch::host {
namespace {

using stopping_disk::Moment;
namespace fs = std::filesystem;

const std::vector<std::string> kAgents{"a", "b", "c", "d"};

// An event in the crew, one after the other: an agent writes to another one, or ends a turn in
// which it said the words of a rule, so that the other one must be told `then`.
struct Happening {
  std::string from, to, text, then;  // if `then` is "": mail
};
const std::vector<Happening> kHappenings{
    {"a", "b", "mail 1", ""},       {"a", "b", "PLAN READY", "build it"}, {"c", "b", "mail 2", ""},
    {"a", "c", "mail 3", ""},       {"b", "c", "BUILT", "try it"},        {"a", "d", "mail 4", ""},
    {"c", "d", "TRIED", "ship it"}, {"d", "a", "SHIPPED", "plan more"},
};

// What outlives the crew's hosts: what its agents were told, and what its hosts confirmed.
class World {
 public:
  World() { fs::create_directories(project()); }
  std::string path() const { return folder_.path(); }
  std::string project() const { return folder_.file("project"); }
  std::string debts_file() const { return folder_.file("state/crews/shop.json"); }
  void note(const std::string& line) const {
    const stopping_disk::Elsewhere elsewhere;
    std::ofstream(folder_.file("world"), std::ios::app) << line << "\n";
  }
  int times(const std::string& line) const {
    int count = 0;
    std::ifstream file(folder_.file("world"));
    for (std::string one; std::getline(file, one);) count += one == line ? 1 : 0;
    return count;
  }
  crew::Debts debts() const {
    std::ifstream file(debts_file());
    std::stringstream text;
    text << file.rdbuf();
    const auto debts = crew::debts_from_json(text.str(), debts_file());
    return debts ? *debts : crew::Debts();
  }

 private:
  TestFolder folder_;
};

std::string told(const Happening& one) {
  return "told " + one.to + ": " + crew::nudge_from(one.from, one.then);
}

bool is_on_the_disk(const World& world, const Happening& one) {
  if (world.times(told(one)) > 0) return true;
  for (const auto& each : world.debts().handovers) {
    if (each.text == one.then) return true;
  }
  return false;
}

// Runs one host: it tells what is owed, and then the events that have not happened yet happen.
int live(const World& world) {
  const auto folder =
      store::CrewFolder::open(world.project(), store::CrewFolder::Missing::kIsCreated);
  if (!folder) return 1;
  struct Typed {
    std::string line, name;
    CrewPost::OnReport report;
  };
  std::deque<Typed> typed;
  int messages = 0;
  CrewPost post(
      {.hears = [](const std::string&) { return true; },
       .queue = [&](const std::string& to, const std::string&, const std::string& text,
                    CrewPost::OnReport report) -> base::Result<std::string> {
         std::string name = std::to_string(::getpid()) + "/m";
         name += std::to_string(++messages);
         typed.push_back({"told " + to + ": " + text, name, std::move(report)});
         return name;
       },
       .was_taken = [&](const std::string& name) { return world.times("taken " + name) > 0; },
       .inbox_bytes = [&](const std::string& to) { return folder->inbox_bytes(to); }});
  // The agents take the messages that are on their way, whatever happens to the host.
  const auto take = [&] {
    while (!typed.empty()) {
      const Typed first = std::move(typed.front());
      typed.pop_front();
      world.note(first.line);
      world.note("taken " + first.name);
      first.report({});
    }
  };
  post.open(world.debts_file(), /*anew=*/false);
  for (const std::string& agent : kAgents) post.tell_what_waits(agent);
  crew::FlowSpec rules;
  for (const Happening& one : kHappenings) {
    if (!one.then.empty()) rules.rules.push_back({one.from, one.text, one.to, one.then});
  }
  crew::Flow flow(rules);
  for (size_t i = 0; i < kHappenings.size(); ++i) {
    const Happening& one = kHappenings[i];
    const std::string answered = "answered " + one.text;
    if (world.times(answered) > 0) continue;
    if (one.then.empty()) {
      const std::string entry = crew::inbox_entry("now", one.from, one.text);
      if (!folder->append_to_inbox(one.to, entry, crew::kMaxInboxBytes, 1'000)) return 2;
      post.tell_of_mail(one.to, one.from, crew::mail_notice(one.from, one.to, one.text));
    } else if (!is_on_the_disk(world, one)) {
      // If a host died after a turn's end, before it was on the disk, the event is lost, and the
      // agent has to say the words once more.
      world.note("ended " + one.text);
      flow.on_words(one.from, one.text);
      for (const auto& nudge : flow.on_turn_ended(one.from).nudges) {
        post.hand_over({nudge.to, nudge.from, nudge.text, 0});
      }
    }
    world.note(answered);
    if (i % 3 == 2) take();  // so that several are on their way at once
  }
  take();
  post.try_again();
  take();
  return 0;
}

int occurrences(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

void check_all_is_told(const World& world) {
  const auto folder =
      store::CrewFolder::open(world.project(), store::CrewFolder::Missing::kIsError);
  REQUIRE(folder);
  const crew::Debts debts = world.debts();
  CHECK(debts.handovers.empty());
  CHECK(debts.notices.empty());
  for (const Happening& one : kHappenings) {
    INFO(one.text);
    if (!one.then.empty()) {
      CHECK(world.times(told(one)) == 1);
      continue;
    }
    const auto inbox = folder->read_inbox(one.to);
    REQUIRE(inbox);
    // It is there more than once if its sender got no answer and sent it again, at most twice.
    const int there = occurrences(*inbox, "> " + one.text + "\n");
    CHECK(there >= 1);
    CHECK(there <= 3);
    REQUIRE(debts.told.contains(one.to));
    CHECK(debts.told.at(one.to) == folder->inbox_bytes(one.to));
  }
}

stopping_disk::Ran host_of(const World& world, int at = 0, Moment moment = Moment::kBefore) {
  return stopping_disk::in_child(world.path(), at, moment, [&] { return live(world); });
}

}  // namespace

TEST_CASE("a crew whose host is killed at any change to its files is told all that it is owed") {
  const World whole;
  const stopping_disk::Ran never = host_of(whole);
  REQUIRE(never.code == 0);
  check_all_is_told(whole);
  REQUIRE(never.changes > 30);
  int points = 0, unheard = 0;
  for (int at = 1; at <= never.changes; ++at) {
    for (const Moment moment : {Moment::kBefore, Moment::kInTheMiddle, Moment::kAfter}) {
      INFO("at change " << at << ", moment " << static_cast<int>(moment));
      const World world;
      if (host_of(world, at, moment).code != stopping_disk::kStopped) continue;
      ++points;
      CHECK(host_of(world).code == 0);
      check_all_is_told(world);
      for (const Happening& one : kHappenings)
        unheard += world.times("ended " + one.text) > 1 ? 1 : 0;
    }
  }
  std::printf("crew crash points: %d; a turn's end was not on the disk yet: %d\n", points, unheard);
  CHECK(points > 90);
  CHECK(unheard < points / 5);
}

TEST_CASE("so is one whose next host is killed as well") {
  int pairs = 0;
  for (int first = 2; first < 300; first += 4) {
    bool stopped = false;
    for (int second = 1; second < 300; second += 3) {
      INFO("at change " << first << ", then at " << second);
      const World world;
      stopped = host_of(world, first, Moment::kInTheMiddle).code == stopping_disk::kStopped;
      if (!stopped) break;
      if (host_of(world, second, Moment::kAfter).code != stopping_disk::kStopped) break;
      ++pairs;
      CHECK(host_of(world).code == 0);
      check_all_is_told(world);
    }
    if (!stopped) break;
  }
  std::printf("crew crash points in pairs: %d\n", pairs);
  CHECK(pairs > 60);
}

}  // namespace orch::host

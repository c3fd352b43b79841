#include "host/crew_host.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "adapters/registry.h"
#include "detect/rules.h"
#include "rig.h"
#include "store/issue_name.h"
#include "store/session_file.h"
#include "toy_driver.h"
#include "toy_source.h"

using namespace orch;
using namespace orch::host;

namespace {

// A step that a start waits for. The test lets it go on, or sees that it was given up.
struct Held {
  std::function<void(base::Status)> go_on;  // set once it has begun
  bool given_up = false;
};

class HoldBack final : public Preparation {
 public:
  explicit HoldBack(Held& held) : held_(held) {}
  ~HoldBack() override {
    if (held_.go_on) held_ = {nullptr, true};
  }
  void begin(loop::Loop& /*loop*/, session::SessionSetup& /*setup*/,
             std::function<void(base::Status)> on_done) override {
    held_.go_on = std::move(on_done);
  }

 private:
  Held& held_;
};

// A crew of agents without a screen, which end each turn at once and say what they were told.
class ToyCrew {
 public:
  ToyCrew() : crew_(loop_, plan(), [this] { ended_ = true, loop_.stop(); }) {}

  // Runs the loop until the condition holds; false if it does not within 20 s.
  template <typename Holds>
  bool becomes(Holds holds) {
    const int64_t until = loop_.now_ms() + 20'000;
    loop::Timer look(loop_);
    bool held = false;
    const std::function<void()> again = [&] {
      held = holds();
      if (ended_ || held || loop_.now_ms() > until) return loop_.stop();
      look.start(10, again);
    };
    look.start(0, again);
    loop_.run();
    return held || holds();
  }
  base::Status spawn(const std::string& name, const std::string& cli = "toy") {
    crew::AgentSpec spec;
    spec.name = name;
    spec.cli = cli;
    return crew_.spawn(spec, "", nullptr);
  }
  bool is_active(const std::string& name) const {
    const base::Result<bool> active = crew_.is_active(name);
    return active && *active;
  }
  void end(const std::string& name) { sources_.at(name)->end(0); }
  bool hears(const std::string& name, const std::string& text) {
    return becomes([&] {
      const auto& all = heard_[name];
      return std::count(all.begin(), all.end(), text) == 1;
    });
  }
  size_t count(const std::string& name) { return heard_[name].size(); }
  std::string inbox(const std::string& name) const {
    std::ifstream file(folder_.path() + "/.crew/inbox/" + name + ".md");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Makes the next start of this agent wait for `held`.
  void hold_back(const std::string& name, Held& held) { held_[name] = &held; }
  bool is_queued(const std::string& name) const {
    const std::string key = store::session_key(crew::issue_of("shop", name), folder_.path());
    const auto session = store::session_of(folder_.file("state"), key);
    return session.is_present() && session->status == store::SessionStatus::kQueued;
  }
  CrewHost& crew() { return crew_; }
  bool ended() const { return ended_; }

 private:
  CrewPlan plan() {
    CrewPlan plan;
    plan.project_folder = plan.repository = folder_.path();
    plan.state_dir = folder_.file("state");
    plan.manager = "native";
    plan.socket_folder = folder_.file("sockets");
    plan.plan_for = [this](const crew::Member& member) { return plan_for(member); };
    return plan;
  }
  base::Result<MemberPlan> plan_for(const crew::Member& member) {
    const bool deaf = member.spec.cli == "deaf";
    if (member.spec.cli != "toy" && !deaf) {
      return base::usage_error("no such CLI: " + member.spec.cli);
    }
    session::SessionSetup setup;
    setup.issue = crew::issue_of("shop", member.spec.name);
    // A plain program takes no messages, because it is not known when it is idle.
    setup.manifest = registry_.find(deaf ? "command" : "demo");
    setup.rules = &*rules_;
    setup.cwd = setup.repository = folder_.path();
    setup.launch.argv = {"toy"};
    setup.plan.until = run::Until::kExit;
    setup.state_dir = folder_.file("state");
    setup.source = session::ToySource::factory(
        [this, name = member.spec.name](std::string_view written) { return peer(name, written); },
        &sources_[member.spec.name]);
    setup.driver = [](const session::SessionSetup&, base::TimeMs) {
      return std::make_unique<session::ToyDriver>();
    };
    MemberPlan plan{std::move(setup)};
    if (const auto held = held_.extract(member.spec.name); !held.empty()) {
      plan.preparations.push_back(std::make_unique<HoldBack>(*held.mapped()));
    }
    return plan;
  }
  std::string peer(const std::string& name, std::string_view written) {
    if (written.empty()) return "{\"done\":true}\n";
    std::string said;
    for (std::string_view rest = written; !rest.empty();) {
      const size_t end = rest.find('\n');
      const auto line = nlohmann::json::parse(rest.substr(0, end), nullptr, false);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      if (!line.is_object() || !line.contains("user")) continue;
      heard_[name].push_back(line["user"]);
      said += "{\"done\":true}\n";
    }
    return said;
  }

  TestFolder folder_;
  adapters::Registry registry_ = *adapters::Registry::load({});
  std::optional<detect::RuleSet> rules_ =
      std::move(detect::RuleSet::compile(registry_.find("demo")->rules)).value();
  std::map<std::string, std::vector<std::string>> heard_;
  std::map<std::string, Held*> held_;
  std::map<std::string, session::ToySource*> sources_;
  bool ended_ = false;
  loop::Loop loop_;
  CrewHost crew_;
};

base::ErrorCode code_of(const base::Status& status) {
  REQUIRE_FALSE(status);
  return status.error().code;
}

}  // namespace

TEST_CASE("a crew's agents are spawned, told and looked at, each by its name") {
  ToyCrew toys;
  CrewHost& crew = toys.crew();
  using base::ErrorCode;
  const std::string person(event::kFromUser);
  CHECK(code_of(toys.spawn("a")) == ErrorCode::kUsage);
  CHECK(code_of(crew.open("../x")) == ErrorCode::kUsage);
  REQUIRE(crew.open("shop"));
  CHECK(code_of(crew.open("shop")) == ErrorCode::kUsage);
  CHECK(code_of(toys.spawn("a;b")) == ErrorCode::kUsage);
  CHECK(code_of(toys.spawn("b", "nothing")) == ErrorCode::kUsage);
  REQUIRE(toys.spawn("a"));
  REQUIRE(toys.spawn("b"));
  CHECK(code_of(toys.spawn("a")) == ErrorCode::kUsage);
  CHECK(toys.is_active("a"));
  CHECK_FALSE(crew.is_active("nobody"));

  const auto nudge = [&](const std::string& name, std::string text) {
    return crew.take(name, person, {.text = std::move(text)});
  };
  REQUIRE(nudge("a", "hello; \x1b[2J$(id)"));
  CHECK(nudge("a", "hello; \x1b[2J$(id)")->text == "hello; [2J$(id)");
  CHECK(crew.take("a", "b", {.text = "hello"})->text == "[from b] hello");
  CHECK(nudge("nobody", "x").error().code == ErrorCode::kUsage);
  CHECK(nudge("a", std::string(1 << 20, 'x')).error().code == ErrorCode::kUsage);
  CHECK(nudge("a", "\x07").error().code == ErrorCode::kUsage);
  CHECK(toys.count("b") == 0);

  CHECK(crew.take_mail("b", "a", "look\n## forged"));
  CHECK(toys.hears("b", "[from a] You have mail in .crew/inbox/b.md: look ..."));
  CHECK(toys.inbox("b").find(" from a\n\n> look\n> ## forged\n\n") != std::string::npos);
  CHECK_FALSE(crew.take_mail("../b", "a", "x"));

  toys.end("b");
  CHECK(toys.becomes([&] { return !toys.is_active("b"); }));
  CHECK_FALSE(nudge("b", "gone?"));
  CHECK(crew.take_mail("b", "a", "for later"));
  // The host takes another session, once this one has left its place.
  CHECK(toys.becomes([&] { return static_cast<bool>(toys.spawn("b")); }));
  CHECK(toys.hears("b", "[from a] You have mail in .crew/inbox/b.md: for later"));
  CHECK(toys.count("b") == 2);

  CHECK(crew.close());
  CHECK(toys.becomes([&] { return toys.ended(); }));
}

TEST_CASE("mail of whose notice nothing comes is told as taken, and stands in the inbox once") {
  ToyCrew toys;
  REQUIRE(toys.crew().open("shop"));
  REQUIRE(toys.spawn("b", "deaf"));
  REQUIRE(toys.is_active("b"));
  CHECK(toys.crew().take_mail("b", "a", "look"));
  CHECK(toys.crew().take_mail("b", std::string(event::kFromUser), "and here"));
  const std::string inbox = toys.inbox("b");
  CHECK(inbox.find("> look\n") == inbox.rfind("> look\n"));
  CHECK(inbox.find("> look\n") != std::string::npos);
  CHECK(inbox.find("> and here\n") != std::string::npos);
  CHECK(toys.count("b") == 0);
  CHECK(toys.crew().close());
  CHECK(toys.becomes([&] { return toys.ended(); }));
}

TEST_CASE("who is below none of a crew's agents is none of them") {
  ToyCrew toys;
  REQUIRE(toys.crew().open("shop"));
  REQUIRE(toys.spawn("a"));
  REQUIRE(toys.is_active("a"));
  CHECK(toys.crew().member_of(::getpid()) == std::nullopt);
  CHECK(toys.crew().member_of(::getppid()) == std::nullopt);
  CHECK(toys.crew().member_of(1) == std::nullopt);
  CHECK(toys.crew().member_of(0) == std::nullopt);
}

TEST_CASE("a start that has to wait is seen, and holds up nobody") {
  Held held;
  ToyCrew toys;
  CrewHost& crew = toys.crew();
  REQUIRE(crew.open("shop"));
  REQUIRE(toys.spawn("a"));
  toys.hold_back("b", held);
  REQUIRE(toys.spawn("b"));
  REQUIRE(toys.becomes([&] { return held.go_on != nullptr; }));
  CHECK(toys.is_queued("b"));
  CHECK_FALSE(toys.is_active("b"));
  CHECK(code_of(toys.spawn("b")) == base::ErrorCode::kUsage);
  CHECK(crew.take_mail("a", "b", "are you there?"));
  CHECK(toys.hears("a", "[from b] You have mail in .crew/inbox/a.md: are you there?"));
  toys.end("a");
  CHECK(toys.becomes([&] { return !toys.is_active("a"); }));
  std::exchange(held.go_on, nullptr)(base::Ok{});
  CHECK(toys.becomes([&] { return toys.is_active("b"); }));  // the crew did not end without it
  CHECK_FALSE(toys.ended());
  CHECK(crew.close());
  CHECK(toys.becomes([&] { return toys.ended(); }));
}

TEST_CASE("the end of a crew gives up a start that still waits") {
  Held held;
  ToyCrew toys;
  REQUIRE(toys.crew().open("shop"));
  REQUIRE(toys.spawn("a"));
  toys.hold_back("b", held);
  REQUIRE(toys.spawn("b"));
  REQUIRE(toys.becomes([&] { return held.go_on != nullptr; }));
  CHECK(toys.crew().close());
  CHECK(held.given_up);
  CHECK(toys.becomes([&] { return toys.ended(); }));
  CHECK_FALSE(toys.is_queued("b"));
}

TEST_CASE("a signal ends a crew whose first agent is not there yet, and who waits for it is told") {
  Held held;
  ToyCrew toys;
  REQUIRE(toys.crew().open("shop"));
  toys.hold_back("a", held);
  std::optional<base::Status> told;
  crew::AgentSpec spec;
  spec.name = "a";
  spec.cli = "toy";
  REQUIRE(toys.crew().spawn(spec, "", [&told](const base::Status& it) { told = it; }));
  REQUIRE(toys.becomes([&] { return held.go_on != nullptr; }));
  CHECK_FALSE(told);
  toys.crew().on_stop_signal(SIGTERM);
  CHECK(held.given_up);
  REQUIRE(told);
  REQUIRE_FALSE(*told);
  CHECK(told->error().text == "agent a: not started: interrupted");
  CHECK(toys.becomes([&] { return toys.ended(); }));
  CHECK_FALSE(toys.is_queued("a"));
}

TEST_CASE("a start whose program fails is told of with its words") {
  Held held;
  ToyCrew toys;
  REQUIRE(toys.crew().open("shop"));
  toys.hold_back("a", held);
  std::optional<base::Status> told;
  crew::AgentSpec spec;
  spec.name = "a";
  spec.cli = "toy";
  REQUIRE(toys.crew().spawn(spec, "", [&told](const base::Status& it) { told = it; }));
  REQUIRE(toys.becomes([&] { return held.go_on != nullptr; }));
  std::exchange(held.go_on, nullptr)(base::usage_error("toyd does not answer"));
  REQUIRE(told);
  REQUIRE_FALSE(*told);
  CHECK(told->error().text == "agent a: toyd does not answer");
  CHECK_FALSE(toys.is_queued("a"));
  CHECK(toys.crew().close());
  CHECK(toys.becomes([&] { return toys.ended(); }));
}

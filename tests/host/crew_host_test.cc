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
using event::AgentStatus;

namespace {

// Something that a start waits for: whoever has `held` lets it go on, or sees that it was given up.
struct Held {
  std::function<void(base::Status)> go_on;  // once it has begun
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

  // Runs the loop until it holds; false: it never did.
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
  bool is_idle(const std::string& name) {
    return becomes([&] {
      const auto status = crew_.status(name);
      return status && *status == AgentStatus::kIdle;
    });
  }
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
  // What the next start of this agent is to wait for.
  void hold_back(const std::string& name, Held& held) { held_[name] = &held; }
  bool is_queued(const std::string& name) const {
    const std::string key = store::session_key(crew::issue_of("shop", name), folder_.path());
    const auto session = store::session_of(folder_.file("state"), key);
    return session && session->status == store::SessionStatus::kQueued;
  }
  AgentRunner& runner() { return crew_; }
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
    // When a plain program is idle is not known: it takes no messages.
    setup.manifest = registry_.find(deaf ? "command" : "demo");
    setup.rules = &*rules_;
    setup.cwd = setup.repository = folder_.path();
    setup.launch.argv = {"toy"};
    setup.plan.until = run::Until::kExit;
    setup.state_dir = folder_.file("state");
    setup.source = session::ToySource::factory(
        [this, name = member.spec.name](std::string_view written) { return peer(name, written); });
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
  bool ended_ = false;
  loop::Loop loop_;
  CrewHost crew_;
};

base::ErrorCode code_of(const base::Status& status) {
  REQUIRE_FALSE(status);
  return status.error().code;
}

}  // namespace

TEST_CASE("a crew's agents are spawned, told, looked at and stopped, each by its name") {
  ToyCrew toys;
  AgentRunner& crew = toys.runner();
  using base::ErrorCode;
  CHECK(code_of(crew.spawn("a", "first", "toy", "")) == ErrorCode::kUsage);
  CHECK(code_of(crew.create_session("../x")) == ErrorCode::kUsage);
  REQUIRE(crew.create_session("shop"));
  CHECK(code_of(crew.create_session("shop")) == ErrorCode::kUsage);
  CHECK(code_of(crew.spawn("a;b", "", "toy", "")) == ErrorCode::kUsage);
  CHECK(code_of(crew.spawn("b", "", "nothing", "")) == ErrorCode::kUsage);
  REQUIRE(crew.spawn("a", "first", "toy", ""));
  REQUIRE(crew.spawn("b", "second", "toy", ""));
  CHECK(code_of(crew.spawn("a", "first", "toy", "")) == ErrorCode::kUsage);
  CHECK(crew.setup_layout(2));
  CHECK_FALSE(crew.setup_layout(0));
  REQUIRE(toys.is_idle("a"));
  REQUIRE(toys.is_idle("b"));
  CHECK(crew.statuses() ==
        std::map<std::string, AgentStatus>{{"a", AgentStatus::kIdle}, {"b", AgentStatus::kIdle}});
  CHECK(*crew.is_active("a"));
  CHECK_FALSE(crew.is_active("nobody"));
  CHECK_FALSE(crew.status("nobody"));

  CHECK(crew.send_nudge("a", "hello; \x1b[2J$(id)"));
  CHECK(toys.hears("a", "hello; [2J$(id)"));
  CHECK(code_of(crew.send_nudge("nobody", "x")) == ErrorCode::kUsage);
  CHECK(code_of(crew.send_nudge("a", std::string(1 << 20, 'x'))) == ErrorCode::kUsage);
  CHECK(code_of(crew.send_nudge("a", "\x07")) == ErrorCode::kUsage);
  CHECK(toys.count("b") == 0);

  CHECK(crew.write_inbox("b", "a", "look\n## forged"));
  CHECK(toys.hears("b", "[from a] You have mail in .crew/inbox/b.md: look ..."));
  CHECK(toys.inbox("b").find(" from a\n\n> look\n> ## forged\n\n") != std::string::npos);
  CHECK(code_of(crew.write_inbox("../b", "a", "x")) == ErrorCode::kNotFound);

  CHECK(code_of(crew.stop("nobody")) == ErrorCode::kNotFound);
  CHECK(crew.stop("b"));
  CHECK(toys.becomes([&] { return *crew.status("b") == AgentStatus::kExited; }));
  CHECK_FALSE(*crew.is_active("b"));
  CHECK_FALSE(crew.send_nudge("b", "gone?"));
  CHECK_FALSE(crew.reset_context("b"));
  CHECK(crew.write_inbox("b", "a", "for later"));
  // The host takes another session, once this one has left its place.
  CHECK(toys.becomes([&] { return static_cast<bool>(crew.spawn("b", "second", "toy", "")); }));
  CHECK(toys.hears("b", "[from a] You have mail in .crew/inbox/b.md: for later"));
  REQUIRE(toys.is_idle("b"));
  CHECK(toys.count("b") == 2);

  CHECK(crew.destroy_session());
  CHECK(toys.becomes([&] { return toys.ended(); }));
}

TEST_CASE("mail of whose notice nothing comes is told as taken, and stands in the inbox once") {
  ToyCrew toys;
  REQUIRE(toys.runner().create_session("shop"));
  REQUIRE(toys.runner().spawn("b", "", "deaf", ""));
  REQUIRE(*toys.runner().is_active("b"));
  REQUIRE_FALSE(toys.runner().send_nudge("b", "it takes no messages"));
  CHECK(toys.crew().take_mail("b", "a", "look"));
  CHECK(toys.crew().take_mail("b", std::string(event::kFromUser), "and here"));
  const std::string inbox = toys.inbox("b");
  CHECK(inbox.find("> look\n") == inbox.rfind("> look\n"));
  CHECK(inbox.find("> look\n") != std::string::npos);
  CHECK(inbox.find("> and here\n") != std::string::npos);
  CHECK(toys.count("b") == 0);
  CHECK(toys.runner().destroy_session());
  CHECK(toys.becomes([&] { return toys.ended(); }));
}

TEST_CASE("who is below none of a crew's agents is none of them") {
  ToyCrew toys;
  REQUIRE(toys.runner().create_session("shop"));
  REQUIRE(toys.runner().spawn("a", "", "toy", ""));
  REQUIRE(toys.is_idle("a"));
  CHECK(toys.crew().member_of(::getpid()) == std::nullopt);
  CHECK(toys.crew().member_of(::getppid()) == std::nullopt);
  CHECK(toys.crew().member_of(1) == std::nullopt);
  CHECK(toys.crew().member_of(0) == std::nullopt);
}

TEST_CASE("a start that has to wait is seen, holds up nobody, and comes or goes as it is told") {
  Held held;
  ToyCrew toys;
  AgentRunner& crew = toys.runner();
  REQUIRE(crew.create_session("shop"));
  REQUIRE(crew.spawn("a", "", "toy", ""));
  REQUIRE(toys.is_idle("a"));

  toys.hold_back("b", held);
  REQUIRE(crew.spawn("b", "", "toy", ""));
  REQUIRE(toys.becomes([&] { return held.go_on != nullptr; }));
  CHECK(*crew.status("b") == AgentStatus::kStarting);
  CHECK(toys.is_queued("b"));
  CHECK_FALSE(*crew.is_active("b"));
  CHECK(code_of(crew.spawn("b", "", "toy", "")) == base::ErrorCode::kUsage);
  CHECK(crew.send_nudge("a", "are you there?"));
  CHECK(toys.hears("a", "are you there?"));
  CHECK(crew.stop("b"));
  CHECK(held.given_up);
  CHECK(*crew.status("b") == AgentStatus::kExited);
  CHECK_FALSE(toys.is_queued("b"));

  held = {};
  toys.hold_back("b", held);
  CHECK(toys.becomes([&] { return static_cast<bool>(crew.spawn("b", "", "toy", "")); }));
  REQUIRE(toys.becomes([&] { return held.go_on != nullptr; }));
  CHECK(crew.stop("a"));
  CHECK(toys.becomes([&] { return *crew.status("a") == AgentStatus::kExited; }));
  std::exchange(held.go_on, nullptr)(base::Ok{});
  CHECK(toys.is_idle("b"));  // the crew did not end without it
  CHECK_FALSE(toys.ended());
  CHECK(crew.destroy_session());
  CHECK(toys.becomes([&] { return toys.ended(); }));
}

TEST_CASE("a signal ends a crew whose first agent is not there yet, and who waits for it is told") {
  Held held;
  ToyCrew toys;
  REQUIRE(toys.runner().create_session("shop"));
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
  REQUIRE(toys.runner().create_session("shop"));
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
  CHECK(toys.runner().destroy_session());
  CHECK(toys.becomes([&] { return toys.ended(); }));
}

#include "cli/crew_up.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "cli/command.h"
#include "cli/crew_place.h"
#include "cli/detach.h"
#include "cli/stop_signals.h"
#include "client/client.h"
#include "client/kept_sessions.h"
#include "client/leftovers.h"
#include "crew/crew_spec.h"
#include "host/crew_host.h"
#include "options/run_option.h"
#include "peer/session_socket.h"
#include "setup/crew_preparations.h"
#include "setup/crew_setup.h"
#include "setup/paths.h"

namespace orch::cli {
namespace {

using base::Result;
using base::Status;
using base::usage_error;

// The member that was up when the earlier host died, if the crew was not taken down since.
const crew::Member* earlier_of(const crew::CrewState& before, const crew::AgentSpec& agent) {
  return before.up ? crew::find_member(before, agent.name) : nullptr;
}

// The background process that hosts the crew's agents.
class CrewProcess {
 public:
  // `lock` keeps other processes from bringing up the crew until this one has.
  CrewProcess(host::CrewPlan plan, Background background, base::Fd lock)
      : background_(std::move(background)),
        lock_(std::move(lock)),
        crew_(loop_, std::move(plan), [this] { on_ended(); }) {}

  // Starts the agents and runs until the crew has ended. An agent that cannot be started is
  // reported; the others are started nevertheless.
  int run(const crew::CrewSpec& spec, const crew::CrewState& before) {
    comes_back_ = before.up;
    signals_ = watch_stop_signals(loop_, [this](int signum) { crew_.on_stop_signal(signum); });
    if (Status s = crew_.open(spec.project); !s) {
      code_ = report(s.error());
      background_.ready(code_, "");
      return code_;
    }
    for (const crew::AgentSpec& agent : spec.agents) awaited_.push_back({agent.name, std::nullopt});
    for (size_t i = 0; i < spec.agents.size(); ++i) {
      const crew::AgentSpec& agent = spec.agents[i];
      const crew::Member* earlier = earlier_of(before, agent);
      const Status begun = crew_.spawn(agent, earlier == nullptr ? "" : earlier->run,
                                       [this, i](const Status& started) { settle(i, started); });
      if (!begun) settle(i, begun);
    }
    if (!ended_) loop_.run();
    return code_;
  }

 private:
  struct Awaited {
    std::string agent;
    std::optional<Status> started;  // unset until it is known
  };

  void settle(size_t which, const Status& started) {
    awaited_[which].started = started;
    const bool all = std::all_of(awaited_.begin(), awaited_.end(),
                                 [](const Awaited& it) { return it.started.has_value(); });
    if (all) on_all_settled();
  }

  // Reports the outcome of every start, in the order of the crew file, and releases the foreground
  // command.
  void on_all_settled() {
    for (const auto& [agent, started] : awaited_) {
      if (*started) {
        std::printf("%s\n", agent.c_str());
      } else {
        code_ = report(started->error());
      }
    }
    std::fflush(stdout);
    const std::string folder = crew_.first_run_dir();
    lock_.reset();
    background_.ready(code_, folder.empty() ? "" : folder + "/host.log");
    if (crew_.runs_nobody()) (void)(comes_back_ ? crew_.leave() : crew_.close());
  }

  void on_ended() {
    ended_ = true;
    loop_.stop();
  }

  loop::Loop loop_;
  Background background_;
  base::Fd lock_;
  std::vector<std::unique_ptr<loop::SignalWatch>> signals_;
  std::vector<Awaited> awaited_;
  int code_ = 0;
  bool comes_back_ = false;  // the crew was up before and its host died: it goes on
  bool ended_ = false;
  host::CrewHost crew_;
};

// Asks the host that already runs the crew to start the agents that do not run.
int call_back(const client::Place& place, const crew::CrewState& state, const crew::CrewSpec& spec,
              const store::SessionRecord& living) {
  int code = 0;
  const auto holds_later = [](const std::string& what) {
    std::fprintf(stderr, "orch: %s: it holds after orch crew down, then up\n", what.c_str());
  };
  if (spec.flow != state.flow) holds_later("the crew's flow has changed");
  for (const crew::AgentSpec& agent : spec.agents) {
    const crew::Member* member = crew::find_member(state, agent.name);
    const auto session = member != nullptr ? running_session(place.state_dir, *member)
                                           : store::Found<store::SessionRecord>::absent();
    if (session.is_unknown()) {
      code = report(session.error());
      continue;
    }
    if (session.is_present()) {
      if (member->spec != agent)
        holds_later("what the file says of " + agent.name + " has changed");
      continue;
    }
    loop::Loop loop;
    const Result<wire::Answer> answer =
        client::ask(loop, place.state_dir, living, wire::Spawn{agent.name}, client::kNoDeadline);
    if (!answer) {
      code = report(answer.error());
      if (member == nullptr) {
        std::fprintf(stderr, "orch: %s is new in the crew: orch crew down, then up\n",
                     agent.name.c_str());
      }
      continue;
    }
    std::printf("%s\n", agent.name.c_str());
  }
  return code;
}

Result<crew::CrewState> state_in(const store::CrewFolder& folder) {
  const auto text = folder.read_state();
  if (!text) return text.error();
  if (!*text) return crew::CrewState{};
  return crew::crew_state_from_json(**text, folder.path() + "/state.json");
}

}  // namespace

int crew_up(const setup::CrewOptions& options, setup::Diagnostics& diagnostics) {
  const Result<client::Place> place = setup::place_of(options.each.state_dir);
  if (!place) return report(place.error());
  if (Status s = options::check_values(options.each, options::Also::kCrew); !s) {
    return report(s.error());
  }
  const Result<crew::Debts::Purse> budget = setup::crew_budget(options);
  if (!budget) return report(budget.error());
  wait_for_folder(*place, place->repository);
  const Result<store::CrewFolder> folder =
      store::CrewFolder::open(place->repository, store::CrewFolder::Missing::kIsCreated);
  if (!folder) return report(folder.error());
  Result<base::Fd> lock = folder->lock();
  if (!lock) return report(lock.error());
  const Result<crew::CrewState> before = state_in(*folder);
  if (!before) return report(before.error());
  const std::string file = setup::crew_file(options, *place);
  const Result<crew::CrewSpec> crew = setup::wanted_crew(file, *before);
  if (!crew) return report(crew.error());
  for (const crew::Member& member : before->members) {
    const auto session = running_session(place->state_dir, member);
    if (session.is_unknown()) return report(session.error());
    if (session.is_absent()) continue;
    if (before->project != crew->project) {
      return report(usage_error("crew " + before->project + " is up here; orch crew down first"));
    }
    return call_back(*place, *before, *crew, *session);
  }
  client::remove_over(place->state_dir);
  client::remove_leftovers(place->state_dir);
  const auto setups =
      std::make_shared<setup::MemberSetups>(options, place->repository, place->state_dir);
  setups->find_fence();
  Result<Background> background = Background::fork_background();
  if (!background) return report(background.error());
  diagnostics.keep_runs(place->state_dir);
  host::CrewPlan plan;
  plan.project_folder = plan.repository = place->repository;
  plan.state_dir = place->state_dir;
  plan.manager = options.each.session_manager;
  plan.socket_folder =
      peer::socket_folder({setup::environment("XDG_RUNTIME_DIR"), place->state_dir});
  plan.flow = crew->flow;
  plan.budget = *budget;
  for (const crew::AgentSpec& agent : crew->agents) {
    if (const crew::Member* member = earlier_of(*before, agent)) plan.before.push_back(*member);
  }
  plan.plan_for = [setups, project = crew->project](const crew::Member& member) {
    return setups->plan(project, member);
  };
  plan.say = setup::say_of_member;
  plan.was_recorded = [setups](const std::string& run, const std::string& text,
                               const std::string& entered) {
    return setups->was_recorded(run, text, entered);
  };
  plan.spec_now = [file](const std::string& agent) -> std::optional<crew::AgentSpec> {
    if (file.empty() || file == "-") return std::nullopt;
    const Result<crew::CrewSpec> now = setup::wanted_crew(file, {});
    const crew::AgentSpec* spec = now ? crew::find_agent(*now, agent) : nullptr;
    return spec == nullptr ? std::nullopt : std::optional(*spec);
  };
  CrewProcess process(std::move(plan), std::move(background).value(), std::move(lock).value());
  const int code = process.run(*crew, *before);
  diagnostics.write_out();
  return code;
}

}  // namespace orch::cli

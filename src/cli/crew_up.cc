#include "cli/crew_up.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "adapters/launch.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/crew_place.h"
#include "cli/detach.h"
#include "cli/run_command.h"
#include "cli/stop_signals.h"
#include "client/client.h"
#include "client/kept_sessions.h"
#include "client/leftovers.h"
#include "client/runs.h"
#include "crew/crew_spec.h"
#include "fence/grant.h"
#include "host/crew_host.h"
#include "host/runtime_dir.h"
#include "options/run_option.h"
#include "setup/crew_preparations.h"
#include "setup/managers.h"
#include "setup/paths.h"
#include "setup/run_budget.h"
#include "setup/run_setup.h"
#include "store/file_io.h"

namespace orch::cli {
namespace {

using base::Error;
using base::Result;
using base::Status;
using base::usage_error;

constexpr const char* kFile = "crew.yaml";

// Resolves a path that crew.yaml names. It must lie below the file's folder, with no symbolic link
// on the way: agents may change both the file and the folder.
Result<std::string> path_below(const std::string& folder, const std::string& path) {
  const Result<fence::Grant> root = fence::grant(folder, {});
  Result<fence::Grant> granted = root ? fence::grant_beneath(*root, path) : root;
  if (!granted) return granted.error();
  return std::move(granted->path);
}

// Reads the crew file, and the prompts that it keeps in other files.
Result<crew::CrewSpec> read_crew_file(const std::string& path) {
  const Result<std::string> text = setup::read_text(path, crew::kMaxSpecBytes);
  if (!text) return text.error();
  Result<crew::CrewSpec> crew = crew::read_crew(*text, path);
  if (!crew) return crew;
  std::string folder = std::filesystem::path(path).parent_path().string();
  if (folder.empty()) folder = ".";  // for standard input
  for (crew::AgentSpec& agent : crew->agents) {
    if (agent.prompt_file.empty()) continue;
    const Result<std::string> file = path_below(folder, agent.prompt_file);
    Result<std::string> prompt = file ? store::read_regular_file(*file, crew::kMaxSpecBytes)
                                      : Result<std::string>(file.error());
    if (!prompt) {
      return usage_error("agent " + agent.name + ": prompt_file: " + prompt.error().text);
    }
    agent.prompt = std::move(prompt).value();
    agent.prompt_file.clear();
  }
  return crew;
}

// The text before each agent's own prompt, which tells it how to send messages to the others.
std::string introduction(const crew::CrewSpec& crew, const crew::AgentSpec& agent) {
  const auto called = [](const crew::AgentSpec& it) {
    return it.role.empty() ? it.name : it.name + " (" + it.role + ")";
  };
  std::string text =
      "You are " + called(agent) + " in crew " + crew.project + ", which orch runs. ";
  std::string others;
  for (const crew::AgentSpec& other : crew.agents) {
    if (other.name != agent.name) others += (others.empty() ? "" : ", ") + called(other);
  }
  if (!others.empty()) text += "With you work " + others + ". ";
  return text +
         "Messages that begin with [from NAME] come from one of them. To write to one, use the "
         "tool crew_send of the MCP server orch, or run: orch crew send --to NAME TEXT\n\n" +
         (agent.prompt.empty() ? "Say that you are ready, and wait for messages." : agent.prompt);
}

// Makes the session setups of a crew's agents. What they may do without asking comes from the
// command line alone, never from a file of the project.
class MemberSetups {
 public:
  MemberSetups(CrewUpOptions options, std::string project_folder, std::string state_dir)
      : options_(std::move(options)),
        project_folder_(std::move(project_folder)),
        state_dir_(std::move(state_dir)) {}

  // Finds out which fence this machine offers, which runs bubblewrap; call it before any session
  // depends on this process.
  void find_fence() {
    if (options_.each.sandbox != "none") offer_ = fence::find_offer();
  }

  Result<host::MemberPlan> plan(const std::string& project, const crew::Member& member) {
    const Result<std::string> cwd = path_below(project_folder_, member.spec.cwd);
    if (!cwd) return usage_error("agent " + member.spec.name + ": cwd: " + cwd.error().text);
    options::RunRequest request = request_of(project, member);
    request.cwd = *cwd;
    choices_.emplace_back();
    setup::AgentChoice& choice = choices_.back();
    Result<setup::RunSetup> setup = setup::plan_run(request, choice, &offer_);
    if (!setup) return named(member, setup.error());
    for (const std::string& note : setup->notes) setup::say_of_member(member.spec.name, note);
    host::MemberPlan plan{std::move(setup->sessions.front())};
    session::SessionSetup& session = plan.setup;
    if (request.worktree) {
      // It is the member's own, from the last time that the crew was up.
      session.worktree_request = worktree_request_of(request, session);
      session.worktree_request->earlier = repo::WorktreeRequest::Earlier::kReuse;
    }
    if (setup->to_ask) {
      plan.preparations.push_back(
          setup::ask_version_of(member.spec.name, std::move(*setup->to_ask)));
    }
    const Result<mux::Tools> tools = setup::tools_here();
    if (!tools) return tools.error();
    setup::hold_in_crew(crew_session(project, project_folder_), "crew-" + member.spec.name, *tools,
                        session);
    if (session.manager.name == mux::name(mux::ManagerKind::kTmux)) {
      plan.place = setup::await_tmux(tools->tmux);
    }
    return plan;
  }

 private:
  static Error named(const crew::Member& member, const Error& error) {
    return {error.code, "agent " + member.spec.name + ": " + error.text};
  }

  options::RunRequest request_of(const std::string& project, const crew::Member& member) const {
    const crew::AgentSpec& spec = member.spec;
    options::RunRequest request = options_.each;
    request.issues = {crew::issue_of(project, spec.name)};
    request.agent = spec.cli;
    request.model = spec.model;
    request.effort = spec.effort;
    request.until = "exit";
    request.prompt = spec.prompt;
    request.worktree = spec.worktree;
    request.on_limit = "wait";
    // No single agent may take more than the whole crew. A limit also refuses agents that do not
    // report their usage, which could not be counted.
    if (request.max_tokens.empty()) request.max_tokens = options_.crew_max_tokens;
    if (request.max_cost.empty()) request.max_cost = options_.crew_max_cost;
    if (request.size.empty()) request.size = "120x40";
    request.state_dir = state_dir_;
    request.detach = true;
    request.mcp = true;
    take_up(member, request);
    return request;
  }

  // Lets an agent that was cut off go on with its old conversation, if its CLI can do so.
  void take_up(const crew::Member& member, options::RunRequest& request) const {
    if (member.run.empty()) return;
    const client::Place place{state_dir_, project_folder_, project_folder_};
    const auto found = client::find_run(place, member.run, client::Reach::kHere);
    if (!found) return;
    const base::Result<client::RunView> run = client::view_run(state_dir_, found->run);
    if (!run) {
      std::fprintf(stderr, "orch: a conversation of before does not go on: %s\n",
                   base::printable(run.error().text).c_str());
      return;
    }
    if (run->record.agent != member.spec.cli || run->record.agent_session.empty()) return;
    request.parent = run->record.id;
    request.resume = run->record.agent_session;
    request.prompt.reset();
  }

  CrewUpOptions options_;
  std::string project_folder_, state_dir_;
  fence::Offer offer_;  // the fence of this machine; not looked for with --sandbox none
  std::deque<setup::AgentChoice> choices_;  // a deque, because sessions refer to its elements
};

Result<crew::Debts::Purse> crew_budget(const CrewUpOptions& options) {
  crew::Debts::Purse budget;
  if (const std::string& text = options.crew_max_tokens; !text.empty()) {
    const Result<int64_t> tokens = setup::parse_tokens("--crew-max-tokens", text);
    if (!tokens) return tokens.error();
    budget.tokens = *tokens;
  }
  if (const std::string& text = options.crew_max_cost; !text.empty()) {
    const Result<double> cost = setup::parse_dollars("--crew-max-cost", text);
    if (!cost) return cost.error();
    budget.cost_usd = *cost;
  }
  return budget;
}

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
    if (member != nullptr && is_running(place.state_dir, *member)) {
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

// The crew as the state file has it.
crew::CrewSpec spec_of(const crew::CrewState& state) {
  crew::CrewSpec spec{state.project, {}, state.flow};
  for (const crew::Member& member : state.members) spec.agents.push_back(member.spec);
  return spec;
}

// The path of the crew file: the one that was named, else crew.yaml here or in the project's
// folder; "" if there is none.
std::string crew_file(const CrewUpOptions& options, const client::Place& place) {
  if (!options.file.empty()) {
    if (options.file == "-") return options.file;
    return (std::filesystem::path(place.folder) / options.file).lexically_normal().string();
  }
  for (const std::string& folder : {place.folder, place.repository}) {
    std::string path = folder + "/" + kFile;
    if (::access(path.c_str(), F_OK) == 0) return path;
  }
  return "";
}

// The crew to bring up: that of the file, or, without a file, the one that was up before.
Result<crew::CrewSpec> wished_crew(const std::string& file, const crew::CrewState& before) {
  if (file.empty() && before.up) return spec_of(before);
  if (file.empty()) {
    return usage_error("no crew to bring up: there is no " + std::string(kFile) +
                       " here; see orch crew up --help");
  }
  Result<crew::CrewSpec> crew = read_crew_file(file);
  if (!crew) return crew;
  const crew::CrewSpec whole = *crew;
  for (crew::AgentSpec& agent : crew->agents) agent.prompt = introduction(whole, agent);
  return crew;
}

}  // namespace

int crew_up(const CrewUpOptions& options, setup::Diagnostics& diagnostics) {
  const Result<client::Place> place = setup::place_of(options.each.state_dir);
  if (!place) return report(place.error());
  if (Status s = options::check_values(options.each, options::Also::kCrew); !s) {
    return report(s.error());
  }
  const Result<crew::Debts::Purse> budget = crew_budget(options);
  if (!budget) return report(budget.error());
  const Result<store::CrewFolder> folder =
      store::CrewFolder::open(place->repository, store::CrewFolder::Missing::kIsCreated);
  if (!folder) return report(folder.error());
  Result<base::Fd> lock = folder->lock();
  if (!lock) return report(lock.error());
  const Result<crew::CrewState> before = state_in(*folder);
  if (!before) return report(before.error());
  const std::string file = crew_file(options, *place);
  const Result<crew::CrewSpec> crew = wished_crew(file, *before);
  if (!crew) return report(crew.error());
  for (const crew::Member& member : before->members) {
    if (!is_running(place->state_dir, member)) continue;
    if (before->project != crew->project) {
      return report(usage_error("crew " + before->project + " is up here; orch crew down first"));
    }
    return call_back(*place, *before, *crew, *store::session_of(place->state_dir, member.session));
  }
  client::remove_over(place->state_dir);
  client::remove_leftovers(place->state_dir);
  const auto setups = std::make_shared<MemberSetups>(options, place->repository, place->state_dir);
  setups->find_fence();
  Result<Background> background = Background::fork_background();
  if (!background) return report(background.error());
  diagnostics.keep_runs(place->state_dir);
  host::CrewPlan plan;
  plan.project_folder = plan.repository = place->repository;
  plan.state_dir = place->state_dir;
  plan.manager = options.each.session_manager;
  plan.socket_folder =
      host::socket_folder({setup::environment("XDG_RUNTIME_DIR"), place->state_dir});
  plan.flow = crew->flow;
  plan.budget = *budget;
  for (const crew::AgentSpec& agent : crew->agents) {
    if (const crew::Member* member = earlier_of(*before, agent)) plan.before.push_back(*member);
  }
  plan.plan_for = [setups, project = crew->project](const crew::Member& member) {
    return setups->plan(project, member);
  };
  plan.say = setup::say_of_member;
  plan.spec_now = [file](const std::string& agent) -> std::optional<crew::AgentSpec> {
    if (file.empty() || file == "-") return std::nullopt;
    const Result<crew::CrewSpec> now = wished_crew(file, {});
    const crew::AgentSpec* spec = now ? crew::find_agent(*now, agent) : nullptr;
    return spec == nullptr ? std::nullopt : std::optional(*spec);
  };
  CrewProcess process(std::move(plan), std::move(background).value(), std::move(lock).value());
  const int code = process.run(*crew, *before);
  diagnostics.write_out();
  return code;
}

}  // namespace orch::cli

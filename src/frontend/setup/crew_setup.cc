#include "setup/crew_setup.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/text.h"
#include "client/runs.h"
#include "fence/grant.h"
#include "session/agent_transcript_file.h"
#include "session/environment.h"
#include "setup/agents.h"
#include "setup/batch_folders.h"
#include "setup/crew_preparations.h"
#include "setup/managers.h"
#include "setup/paths.h"
#include "setup/run_budget.h"
#include "store/file_io.h"
#include "store/time_text.h"

namespace orch::setup {
namespace {

using base::Error;
using base::Result;
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
  const Result<std::string> text = read_text(path, crew::kMaxSpecBytes);
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

// The text before each agent's own prompt: it explains how to send messages to the others.
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

// The crew in the state file.
crew::CrewSpec spec_of(const crew::CrewState& state) {
  crew::CrewSpec spec{state.project, {}, state.flow};
  for (const crew::Member& member : state.members) spec.agents.push_back(member.spec);
  return spec;
}

Error named(const crew::Member& member, const Error& error) {
  return {error.code, "agent " + member.spec.name + ": " + error.text};
}

}  // namespace

std::string crew_session(const std::string& project, const std::string& repository) {
  const std::string key = store::session_key(project, repository);
  return crew::crew_name(project) + key.substr(key.find('@'));
}

std::string crew_file(const CrewOptions& options, const client::Place& place) {
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

Result<crew::CrewSpec> wanted_crew(const std::string& file, const crew::CrewState& before) {
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

Result<crew::Debts::Purse> crew_budget(const CrewOptions& options) {
  crew::Debts::Purse budget;
  if (const std::string& text = options.crew_max_tokens; !text.empty()) {
    const Result<int64_t> tokens = parse_tokens("--crew-max-tokens", text);
    if (!tokens) return tokens.error();
    budget.tokens = *tokens;
  }
  if (const std::string& text = options.crew_max_cost; !text.empty()) {
    const Result<double> cost = parse_dollars("--crew-max-cost", text);
    if (!cost) return cost.error();
    budget.cost_usd = *cost;
  }
  return budget;
}

MemberSetups::MemberSetups(CrewOptions options, std::string project_folder, std::string state_dir)
    : options_(std::move(options)),
      project_folder_(std::move(project_folder)),
      state_dir_(std::move(state_dir)) {}

void MemberSetups::find_fence() {
  if (options_.each.sandbox != "none") offer_ = fence::find_offer();
}

Result<host::MemberPlan> MemberSetups::plan(const std::string& project,
                                            const crew::Member& member) {
  const Result<std::string> cwd = path_below(project_folder_, member.spec.cwd);
  if (!cwd) return usage_error("agent " + member.spec.name + ": cwd: " + cwd.error().text);
  options::RunRequest request = request_of(project, member);
  request.cwd = *cwd;
  choices_.emplace_back();
  AgentChoice& choice = choices_.back();
  Result<RunSetup> setup = prepare_run(request, choice, &offer_);
  if (!setup) return named(member, setup.error());
  for (const std::string& note : setup->notes) say_of_member(member.spec.name, note);
  host::MemberPlan plan{std::move(setup->sessions.front())};
  session::SessionSetup& session = plan.setup;
  if (request.worktree) {
    // The member's own worktree, from the last time that the crew was up.
    session.worktree_request = worktree_request_of(request, session);
    session.worktree_request->earlier = repo::WorktreeRequest::Earlier::kReuse;
  }
  if (setup->to_ask) {
    plan.preparations.push_back(ask_version_of(std::move(*setup->to_ask)));
  }
  const Result<mux::Tools> tools = tools_here();
  if (!tools) return tools.error();
  hold_in_crew(crew_session(project, project_folder_), "crew-" + member.spec.name, *tools, session);
  if (session.manager.name == mux::name(mux::ManagerKind::kTmux)) {
    plan.place = await_tmux(tools->tmux);
  }
  return plan;
}

bool MemberSetups::was_recorded(const std::string& run, const std::string& text,
                                const std::string& entered) const {
  const std::optional<store::TimePoint> since = store::parse_rfc3339_utc(entered);
  const client::Place place{state_dir_, project_folder_, project_folder_};
  const auto found = client::find_run(place, run, client::Reach::kHere);
  if (!since || !found) return false;
  const Result<client::RunView> view = client::view_run(state_dir_, found->run);
  if (!view) return false;
  const Result<adapters::Registry> agents = load_agents(project_folder_);
  const adapters::Manifest* agent = agents ? agents->find(view->record.agent) : nullptr;
  const Result<std::string> self = own_path();
  if (agent == nullptr || !self) return false;
  session::AgentTranscriptFile file(
      agent->record,
      session::agent_environment(session::own_environment(), agent->env, view->record.id),
      view->record.cwd, *self);
  return file.read(text, *since).has_value();
}

options::RunRequest MemberSetups::request_of(const std::string& project,
                                             const crew::Member& member) const {
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

// Lets an agent that was cut off go on with its old conversation, if its CLI can resume one.
void MemberSetups::take_up(const crew::Member& member, options::RunRequest& request) const {
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

}  // namespace orch::setup

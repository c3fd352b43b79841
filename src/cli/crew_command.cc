// orch crew: several agents with roles work on one project and send each other messages through
// orch.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/crew_messages.h"
#include "cli/crew_place.h"
#include "cli/crew_status.h"
#include "cli/crew_up.h"
#include "cli/new_command.h"
#include "cli/run_option_words.h"
#include "client/client.h"
#include "client/end_session.h"
#include "crew/crew_spec.h"
#include "peer/peer_process.h"
#include "pty/program.h"
#include "setup/managers.h"
#include "setup/paths.h"

namespace orch::cli {
namespace {

using base::Result;
using base::Status;
using base::usage_error;

constexpr int64_t kPatienceMs = 1'000;  // for the status of an agent's host
constexpr int64_t kResetMs = 40'000;    // the same as for orch reset

struct DownOptions {
  bool now = false;
  std::optional<std::string> state_dir;
};

// Records in the crew's state that none of its agents is to be started again.
Status note_down(FoundCrew& crew) {
  crew.state.up = false;
  for (crew::Member& member : crew.state.members) member.run.clear();
  return crew.folder.write_state(crew::to_json(crew.state));
}

// Ends all these sessions and returns the exit code.
int end_sessions(const std::string& state_dir, const std::vector<store::SessionRecord>& sessions,
                 bool at_once) {
  for (const store::SessionRecord& session : sessions) {  // asks all of them; below, waits for each
    if (session.status != store::SessionStatus::kRunning) continue;
    loop::Loop loop;
    (void)client::ask(loop, state_dir, session, wire::Kill{at_once}, kPatienceMs);
  }
  const auto manner = at_once ? client::Manner::kAtOnce : client::Manner::kPolitely;
  int code = 0;
  for (const store::SessionRecord& session : sessions) {
    const Result<std::string> left = client::end_session(state_dir, session, manner, sessions);
    if (!left && left.error().code != base::ErrorCode::kNotFound) code = report(left.error());
    if (left && !left->empty()) std::fprintf(stderr, "orch: %s\n", base::printable(*left).c_str());
    // A failed session would stay listed, although nobody needs to look at it any more.
    const store::Found<store::SessionRecord> now = store::session_of(state_dir, session.key);
    if (now.is_unknown()) code = report(now.error());
    if (!now.is_present()) continue;
    const Status removed = client::remove_dead_session(state_dir, *now);
    if (!removed && removed.error().code != base::ErrorCode::kUsage) code = report(removed.error());
  }
  return code;
}

int crew_down(const DownOptions& options) {
  if (const std::string why = peer::refusal_of_this_process(); !why.empty()) {
    return report(usage_error(why));
  }
  const Result<client::Place> place = setup::place_of(options.state_dir);
  if (!place) return report(place.error());
  Result<FoundCrew> crew = find_crew(options.state_dir);
  const std::string& project_folder = crew ? crew->project_folder : place->repository;
  Result<std::vector<store::SessionRecord>> listed =
      sessions_of_crew(place->state_dir, project_folder);
  if (!listed) return report(listed.error());
  std::vector<store::SessionRecord>& sessions = *listed;
  if (!crew && sessions.empty()) return report_no_session(crew.error());
  // End the queued sessions first: otherwise each session that ends would make room for one of
  // them.
  std::stable_partition(sessions.begin(), sessions.end(), [](const store::SessionRecord& session) {
    return session.status == store::SessionStatus::kQueued;
  });
  const Status noted = crew ? note_down(*crew) : crew.error();
  const int code = end_sessions(place->state_dir, sessions, options.now);
  if (noted && code == 0) {
    std::fprintf(stderr, "orch: the crew is down: %zu agents were ended\n", sessions.size());
  }
  if (noted) return code;
  if (noted.error().code == base::ErrorCode::kNotFound) {  // there is no state to correct
    std::fprintf(stderr, "orch: .crew is gone; the crew's %zu sessions here are ended\n",
                 sessions.size());
    return code;
  }
  return report({noted.error().code, noted.error().text + "; the crew's " +
                                         std::to_string(sessions.size()) +
                                         " sessions here are ended all the same: remove " +
                                         project_folder + "/.crew before the next crew up"});
}

struct MemberOptions {
  std::string agent;
  bool read_only = false;
  std::optional<std::string> state_dir;
};

int crew_reset(const MemberOptions& options) {
  const Result<FoundCrew> crew = find_crew(options.state_dir);
  if (!crew) return report_no_session(crew.error());
  const Result<wire::Answer> answer = ask_member(*crew, options.agent, wire::Reset{}, kResetMs);
  if (!answer) return report_no_session(answer.error());
  if (const auto* done = std::get_if<wire::WasReset>(&answer->result)) {
    std::printf("%s\n", base::printable(done->how).c_str());
  }
  return 0;
}

int crew_attach(const MemberOptions& options) {
  const Result<FoundCrew> crew = find_crew(options.state_dir);
  if (!crew) return report_no_session(crew.error());
  if (options.agent.empty() && crew->state.members.empty()) {
    return report(usage_error("the crew has no agent"));
  }
  if (options.agent.empty() && crew->state.manager == mux::name(mux::ManagerKind::kTmux)) {
    const Result<mux::Tools> tools = setup::tools_here();
    if (!tools) return report(tools.error());
    const auto access = options.read_only ? mux::Access::kReadOnly : mux::Access::kInteractive;
    return report(pty::become(
        mux::make_manager(mux::ManagerKind::kTmux, *tools)
            ->attach(setup::crew_session(crew->state.project, crew->project_folder), access)));
  }
  const std::string name =
      options.agent.empty() ? crew->state.members.front().spec.name : options.agent;
  const Result<crew::Member> member = member_named(*crew, name);
  if (!member) return report_no_session(member.error());
  if (auto session = session_of_member(*crew, *member); !session) {
    return report_no_session(session.error());
  }
  const Result<std::string> self = setup::own_path();
  if (!self) return report(self.error());
  std::vector<std::string> words{*self, "attach", member->session, "--state-dir",
                                 crew->place.state_dir};
  if (options.read_only) words.emplace_back("--read-only");
  return report(pty::become(words));
}

void add_up(CLI::App& crew, setup::Diagnostics& diagnostics, Chosen& chosen) {
  CommandWith<setup::CrewOptions> command(
      crew, chosen, "up", "start the agents of a crew that do not run",
      [&diagnostics](const setup::CrewOptions& options) { return crew_up(options, diagnostics); });
  command.option("file", command->file, "the crew file (default: crew.yaml)");
  add_run_options(command, options::Also::kCrew, command->each);
  command.option("--crew-max-tokens", command->crew_max_tokens,
                 "that all of them together may take: then the crew ends");
  command.option("--crew-max-cost", command->crew_max_cost,
                 "that all of them together may cost, in US dollars");
  command.footer(
      "Limits of the models' providers are waited for. Prints the names of the agents that it "
      "starts. An agent whose host died continues its conversation if its CLI can; after orch crew "
      "down it starts anew.\n\n"
      "Examples:\n  orch crew up\n  orch crew up team.yaml --approve policy.json\n"
      "  orch crew up --session-manager tmux && orch crew attach");
}

void add_down(CLI::App& crew, Chosen& chosen) {
  CommandWith<DownOptions> command(crew, chosen, "down", "end all agents of the crew", crew_down);
  command.alias("stop");
  command.flag("--now", command->now, "by SIGKILL");
  command.state_dir();
  command.footer("Inboxes stay where they are, in .crew/inbox.");
}

void add_status(CLI::App& crew, Chosen& chosen) {
  CommandWith<CrewStatusOptions> command(crew, chosen, "status", "how the agents of the crew stand",
                                         crew_status);
  command.flag("--json", command->json, "as JSON");
  command.state_dir();
  command.footer(
      "WAITING counts the messages that were not given to the agent yet.\n"
      "Exit codes: 0 all run · 4 one does not, or there is no crew.\n\n"
      "Example:\n  orch crew status --json | jq -r '.members[] | select(.status == \"idle\") | "
      ".member'");
}

void add_nudge(CLI::App& crew, Chosen& chosen) {
  CommandWith<CrewNudgeOptions> command(
      crew, chosen, "nudge", "send an agent a message once it is idle",
      [](const CrewNudgeOptions& options) { return crew_tell(options, false); });
  command.option("agent", command->agent, "its name in the crew").required();
  command.option("text", command->text, "what to say; - reads it from standard input").required();
  command.flag("--no-wait", command->no_wait, "return when it is queued");
  command.option("--timeout", command->timeout, "give up after this long (default: never)");
  command.state_dir();
  command.footer(
      "Only an active agent takes one: not one that has ended, nor one that has given its "
      "terminal\n"
      "to another program. An agent's own nudges begin with [from NAME].\n\n"
      "Exit codes: as orch send; 4 the agent does not exist, or does not run.\n\n"
      "Examples:\n  orch crew nudge planner \"what is left?\"\n"
      "  git diff | orch crew nudge reviewer - --no-wait");
}

void add_inbox(CLI::App& crew, Chosen& chosen) {
  CommandWith<CrewInboxOptions> command(crew, chosen, "inbox",
                                        "read an agent's inbox, or write to it", crew_inbox);
  command.option("agent", command->agent, "its name (an agent's default: its own)");
  command.option("text", command->text, "a message for it; - reads it from standard input");
  command.state_dir();
  command.footer(
      "The inbox is .crew/inbox/<agent>.md. A running agent gets a note that it has mail.\n\n"
      "Examples:\n  orch crew inbox reviewer\n  orch crew inbox reviewer - < notes.md");
}

void add_send(CLI::App& crew, Chosen& chosen) {
  CommandWith<CrewNudgeOptions> command(
      crew, chosen, "send", "write to an agent's inbox, with a note to the agent",
      [](const CrewNudgeOptions& options) { return crew_tell(options, true); });
  command.option("--to", command->agent, "the agent's name in the crew").required();
  command.option("--from", command->from,
                 "the sender; refused unless it is the agent that runs the command");
  command.option("text", command->text, "what to say; - reads it from standard input").required();
  command.state_dir();
  command.footer(
      "This is how the agents of a crew speak to each other.\n\n"
      "Examples:\n  orch crew send --to reviewer \"please look at net.cc\"\n"
      "  git diff | orch crew send --to reviewer -");
}

void add_reset(CLI::App& crew, Chosen& chosen) {
  CommandWith<MemberOptions> command(crew, chosen, "reset",
                                     "empty an agent's conversation and send it its role again",
                                     crew_reset);
  command.option("agent", command->agent, "its name in the crew").required();
  command.state_dir();
  command.footer("Example:\n  orch crew reset implementer");
}

void add_attach(CLI::App& crew, Chosen& chosen) {
  CommandWith<MemberOptions> command(crew, chosen, "attach", "walk into an agent's session",
                                     crew_attach);
  command.option("agent", command->agent,
                 "its name in the crew; without one: all of them in tmux, else the first");
  command.flag("-r,--read-only", command->read_only, "only look");
  command.state_dir();
  command.footer("Examples:\n  orch crew attach planner\n  orch crew attach --read-only");
}

}  // namespace

void add_crew_command(CLI::App& app, setup::Diagnostics& diagnostics, Chosen& chosen) {
  NewCommand command(app, "crew", "several agents with roles on one project");
  command.takes_subcommand(true);
  command.footer(
      "A crew file says who is in it (docs/crew.md):\n\n"
      "  version: 1\n"
      "  project: shop\n"
      "  agents:\n"
      "    - name: planner\n"
      "      cli: claude\n"
      "      prompt: You plan the work and hand it to implementer.\n"
      "    - name: implementer\n"
      "      cli: codex\n"
      "      prompt_file: roles/implementer.md\n\n"
      "Examples:\n  orch crew up\n  orch top\n"
      "  orch crew nudge planner \"plan issue 42\"\n  orch crew down");
  CLI::App& crew = command.app();
  add_up(crew, diagnostics, chosen);
  add_down(crew, chosen);
  add_status(crew, chosen);
  add_nudge(crew, chosen);
  add_inbox(crew, chosen);
  add_send(crew, chosen);
  add_reset(crew, chosen);
  add_attach(crew, chosen);
}

}  // namespace orch::cli

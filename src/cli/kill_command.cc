#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/command.h"
#include "cli/paths.h"
#include "cli/sessions.h"
#include "host/client.h"
#include "host/peer_process.h"
#include "loop/loop.h"
#include "loop/timer.h"

namespace orch::cli {
namespace {

// The ladder takes the agent's quit keys, 5 s of SIGTERM and the drain of its terminal.
constexpr int64_t kEndMs = 15'000;
constexpr int64_t kLookMs = 20;

struct KillOptions {
  std::vector<std::string> issues;
  bool all = false, now = false;
  std::optional<std::string> state_dir;
};

bool is_listed(const std::string& state_dir, const std::string& key) {
  for (const store::SessionRecord& session : store::list_sessions(state_dir)) {
    if (session.key == key) return session.status == store::SessionStatus::kRunning;
  }
  return false;
}

bool wait_for_end(loop::Loop& loop, const std::string& state_dir, const std::string& key) {
  loop::Timer timer(loop);
  const int64_t until = loop.now_ms() + kEndMs;
  bool gone = false;
  const std::function<void()> look = [&] {
    gone = !is_listed(state_dir, key);
    if (gone || loop.now_ms() >= until) return loop.stop();
    timer.start(kLookMs, look);
  };
  look();
  if (!gone) loop.run();
  return gone;
}

// A host that answers ends its session; one that does not is killed, and its guardian ends what it
// ran. Its lock proves that the pid is still that host's.
base::Status kill_one(const std::string& state_dir, const store::SessionRecord& session, bool now) {
  if (session.status != store::SessionStatus::kRunning) {
    store::remove_dead_session(state_dir, session.key);
    return base::Ok{};
  }
  loop::Loop loop;
  const base::Result<wire::Answer> answer =
      host::ask(loop, session.socket, session.name, wire::Kill{now});
  if (!answer) {
    if (const std::string refusal = host::refusal_of_this_process(); !refusal.empty()) {
      return base::usage_error("session " + session.name + ": " + refusal);
    }
    if (!now) {
      return base::Error{base::ErrorCode::kSystem,
                         answer.error().text + "; orch kill --now ends it all the same"};
    }
    ::kill(session.pid, SIGKILL);
  }
  if (wait_for_end(loop, state_dir, session.key)) return base::Ok{};
  return base::Error{base::ErrorCode::kSystem, session.name + " has not ended after 15 s"};
}

int kill(const KillOptions& options) {
  base::Result<std::string> state_dir = state_dir_of(options.state_dir);
  if (!state_dir) return report(state_dir.error());
  if (options.issues.empty() != options.all) {
    return report(base::usage_error("name the sessions to end, or --all"));
  }
  std::vector<store::SessionRecord> sessions;
  if (options.all) sessions = store::list_sessions(*state_dir);
  int code = 0;
  for (const std::string& issue : options.issues) {
    base::Result<store::SessionRecord> session = find_session(*state_dir, issue);
    if (session) {
      sessions.push_back(std::move(session).value());
    } else {
      code = report_no_session(session.error());
    }
  }
  for (const store::SessionRecord& session : sessions) {
    if (base::Status s = kill_one(*state_dir, session, options.now); !s) {
      code = report(s.error());
    } else {
      std::printf("%s\n", session.name.c_str());
    }
  }
  return code;
}

}  // namespace

void add_kill_command(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("kill", "end sessions and all that they started");
  auto options = std::make_shared<KillOptions>();
  command->add_option("issue", options->issues, "issues or sessions' names");
  command->add_flag("--all", options->all, "every session");
  command->add_flag("--now", options->now, "at once, without asking the agent to leave");
  command->add_option("--state-dir", options->state_dir, "where runs are kept");
  command->footer(
      "Its run ends with 137, killed. Exit code 4: there is no such session.\n\n"
      "Examples:\n  orch kill 42\n  orch kill --all --now");
  command->callback([options, &chosen] { chosen = [options] { return kill(*options); }; });
}

}  // namespace orch::cli

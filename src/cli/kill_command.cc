#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/new_command.h"
#include "cli/standing.h"
#include "client/end_session.h"
#include "client/find.h"
#include "client/runs.h"
#include "store/session_file.h"

namespace orch::cli {
namespace {

struct KillOptions {
  std::vector<std::string> issues;
  bool all = false, all_repositories = false, now = false, json = false;
  std::optional<std::string> state_dir;
};

struct StopOptions {
  std::string run;
  bool json = false;
  std::optional<std::string> state_dir;
};

using Sessions = std::vector<store::SessionRecord>;

// All sessions, or only those of this repository; if it has none, stderr says how many others there
// are.
base::Result<Sessions> sessions_for_all(const client::Place& place, bool everywhere) {
  base::Result<Sessions> found = store::list_sessions(place.state_dir);
  if (!found || everywhere) return found;
  Sessions& all = *found;
  const size_t listed = all.size();
  std::erase_if(all, [&place](const store::SessionRecord& session) {
    // One whose file cannot be read may be of this repository.
    const bool is_known = !session.repository.empty() || session.unreadable.empty();
    return is_known && !client::is_here(place, session.repository, session.cwd);
  });
  if (all.empty() && listed > 0) {
    std::fprintf(stderr, "orch: no session of %s; %zu of others: --all-repositories\n",
                 base::printable(place.repository).c_str(), listed);
  }
  return found;
}

// How a session and its run ended, for --json. `left` is a line about things that live on, or "".
base::Json ended_json(const std::string& state_dir, const store::SessionRecord& session,
                      const std::string& left) {
  base::Json json = standing_json(standing_of(state_dir, client::SessionView{session, {}, {}}));
  json["left"] = base::or_null(left);
  return json;
}

int kill(const KillOptions& options, const client::Place& place) {
  const bool all = options.all || options.all_repositories;
  if (options.issues.empty() != all) {
    return report(base::usage_error("name the sessions to end, or --all"));
  }
  Sessions sessions;
  if (all) {
    base::Result<Sessions> found = sessions_for_all(place, options.all_repositories);
    if (!found) return report(found.error());
    sessions = std::move(found).value();
  }
  int code = 0;
  for (const std::string& issue : options.issues) {
    base::Result<store::SessionRecord> session =
        client::find_session(place, issue, client::Reach::kHere);
    if (session) {
      sessions.push_back(std::move(session).value());
    } else {
      code = report_no_session(session.error());
    }
  }
  // End the queued sessions first: otherwise each session that ends would make room for one of
  // them.
  std::stable_partition(sessions.begin(), sessions.end(), [](const store::SessionRecord& session) {
    return session.status == store::SessionStatus::kQueued;
  });
  const client::Manner manner = options.now ? client::Manner::kAtOnce : client::Manner::kPolitely;
  base::Json ended = base::Json::array();
  for (const store::SessionRecord& session : sessions) {
    const base::Result<std::string> left =
        client::end_session(place.state_dir, session, manner, sessions);
    if (!left) {
      code = report_no_session(left.error());
      continue;
    }
    if (options.json) {
      ended.push_back(ended_json(place.state_dir, session, *left));
    } else {
      std::printf("%s\n", base::printable(session.name).c_str());
    }
    if (!left->empty()) std::fprintf(stderr, "orch: %s\n", base::printable(*left).c_str());
  }
  if (options.json) std::fputs(base::json_text(ended).c_str(), stdout);
  return code;
}

// orch stop: ends one run politely.
int stop(const StopOptions& options, const client::Place& place) {
  const base::Result<client::Found> found =
      client::find_run(place, options.run, client::Reach::kHere);
  if (!found) return report_no_session(found.error());
  if (found->session && !found->session->unreadable.empty()) {
    return report({base::ErrorCode::kSystem, "session " + found->session->name +
                                                 " is not ended: " + found->session->unreadable});
  }
  if (!found->session || found->session->status != store::SessionStatus::kRunning) {
    const base::Result<client::RunView> run = client::view_run(place.state_dir, found->run);
    if (!run) return report(run.error());
    return report_no_session({base::ErrorCode::kNotFound,
                              "run " + found->run.id + " is over; see orch show " + found->run.id});
  }
  const base::Result<std::string> left = client::end_session(
      place.state_dir, *found->session, client::Manner::kPolitely, {&*found->session, 1});
  if (!left) return report_no_session(left.error());
  if (options.json) {
    const base::Json ended = ended_json(place.state_dir, *found->session, *left);
    std::fputs(base::json_text(ended).c_str(), stdout);
  } else {
    std::printf("%s\n", base::printable(found->run.id).c_str());
  }
  return 0;
}

}  // namespace

void add_stop_command(CLI::App& app, Chosen& chosen) {
  CommandWith<StopOptions> command(app, chosen, "stop", "end one run politely", stop);
  command.option("run", command->run, "a run's id, or its issue").required();
  command.flag("--json", command->json, "print the outcome as JSON");
  command.state_dir();
  command.footer(
      "Its agent is asked to quit, and its processes end with it; the run is cancelled, and its "
      "record has the time of the request (137, killed). orch continue goes on with it. If it does "
      "not end, use orch kill --now. Exit code 4: the run is over, or there is none.\n\n"
      "Examples:\n  orch stop 42\n  orch stop 20261121T225100123-42-0a1b");
}

void add_kill_command(CLI::App& app, Chosen& chosen) {
  CommandWith<KillOptions> command(app, chosen, "kill", "end sessions and all that they started",
                                   kill);
  command.option("issue", command->issues, "issues or sessions' names");
  command.flag("--all", command->all, "every session of this repository");
  command.flag("--all-repositories", command->all_repositories,
               "every session of this state directory");
  command.flag("--now", command->now, "at once, without asking the agent to leave");
  command.flag("--json", command->json, "print the outcomes as JSON");
  command.state_dir();
  command.footer(
      "Its run ends with 137, killed. A session of another repository is named in full, as in\n"
      "orch kill orch-42@1a2b3c4d. Where a host does not answer, --now kills it, or, while it "
      "serves\nothers that are not named, the processes of this session alone. An issue that waits "
      "for a\n"
      "slot of its batch is taken out of the queue.\n"
      "Exit code 4: the session does not exist.\n\n"
      "Examples:\n  orch kill 42\n  orch kill --all --now");
}

}  // namespace orch::cli

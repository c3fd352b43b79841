#include "cli/crew_status.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/crew_place.h"
#include "cli/standing.h"
#include "client/sessions.h"
#include "crew/crew_spec.h"
#include "setup/crew_setup.h"
#include "store/issue_name.h"

namespace orch::cli {
namespace {

using base::Result;

constexpr int64_t kCrewPatienceMs = 1'000;  // for the status of an agent's host

// A member of the crew and its session; no session: it does not run.
struct MemberView {
  crew::Member member;
  std::optional<client::SessionView> session;
};

Result<std::vector<MemberView>> view_members(const FoundCrew& crew) {
  Result<std::vector<client::SessionView>> all =
      client::view_sessions(crew.place.state_dir, kCrewPatienceMs);
  if (!all) return all.error();
  std::vector<MemberView> views;
  for (const crew::Member& member : crew.state.members) {
    MemberView view{member, {}};
    for (client::SessionView& session : *all) {
      if (session.record.key == member.session) view.session = std::move(session);
    }
    views.push_back(std::move(view));
  }
  return views;
}

// A member that has no session: it was never started, or crew down has ended it.
RunStanding standing_of_stopped(const std::string& project, const crew::Member& member) {
  RunStanding standing;
  standing.issue = crew::issue_of(project, member.spec.name);
  standing.session = store::session_name(standing.issue);
  standing.key = member.session;
  standing.agent = member.spec.cli;
  return standing;
}

std::string crew_json(const FoundCrew& crew, const std::vector<MemberView>& views) {
  base::Json json{{"project", crew.state.project},
                  {"manager_session", setup::crew_session(crew.state.project, crew.project_folder)},
                  {"manager", crew.state.manager},
                  {"up", crew.state.up}};
  base::Json members = base::Json::array();
  for (const MemberView& view : views) {
    base::Json one = view.session
                         ? session_json(*view.session, crew.place)
                         : session_json(standing_of_stopped(crew.state.project, view.member));
    one["member"] = view.member.spec.name;
    one["role"] = base::or_null(view.member.spec.role);
    one["inbox"] = store::CrewFolder::inbox_of(view.member.spec.name);
    members.push_back(std::move(one));
  }
  json["members"] = std::move(members);
  return base::json_text(json);
}

std::string padded(std::string text, size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text + "  ";
}

std::string crew_table(const std::vector<MemberView>& views) {
  constexpr size_t kTokens = 11;  // "12.3k/100.0k" is the widest usual text
  size_t names = 5, states = 6, clis = 3;
  const auto state_of = [](const MemberView& view) {
    return view.session ? state_text(*view.session) : std::string("stopped");
  };
  for (const MemberView& view : views) {
    names = std::max(names, view.member.spec.name.size());
    states = std::max(states, state_of(view).size());
    clis = std::max(clis, view.member.spec.cli.size());
  }
  std::string text = padded("AGENT", names) + padded("STATUS", states) + padded("CLI", clis) +
                     padded("WAITING", 7) + padded("TOKENS", kTokens) + "ROLE\n";
  for (const MemberView& view : views) {
    const bool reports = view.session && view.session->report;
    const std::string spent = reports ? spent_text(*view.session->report) : "";
    text += padded(view.member.spec.name, names) + padded(state_of(view), states) +
            padded(view.member.spec.cli, clis) +
            padded(reports ? std::to_string(view.session->report->pending) : "-", 7) +
            padded(spent.empty() ? "-" : spent, kTokens) + base::printable(view.member.spec.role) +
            "\n";
  }
  return text;
}

}  // namespace

int crew_status(const CrewStatusOptions& options) {
  const Result<FoundCrew> crew = find_crew(options.state_dir);
  if (!crew) return report_no_session(crew.error());
  const Result<std::vector<MemberView>> members = view_members(*crew);
  if (!members) return report(members.error());
  const std::vector<MemberView>& views = *members;
  std::fputs((options.json ? crew_json(*crew, views) : crew_table(views)).c_str(), stdout);
  const bool all_run = std::all_of(views.begin(), views.end(), [](const MemberView& view) {
    return view.session && view.session->record.status == store::SessionStatus::kRunning;
  });
  return all_run && !views.empty() ? 0 : kNoSuchSession;
}

}  // namespace orch::cli

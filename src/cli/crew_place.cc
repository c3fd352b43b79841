#include "cli/crew_place.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/text.h"
#include "host/crew_host.h"
#include "loop/loop.h"
#include "pty/run_mark.h"
#include "setup/paths.h"

namespace orch::cli {
namespace {

using base::Result;

constexpr const char* kNoCrew = "no crew is up here; see orch crew up --help";

Result<FoundCrew> open_crew(const client::Place& place, const std::string& project_folder) {
  wait_for_folder(place, project_folder);
  Result<store::CrewFolder> folder =
      store::CrewFolder::open(project_folder, store::CrewFolder::Missing::kIsError);
  if (!folder) {
    if (folder.error().code != base::ErrorCode::kNotFound) return folder.error();
    return base::Error{base::ErrorCode::kNotFound, kNoCrew};
  }
  const auto text = folder->read_state();
  if (!text) return text.error();
  if (!*text) return base::Error{base::ErrorCode::kNotFound, kNoCrew};
  Result<crew::CrewState> state =
      crew::crew_state_from_json(**text, folder->path() + "/state.json");
  if (!state) return state.error();
  // Computed again: an agent may have written the name of another session into the file.
  for (crew::Member& member : state->members) {
    const std::string issue = crew::issue_of(state->project, member.spec.name);
    member.session = store::session_key(issue, project_folder);
  }
  return FoundCrew{place, project_folder, std::move(folder).value(), std::move(state).value()};
}

// The repository of the run that this process belongs to, according to its environment; "" if none.
// An agent in a worktree needs it, because the worktree lies outside of the project.
std::string repository_of_own_run(const std::string& state_dir) {
  const std::string run = setup::environment(std::string(pty::kRunMark).c_str());
  if (run.empty()) return "";
  const Result<std::vector<store::SessionRecord>> sessions = store::list_sessions(state_dir);
  if (!sessions) return "";
  for (const store::SessionRecord& session : *sessions) {
    if (session.run == run) return session.repository;
  }
  return "";
}

}  // namespace

Result<std::vector<store::SessionRecord>> sessions_of_crew(const std::string& state_dir,
                                                           const std::string& project_folder) {
  Result<std::vector<store::SessionRecord>> sessions = store::list_sessions(state_dir);
  if (!sessions) return sessions;
  std::erase_if(*sessions, [&](const store::SessionRecord& session) {
    return session.repository != project_folder || !session.issue.starts_with(crew::crew_name(""));
  });
  return sessions;
}

void wait_for_folder(const client::Place& place, const std::string& project_folder) {
  const auto is_there = [&] {
    const auto folder =
        store::CrewFolder::open(project_folder, store::CrewFolder::Missing::kIsError);
    if (!folder) return folder.error().code != base::ErrorCode::kNotFound;
    const auto state = folder->read_state();
    return !state || state->has_value();
  };
  const auto runs = [&] {
    const auto sessions = sessions_of_crew(place.state_dir, project_folder);
    return sessions && std::any_of(sessions->begin(), sessions->end(), [](const auto& session) {
             return session.status == store::SessionStatus::kRunning;
           });
  };
  const auto until = std::chrono::steady_clock::now() +
                     std::chrono::milliseconds(2 * host::CrewHost::kLookAroundMs);
  while (!is_there() && runs() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

Result<FoundCrew> find_crew(const std::optional<std::string>& state_dir) {
  Result<client::Place> place = setup::place_of(state_dir);
  if (!place) return place.error();
  Result<FoundCrew> crew = open_crew(*place, place->repository);
  if (crew || crew.error().code != base::ErrorCode::kNotFound) return crew;
  const std::string other = repository_of_own_run(place->state_dir);
  if (other.empty() || other == place->repository) return crew;
  return open_crew(*place, other);
}

const crew::Member* own_member(const FoundCrew& crew) {
  const std::string run = setup::environment(std::string(pty::kRunMark).c_str());
  if (run.empty()) return nullptr;
  for (const crew::Member& member : crew.state.members) {
    if (member.run == run) return &member;
  }
  return nullptr;
}

Result<crew::Member> member_named(const FoundCrew& crew, const std::string& name) {
  if (const crew::Member* member = crew::find_member(crew.state, name)) return *member;
  std::string known;
  for (const crew::Member& member : crew.state.members) {
    known += (known.empty() ? "" : ", ") + member.spec.name;
  }
  return base::Error{base::ErrorCode::kNotFound, "no agent of crew " + crew.state.project +
                                                     " is called \"" + base::printable(name) +
                                                     "\"; there are " + known};
}

store::Found<store::SessionRecord> running_session(const std::string& state_dir,
                                                   const crew::Member& member) {
  store::Found<store::SessionRecord> session = store::session_of(state_dir, member.session);
  const bool rests = session.is_present() && session->status != store::SessionStatus::kRunning;
  return rests ? store::Found<store::SessionRecord>::absent() : std::move(session);
}

Result<store::SessionRecord> session_of_member(const FoundCrew& crew, const crew::Member& member) {
  const store::Found<store::SessionRecord> session =
      store::session_of(crew.place.state_dir, member.session);
  if (session.is_unknown()) return session.error();
  if (session.is_present() && session->status == store::SessionStatus::kRunning) return *session;
  const bool starts = session.is_present() && session->status == store::SessionStatus::kQueued;
  return base::Error{base::ErrorCode::kNotFound,
                     "agent " + member.spec.name +
                         (starts ? " is being started; see orch crew status"
                                 : " does not run; orch crew up brings it back")};
}

Result<wire::Answer> ask_member(const FoundCrew& crew, const std::string& name,
                                const wire::Verb& verb, int64_t deadline_ms) {
  const Result<crew::Member> member = member_named(crew, name);
  if (!member) return member.error();
  const Result<store::SessionRecord> session = session_of_member(crew, *member);
  if (!session) return session.error();
  loop::Loop loop;
  return client::ask(loop, crew.place.state_dir, *session, verb, deadline_ms);
}

}  // namespace orch::cli

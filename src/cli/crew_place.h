#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/client.h"
#include "client/find.h"
#include "crew/crew_state.h"
#include "store/crew_folder.h"
#include "store/session_file.h"

namespace orch::cli {

// The crew of the present project.
struct FoundCrew {
  client::Place place;
  std::string project_folder;
  store::CrewFolder folder;
  crew::CrewState state;
};

// The sessions of the crew of `project_folder`, found by the session files in the state directory,
// which no agent can write. .crew/state.json would not do: an agent may have changed it.
base::Result<std::vector<store::SessionRecord>> sessions_of_crew(const std::string& state_dir,
                                                                 const std::string& project_folder);

// If .crew was removed under a running crew ("git clean -fdx"), waits until its host has noticed
// and made it again.
void wait_for_folder(const client::Place& place, const std::string& project_folder);

// kNotFound if there is none. An agent finds its own crew, wherever it works.
base::Result<FoundCrew> find_crew(const std::optional<std::string>& state_dir);

// The member that this process belongs to, according to its environment; nullptr: to none. This
// does not decide what the process may do.
const crew::Member* own_member(const FoundCrew& crew);

// kNotFound: no agent of the crew has that name.
base::Result<crew::Member> member_named(const FoundCrew& crew, const std::string& name);

// The session of a member while it runs; otherwise kNotFound.
base::Result<store::SessionRecord> session_of_member(const FoundCrew& crew,
                                                     const crew::Member& member);
// Asks one agent of the crew and returns its answer.
base::Result<wire::Answer> ask_member(const FoundCrew& crew, const std::string& name,
                                      const wire::Verb& verb, int64_t deadline_ms);
// The session of a member; absent if it does not run.
store::Found<store::SessionRecord> running_session(const std::string& state_dir,
                                                   const crew::Member& member);

}  // namespace orch::cli

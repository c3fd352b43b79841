#pragma once

#include <deque>
#include <string>

#include "base/result.h"
#include "client/find.h"
#include "crew/crew_spec.h"
#include "crew/crew_state.h"
#include "crew/debts.h"
#include "fence/fence.h"
#include "host/crew_host.h"
#include "options/run_request.h"
#include "setup/run_setup.h"

// Turns the words of `orch crew up`, and the crew file, into the sessions that a crew's host
// starts.
namespace orch::setup {

struct CrewOptions {
  std::string file;                            // "": crew.yaml, or the crew that was up before
  options::RunRequest each;                    // the options for each agent, as for orch run
  std::string crew_max_tokens, crew_max_cost;  // limits for all agents together; "": no limit
};

// The name of the multiplexer session of a crew, "crew-shop@1f3c09ab". The suffix distinguishes
// crews of the same name in different repositories.
std::string crew_session(const std::string& project, const std::string& repository);

// The path of the crew file: the named one, otherwise crew.yaml here or in the project's folder; ""
// if there is none.
std::string crew_file(const CrewOptions& options, const client::Place& place);

// The crew to bring up: the crew of the file, with the prompts that it keeps in other files, each
// after a text that explains how to write to the others. Without a file (""), the crew that was up
// before.
base::Result<crew::CrewSpec> wanted_crew(const std::string& file, const crew::CrewState& before);

// The limits of all agents of the crew together; 0: no limit.
base::Result<crew::Debts::Purse> crew_budget(const CrewOptions& options);

// Makes the session setups of a crew's agents. Their permissions without asking come from the
// command line alone, never from a file of the project.
class MemberSetups {
 public:
  MemberSetups(CrewOptions options, std::string project_folder, std::string state_dir);

  // Finds out which fence this machine offers, by running bubblewrap; call it before any session
  // depends on this process.
  void find_fence();

  // Whether the agent's own record of a run has this text as its last message, written since
  // `entered` (RFC 3339, UTC).
  bool was_recorded(const std::string& run, const std::string& text,
                    const std::string& entered) const;

  // An error names the agent.
  base::Result<host::MemberPlan> plan(const std::string& project, const crew::Member& member);

 private:
  options::RunRequest request_of(const std::string& project, const crew::Member& member) const;
  void take_up(const crew::Member& member, options::RunRequest& request) const;

  CrewOptions options_;
  std::string project_folder_, state_dir_;
  fence::Offer offer_;  // the fence of this machine; not looked for with --sandbox none
  std::deque<AgentChoice> choices_;  // a deque, because sessions refer to its elements
};

}  // namespace orch::setup

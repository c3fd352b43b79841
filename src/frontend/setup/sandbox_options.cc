#include "setup/sandbox_options.h"

#include <algorithm>
#include <utility>

#include "base/path.h"
#include "base/text.h"
#include "fence/places.h"
#include "fence/work_places.h"
#include "repo/snapshot.h"
#include "sandbox/engine.h"
#include "setup/own_programs.h"
#include "setup/paths.h"

namespace orch::setup {
namespace {

using base::Result;
using base::usage_error;

constexpr const char* kWithout =
    "; --sandbox none runs without a fence, and --sandbox external is for a container or machine "
    "made for this agent";

bool bypasses(const std::vector<std::string>& command, const adapters::Registry& agents) {
  return std::any_of(command.begin(), command.end(),
                     [&agents](const std::string& word) { return agents.is_bypass(word); });
}

// Whether the command runs a known agent. The command after -- may be any, and -y can mean anything
// there.
bool is_agent(const std::vector<std::string>& command, const adapters::Registry& agents) {
  return std::any_of(command.begin(), command.end(), [&agents](std::string_view word) {
    return agents.knows(word.substr(word.rfind('/') + 1));
  });
}

Result<std::vector<std::string>> resolve_all(const std::vector<std::string>& paths,
                                             const char* option) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    Result<std::string> real = named_place(path);
    if (!real) return usage_error(std::string(option) + " " + real.error().text);
    out.push_back(std::move(real).value());
  }
  return out;
}

// Notes variables that say that keys lie in the agent's work directory. The agent can replace
// writable files there, and also read them without namespaces.
void note_keys_at_work(const std::string& work_dir, const fence::Guarded& guarded,
                       std::vector<std::string>& notes) {
  const auto variables = [](std::string_view name) {
    return environment(std::string(name).c_str());
  };
  for (const std::string& place :
       fence::places_of_variables(guarded.homes, variables, {work_dir})) {
    if (!base::is_within(place, work_dir)) continue;
    notes.push_back("a variable says that keys lie in " + base::printable(place) +
                    ", which the agent may write: a fence closes them only as they are now, and "
                    "only with namespaces");
  }
}

Result<std::optional<session::FenceRequest>> fence_wanted(const options::RunRequest& request,
                                                          const FenceCircumstances& place,
                                                          const adapters::Registry& agents,
                                                          std::vector<std::string>& notes) {
  const bool details = request.network || !request.write.empty() || !request.read.empty();
  const bool unasked = is_agent(place.command, agents) && bypasses(place.command, agents);
  const bool answered = place.approve != "none";
  session::FenceRequest wanted;
  wanted.launcher = place.launcher;
  wanted.socket_folder = place.socket_folder;
  using Snapshot = session::FenceRequest::Snapshot;
  wanted.snapshot = request.snapshot ? Snapshot::kNeeded : Snapshot::kNone;
  std::optional<session::FenceRequest> open;  // without a fence
  const bool needed = unasked || answered || place.needs_snapshot;
  if (request.snapshot && (needed || place.may_write)) {
    open = wanted;
    // The user is asked before the agent acts, and may want to work in a place without snapshots.
    if (!needed) open->snapshot = Snapshot::kIfPossible;
  }
  if (sandbox::engine_named(request.sandbox)) return open;  // see container_options.h
  if (!request.image.empty() || !request.container.empty() || !request.mounts.empty() ||
      !request.memory.empty() || !request.cpus.empty() || request.pids_limit) {
    return usage_error(
        "--image, --container, --mount, --memory, --cpus and --pids-limit go with --sandbox "
        "docker or podman");
  }
  if (request.sandbox == "none" || request.sandbox == "external") {
    if (details) {
      return usage_error(
          "--net, --write and --read say what a fence grants; there is none with --sandbox " +
          request.sandbox);
    }
    return open;
  }
  const bool insists = request.sandbox == "landlock";
  if (!insists && !details && !unasked && !answered) return open;

  wanted.offer = place.offer != nullptr ? *place.offer : fence::find_offer();
  // An agent must not be able to weaken the next one's fence.
  if (wanted.offer.refused) return usage_error(wanted.offer.no_namespaces);
  const bool all = unasked || place.approve == "all";
  if (!wanted.offer.any() || (insists && wanted.offer.landlock == 0)) {
    const std::string lacking = "this machine has no fence (" + to_text(wanted.offer) + ")";
    if (insists || details) return usage_error("--sandbox " + request.sandbox + ": " + lacking);
    if (all) return usage_error("nobody is asked before the agent acts, and " + lacking + kWithout);
    notes.push_back(lacking + ": the policy alone decides what the agent does");
    return open;
  }
  const fence::Guarded guarded = guarded_here(place.state_dir);
  wanted.verdicts = guarded.verdicts;
  if (const auto work = fence::grant_as_decided(place.work_dir, guarded); !work) {
    return usage_error(work.error().text + ": name another directory with --cwd" + kWithout);
  }
  // Checked before anything is started; the host checks it again.
  if (const auto git = fence::WorkPlaces(place.state_dir).git_folders(place.work_dir); !git) {
    return git.error();
  }
  if (request.network) {
    Result<fence::Network> network = fence::parse_network(*request.network);
    if (!network) return network.error();
    wanted.network = std::move(network).value();
  }
  Result<std::vector<std::string>> write = resolve_all(request.write, "--write");
  if (!write) return write.error();
  for (const std::string& path : *write) {
    if (const auto granted = fence::grant_as_decided(path, guarded); !granted) {
      return usage_error("--write: " + granted.error().text + kWithout);
    }
  }
  wanted.write = std::move(write).value();
  Result<std::vector<std::string>> read = resolve_all(request.read, "--read");
  if (!read) return read.error();
  wanted.read = std::move(read).value();
  note_keys_at_work(place.work_dir, guarded, notes);
  if (wanted.offer.root && wanted.offer.bubblewrap.empty()) {
    notes.emplace_back("fenced as root, without namespaces (" + wanted.offer.no_namespaces +
                       "): modes and owners of files outside can still be changed");
  }
  return std::optional(std::move(wanted));
}

}  // namespace

Result<std::optional<session::FenceRequest>> sandbox_of(const options::RunRequest& request,
                                                        const FenceCircumstances& place,
                                                        const adapters::Registry& agents,
                                                        std::vector<std::string>& notes) {
  Result<std::optional<session::FenceRequest>> wanted = fence_wanted(request, place, agents, notes);
  if (!wanted) return wanted;
  using Snapshot = session::FenceRequest::Snapshot;
  const bool contained = sandbox::engine_named(request.sandbox).has_value();
  const Snapshot snapshot = *wanted ? (*wanted)->snapshot : Snapshot::kNone;
  if (!contained && snapshot == Snapshot::kNone) return wanted;
  const base::Status apart = check_records_place(place.work_dir, place.state_dir);
  if (apart) return wanted;
  if (!contained && snapshot == Snapshot::kIfPossible) {
    notes.push_back("no snapshot, so no undo of this run: " + apart.error().text);
    return std::optional<session::FenceRequest>();
  }
  return usage_error(apart.error().text + (contained ? "" : ", or leave it out: --no-snapshot"));
}

policy::Held held_by(bool is_fenced, const std::string& sandbox) {
  if (is_fenced) return policy::Held::kByFence;
  return sandbox == "external" ? policy::Held::kExternal : policy::Held::kNot;
}

base::Status check_records_place(const std::string& work_dir, const std::string& state_dir) {
  const base::Status apart = repo::check_snapshot_place(work_dir, state_dir);
  if (apart) return base::Ok{};
  return usage_error(apart.error().text +
                     ", where the agent works: keep orch's records elsewhere, by --state-dir or "
                     "ORCH_STATE_DIR");
}

}  // namespace orch::setup

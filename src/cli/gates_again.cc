#include "cli/gates_again.h"

#include <cstdio>

#include "base/name.h"
#include "cli/own_command.h"
#include "client/runs.h"
#include "fence/fence.h"

namespace orch::cli {
namespace {

constexpr const char* kEnding = "-gates";

// The options that shut the gates in as the agent was.
std::vector<std::string> fence_words(const options::RunRequest& request) {
  std::vector<std::string> words;
  const auto pass_on = [&words](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  if (request.sandbox == "docker" || request.sandbox == "podman") {
    pass_on("--sandbox", request.sandbox);
    pass_on("--image", request.image);
    pass_on("--memory", request.memory);
    pass_on("--cpus", request.cpus);
    for (const std::string& mount : request.mounts) pass_on("--mount", mount);
  } else if (request.sandbox == "external") {
    pass_on("--sandbox", request.sandbox);
  } else if (const fence::Offer offer = fence::find_offer(); offer.any()) {
    if (offer.landlock > 0) pass_on("--sandbox", "landlock");
    // Without Landlock, naming the network raises the fence, too.
    if (!request.network) pass_on("--net", "all");
    for (const std::string& path : request.write) pass_on("--write", path);
    for (const std::string& path : request.read) pass_on("--read", path);
  } else {
    std::fprintf(stderr, "orch: this machine has no fence, so the gates run without one\n");
  }
  if (request.network) pass_on("--net", *request.network);
  return words;
}

}  // namespace

base::Result<GatesAgain> run_gates_again(const client::Place& place, const store::RunRecord& run,
                                         const std::string& root, const std::string& folder) {
  GatesAgain again;
  if (!run.request || run.request->verify.empty()) return again;
  const std::string ending = kEnding;
  again.name = run.issue.substr(0, base::kMaxName - ending.size()) + ending;
  std::vector<std::string> words{"run",         again.name,      "--cwd",         folder,
                                 "--state-dir", place.state_dir, "--no-snapshot", "--shared-folder",
                                 "--output",    "quiet"};
  for (const std::string& gate : run.request->verify) {
    words.insert(words.end(), {"--verify", gate});
  }
  if (const std::string& time = run.request->verify_timeout; !time.empty()) {
    words.insert(words.end(), {"--verify-timeout", time});
  }
  if (const std::string& lock = run.request->gate_lock; !lock.empty()) {
    words.insert(words.end(), {"--gate-lock", lock});
  }
  const std::vector<std::string> fence = fence_words(*run.request);
  words.insert(words.end(), fence.begin(), fence.end());
  words.insert(words.end(), {"--", "true"});
  const base::Result<int> code = run_own_command(words, environment_without_logins(), "");
  if (!code) return code.error();
  again.code = *code;
  client::RunFilter filter;
  filter.issue = again.name;
  filter.reach = client::Reach::kEverywhere;  // the checkout counts as a repository of its own
  const base::Status found = client::each_run(place, filter, [&](const client::RunView& view) {
    const bool is_of_it = view.record.cwd.starts_with(root) && again.gates.empty();
    if (is_of_it && view.record.verdict) again.gates = view.record.verdict->gates;
  });
  if (!found) return found.error();
  return again;
}

}  // namespace orch::cli

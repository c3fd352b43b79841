// Reads kubectl's output.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "engine/kubernetes.h"
#include "engine/number.h"

namespace orch::engine {
namespace {

using base::Json;
using base::member;
using base::text_at;

// Whether an index is in a list like "0-3,5".
bool is_listed(std::string_view list, size_t index) {
  while (!list.empty()) {
    const std::string_view range = base::take_until(list, ',');
    const size_t dash = std::min(range.find('-'), range.size());
    const std::optional<size_t> first = number_of(range.substr(0, dash));
    const std::optional<size_t> last =
        dash < range.size() ? number_of(range.substr(dash + 1)) : first;
    if (first && last && *first <= index && index <= *last) return true;
  }
  return false;
}

bool has_condition(const Json& status, std::string_view type) {
  const Json& conditions = member(status, "conditions");
  return conditions.is_array() &&
         std::any_of(conditions.begin(), conditions.end(), [type](const Json& condition) {
           return text_at(condition, "type") == type && text_at(condition, "status") == "True";
         });
}

// The last words of a container that has ended; nullopt if they are not a verdict with its exit
// code.
std::optional<AttemptResult> verdict_of(const Json& status) {
  const Json& containers = member(status, "containerStatuses");
  if (!containers.is_array() || containers.empty()) return std::nullopt;
  const Json& ended = member(member(containers.front(), "state"), "terminated");
  base::Result<AttemptResult> result = attempt_result_from_json(text_at(ended, "message"));
  const Json& code = member(ended, "exitCode");
  if (!result || !code.is_number_integer() || code.get<int>() != result->code) return std::nullopt;
  return std::move(result).value();
}

struct Pod {
  std::string name, created, phase, reason;
  bool disrupted = false;
  std::optional<AttemptResult> verdict;
};

// The newest pod of each index of a part.
std::map<size_t, Pod> pods_of(const std::string& job, const Json& pods) {
  std::map<size_t, Pod> newest;
  for (const Json& item : member(pods, "items")) {
    const Json& metadata = member(item, "metadata");
    const Json& labels = member(metadata, "labels");
    if (text_at(labels, "batch.kubernetes.io/job-name") != job) continue;
    const std::optional<size_t> index = number_of(
        text_at(member(metadata, "annotations"), "batch.kubernetes.io/job-completion-index"));
    if (!index) continue;
    const Json& status = member(item, "status");
    Pod pod{.name = text_at(metadata, "name"),
            .created = text_at(metadata, "creationTimestamp"),
            .phase = text_at(status, "phase"),
            .reason = text_at(status, "reason"),
            .disrupted = has_condition(status, "DisruptionTarget"),
            .verdict = verdict_of(status)};
    Pod& known = newest[*index];
    // A verdict stays, whatever a later pod of the index does.
    if (known.verdict || (known.created > pod.created && !pod.verdict)) continue;
    known = std::move(pod);
  }
  return newest;
}

EngineState ended_state(const Pod& pod) {
  if (pod.reason == "DeadlineExceeded") return EngineState::kTimeLimit;
  return pod.disrupted ? EngineState::kNodeLost : EngineState::kEnded;
}

EngineJob job_of_index(const Json& status, size_t local, const Pod* pod) {
  const bool is_over = has_condition(status, "Complete") || has_condition(status, "Failed") ||
                       is_listed(text_at(status, "completedIndexes"), local) ||
                       is_listed(text_at(status, "failedIndexes"), local);
  EngineJob job;
  if (pod == nullptr) {
    job.state = is_over ? EngineState::kEnded : EngineState::kWaits;
    return job;
  }
  job.id = pod->name;
  job.word = pod->phase;
  job.verdict = pod->verdict;
  if (is_over) {
    job.state = ended_state(*pod);
  } else {
    // A pod that has failed while its index has not is followed by another.
    job.state = pod->phase == "Running" ? EngineState::kRuns : EngineState::kWaits;
  }
  return job;
}

}  // namespace

base::Result<EngineAnswer> read_kubernetes(const Submission& submission, std::string_view jobs,
                                           std::string_view pods) {
  const Json all_jobs = base::parse_json(jobs);
  const Json all_pods = base::parse_json(pods);
  if (!member(all_jobs, "items").is_array() || !member(all_pods, "items").is_array()) {
    return base::Error{base::ErrorCode::kSystem, "kubectl printed no list of Jobs and pods"};
  }
  EngineAnswer answer{.asked = true, .jobs = {}};
  for (size_t part = 0; part < submission.parts.size(); ++part) {
    const std::string part_of = part_name(submission, part);
    const Json& items = member(all_jobs, "items");
    const auto found = std::find_if(items.begin(), items.end(), [&part_of](const Json& item) {
      return text_at(member(item, "metadata"), "name") == part_of;
    });
    if (found == items.end()) continue;  // somebody has deleted it
    const std::map<size_t, Pod> newest = pods_of(part_of, all_pods);
    for (size_t local = 0; local < part_size(submission, part); ++local) {
      const auto pod = newest.find(local);
      EngineJob job = job_of_index(member(*found, "status"), local,
                                   pod == newest.end() ? nullptr : &pod->second);
      job.index = submission.parts[part] + local;
      answer.jobs.push_back(std::move(job));
    }
  }
  return answer;
}

}  // namespace orch::engine

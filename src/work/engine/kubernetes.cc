#include "engine/kubernetes.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "event/exit_reason.h"
#include "session/environment.h"

namespace orch::engine {
namespace {

using base::Json;

// orch needs 10 s at most to end an agent, and writes the artifacts then, to a network disk.
constexpr int kGraceSeconds = 120;
constexpr int64_t kSecondsInMinute = 60;
constexpr int kModeOfRequests = 0440;  // a pod may run as a user of its own, with fsGroup
constexpr const char* kLabel = "orch.submission";
constexpr const char* kShare = "/orch/share";  // where the volume stands in a pod

Json labels_of(const Submission& submission) {
  return {{"app.kubernetes.io/managed-by", "orch"}, {kLabel, base::lower(submission.id)}};
}

// Kubernetes replaces $(NAME) in a value, and $$ is one $.
std::string literal(std::string_view text) {
  std::string value;
  for (const char c : text) value.append(c == '$' ? 2 : 1, c);
  return value;
}

// Kubernetes writes docker's "4g" as "4Gi".
base::Result<std::string> memory_quantity(const std::string& text) {
  const size_t digits = text.find_first_not_of("0123456789");
  const std::string unit = base::lower(digits == std::string::npos ? "" : text.substr(digits));
  const std::string number = text.substr(0, digits);
  if (number.empty() || number.size() > 15) {
    return base::usage_error("--memory " + base::printable(text) +
                             ": write a size, like 512m or 4g");
  }
  if (unit.empty() || unit == "b") return number;
  if (unit == "k") return number + "Ki";
  if (unit == "m") return number + "Mi";
  if (unit == "g") return number + "Gi";
  return base::usage_error("--memory " + base::printable(text) + ": write a size, like 512m or 4g");
}

base::Result<std::string> cpu_quantity(const std::string& text) {
  const size_t dot = std::min(text.find('.'), text.size());
  const std::string whole = text.substr(0, dot);
  const std::string part = dot < text.size() ? text.substr(dot + 1) : "0";
  const auto is_number = [](const std::string& digits) {
    return !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
  };
  if (is_number(whole) && is_number(part) && part.size() <= 3) return text;
  return base::usage_error("--cpus " + base::printable(text) + ": write a number, like 2 or 1.5");
}

base::Result<Json> resources_of(const KubernetesPlan& plan) {
  Json limits = Json::object();
  if (!plan.memory.empty()) {
    const base::Result<std::string> memory = memory_quantity(plan.memory);
    if (!memory) return memory.error();
    limits["memory"] = *memory;
  }
  if (!plan.cpus.empty()) {
    const base::Result<std::string> cpus = cpu_quantity(plan.cpus);
    if (!cpus) return cpus.error();
    limits["cpu"] = *cpus;
  }
  return Json{{"limits", limits}, {"requests", limits}};
}

// A value from the command line also stands in the Job, for the agent alone. Variables that are
// given by name come from the Secret that the user has made.
Json environment_of(const KubernetesPlan& plan) {
  Json env = Json::array();
  env.push_back(
      {{"name", "ORCH_INDEX"},
       {"valueFrom",
        {{"fieldRef",
          {{"fieldPath", "metadata.annotations['batch.kubernetes.io/job-completion-index']"}}}}}});
  // orch makes the folder itself, for itself alone.
  env.push_back({{"name", "ORCH_STATE_DIR"}, {"value", "/orch/state/orch"}});
  for (const std::string& word : plan.variables) {
    const size_t sign = word.find('=');
    if (sign == std::string::npos) {
      env.push_back({{"name", word},
                     {"valueFrom", {{"secretKeyRef", {{"name", plan.secret}, {"key", word}}}}}});
    } else {
      env.push_back({{"name", std::string(session::kForAgent) + word.substr(0, sign)},
                     {"value", literal(std::string_view(word).substr(sign + 1))}});
    }
  }
  return env;
}

// The ends of a job without a verdict: a limit, a kill, and SIGTERM, which comes with a disruption.
bool is_begun_again(const event::ExitRow& row) {
  using event::ExitReason;
  return row.reason == ExitReason::kRetryLater || row.reason == ExitReason::kKilled ||
         row.reason == ExitReason::kTerminated;
}

Json failure_policy() {
  Json again = Json::array(), fails = Json::array();
  std::vector<int> known;
  for (const event::ExitRow& row : event::exit_table()) {
    if (row.code == 0 || row.reason == event::ExitReason::kAgentSignal) continue;
    if (std::find(known.begin(), known.end(), row.code) != known.end()) continue;
    known.push_back(row.code);
    (is_begun_again(row) ? again : fails).push_back(row.code);
  }
  std::sort(again.begin(), again.end());
  std::sort(fails.begin(), fails.end());
  const auto by_code = [](const char* action, const Json& codes) {
    return Json{
        {"action", action},
        {"onExitCodes", {{"containerName", "orch"}, {"operator", "In"}, {"values", codes}}}};
  };
  Json rules = Json::array();
  rules.push_back({{"action", "Ignore"},
                   {"onPodConditions", {{{"type", "DisruptionTarget"}, {"status", "True"}}}}});
  rules.push_back(by_code("FailIndex", fails));
  rules.push_back(by_code("Count", again));
  return {{"rules", rules}};
}

Json secret_of(const KubernetesPlan& plan, size_t part) {
  const Submission& submission = *plan.submission;
  Json data = Json::object();
  for (size_t local = 0; local < part_size(submission, part); ++local) {
    data[std::to_string(local) + ".json"] = plan.requests[submission.parts[part] + local];
  }
  return {{"apiVersion", "v1"},
          {"kind", "Secret"},
          {"metadata", {{"name", part_name(submission, part)}, {"labels", labels_of(submission)}}},
          {"immutable", true},
          {"type", "Opaque"},
          {"stringData", data}};
}

Json pod_of(const KubernetesPlan& plan, size_t part, const Json& resources) {
  const Submission& submission = *plan.submission;
  const std::string artifacts = kShare + ("/" + submission.id) + "/" + std::to_string(part);
  Json container{{"name", "orch"},
                 {"image", submission.image},
                 {"command",
                  {"orch", "run", "--request", "/orch/request.json", "--artifacts",
                   artifacts + "/$(ORCH_INDEX)", "--output", "quiet"}},
                 {"env", environment_of(plan)},
                 {"resources", resources},
                 {"terminationMessagePath", "/dev/termination-log"},
                 {"volumeMounts",
                  {{{"name", "requests"},
                    {"mountPath", "/orch/request.json"},
                    {"subPathExpr", "$(ORCH_INDEX).json"},
                    {"readOnly", true}},
                   {{"name", "share"}, {"mountPath", kShare}},
                   {{"name", "state"}, {"mountPath", "/orch/state"}}}}};
  Json share{{"name", "share"}};
  if (submission.claim.empty()) {
    share["emptyDir"] = Json::object();
  } else {
    share["persistentVolumeClaim"] = {{"claimName", submission.claim}};
  }
  Json spec{{"restartPolicy", "Never"},
            {"terminationGracePeriodSeconds", kGraceSeconds},
            {"automountServiceAccountToken", false},
            {"enableServiceLinks", false},
            {"containers", Json::array({container})},
            {"volumes", Json::array({{{"name", "requests"},
                                      {"secret",
                                       {{"secretName", part_name(submission, part)},
                                        {"defaultMode", kModeOfRequests}}}},
                                     share,
                                     {{"name", "state"}, {"emptyDir", Json::object()}}})}};
  if (plan.timeout_ms > 0) {
    spec["activeDeadlineSeconds"] = job_minutes(plan.timeout_ms) * kSecondsInMinute;
  }
  return spec;
}

Json job_of(const KubernetesPlan& plan, size_t part, const Json& resources) {
  const Submission& submission = *plan.submission;
  const size_t count = part_size(submission, part), parts = submission.parts.size();
  size_t at_once = count;
  if (submission.jobs > 0) {
    // Each part gets its share of --jobs, and the first ones share the remainder.
    const auto jobs = static_cast<size_t>(submission.jobs);
    at_once = std::min(count, std::max<size_t>(1, jobs / parts + (part < jobs % parts ? 1 : 0)));
  }
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", part_name(submission, part)}, {"labels", labels_of(submission)}}},
          {"spec",
           {{"completionMode", "Indexed"},
            {"completions", count},
            {"parallelism", at_once},
            {"backoffLimitPerIndex", submission.retries},
            {"podReplacementPolicy", "Failed"},
            {"podFailurePolicy", failure_policy()},
            {"template",
             {{"metadata", {{"labels", labels_of(submission)}}},
              {"spec", pod_of(plan, part, resources)}}}}}};
}

std::vector<std::string> kubectl(const Submission& submission, std::vector<std::string> words) {
  std::vector<std::string> all{"kubectl"};
  all.insert(all.end(), submission.engine_options.begin(), submission.engine_options.end());
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

std::string selector(const Submission& submission) {
  return "--selector=" + std::string(kLabel) + "=" + base::lower(submission.id);
}

}  // namespace

base::Result<std::vector<size_t>> kubernetes_parts(const std::vector<std::string>& issues,
                                                   const std::vector<size_t>& sizes) {
  std::vector<size_t> parts;
  size_t filled = 0;
  for (size_t index = 0; index < issues.size(); ++index) {
    const size_t size = sizes[index] + std::string_view("1000.json").size();
    if (size > kMostInSecret) {
      return base::usage_error("issue " + issues[index] + " takes " + std::to_string(size) +
                               " bytes, and a Secret of Kubernetes has room for " +
                               std::to_string(kMostInSecret) + ": shorten its prompt");
    }
    const bool full =
        filled + size > kMostInSecret || (!parts.empty() && index - parts.back() >= kMostInJob);
    if (parts.empty() || full) {
      parts.push_back(index);
      filled = 0;
    }
    filled += size;
  }
  return parts;
}

base::Result<std::string> kubernetes_manifest(const KubernetesPlan& plan) {
  const base::Result<Json> resources = resources_of(plan);
  if (!resources) return resources.error();
  Json items = Json::array();
  for (size_t part = 0; part < plan.submission->parts.size(); ++part) {
    items.push_back(secret_of(plan, part));
    items.push_back(job_of(plan, part, *resources));
  }
  return base::json_text({{"apiVersion", "v1"}, {"kind", "List"}, {"items", items}});
}

std::vector<std::string> apply_words(const Submission& submission, const std::string& manifest) {
  return kubectl(submission,
                 {"apply", "--server-side", "--field-manager=orch", "--filename", manifest});
}

std::vector<std::string> get_jobs_words(const Submission& submission) {
  return kubectl(submission, {"get", "jobs", selector(submission), "--output=json"});
}

std::vector<std::string> get_pods_words(const Submission& submission) {
  return kubectl(submission, {"get", "pods", selector(submission), "--output=json"});
}

std::string fetch_pod_name(const Submission& submission, const std::string& word) {
  return "orch-" + base::lower(submission.id) + "-" + word;
}

std::string fetch_manifest(const Submission& submission, const std::string& name) {
  const Json container{
      {"name", "share"},
      {"image", submission.image},
      {"command", {"sleep", "3600"}},
      {"volumeMounts", {{{"name", "share"}, {"mountPath", kShare}, {"readOnly", true}}}}};
  const Json claim{{"claimName", submission.claim}, {"readOnly", true}};
  return base::json_text(
      {{"apiVersion", "v1"},
       {"kind", "Pod"},
       // Without the submission's label, because it is not one of its jobs.
       {"metadata", {{"name", name}, {"labels", {{"app.kubernetes.io/managed-by", "orch"}}}}},
       {"spec",
        {{"restartPolicy", "Never"},
         {"automountServiceAccountToken", false},
         {"activeDeadlineSeconds", 3600},
         {"containers", Json::array({container})},
         {"volumes", Json::array({{{"name", "share"}, {"persistentVolumeClaim", claim}}})}}}});
}

std::vector<std::string> fetch_wait_words(const Submission& submission, const std::string& name) {
  return kubectl(submission, {"wait", "--for=condition=Ready", "--timeout=300s", "pod/" + name});
}

std::vector<std::string> fetch_copy_words(const Submission& submission, const std::string& name,
                                          const std::string& to) {
  return kubectl(submission, {"cp", name + ":" + kShare + "/" + submission.id, to});
}

std::vector<std::string> fetch_end_words(const Submission& submission, const std::string& name) {
  return kubectl(submission, {"delete", "pod", name, "--wait=false", "--ignore-not-found"});
}

std::vector<std::string> delete_words(const Submission& submission) {
  return kubectl(submission, {"delete", "jobs,secrets", selector(submission), "--wait=false",
                              "--ignore-not-found"});
}

}  // namespace orch::engine

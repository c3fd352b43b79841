#include "engine/kubernetes.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace orch::engine;
using Json = nlohmann::json;

namespace {

Submission in_parts(size_t issues, std::vector<size_t> parts = {0}) {
  Submission submission;
  submission.id = "20261127T163000123-kubernetes-0a1b";
  submission.engine = EngineKind::kKubernetes;
  submission.submitted = "2026-11-27T16:30:00.123Z";
  for (size_t i = 0; i < issues; ++i) submission.issues.push_back("i" + std::to_string(i));
  submission.parts = std::move(parts);
  submission.jobs = 8;
  submission.retries = 3;
  submission.claim = "work";
  submission.image = "my/orch:1";
  return submission;
}

Json manifest_of(const KubernetesPlan& plan) {
  const auto text = kubernetes_manifest(plan);
  REQUIRE(text);
  return Json::parse(*text).at("items");
}

const std::string kJob = "orch-20261127t163000123-kubernetes-0a1b-0";

Json job_with(const Json& status) {
  return {{"items", {{{"metadata", {{"name", kJob}}}, {"status", status}}}}};
}

Json pod(const std::string& index, const std::string& phase, const std::string& created,
         const Json& status = Json::object()) {
  Json all = status;
  all["phase"] = phase;
  return {{"metadata",
           {{"name", "p" + index + created},
            {"creationTimestamp", created},
            {"labels", {{"batch.kubernetes.io/job-name", kJob}}},
            {"annotations", {{"batch.kubernetes.io/job-completion-index", index}}}}},
          {"status", all}};
}

Json ended(int code, const std::string& message) {
  return {{"containerStatuses",
           {{{"state", {{"terminated", {{"exitCode", code}, {"message", message}}}}}}}}};
}

}  // namespace

TEST_CASE("kubernetes: a part is a Secret and an indexed Job") {
  const Submission submission = in_parts(3, {0, 2});
  const std::string text = "{\"prompt\": \"'$(ORCH_INDEX)' \\n ${{ x }}\"}";
  const Json items = manifest_of({.submission = &submission,
                                  .requests = {text, text, text},
                                  .timeout_ms = 3'600'000,
                                  .memory = "4g",
                                  .cpus = "1.5",
                                  .secret = "keys",
                                  .variables = {"TOKEN", "WORD=$(ORCH_INDEX) $$ 'x'\n"}});
  REQUIRE(items.size() == 4);
  CHECK(items[0]["kind"] == "Secret");
  CHECK(items[0]["stringData"].size() == 2);
  CHECK(items[0]["stringData"]["1.json"] == text);
  CHECK(items[2]["stringData"].size() == 1);
  const Json spec = items[1]["spec"];
  CHECK(spec["completionMode"] == "Indexed");
  CHECK(spec["completions"] == 2);
  CHECK(spec["parallelism"] == 2);
  CHECK(spec["backoffLimitPerIndex"] == 3);
  const Json pod_spec = spec["template"]["spec"];
  CHECK(pod_spec["restartPolicy"] == "Never");
  CHECK(pod_spec["activeDeadlineSeconds"] == 4200);
  CHECK(pod_spec["terminationGracePeriodSeconds"] == 120);
  const Json container = pod_spec["containers"][0];
  CHECK(container["command"] ==
        Json({"orch", "run", "--request", "/orch/request.json", "--artifacts",
              "/orch/share/20261127T163000123-kubernetes-0a1b/0/$(ORCH_INDEX)", "--output",
              "quiet"}));
  CHECK(container["resources"]["limits"] == Json({{"cpu", "1.5"}, {"memory", "4Gi"}}));
  CHECK(container["env"][2]["valueFrom"]["secretKeyRef"] ==
        Json({{"name", "keys"}, {"key", "TOKEN"}}));
  CHECK(container["env"][3] ==
        Json({{"name", "ORCH_FOR_AGENT_WORD"}, {"value", "$$(ORCH_INDEX) $$$$ 'x'\n"}}));
  CHECK(pod_spec["volumes"][1]["persistentVolumeClaim"]["claimName"] == "work");
}

TEST_CASE("kubernetes: an exit code decides whether an index is begun again") {
  const Submission submission = in_parts(1);
  const Json items = manifest_of({.submission = &submission,
                                  .requests = {"{}"},
                                  .memory = "",
                                  .cpus = "",
                                  .secret = "",
                                  .variables = {}});
  const Json rules = items[1]["spec"]["podFailurePolicy"]["rules"];
  REQUIRE(rules.size() == 3);
  CHECK(rules[0]["action"] == "Ignore");
  CHECK(rules[0]["onPodConditions"][0]["type"] == "DisruptionTarget");
  CHECK(rules[1]["action"] == "FailIndex");
  CHECK(rules[1]["onExitCodes"]["values"] == Json({1, 2, 10, 20, 21, 124, 125, 126, 127, 130}));
  CHECK(rules[2]["action"] == "Count");
  CHECK(rules[2]["onExitCodes"]["values"] == Json({75, 137, 143}));
}

TEST_CASE("kubernetes: parts stay below what a Secret and etcd take") {
  const std::vector<std::string> issues(2500, "i");
  CHECK(kubernetes_parts(issues, std::vector<size_t>(2500, 300))->size() == 3);
  const std::vector<std::string> few(40, "i");
  const auto large = kubernetes_parts(few, std::vector<size_t>(40, 210'000));
  REQUIRE(large);
  CHECK(large->size() == 10);
  CHECK_FALSE(kubernetes_parts({"a"}, {kMostInSecret}));
}

TEST_CASE("kubernetes: quantities are numbers") {
  const Submission submission = in_parts(1);
  for (const char* odd : {"4x", "g", "", "-1g", "1 g", "1.5g", "4g\n"}) {
    if (*odd == 0) continue;
    CHECK_FALSE(kubernetes_manifest({.submission = &submission,
                                     .requests = {"{}"},
                                     .memory = odd,
                                     .cpus = "",
                                     .secret = "",
                                     .variables = {}}));
  }
  for (const char* odd : {"x", "1.", ".5", "1.5.1", "-1", "1.2345"}) {
    CHECK_FALSE(kubernetes_manifest({.submission = &submission,
                                     .requests = {"{}"},
                                     .memory = "",
                                     .cpus = odd,
                                     .secret = "",
                                     .variables = {}}));
  }
}

TEST_CASE("kubernetes: what kubectl tells of Jobs and pods") {
  const Submission submission = in_parts(6);
  const std::string complete = R"({"reason": "complete", "code": 0, "detail": "", "run": "r"})";
  const Json pods{
      {"items",
       {pod("0", "Succeeded", "2026-11-27T16:31:00Z", ended(0, complete)),
        pod("1", "Failed", "2026-11-27T16:31:00Z", ended(75, "")),
        pod("1", "Running", "2026-11-27T16:35:00Z"),
        pod("2", "Failed", "2026-11-27T16:31:00Z", ended(143, complete)),
        pod("3", "Failed", "2026-11-27T16:31:00Z", {{"reason", "DeadlineExceeded"}}),
        pod("9", "Running", "2026-11-27T16:31:00Z"), pod("x", "Running", "2026-11-27T16:31:00Z")}}};
  const auto answer = read_kubernetes(
      submission, job_with({{"completedIndexes", "0"}, {"failedIndexes", "2-3"}}).dump(),
      pods.dump());
  REQUIRE(answer);
  REQUIRE(answer->jobs.size() == 6);
  CHECK(answer->jobs[0].verdict->reason == "complete");
  CHECK(answer->jobs[1].state == EngineState::kRuns);
  CHECK(answer->jobs[2].state == EngineState::kEnded);
  CHECK_FALSE(answer->jobs[2].verdict);  // its words are not those of its exit code
  CHECK(answer->jobs[3].state == EngineState::kTimeLimit);
  CHECK(answer->jobs[4].state == EngineState::kWaits);
  CHECK(read_kubernetes(submission, R"({"items": []})", R"({"items": []})")->jobs.empty());
  CHECK_FALSE(read_kubernetes(submission, "no json", R"({"items": []})"));
  CHECK_FALSE(read_kubernetes(submission, R"({"items": {}})", R"({"items": []})"));
  CHECK(read_kubernetes(submission, R"({"items": [1, null, {"metadata": 3}]})",
                        R"({"items": [1, {"metadata": {"labels": 7}}]})"));
}

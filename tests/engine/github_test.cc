#include "engine/github.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace orch::engine;
using Json = nlohmann::json;

namespace {

Submission sample(size_t issues) {
  Submission submission;
  submission.id = "20261127T163000123-github-0a1b";
  submission.engine = EngineKind::kGithubMatrix;
  for (size_t i = 0; i < issues; ++i) submission.issues.push_back("i" + std::to_string(i));
  for (size_t first = 0; first < issues; first += kMostInMatrix) submission.parts.push_back(first);
  submission.jobs = 4;
  submission.image = "my/orch:1";
  return submission;
}

std::vector<std::string> hashes(size_t issues) {
  std::vector<std::string> all;
  for (size_t i = 0; i < issues; ++i) all.push_back("h" + std::to_string(i));
  return all;
}

}  // namespace

TEST_CASE("github: no matrix has more than 256 jobs") {
  const Submission submission = sample(600);
  const Json matrices = Json::parse(github_matrix(submission, hashes(600))).at("matrix");
  REQUIRE(matrices.size() == 3);
  CHECK(matrices[0]["include"].size() == 256);
  CHECK(matrices[2]["include"].size() == 88);
  CHECK(matrices[1]["include"][0] == Json({{"index", 256}, {"issue", "i256"}, {"sha256", "h256"}}));
}

TEST_CASE("github: words from outside are values of variables") {
  const Submission submission = sample(2);
  const auto workflow = github_workflow({.submission = &submission,
                                         .hashes = hashes(2),
                                         .folder = "a \"b\": 'c' $(id) #",
                                         .variables = {"TOKEN"},
                                         .timeout_ms = 3'600'000});
  REQUIRE(workflow);
  CHECK(workflow->find(R"(ORCH_SUBMISSION: "a \"b\": 'c' $(id) #")") != std::string::npos);
  CHECK(workflow->find(R"("sha256":"h1")") != std::string::npos);
  CHECK(workflow->find("--request-sha256 \"$ORCH_SHA256\"") != std::string::npos);
  CHECK(workflow->find("TOKEN: ${{ secrets.TOKEN }}") != std::string::npos);
  CHECK(workflow->find("timeout-minutes: 70") != std::string::npos);
  CHECK(workflow->find("max-parallel: 4") != std::string::npos);
  // In the text of a shell there is no expression.
  const size_t run = workflow->find("run: |"), next = workflow->find("- uses:", run);
  REQUIRE(next != std::string::npos);
  CHECK(workflow->substr(run, next - run).find("${{") == std::string::npos);
}

TEST_CASE("github: what GitHub would take for an expression, or would be read by all, is refused") {
  const Submission submission = sample(2);
  const auto refuses = [&submission](const std::string& folder, const std::string& variable) {
    return !github_workflow({.submission = &submission,
                             .hashes = hashes(2),
                             .folder = folder,
                             .variables = {variable},
                             .timeout_ms = 0});
  };
  CHECK(refuses("a${{ github.token }}", "TOKEN"));
  CHECK(refuses("a", "TOKEN=value"));
  CHECK(refuses("a", "TO KEN"));
  CHECK(refuses("a", "1TOKEN"));
  CHECK_FALSE(refuses("a", "TOKEN"));
}

#include "engine/github.h"

#include <algorithm>
#include <cstdint>

#include "base/json.h"
#include "base/text.h"

namespace orch::engine {
namespace {

using base::Json;

constexpr int64_t kLongestMinutes = 360;  // of a job on GitHub's own runners

constexpr std::string_view kHead =
    R"(# Written by orch submit --engine github-matrix. Commit it as .github/workflows/NAME.yml together
# with the folder of the submission. A job carries out the request whose SHA-256 stands here, and no
# other. Words from outside reach the shell as values of variables.
name: orch submission
on: workflow_dispatch
permissions:
  contents: read
jobs:
)";

constexpr std::string_view kSteps = R"(    steps:
      - uses: actions/checkout@v4
      - name: Run the agent
        id: orch
        run: |
          orch run --request "$ORCH_SUBMISSION/requests/$ORCH_INDEX.json" \
            --request-sha256 "$ORCH_SHA256" --artifacts "$RUNNER_TEMP/orch"
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: orch-${{ matrix.index }}
          path: ${{ runner.temp }}/orch
          retention-days: 14
)";

bool is_variable(std::string_view name) {
  const auto fits = [](char c) { return base::is_letter_or_digit(c) || c == '_'; };
  return !name.empty() && std::all_of(name.begin(), name.end(), fits) &&
         !(name.front() >= '0' && name.front() <= '9');
}

Json include_of(const Submission& submission, const std::vector<std::string>& hashes, size_t part) {
  Json include = Json::array();
  const size_t first = submission.parts[part];
  for (size_t index = first; index < first + part_size(submission, part); ++index) {
    include.push_back(
        {{"index", index}, {"issue", submission.issues[index]}, {"sha256", hashes[index]}});
  }
  return include;
}

}  // namespace

std::string github_matrix(const Submission& submission, const std::vector<std::string>& hashes) {
  Json matrices = Json::array();
  for (size_t part = 0; part < submission.parts.size(); ++part) {
    matrices.push_back({{"include", include_of(submission, hashes, part)}});
  }
  return base::json_text({{"matrix", matrices}});
}

base::Result<std::string> github_workflow(const GithubPlan& plan) {
  const Submission& submission = *plan.submission;
  if (plan.folder.find("${{") != std::string::npos) {
    return base::usage_error("--folder " + base::printable(plan.folder) +
                             ": GitHub would take a part of it for an expression; name another");
  }
  for (const std::string& name : plan.variables) {
    if (name.find('=') != std::string::npos) {
      return base::usage_error("--env " + base::printable(name.substr(0, name.find('='))) +
                               "=...: a value would stand in the workflow; make it a secret of the "
                               "repository, and give its name alone");
    }
    if (!is_variable(name)) {
      return base::usage_error("--env " + base::printable(name) + ": no secret can have this name");
    }
  }
  int64_t minutes = kLongestMinutes;
  if (plan.timeout_ms > 0) {
    minutes = std::min(minutes, job_minutes(plan.timeout_ms));
  }
  std::string text(kHead);
  for (size_t part = 0; part < submission.parts.size(); ++part) {
    const std::string number = std::to_string(part);
    text += "  run-" + number + ":\n";
    // One matrix after the other, so that --jobs holds for all of them.
    if (part > 0) text += "    needs: run-" + std::to_string(part - 1) + "\n    if: always()\n";
    text +=
        "    runs-on: ubuntu-latest\n    container: " + base::json_line(Json(submission.image)) +
        "\n    timeout-minutes: " + std::to_string(minutes) +
        "\n    strategy:\n      fail-fast: false\n";
    if (submission.jobs > 0)
      text += "      max-parallel: " + std::to_string(submission.jobs) + "\n";
    text += "      matrix:\n        include: " +
            base::json_line(include_of(submission, plan.hashes, part)) + "\n";
    text +=
        "    env:\n      ORCH_INDEX: ${{ matrix.index }}\n      ORCH_SHA256: ${{ matrix.sha256 "
        "}}\n      ORCH_SUBMISSION: " +
        base::json_line(Json(plan.folder)) + "\n";
    for (const std::string& name : plan.variables) {
      text += "      " + name + ": ${{ secrets." + name + " }}\n";
    }
    text += kSteps;
  }
  return text;
}

}  // namespace orch::engine

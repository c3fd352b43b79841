#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/exec_plan.h"
#include "base/result.h"
#include "task/task_facts.h"

namespace orch::task {

inline constexpr size_t kMaxAnswerBytes = size_t{1} << 20;
inline constexpr size_t kMaxPromptBytes = size_t{512} << 10;
inline constexpr size_t kMostCriteria = 100;

enum class QuestionKind : uint8_t { kPlanTask, kNextAction, kCompletionAssessment };
std::string_view name(QuestionKind kind);

struct Plan {
  std::vector<Criterion> criteria;
};

struct NextAction {
  Action action = Action::kRunWorker;
  std::string reason;
  adapters::WorkerCall call;  // for run_worker
  // the fields of the call that the meta-agent wrote, known or not
  std::vector<std::string> fields;
};

struct Assessment {
  std::vector<Criterion> verdicts;  // one for each criterion; the descriptions are empty
  std::string summary;
};

// Finds the one document in a model's answer: in a fence, between prose, or the whole text. Its
// lines keep their numbers. It is an error if there is no document or more than one.
base::Result<std::string> find_document(std::string_view answer);

// Read the answers to the three kinds of questions. An error is one line with the place
// ("answer:LINE:COLUMN: ..."); the model gets it, to correct its answer.
base::Result<Plan> read_plan(std::string_view answer, std::string_view task_id);
base::Result<NextAction> read_next_action(std::string_view answer);
base::Result<Assessment> read_assessment(std::string_view answer,
                                         const std::vector<Criterion>& criteria);

}  // namespace orch::task

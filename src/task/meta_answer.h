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
  adapters::WorkerCall call;        // of run_worker
  std::vector<std::string> fields;  // of the call, that the meta-agent wrote, known or not
};

struct Assessment {
  std::vector<Criterion> verdicts;  // one for each criterion; the descriptions are empty
  std::string summary;
};

// The one document in what a model wrote: in a fence, between prose, or the whole. Its lines keep
// their numbers. An error says that there is none, or more than one.
base::Result<std::string> find_document(std::string_view answer);

// What the answers say. Errors are one line with the place ("answer:LINE:COLUMN: ..."), for the
// model to mend.
base::Result<Plan> read_plan(std::string_view answer, std::string_view task_id);
base::Result<NextAction> read_next_action(std::string_view answer);
base::Result<Assessment> read_assessment(std::string_view answer,
                                         const std::vector<Criterion>& criteria);

}  // namespace orch::task

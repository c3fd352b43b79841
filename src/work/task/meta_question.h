#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "task/meta_answer.h"
#include "task/task_facts.h"
#include "task/task_spec.h"

namespace orch::task {

// A question to a meta-agent: the instructions (its role and the form of its answer), and the
// question itself, one YAML document. The texts of others - the PRD, the output of workers and
// tests - are values of its fields, quoted so that none of their lines can look like a part of the
// document.
struct QuestionText {
  std::string instructions;
  std::string document;
};

// The rest of the task's budgets; absent: no limit.
struct Remaining {
  int64_t loops = 0;
  std::optional<int64_t> time_ms, tokens;
  std::optional<double> cost_usd;
};

// The error in the first answer to a question, which is then asked a second time.
struct Repair {
  std::string error;
  std::string answer;  // the answer's beginning
};

// The subject of a question. Everything that it refers to must outlive the call.
struct QuestionSubject {
  const TaskSpec& spec;
  const std::string& prd;
  const TaskFacts& facts;
  Remaining remaining;
  const Repair* repair = nullptr;  // null: the question is asked for the first time
};

QuestionText write_question(QuestionKind kind, const QuestionSubject& subject);

// The worker's prompt: the meta-agent's text, followed by the PRD as its author wrote it. A PRD
// that would make the prompt longer than `most` bytes is left out.
inline constexpr size_t kMaxWorkerPromptBytes = size_t{1} << 20;
std::string worker_prompt(std::string_view prompt, std::string_view prd,
                          size_t most = kMaxWorkerPromptBytes);

// end_of() returns the last `most` bytes of a text, beginning with a whole character, or with a
// whole line if one begins soon after; beginning_of() returns the first `most` bytes. Both add a
// line that says how many bytes are missing.
std::string end_of(std::string_view text, size_t most);
std::string beginning_of(std::string_view text, size_t most);

}  // namespace orch::task

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "task/meta_answer.h"
#include "task/task_facts.h"
#include "task/task_spec.h"

namespace orch::task {

// What a meta-agent is asked: who it is and how it is to answer, and the question, one YAML
// document. Texts of others - the PRD, what workers and tests wrote - are values of fields in it,
// written so that none of their lines can look like a part of the document.
struct QuestionText {
  std::string instructions;
  std::string document;
};

// What may still be used; absent: there is no limit.
struct Remaining {
  int64_t loops = 0;
  std::optional<int64_t> time_ms, tokens;
  std::optional<double> cost_usd;
};

// What was wrong with the first answer to the same question.
struct Repair {
  std::string error;
  std::string answer;  // of its beginning
};

// What a question is about. All outlive the call.
struct QuestionSubject {
  const TaskSpec& spec;
  const std::string& prd;
  const TaskFacts& facts;
  Remaining remaining;
  const Repair* repair = nullptr;  // null: it is asked for the first time
};

QuestionText write_question(QuestionKind kind, const QuestionSubject& subject);

// What the worker is told: the meta-agent's prompt, and the PRD as its author wrote it. A PRD that
// would make it longer than `most` bytes is left out.
inline constexpr size_t kMaxWorkerPromptBytes = size_t{1} << 20;
std::string worker_prompt(std::string_view prompt, std::string_view prd,
                          size_t most = kMaxWorkerPromptBytes);

// The last `most` bytes of a text, from the beginning of a character on, of a line where one is
// near; and the first.
std::string end_of(std::string_view text, size_t most);
std::string beginning_of(std::string_view text, size_t most);

}  // namespace orch::task

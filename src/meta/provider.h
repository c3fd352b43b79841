#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "event/event.h"

namespace orch::meta {

// What a meta-agent is asked, as text that it reads.
struct Question {
  std::string instructions;  // what it is and how it is to answer: the system prompt
  std::string text;          // the question, a YAML document
};

struct Answer {
  std::string text;    // as the model wrote it
  event::Usage usage;  // what it took, as far as the provider tells it
};

// Somebody who answers questions about a task. One question at a time; an answer is a suggestion.
class Provider {
 public:
  using OnAnswer = std::function<void(base::Result<Answer>)>;
  // Takes back the question that is open: its on_answer is not called, and what was begun for it is
  // ended.
  virtual ~Provider() = default;
  // `on_answer` is called once, from the loop, never from inside ask(); it may destroy this. An
  // error is one line, and says what was tried.
  virtual void ask(const Question& question, OnAnswer on_answer) = 0;
  // Of a question that has just failed: the provider's limit that it met ends in so many
  // milliseconds. Nothing: it failed for another reason, or the end is not told.
  virtual std::optional<int64_t> limit_ms() const { return std::nullopt; }
};

}  // namespace orch::meta

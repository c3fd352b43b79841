#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "event/event.h"

namespace orch::meta {

// A question to a meta-agent, as text.
struct Question {
  std::string instructions;  // the system prompt: the meta-agent's role and the form of its answer
  std::string text;          // the question, a YAML document
};

struct Answer {
  std::string text;    // as the model wrote it
  event::Usage usage;  // tokens used, as far as the provider reports them
};

// The longest part of a provider's own error text in our messages, in bytes.
inline constexpr size_t kMostErrorText = 300;

// Answers questions about a task, one at a time. An answer is only a suggestion.
class Provider {
 public:
  using OnAnswer = std::function<void(base::Result<Answer>)>;
  // Withdraws the open question: its on_answer is not called, and processes and requests that were
  // started for it are ended.
  virtual ~Provider() = default;
  // `on_answer` is called once, from the loop, never from inside ask(); it may destroy the
  // provider. An error is one line, and names the attempt.
  virtual void ask(const Question& question, OnAnswer on_answer) = 0;
  // After a question has failed: in how many milliseconds the provider's limit ends. nullopt if it
  // failed for another reason, or if the end is not known.
  virtual std::optional<int64_t> limit_ms() const { return std::nullopt; }
};

}  // namespace orch::meta

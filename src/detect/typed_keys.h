#pragma once

#include <cstdint>
#include <string_view>

namespace orch::detect {

// What a write to the terminal means to the agent, as far as its status is concerned.
enum class TypedKey : uint8_t {
  kNothing,    // only answers to the agent's queries, focus or mouse reports
  kText,       // characters or a paste
  kEnter,      // ends with Enter (not inside a paste)
  kEscape,     // Escape alone
  kInterrupt,  // Ctrl-C
  kChoice,     // one digit, y or n: the answer to a menu
};

// Reads one write to the terminal. Answers to queries are told apart by their grammar, since a
// recording holds both.
TypedKey read_typed(std::string_view bytes);

}  // namespace orch::detect

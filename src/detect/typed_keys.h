#pragma once

#include <cstdint>
#include <string_view>

namespace orch::detect {

// The meaning of a write to the terminal for the status of the agent.
enum class TypedKey : uint8_t {
  kNothing,    // only answers to the agent's queries, focus reports or mouse reports
  kText,       // characters or a paste
  kEnter,      // the write ends with Enter (outside of a paste)
  kEscape,     // the write ends with Escape
  kInterrupt,  // the write ends with Ctrl-C
  kChoice,     // one digit from 1 to 9, y or n: the answer to a menu
};

// Reads one write to the terminal. A recording does not say which bytes the user typed and which
// ones the terminal sent as answers to queries, so their grammar decides.
TypedKey read_typed(std::string_view bytes);

}  // namespace orch::detect

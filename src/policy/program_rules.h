#pragma once

#include <cstdint>
#include <string_view>

namespace orch::policy {

// What a program does with its operands.
struct ProgramRule {
  enum class Kind : uint8_t {
    kReads,         // writes nothing but what its options say
    kWritesAll,     // writes every operand
    kEmptiesAll,    // writes every operand, and what was in it is lost
    kWritesLast,    // writes the last one of several
    kWritesSecond,  // writes the second one
    kCompiles,      // reads its operands, writes what one of many options says
    kBuilds,        // runs the project's own code, in the directory where it is
    kOpaque,        // may do anything: another language, an editor, a debugger, another machine
  };
  Kind kind = Kind::kReads;
  std::string_view options;  // as ProgramOptions has them
};

// Nothing for a program that is not known.
const ProgramRule* rule_of(std::string_view program);

}  // namespace orch::policy

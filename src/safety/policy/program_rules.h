#pragma once

#include <cstdint>
#include <string_view>

namespace orch::policy {

// The effect of a program on its operands.
struct ProgramRule {
  enum class Kind : uint8_t {
    kReads,         // writes only the files that its options name
    kWritesAll,     // writes every operand
    kEmptiesAll,    // writes every operand, and the old content is lost
    kWritesLast,    // writes the last operand
    kWritesSecond,  // writes the second operand
    kCompiles,      // reads its operands, writes files that one of many options names
    kBuilds,        // runs the project's own code in the current directory
    kTakesGoals,    // the same, and its operands are verbs or goals of the project: "mvn deploy"
    kOpaque,        // may do anything: another language, an editor, a debugger, another machine
  };
  Kind kind = Kind::kReads;
  std::string_view options;  // in the form of ProgramOptions
};

// The rule of the program; nullptr if the program is unknown.
const ProgramRule* rule_of(std::string_view program);

}  // namespace orch::policy

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::policy {

// A command line of bash (and so of a POSIX shell) as its grammar has it. Values; how deep and how
// long they are is bounded.

struct ShellList;

// A piece of a word.
struct WordPart {
  enum class Kind : uint8_t {
    kText,      // exactly `text`
    kGlob,      // one of * ? [ that stands for others: `text`
    kBrace,     // one of { , } of a brace expansion: `text`
    kTilde,     // ~ or ~name: `text`
    kVariable,  // `text` is its name; `modifier` and `operand` as in ${name%operand}
    kScript,    // $(...) or `...`: `scripts`
    kProcess,   // <(...) or >(...): `scripts`; `text` is < or >
    kNumber,    // of digits: an arithmetic expression, $?, $#, ${#name}
    kUnknown,   // anything
  };
  Kind kind = Kind::kText;
  std::string text;
  bool quoted = false;
  std::string modifier;
  std::vector<WordPart> operand;
  std::vector<ShellList> scripts;    // what it runs, wherever in it that stands
  std::vector<std::string> numbers;  // variables that it evaluates as arithmetic
  bool assigns = false;              // it may give values to `numbers`
};

struct SyntaxWord {
  std::vector<WordPart> parts;
  bool quoted = false;  // some of it is, so it is a word even if it is empty
};

struct Assignment {
  std::string name;
  bool whole = true;              // false: NAME+=... or NAME[...]=...
  std::vector<WordPart> value;    // of NAME[SUB]= also what SUB runs
  std::vector<SyntaxWord> items;  // of NAME=(...)
};

struct Redirection {
  enum class Kind : uint8_t { kRead, kWrite, kHereText, kDuplicate };
  Kind kind = Kind::kRead;
  bool of_output = true;  // of kWrite: it takes away what the command would print
  bool appends = false;   // of kWrite: what is in the file stays
  SyntaxWord target;      // a file; of kHereText the text itself
};

struct ShellCommand {
  enum class Kind : uint8_t {
    kSimple,
    kGroup,     // { }: bodies[0]
    kSubshell,  // ( ): bodies[0]; also what coproc runs: then that is its `name`
    kIf,        // bodies: condition, commands, condition, commands, ..., perhaps the last else
    kLoop,      // while, until: bodies: condition, commands
    kFor,       // for, select: `name`, `words`, bodies[0]
    kCase,      // `words`, the patterns too; bodies, one a branch
    kFunction,  // `name`, bodies[0]
    kTest,      // [[ ]], (( )): `words`
  };
  Kind kind = Kind::kSimple;
  std::string name;
  std::vector<Assignment> assignments;
  std::vector<SyntaxWord> words;
  std::vector<Redirection> redirections;
  std::vector<ShellList> bodies;
};

struct ShellPipeline {
  std::vector<ShellCommand> commands;  // joined by |
  bool negated = false;
};

struct AndOrList {
  struct Step {
    bool after_failure = false;  // || stands before it, else && (or it is the first)
    ShellPipeline pipeline;
  };
  std::vector<Step> steps;
  bool background = false;
};

struct ShellList {
  std::vector<AndOrList> items;
};

// Nothing when the text is no whole command line, holds what this reader does not descend into, a
// control character or more than 64 KiB: then nothing is known of it.
std::optional<ShellList> read_shell(std::string_view text);

}  // namespace orch::policy

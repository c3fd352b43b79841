#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::policy {

// The syntax tree of a command line of bash, and so of a POSIX shell. The nodes are values; their
// depth and length are bounded.

struct ShellList;

// A piece of a word.
struct WordPart {
  enum class Kind : uint8_t {
    kText,      // exactly `text`
    kGlob,      // an unquoted * ? or [ of a pattern, in `text`
    kBrace,     // a { , or } of a brace expansion, in `text`
    kTilde,     // ~ or ~name, in `text`
    kVariable,  // `text` is its name; `modifier` and `operand` as in ${name%operand}
    kScript,    // $(...) or `...`, in `scripts`
    kProcess,   // <(...) or >(...), in `scripts`; `text` is < or >
    kNumber,    // its value has only digits: an arithmetic expression, $?, $#, ${#name}
    kUnknown,   // its value may be anything
  };
  Kind kind = Kind::kText;
  std::string text;
  bool quoted = false;
  std::string modifier;
  std::vector<WordPart> operand;
  std::vector<ShellList> scripts;    // all scripts in this piece
  std::vector<std::string> numbers;  // variables that are evaluated as arithmetic
  bool assigns = false;              // the arithmetic may give values to `numbers`
};

struct SyntaxWord {
  std::vector<WordPart> parts;
  bool quoted = false;  // a part is quoted, so it is a word even if it is empty
};

struct Assignment {
  std::string name;
  bool whole = true;              // false: NAME+=... or NAME[...]=...
  std::vector<WordPart> value;    // for NAME[SUB]= also the scripts in SUB
  std::vector<SyntaxWord> items;  // for NAME=(...)
};

struct Redirection {
  enum class Kind : uint8_t { kRead, kWrite, kHereText, kDuplicate };
  Kind kind = Kind::kRead;
  bool of_output = true;  // for kWrite: it redirects standard output
  bool appends = false;   // for kWrite: the content of the file stays
  SyntaxWord target;      // the file; for kHereText the text itself
};

struct ShellCommand {
  enum class Kind : uint8_t {
    kSimple,
    kGroup,     // { }: bodies[0]
    kSubshell,  // ( ): bodies[0]; also the command of coproc, with the `name` "coproc"
    kIf,        // bodies: condition, commands, condition, commands, ..., perhaps the last else
    kLoop,      // while, until: bodies: condition, commands
    kFor,       // for, select: `name`, `words`, bodies[0]
    kCase,      // `words`: the word and all patterns; bodies: one for each branch
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
    bool after_failure = false;  // || is before it; otherwise && is, or it is the first step
    ShellPipeline pipeline;
  };
  std::vector<Step> steps;
  bool background = false;
};

struct ShellList {
  std::vector<AndOrList> items;
};

// Reads a command line. nullopt if the text is not a complete command line, is longer than 64 KiB,
// or has a control character or a construct that this reader does not support.
std::optional<ShellList> read_shell(std::string_view text);

}  // namespace orch::policy

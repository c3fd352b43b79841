#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::policy {

// A command line of a POSIX shell or bash as far as its text tells: for judging it, not for running
// it. Values; depth and length are bounded.

struct ShellWord {
  std::string text;  // without quotes and backslashes; expansions stand in it as they were written
  size_t known = 0;  // how many bytes at the front are exact: up to the first expansion
  bool quoted = false;               // it begins with a quoted or escaped character
  bool glob = false;                 // * ? or [ stand in it unquoted
  std::vector<std::string> scripts;  // of $(...), `...`, <(...) and >(...) in it
  bool exact() const { return known == text.size() && !glob; }
};

struct Redirection {
  enum class Kind : uint8_t { kRead, kWrite, kHereText };
  Kind kind = Kind::kRead;
  ShellWord target;  // a file; of kHereText the text itself
};

struct ShellPipeline;

// A simple command, or a group of commands: ( ), { }, if, for, while, case, a function's body.
struct ShellCommand {
  std::vector<ShellWord> assignments, words;  // of a group: what stands before its body
  std::vector<Redirection> redirections;
  std::vector<ShellPipeline> body;
  bool subshell = false;
  std::string function;  // the name that a function's body is given
};

struct ShellPipeline {
  std::vector<ShellCommand> commands;  // joined by |
};

// Nothing when the text is no whole command line: a quote or a group without its end, what this
// reader does not know, or more than 64 KiB.
std::optional<std::vector<ShellPipeline>> read_shell(std::string_view text);

}  // namespace orch::policy

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "policy/shell_words.h"

namespace orch::policy {

// What a program that runs another one is told to run: sudo, env, timeout, xargs and the like.
struct Wrapped {
  enum class Kind : uint8_t {
    kNoWrapper,
    kNothing,  // options alone
    kCommand,  // `words` are the program and its arguments
    kScript,   // `words` is one word, a shell's command line
  };
  Kind kind = Kind::kNoWrapper;
  std::span<const ShellWord> words;  // of the arguments
};

Wrapped unwrap(std::string_view program, std::span<const ShellWord> arguments);

}  // namespace orch::policy

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mask/automaton.h"

namespace orch::mask {

// A variable of the environment that may reach the agent.
struct Variable {
  enum class From : uint8_t {
    kUser,         // somebody gave it to the agent (--env): its value is a secret
    kEnvironment,  // orch has it: its value is one if its name says so (GITHUB_TOKEN, *_API_KEY)
  };
  std::string name, value;
  From from = From::kEnvironment;
};

// Whether the name says that the value is for nobody: "GH_TOKEN", "DB_PASSWORD".
bool names_secret(std::string_view name);
// Whether the value is one that is masked. Short ones are not, since they stand in every text, nor
// are one lower-case word and an absolute path of a variable whose name says nothing.
bool is_secret(const Variable& variable);

// A secret shorter than this, in bytes without its blanks, is not masked.
inline constexpr size_t kLeastSecret = 6;

// What is looked for: given values, also as Base64 (RFC 4648), in a URL (RFC 3986) and in JSON, a
// line of a longer one at a time; and keys by their shape. Blanks and frames (scanner.h) are left
// out of values. Immutable once built, so that sessions share it.
class Secrets {
 public:
  Secrets() : Secrets(std::vector<std::string>()) {}  // keys by their shape alone
  explicit Secrets(const std::vector<std::string>& values);
  static Secrets of(const std::vector<Variable>& variables);

  struct Word {
    enum class Kind : uint8_t { kValue, kShape, kKeyHeader };
    Kind kind = Kind::kValue;
    size_t length = 0;        // in bytes
    size_t shape = 0;         // of kShape
    bool has_blanks = false;  // of kValue: there are some between its characters
  };
  const Automaton& automaton() const { return automaton_; }
  const Word& word(uint16_t number) const { return words_[number]; }

 private:
  struct Collected {
    std::vector<std::string> texts;
    std::vector<Word> words;
  };
  explicit Secrets(Collected collected);
  static Collected collect(const std::vector<std::string>& values);

  std::vector<Word> words_;
  Automaton automaton_;
};

}  // namespace orch::mask

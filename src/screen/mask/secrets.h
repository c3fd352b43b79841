#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mask/automaton.h"

namespace orch::mask {

// An environment variable that may reach the agent.
struct Variable {
  enum class From : uint8_t {
    kUser,  // a user gave it to the agent (--env), so its value is a secret
    // orch has it; its value is a secret if its name says so (GITHUB_TOKEN, *_API_KEY)
    kEnvironment,
  };
  std::string name, value;
  From from = From::kEnvironment;
};

// Whether the name says that the value is secret: "GH_TOKEN", "DB_PASSWORD".
bool names_secret(std::string_view name);
// Whether the value is to be masked. Short values are not, because they occur in every text; nor
// are absolute paths, nor plain lower-case words in a variable whose name does not say that it is
// secret.
bool is_secret(const Variable& variable);

// Values with fewer bytes than this, not counting blanks, are not masked.
inline constexpr size_t kLeastSecret = 6;

// The secrets to search for: given values, also in Base64 (RFC 4648), in URLs (RFC 3986) and in
// JSON, and each line of a value with several lines by itself; and keys that are known by their
// shape. Blanks and frames (scanner.h) are left out of the values. Immutable once built, so
// sessions can share it.
class Secrets {
 public:
  Secrets() : Secrets(std::vector<std::string>()) {}  // only keys that are known by their shape
  explicit Secrets(const std::vector<std::string>& values);
  static Secrets of(const std::vector<Variable>& variables);

  struct Word {
    enum class Kind : uint8_t { kValue, kShape, kKeyHeader };
    Kind kind = Kind::kValue;
    size_t length = 0;        // in bytes
    size_t shape = 0;         // index into shapes(), for kShape
    bool has_blanks = false;  // for kValue: there are blanks between its characters
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

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace orch::mask {

// What a key of a known kind looks like: a prefix, which may stand anywhere, and a body.
struct Shape {
  enum class Body : uint8_t {
    kAlphanumeric,   // [A-Za-z0-9]
    kUpper,          // [A-Z0-9]
    kWord,           // [A-Za-z0-9_]
    kDashed,         // [A-Za-z0-9_-]
    kCookie,         // [A-Za-z0-9_%+/=-]
    kMixed,          // the same, with a digit and a capital: "sk-" may begin a class of CSS
    kJsonWebTokens,  // [A-Za-z0-9_.-], of which the second part begins with "eyJ", too
  };
  std::string_view prefix;
  Body body;
  size_t least, most;  // characters of the body
  // English words end like the prefix does ("task-", "work_live_"): directly behind a vowel, as the
  // prefix stands in these, it begins a key only if the body has so many characters and is mixed.
  // 0: no word ends so, and nothing more is asked for.
  size_t least_in_word = 0;
};
// So many characters of what may be a web token are waited for until its second part comes: the
// first one may hold certificates (RFC 7515, "x5c"). Of other keys kMostUndecided.
inline constexpr size_t kMostUndecidedToken = 8192;
inline constexpr size_t kMostUndecided = 300;

// As the services document their keys: GitHub, GitLab, OpenAI, Anthropic, OpenRouter, Stripe, AWS,
// Slack, Google, npm, PyPI, Hugging Face, and JSON web tokens (RFC 7519).
std::span<const Shape> shapes();
// The lines that private keys begin with (RFC 7468, RFC 4880), without their blanks.
std::span<const std::string_view> key_headers();

bool is_word(char byte);   // [A-Za-z0-9_-]
bool is_vowel(char byte);  // [aeiou]
bool is_body(Shape::Body body, char byte);

}  // namespace orch::mask

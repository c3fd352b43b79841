#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace orch::mask {

// The form of a known kind of key: a prefix, which may stand anywhere in a text, and a body.
struct Shape {
  enum class Body : uint8_t {
    kAlphanumeric,   // [A-Za-z0-9]
    kUpper,          // [A-Z0-9]
    kWord,           // [A-Za-z0-9_]
    kDashed,         // [A-Za-z0-9_-]
    kCookie,         // [A-Za-z0-9_%+/=-]
    kMixed,          // [A-Za-z0-9_-], with a digit and a capital: "sk-" may also begin a CSS class
    kJsonWebTokens,  // [A-Za-z0-9_.-], and the second part begins with "eyJ", too
  };
  std::string_view prefix;
  Body body;
  size_t least, most;  // characters of the body
  // Some English words end like the prefix ("task-", "work_live_"). Directly behind a vowel, as in
  // these, the prefix begins a key only if the body has at least this many characters and is mixed.
  // 0: no word ends like that, and there is no further condition.
  size_t least_in_word = 0;
};
// How many characters of a possible web token are held back until its second part begins: the first
// part may hold certificates (RFC 7515, "x5c"). For other keys it is kMostUndecided.
inline constexpr size_t kMostUndecidedToken = 8192;
inline constexpr size_t kMostUndecided = 300;

// The shapes that the services document for their keys: GitHub, GitLab, OpenAI, Anthropic,
// OpenRouter, Stripe, AWS, Slack, Google, npm, PyPI, Hugging Face, and JSON web tokens (RFC 7519).
std::span<const Shape> shapes();
// The lines that begin a private key (RFC 7468, RFC 4880), without their blanks.
std::span<const std::string_view> key_headers();

bool is_word(char byte);   // [A-Za-z0-9_-]
bool is_vowel(char byte);  // [aeiou]
bool is_body(Shape::Body body, char byte);

}  // namespace orch::mask

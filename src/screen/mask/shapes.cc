#include "mask/shapes.h"

#include <array>

#include "base/ascii.h"

namespace orch::mask {
namespace {

using Body = Shape::Body;

// A shorter body behind a word may be an identifier, such as "task-" and 29 characters.
constexpr size_t kLeastInWord = 32;
constexpr size_t kLeastStripeInWord = 24;

constexpr std::array kShapes{
    Shape{"ghp_", Body::kAlphanumeric, 36, 255},
    Shape{"gho_", Body::kAlphanumeric, 36, 255},
    Shape{"ghu_", Body::kAlphanumeric, 36, 255},
    Shape{"ghs_", Body::kAlphanumeric, 36, 255},
    Shape{"ghr_", Body::kAlphanumeric, 36, 255},
    Shape{"github_pat_", Body::kWord, 50, 255},
    Shape{"glpat-", Body::kDashed, 20, 255},
    Shape{"glrt-", Body::kDashed, 20, 255},
    Shape{"gldt-", Body::kDashed, 20, 255},
    Shape{"glcbt-", Body::kDashed, 20, 255},
    Shape{"glptt-", Body::kDashed, 20, 255},
    Shape{"gloas-", Body::kDashed, 20, 255},
    Shape{"glft-", Body::kDashed, 20, 255},
    Shape{"glsoat-", Body::kDashed, 20, 255},
    Shape{"glagent-", Body::kDashed, 20, 255},
    Shape{"glimt-", Body::kDashed, 20, 255},
    Shape{"sk-", Body::kMixed, 20, 300, kLeastInWord},
    // The same prefix with a vendor's addition; no word continues like this.
    Shape{"sk-ant-", Body::kMixed, 20, 300},
    Shape{"sk-proj-", Body::kMixed, 20, 300},
    Shape{"sk-svcacct-", Body::kMixed, 20, 300},
    Shape{"sk-admin-", Body::kMixed, 20, 300},
    Shape{"sk-or-v1-", Body::kAlphanumeric, 40, 255},  // 64 digits of a hash
    Shape{"sk_live_", Body::kAlphanumeric, 16, 255, kLeastStripeInWord},
    Shape{"sk_test_", Body::kAlphanumeric, 16, 255, kLeastStripeInWord},
    Shape{"rk_live_", Body::kAlphanumeric, 16, 255, kLeastStripeInWord},
    Shape{"rk_test_", Body::kAlphanumeric, 16, 255, kLeastStripeInWord},
    Shape{"AKIA", Body::kUpper, 16, 16},
    Shape{"ASIA", Body::kUpper, 16, 16},
    Shape{"xoxb-", Body::kDashed, 20, 255},
    Shape{"xoxp-", Body::kDashed, 20, 255},
    Shape{"xoxa-", Body::kDashed, 20, 255},
    Shape{"xoxr-", Body::kDashed, 20, 255},
    Shape{"xoxs-", Body::kDashed, 20, 255},
    Shape{"xoxc-", Body::kDashed, 20, 255},
    Shape{"xoxd-", Body::kCookie, 20, 512},
    Shape{"xoxe-", Body::kDashed, 20, 512},
    Shape{"xapp-", Body::kDashed, 20, 255},
    Shape{"AIza", Body::kDashed, 35, 35},
    Shape{"npm_", Body::kAlphanumeric, 36, 36},
    Shape{"hf_", Body::kAlphanumeric, 30, 255},
    Shape{"pypi-", Body::kMixed, 50, 300},
    Shape{"eyJ", Body::kJsonWebTokens, 20, 16384},
};

constexpr std::array<std::string_view, 7> kKeyHeaders{
    "-----BEGINPRIVATEKEY-----",        "-----BEGINRSAPRIVATEKEY-----",
    "-----BEGINECPRIVATEKEY-----",      "-----BEGINDSAPRIVATEKEY-----",
    "-----BEGINOPENSSHPRIVATEKEY-----", "-----BEGINENCRYPTEDPRIVATEKEY-----",
    "-----BEGINPGPPRIVATEKEYBLOCK-----"};

bool is_alphanumeric(char byte) {
  return base::is_digit(byte) || base::is_capital(byte) || base::is_small(byte);
}

}  // namespace

std::span<const Shape> shapes() { return kShapes; }
std::span<const std::string_view> key_headers() { return kKeyHeaders; }

bool is_word(char byte) { return is_alphanumeric(byte) || byte == '_' || byte == '-'; }

bool is_vowel(char byte) {
  return byte == 'a' || byte == 'e' || byte == 'i' || byte == 'o' || byte == 'u';
}

bool is_body(Body body, char byte) {
  switch (body) {
    case Body::kAlphanumeric:
      return is_alphanumeric(byte);
    case Body::kUpper:
      return base::is_digit(byte) || base::is_capital(byte);
    case Body::kWord:
      return is_alphanumeric(byte) || byte == '_';
    case Body::kDashed:
    case Body::kMixed:
      return is_word(byte);
    case Body::kCookie:
      return is_word(byte) || byte == '%' || byte == '+' || byte == '/' || byte == '=';
    case Body::kJsonWebTokens:
      return is_word(byte) || byte == '.';
  }
  return false;
}

}  // namespace orch::mask

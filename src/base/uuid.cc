#include "base/uuid.h"

#include <algorithm>

#include "base/random.h"

namespace orch::base {
namespace {

constexpr std::string_view kForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

bool is_hexadecimal(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace

bool is_uuid(std::string_view text) {
  const auto fits = [](char c, char form) { return form == 'x' ? is_hexadecimal(c) : c == form; };
  return text.size() == kForm.size() && std::equal(text.begin(), text.end(), kForm.begin(), fits);
}

std::string random_uuid() {
  const std::string digits = random_hex();
  std::string text(kForm);
  size_t next = 0;
  for (char& c : text) {
    if (c == 'x') c = digits[next++];
  }
  text[14] = '4';                                        // the version
  text[19] = "89ab"[static_cast<size_t>(text[19]) % 4];  // the variant
  return text;
}

}  // namespace orch::base

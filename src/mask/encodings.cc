#include "mask/encodings.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace orch::mask {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUnescaped = "-_.!~*'()";

// The whole characters of the bits from `from` on: of six each, the first at a multiple of six.
std::string base64_of(std::string_view bytes, size_t first_bit) {
  std::string out;
  for (size_t bit = first_bit; bit + 6 <= bytes.size() * 8; bit += 6) {
    uint32_t window = uint32_t{static_cast<unsigned char>(bytes[bit / 8])} << 8;
    if (bit / 8 + 1 < bytes.size()) window |= static_cast<unsigned char>(bytes[bit / 8 + 1]);
    out += kAlphabet[window >> (10 - bit % 8) & 63];
  }
  return out;
}

std::string url_form(std::string_view value, std::string_view digits) {
  std::string out;
  for (const char c : value) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       kUnescaped.find(c) != std::string_view::npos;
    if (plain) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out.append({'%', digits[byte >> 4], digits[byte & 15]});
  }
  return out;
}

}  // namespace

std::vector<std::string> base64_forms(std::string_view value) {
  std::vector<std::string> forms;
  constexpr std::array<size_t, 3> kFirstWholeBit{0, 4, 2};  // at place 0, 1 and 2 of a group
  for (const size_t bit : kFirstWholeBit) {
    std::string form = base64_of(value, bit);
    std::string in_urls = form;
    std::ranges::replace(in_urls, '+', '-');
    std::ranges::replace(in_urls, '/', '_');
    if (in_urls != form) forms.push_back(std::move(in_urls));
    forms.push_back(std::move(form));
  }
  return forms;
}

std::vector<std::string> url_forms(std::string_view value) {
  std::string upper = url_form(value, "0123456789ABCDEF");
  if (upper == value) return {};
  std::string lower = url_form(value, "0123456789abcdef");
  if (upper == lower) return {std::move(upper)};
  return {std::move(upper), std::move(lower)};
}

}  // namespace orch::mask

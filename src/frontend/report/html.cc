#include "report/html.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/json.h"
#include "base/sha256.h"
#include "base/text.h"

namespace orch::report {
namespace {

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (k < group.size() ? static_cast<uint8_t>(group[k]) : 0);
    }
    for (size_t k = 0; k < 4; ++k) {
      out += k <= group.size() ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
    }
  }
  return out;
}

std::string bytes_of_hex(std::string_view hex) {
  const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(value(hex[i]) * 16 + value(hex[i + 1]));
  }
  return bytes;
}

}  // namespace

std::string escaped(std::string_view text, size_t max_bytes) {
  const bool cut = text.size() > max_bytes;
  text = base::beginning(text, max_bytes);
  std::string out;
  bool first = true;
  for (const std::string_view line : base::split_lines(text)) {
    if (!first) out += '\n';
    first = false;
    base::append_entities(out, base::printable(line));
  }
  if (cut) out += "…";
  return out;
}

std::string clock_text(int64_t ms) {
  const int64_t seconds = ms / 1000;
  if (seconds < 3600) return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
  return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string seconds_text(int64_t ms) {
  return ms % 1000 == 0 ? std::to_string(ms / 1000) : fmt::format("{}.{:03}", ms / 1000, ms % 1000);
}

std::string grouped(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t left = digits.size(); left > 3;) digits.insert(left -= 3, ",");
  return digits;
}

std::string script_string(std::string_view text) {
  const std::string json = base::json_line(base::Json(text));
  std::string out;
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string policy_hash(std::string_view source) {
  return "'sha256-" + base64(bytes_of_hex(base::sha256_hex(source))) + "'";
}

std::string fill(std::string_view page_template, std::span<const Slot> slots) {
  std::string out;
  while (true) {
    const size_t open = page_template.find("{{");
    if (open == std::string_view::npos) return out.append(page_template);
    const size_t close = page_template.find("}}", open);
    ORCH_CHECK(close != std::string_view::npos);
    const std::string_view name = page_template.substr(open + 2, close - open - 2);
    const auto slot = std::ranges::find(slots, name, &Slot::first);
    ORCH_CHECK(slot != slots.end());
    out.append(page_template.substr(0, open)).append(slot->second);
    page_template.remove_prefix(close + 2);
  }
}

}  // namespace orch::report

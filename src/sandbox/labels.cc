#include "sandbox/labels.h"

#include <array>
#include <charconv>
#include <cstddef>

namespace orch::sandbox {
namespace {

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && rest == text.data() + text.size();
}

}  // namespace

std::string owner_text(const pty::ProcessIdentity& owner) {
  return std::to_string(owner.pid) + ":" + std::to_string(owner.start) + ":" +
         std::to_string(owner.pid_namespace) + ":" + owner.boot_id + ":" + owner.hostname + ":" +
         owner.machine;
}

std::optional<pty::ProcessIdentity> owner_from(std::string_view text) {
  std::array<std::string_view, 6> parts;
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t colon = text.find(':');
    if ((colon == std::string_view::npos) != (i + 1 == parts.size())) return std::nullopt;
    parts[i] = text.substr(0, colon);
    text.remove_prefix(i + 1 == parts.size() ? text.size() : colon + 1);
  }
  pty::ProcessIdentity owner;
  if (!read_number(parts[0], owner.pid) || !read_number(parts[1], owner.start) ||
      !read_number(parts[2], owner.pid_namespace) || owner.pid <= 0) {
    return std::nullopt;
  }
  owner.boot_id = parts[3];
  owner.hostname = parts[4];
  owner.machine = parts[5];
  return owner;
}

}  // namespace orch::sandbox

#include "base/owners.h"

#include <grp.h>
#include <pwd.h>

#include <array>
#include <charconv>
#include <string_view>

namespace orch::base {

Owners owners_of(uid_t self, const std::string& sudo_uid) {
  Owners owners{self, std::nullopt};
  uid_t caller = 0;
  const char* end = sudo_uid.data() + sudo_uid.size();
  const auto [rest, error] = std::from_chars(sudo_uid.data(), end, caller);
  if (error == std::errc{} && rest == end) owners.caller = caller;
  return owners;
}

bool is_private_group(gid_t group, uid_t user) {
  std::array<char, 16384> user_text{};  // room for one entry of passwd or group
  std::array<char, 16384> group_text{};
  passwd user_entry{};
  struct group group_entry {};
  passwd* owner = nullptr;
  struct group* found = nullptr;
  if (::getpwuid_r(user, &user_entry, user_text.data(), user_text.size(), &owner) != 0 ||
      owner == nullptr || owner->pw_gid != group ||
      ::getgrgid_r(group, &group_entry, group_text.data(), group_text.size(), &found) != 0 ||
      found == nullptr || std::string_view(found->gr_name) != owner->pw_name) {
    return false;
  }
  for (char** member = found->gr_mem; *member != nullptr; ++member) {
    if (std::string_view(*member) != owner->pw_name) return false;
  }
  return true;
}

}  // namespace orch::base

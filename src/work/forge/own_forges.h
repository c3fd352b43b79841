#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/json.h"
#include "forge/forge.h"

// What the forges of this module share.
namespace orch::forge {

std::unique_ptr<Forge> open_github(RepositoryName project, RepositoryName source);
std::unique_ptr<Forge> open_gitlab(RepositoryName project, RepositoryName source);

inline constexpr size_t kMostPages = 20;                 // of checks, 100 on each
inline constexpr int kForbidden = 403, kNotFound = 404;  // of HTTP
inline constexpr std::string_view kNobody = "ghost";     // GitHub's word for a deleted account

// An answer about a user. Not every login may ask; then no one vouches for the user.
inline base::Result<bool> is_let_write(const Answer& answer, std::string_view host,
                                       bool (*may_write)(const base::Json&)) {
  if (answer.status == kForbidden || answer.status == kNotFound) return false;
  const base::Result<base::Json> json = json_of(answer, host);
  if (!json) return json.error();
  return may_write(*json);
}

}  // namespace orch::forge

#pragma once

#include <string>
#include <vector>

namespace orch::fence {

// The private keys and token files of a user whose home is `home`, and of the system, as far as
// they exist: what a program that reads everything must not read. Without symbolic links. The list
// is in docs/security.md.
std::vector<std::string> secrets_of(const std::string& home);

}  // namespace orch::fence

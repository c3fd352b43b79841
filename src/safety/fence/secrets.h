#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::fence {

// Places of private keys and tokens, and the files in them that may be read all the same. A place
// counts even if it does not exist: a file that appears there later is as secret. Without symbolic
// links, as far as the places exist; sorted.
struct SecretPlaces {
  std::vector<std::string> closed;  // files, and folders with all their content; none is in another
  std::vector<std::string> of_machine;  // places of the machine that exist and that nobody replaces
  std::vector<std::string> open;        // files in those places that exist and contain no key
  bool operator==(const SecretPlaces&) const = default;
};

// The places of a user with these homes, those of this machine, and the places moved elsewhere by
// `variables` (which returns a variable's value, or ""), relative to the present folder or to the
// homes. Each place counts with all its names in this process's mounts. The list is in
// docs/fence.md. A folder that contains one of `needed`, such as the work directory, never becomes
// a place.
SecretPlaces secret_places(const std::vector<std::string>& homes,
                           const std::function<std::string(std::string_view)>& variables,
                           const std::vector<std::string>& needed);

// Only the places that a variable names.
std::vector<std::string> places_of_variables(
    const std::vector<std::string>& homes,
    const std::function<std::string(std::string_view)>& variables,
    const std::vector<std::string>& needed);

// Opens paths that the user has named: removes the places that are in one of `paths`, and opens
// each path that is in a place.
void open_up(SecretPlaces& places, const std::vector<std::string>& paths);

}  // namespace orch::fence

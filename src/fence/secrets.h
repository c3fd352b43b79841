#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::fence {

// Where private keys and tokens lie, and what may be read there all the same. A place counts
// whether or not anything is there: what appears in it later is as secret. Without symbolic links,
// as far as the places are there; sorted.
struct SecretPlaces {
  std::vector<std::string> closed;      // files, and folders with all in them; none in another
  std::vector<std::string> of_machine;  // ... that are there now and that nobody replaces
  std::vector<std::string> open;        // within those: what is there now and holds no key
  bool operator==(const SecretPlaces&) const = default;
};

// Those of a user with these homes, of this machine, and where `variables` (a value for a name, ""
// for none) says that they were moved to; relative to the present folder, or to the homes. Each
// by all the names that it has in this process's mounts. The list is in docs/security.md. What
// holds one of `needed` - the work directory and its like - is no place, whoever says so.
SecretPlaces secret_places(const std::vector<std::string>& homes,
                           const std::function<std::string(std::string_view)>& variables,
                           const std::vector<std::string>& needed);

// Of these, those alone that a variable names.
std::vector<std::string> places_of_variables(
    const std::vector<std::string>& homes,
    const std::function<std::string(std::string_view)>& variables,
    const std::vector<std::string>& needed);

// Opens what a person named: places that lie in one of `paths`, and these in the places that hold
// them.
void open_up(SecretPlaces& places, const std::vector<std::string>& paths);

}  // namespace orch::fence

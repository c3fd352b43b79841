#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::session {

// What an agent sees of git's configuration in the home. A person has written it, so what it names
// is believed.
struct GitFiles {
  std::vector<std::string> shown;  // files and folders, as they are
  // The text of one file that takes the place of them all (GIT_CONFIG_GLOBAL), because there are
  // keys in them: what they say, without the keys. "" if there are none.
  std::string clean;
};

// `variables` are of a person's own choice: HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL. `written`
// says whether agents may have written what is in a folder: a file there names nothing.
GitFiles git_files_of(const std::function<std::string(std::string_view)>& variables,
                      const std::function<bool(const std::string&)>& written);

}  // namespace orch::session

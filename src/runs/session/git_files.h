#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::session {

// The part of git's configuration in the home that an agent sees. The user has written it, so the
// files that it names are believed.
struct GitFiles {
  std::vector<std::string> shown;  // files and folders, as they are
  // If there are keys in the files: the text of one file without the keys, to be used instead
  // (GIT_CONFIG_GLOBAL). "" if there are none.
  std::string clean;
};

// `variables` are the user's own: HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL. `written` returns
// whether agents may have written the files in a folder; those are not believed.
GitFiles git_files_of(const std::function<std::string(std::string_view)>& variables,
                      const std::function<bool(const std::string&)>& written);

}  // namespace orch::session

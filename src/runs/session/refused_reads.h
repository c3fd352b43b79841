#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fence/plan.h"

namespace orch::session {

// Recognises failed reads in an agent's output: of a file in the home that exists but is hidden by
// the fence, as in "cat: /home/me/notes: Permission denied". Each path is reported once.
class RefusedReads {
 public:
  RefusedReads() = default;  // finds nothing
  RefusedReads(const fence::Plan& plan, std::string cwd);

  // The paths in this line of output that were not returned before. `continues`: the line may be
  // the rest of the one before it.
  std::vector<std::string> look(std::string_view line, bool continues = false);
  const std::vector<std::string>& paths() const { return paths_; }  // all that were found

 private:
  bool is_refused(const std::string& path) const;

  fence::HomeView homes_;
  fence::SecretPlaces secrets_;
  std::vector<std::string> granted_;
  std::string cwd_, last_;
  std::vector<std::string> paths_;
};

}  // namespace orch::session

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fence/plan.h"

namespace orch::session {

// Recognises in an agent's output that it wanted to read something in the home which is there, and
// which its fence does not show: "cat: /home/me/notes: Permission denied". Each is told once.
class RefusedReads {
 public:
  RefusedReads() = default;  // finds nothing
  RefusedReads(const fence::Plan& plan, std::string cwd);

  // The paths in this line of output that were not told before. `continues`: the line may go on
  // where the last one had no room.
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

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ci/artifact_folder.h"
#include "host/host.h"
#include "mask/secrets.h"

namespace orch::ci {

// What a run leaves for the system that started it: the folder of --artifacts, and on GitHub the
// step's summary and its outputs. A file that cannot be written is told on stderr and changes
// nothing of the run's exit code: whoever needs it fails where it is missing. Writes and waits for
// the disk: only when the loop has ended.
class CiSurfaces {
 public:
  // Makes the folder, "" for none; an error when it cannot be used. On GitHub the files are those
  // that $GITHUB_STEP_SUMMARY and $GITHUB_OUTPUT name.
  static base::Result<CiSurfaces> prepare(const std::string& folder);

  // `code` is orch's own exit code.
  void publish(const std::vector<host::Ended>& ended, int code, const std::string& state_dir,
               const std::shared_ptr<const mask::Secrets>& secrets) const;
  // Of a run that was not begun, since it was asked for in a wrong way.
  void publish_refused(const base::Error& why) const;

 private:
  CiSurfaces() = default;

  std::optional<ArtifactFolder> folder_;
  std::string summary_file_, output_file_;  // "": there are none
};

}  // namespace orch::ci

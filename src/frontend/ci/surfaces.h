#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/host.h"
#include "mask/secrets.h"
#include "store/output_folder.h"

namespace orch::ci {

// The output of a run for the CI system that started it: the folder of --artifacts, and on GitHub
// the step's summary and outputs. If a file cannot be written, stderr says so and the exit code
// stays the same: a later CI step that needs the file fails without it. Writing waits for the disk,
// so it may happen only after the loop has ended.
class CiSurfaces {
 public:
  // Creates the folder of --artifacts ("": none); an error if it cannot be used. On GitHub,
  // $GITHUB_STEP_SUMMARY and $GITHUB_OUTPUT name the files.
  static base::Result<CiSurfaces> prepare(const std::string& folder);

  // `code` is orch's own exit code.
  void publish(const std::vector<host::Ended>& ended, int code, const std::string& state_dir,
               const std::shared_ptr<const mask::Secrets>& secrets) const;
  // The same for a run that was not started, as when the request for it was wrong.
  void publish_refused(const base::Error& why) const;

 private:
  CiSurfaces() = default;

  std::optional<store::OutputFolder> folder_;
  std::string summary_file_, output_file_;  // "": not written
};

}  // namespace orch::ci

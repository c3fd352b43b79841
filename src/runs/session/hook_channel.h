#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/manifest.h"
#include "base/fd.h"
#include "base/random.h"
#include "base/result.h"
#include "loop/watched_fd.h"
#include "store/run_dir.h"

namespace orch::session {

// Makes the folder of an agent's plugin, whose file `file` is to be.
base::Status make_plugin_folder(const std::string& file);

// Carries the notices of one agent's hooks to its session: a named pipe in the run's folder, next
// to the settings file that makes the agent run `orch hook`. The pipe is removed with this object,
// the settings file stays with the run.
class HookChannel {
 public:
  // `program` is the orch that the hooks are to run. `on_notice` is called from the loop with one
  // printable line at a time, and only with lines that carried the secret from the agent's
  // environment.
  static base::Result<std::unique_ptr<HookChannel>> open(
      loop::Loop& loop, const store::RunDir& dir, const adapters::HookSpec& spec,
      const std::string& program, std::function<void(std::string_view)> on_notice);
  ~HookChannel();

  // Additions to the agent's command line and environment.
  const std::vector<std::string>& arguments() const { return arguments_; }
  const std::map<std::string, std::string>& environment() const { return environment_; }

 private:
  HookChannel(loop::Loop& loop, std::string path, base::Fd pipe);
  void read();

  std::string path_;
  std::string secret_ = base::random_hex();
  loop::WatchedFd pipe_;
  std::function<void(std::string_view)> on_notice_;
  std::string pending_;  // the beginning of a line whose end has not come yet
  std::vector<std::string> arguments_;
  std::map<std::string, std::string> environment_;
};

}  // namespace orch::session

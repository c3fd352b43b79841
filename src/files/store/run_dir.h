#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/held_folder.h"
#include "store/time_text.h"

namespace orch::store {

// The places that may name the state directory; the first that is set counts. An empty environment
// variable counts as unset, as does a relative XDG_STATE_HOME (XDG base directory specification).
struct StatePlaces {
  std::optional<std::string> argument;  // --state-dir
  std::string orch_state_dir;           // $ORCH_STATE_DIR
  std::string xdg_state_home;           // $XDG_STATE_HOME; orch/ within it
  std::string home;                     // $HOME; .local/state/orch within it
};
// An absolute path, which need not exist; a usage error if no place names one.
base::Result<std::string> state_dir(const StatePlaces& places);

// Makes sure that the state directory, if it exists, is for this user alone; an error if it is
// another user's. Folders that were open to others are closed, and the returned lines name them. A
// folder that also contains other things is left as it is, and is an error if others may write to
// it.
base::Result<std::vector<std::string>> close_state_dir(const std::string& state_dir);

// The files in RunDir::shown_folder().
inline constexpr std::string_view kShownSettings = "hooks.json", kShownScript = "hooks.js",
                                  kShownServers = "mcp.json", kShownSocket = "socket";
inline constexpr std::string_view kPluginFile = "plugin/plugin.json";

// Removes the list of a run's MCP servers, whose variables may hold keys: only the agent needs it,
// while it lives.
void remove_servers(const std::string& run_dir);

// "20261121T225100123-42-0a1b"
std::string make_run_id(TimePoint start, std::string_view issue, uint16_t suffix);
uint16_t random_suffix();

// The folder runs/<id> of one run, mode 0700, with the paths of its files. It stays on the disk
// until somebody removes it; discard() is for a run that could not start.
class RunDir {
 public:
  // Creates the folder and, if missing, the state directory above it. The id is greater than those
  // of all runs in there: if the clock is not later than their newest, the id gets the next
  // millisecond after that. The suffix is the given one, or a following one if that id is taken.
  // After a failure nothing that was created remains.
  static base::Result<RunDir> create(const std::string& state_dir, TimePoint start,
                                     std::string_view issue, uint16_t suffix = random_suffix());

  const std::string& id() const { return id_; }
  // The present path: a state directory may be moved while a run lasts. The files' paths follow it.
  std::string path() const { return folder_.path(); }
  std::string record_file() const { return path() + "/run.json"; }
  std::string prompt_file() const { return path() + "/prompt.md"; }
  std::string manifest_file() const { return path() + "/manifest.json"; }
  std::string recording_file() const { return path() + "/output.cast"; }
  std::string events_file() const { return path() + "/events.jsonl"; }
  std::string transcript_file() const { return path() + "/transcript.txt"; }
  std::string result_file() const { return path() + "/result.json"; }
  std::string last_screen_file() const { return path() + "/last_screen.txt"; }
  std::string hook_settings_file() const { return path() + "/hooks.json"; }
  // The same for an agent that takes them as a plugin: a file in a folder of its own.
  std::string plugin_file() const { return path() + "/" + std::string(kPluginFile); }
  // The commands of the MCP servers that the agent was given, with their variables.
  std::string mcp_servers_file() const { return path() + "/" + std::string(kShownServers); }
  std::string hook_program_file() const { return path() + "/orch"; }
  std::string hook_script_file() const { return path() + "/hooks.js"; }
  // The part of it that the run's container gets: the settings, the script and the socket of the
  // hooks, and the MCP servers.
  std::string shown_folder() const { return path() + "/shown"; }
  std::string shown_socket() const { return shown_folder() + "/" + std::string(kShownSocket); }
  std::string container_id_file() const { return path() + "/container-id"; }
  std::string fence_file() const { return path() + "/fence.json"; }
  std::string log_file() const { return path() + "/orch.log"; }
  std::string gates_folder() const { return path() + "/gates"; }
  std::string gate_log(int n) const { return gates_folder() + "/" + std::to_string(n) + ".log"; }
  std::string changes_file() const { return path() + "/changes.json"; }
  std::string snapshot_folder() const { return path() + "/snapshot"; }
  std::string end_snapshot_folder() const { return path() + "/snapshot-end"; }
  std::string notices_pipe() const { return path() + "/notices"; }

  // Removes the files named above and every folder that create() has made, unless others use it by
  // now.
  void discard() const;

 private:
  RunDir(std::string id, std::string path, std::vector<std::string> created);

  std::string id_;
  HeldFolder folder_;
  std::vector<std::string> created_;  // outermost first, the run's own folder last
};

}  // namespace orch::store

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "propose/moments.h"
#include "session/replay.h"
#include "setup/agents.h"
#include "store/cast_reader.h"
#include "term/screen.h"

namespace orch::setup {

// A recording and its agent, ready for a replay. Must not be moved during the replay.
struct LoadedRecording {
  std::optional<store::CastReader> cast;  // its events can be read only once
  adapters::Registry agents;
  std::optional<adapters::Manifest> kept;  // the user's manifest that the run was made with
  const adapters::Manifest* manifest = nullptr;
  std::optional<detect::RuleSet> rules;
};

// The path of a recording: `name` itself, or that of the newest run of an issue, which may not
// exist.
base::Result<std::string> recording_path(const std::string& name,
                                         const std::optional<std::string>& state_dir);

// Opens a recording. A run's recording must be a regular file; any other may be a pipe.
base::Result<store::CastReader> open_recording(const std::string& path);

// Loads the agent of the recording in `loaded`: `agent`, or if that is empty, the one that the
// recording names.
base::Status know_agent(const std::string& agent, LoadedRecording& loaded);

// Loads a recording by its path, or that of the newest run of an issue. If `agent` is empty, the
// recording must name its agent, and of a run the manifest counts that it was made with.
base::Status load_recording(const std::string& name, const std::string& agent,
                            const std::optional<std::string>& state_dir, LoadedRecording& loaded);

// The moments of a recording, for a proposal (propose/moments.h).
base::Result<std::vector<propose::Moment>> moments_of(const std::string& path);

// Parses a time in a recording, "12.5" or "12.5s", to milliseconds; "" means the end of the
// recording.
base::Result<int64_t> parse_moment(const std::string& text);

// Applies an event of a recording to a screen.
void play(const store::CastEvent& event, term::Screen& screen);

// Prints a status change as one line: seconds, status and cause, rule. Prints nothing for other
// events.
void print_status(const session::ReplayedEvent& replayed);

}  // namespace orch::setup

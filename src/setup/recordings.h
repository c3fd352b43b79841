#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "session/replay.h"
#include "setup/agents.h"
#include "store/cast_reader.h"
#include "term/screen.h"

namespace orch::setup {

// A recording with the agent it shows, ready to be replayed. Must stay where it is while replayed.
struct LoadedRecording {
  std::optional<store::CastReader> cast;  // its events can be read once
  adapters::Registry agents;
  const adapters::Manifest* manifest = nullptr;
  std::optional<detect::RuleSet> rules;
};

// The recording of that path, or of the newest run of an issue; the latter may not exist.
base::Result<std::string> recording_path(const std::string& name,
                                         const std::optional<std::string>& state_dir);

// That of a run is a regular file, while what a person names may be a pipe.
base::Result<store::CastReader> open_recording(const std::string& path);

// The agent that the recording in `loaded` shows: `agent`, or as it says itself when that is empty.
base::Status know_agent(const std::string& agent, LoadedRecording& loaded);

// `name` is a recording's path, or an issue, whose newest run is taken. `agent` may be empty: then
// the recording says itself which agent it shows.
base::Status load_recording(const std::string& name, const std::string& agent,
                            const std::optional<std::string>& state_dir, LoadedRecording& loaded);

// "12.5" or "12.5s" of a recording, in milliseconds; empty is a moment behind every end.
base::Result<int64_t> parse_moment(const std::string& text);

// What an event of a recording changes on its screen.
void play(const store::CastEvent& event, term::Screen& screen);

// A status change as one line on standard output: seconds, status and cause, rule. Other events are
// not shown.
void print_status(const session::ReplayedEvent& replayed);

}  // namespace orch::setup

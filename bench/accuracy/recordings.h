#pragma once

#include <string>
#include <vector>

#include "accuracy/score.h"
#include "accuracy/truth.h"
#include "adapters/registry.h"
#include "base/result.h"
#include "store/cast_reader.h"

namespace orch::accuracy {

// Which recordings to score: FOLDER/<agent>/*.cast.
struct Selection {
  std::string folder;
  std::string ignore;               // a file for parse_ignored(); "": none
  std::string exclude;              // RE2: leaves out the recordings whose AGENT/NAME matches
  std::vector<std::string> agents;  // empty: all
  std::string by = {};              // the agent whose manifest reads them all; "": each by its own
  std::string manifest = {};        // a manifest's file, which may be of a new agent; "": none
};

struct RecordingFile {
  std::string path, agent;
  std::string name;  // "claude/plan-80x24"
};

// Finds the recordings, sorted by name. A folder without any is a usage error.
base::Result<std::vector<RecordingFile>> find_recordings(const Selection& selection);

base::Result<IgnoredSpans> read_ignored(const std::string& path);

struct Recording {
  store::Cast cast;
  Truth truth;  // the ignored spans are unsure
};
base::Result<Recording> read_recording(const RecordingFile& file, const IgnoredSpans& ignored);

// Scores the statuses that the agent's rules find in a recording.
Score score_of(const Recording& recording, const adapters::Manifest& manifest,
               const detect::RuleSet& rules);

// The agents of the binary and of the selection's manifest.
base::Result<adapters::Registry> load_agents(const Selection& selection);

// The manifest that reads the recording; a usage error if there is none.
base::Result<const adapters::Manifest*> manifest_of(const adapters::Registry& registry,
                                                    const RecordingFile& file,
                                                    const std::string& by = {});

// Puts the name of the file in front of an error.
base::Error in_file(const std::string& path, const base::Error& error);

}  // namespace orch::accuracy

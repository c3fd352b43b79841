#pragma once

#include <CLI/CLI.hpp>

#include "accuracy/recordings.h"

namespace orch::accuracy {

// The options of both programs for what to look at. `selection` must outlive the parsing.
inline void add_selection_options(CLI::App& app, Selection& selection) {
  app.add_option("DIR", selection.folder, "a folder with one sub-folder per agent")->required();
  app.add_option("--ignore", selection.ignore,
                 "JSON lines {\"recording\", \"from_s\", \"to_s\"}: time that is not scored");
  app.add_option("--agent", selection.agents, "only this agent; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--exclude", selection.exclude, "leave out recordings whose AGENT/NAME matches");
}

}  // namespace orch::accuracy

#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "repo/undo_plan.h"

namespace orch::repo {

struct UndoOrder {
  std::string snapshot;  // the snapshot's folder
  UndoScope scope;
  // Where a snapshot of the present state is kept before anything is changed, so that the undo can
  // be undone; "": none is kept.
  std::string keep_present_in;
  // To undo an undo: the folder of the snapshot that the undo had brought back; otherwise "".
  std::string brought_back = "";
  // The path of a journal of the openings during the undo (openings.h); "": none.
  std::string journal = "";
  // Paths that the run's agent was not allowed to read, and must not find in the snapshot of the
  // present state.
  std::vector<std::string> closed = {};
  // The folder of the snapshot of the run's end; "" if there is none, and to undo an undo.
  std::string ended = "";
};

struct UndoReport {
  std::vector<Change> done;
  std::vector<std::string> failures;  // a line for each path that is not as it was
  std::vector<Change> lacking;        // changes without content in the snapshot
  std::vector<std::string> notes;     // gaps in the snapshot of the present state
};

// Brings back the state in the snapshot and checks the result. Writes only below the snapshot's
// roots, whatever links are there, and runs no program. A file is replaced completely or not at
// all; an undo that was interrupted is simply started again. Nobody else may work in the folders
// during the undo. Files and folders that we may not read are opened up for the comparison and get
// their mode back in the end. An Error, before anything was changed, if the present state cannot be
// kept with everything that would be lost.
base::Result<UndoReport> undo(const UndoOrder& order);

}  // namespace orch::repo

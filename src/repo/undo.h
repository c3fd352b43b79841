#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "repo/undo_plan.h"

namespace orch::repo {

struct UndoOrder {
  std::string snapshot;  // its folder
  UndoScope scope;
  // Where the present state is kept before anything is changed, so that the undo can be undone; ""
  // keeps nothing.
  std::string keep_present_in;
  // Of what undoes an undo: the snapshot that this had brought back; "" elsewhere.
  std::string brought_back = "";
  // A file that tells, while this is at work, what was opened up for it (openings.h); "": none.
  std::string journal = "";
  // What the run's agent could not read, and may not read from what is kept of the present either.
  std::vector<std::string> closed = {};
};

struct UndoReport {
  std::vector<Change> done;
  std::vector<std::string> failures;  // a line for each path that is not as it was
  std::vector<Change> lacking;        // what could not be brought back: the snapshot lacks it
  std::vector<std::string> notes;     // what of the present state was not kept
};

// Brings back what the snapshot holds and checks it afterwards. Writes below the roots of the
// snapshot only, whatever links stand there, and runs nothing. A file is replaced whole or not at
// all: an undo that was interrupted is simply done again. Nobody else may work there meanwhile.
// What is closed to us is opened up to be compared, and has its mode again in the end. An Error
// when the present state cannot be kept with all that would be lost: then nothing was changed.
base::Result<UndoReport> undo(const UndoOrder& order);

}  // namespace orch::repo

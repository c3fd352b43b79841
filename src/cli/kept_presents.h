#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "store/runs.h"

namespace orch::cli {

// before-undo-1, before-undo-2 ...: what stood there before each undo of this run. One without a
// manifest was cut off before anything was changed. Beside each, in before-undo-N.json, stands what
// was brought back then, and whether that came to its end.
class KeptPresents {
 public:
  explicit KeptPresents(const store::RunFolder& run);  // which must outlive it

  std::string folder(int number) const;
  int next() const { return newest_ + 1; }

  // What `--redo` goes back to; 0 when there is nothing. One that was cut off is done again. Of
  // undos of the same that were cut off and done again it is what stood there before the first.
  int to_redo() const;

  // The folder of the snapshot that was brought back then; "" when that is not known.
  std::string brought_back(int number) const;

  base::Status tell(int number, const std::string& snapshot, bool finished) const;

 private:
  struct Told {
    std::string brought_back;  // the name of a folder of the run; "": not known
    bool finished = true;
  };

  bool is_whole(int number) const;
  Told told(int number) const;  // an earlier orch told nothing

  const store::RunFolder& run_;
  int newest_ = 0;
};

}  // namespace orch::cli

#pragma once

#include <map>
#include <set>
#include <string>

#include "base/result.h"
#include "store/runs.h"

namespace orch::cli {

// The folders before-undo-1, before-undo-2 ... of a run. Each holds a snapshot of the work
// directory before one undo of the run, for `orch undo --redo`. One without a manifest was cut off
// before the undo changed anything. The file before-undo-N.json next to it names the snapshot that
// this undo brought back, and says whether it finished.
class KeptPresents {
 public:
  // `run` must outlive this. An error if its folder cannot be read.
  static base::Result<KeptPresents> of(const store::RunFolder& run);

  std::string folder(int number) const;
  int next() const { return newest_ + 1; }

  // The number of the folder that `--redo` goes back to; 0 if there is none. If the last redo was
  // cut off, it is the folder of that redo again. If undos of one snapshot were cut off and
  // repeated, it is the folder from before the first of them.
  int to_redo() const;

  // The folder of the snapshot that undo `number` brought back; "" if that is not known.
  std::string brought_back(int number) const;

  base::Status tell(int number, const std::string& snapshot, bool finished) const;

 private:
  struct Told {
    std::string brought_back;  // the name of a folder of the run; "": not known
    bool finished = true;
  };

  explicit KeptPresents(const store::RunFolder& run) : run_(run) {}
  base::Status look();

  bool is_whole(int number) const { return whole_.contains(number); }
  Told told(int number) const;  // the default without a file, as in earlier versions of orch
  base::Result<Told> read_told(int number) const;

  const store::RunFolder& run_;
  int newest_ = 0;
  std::set<int> whole_;  // the folders that have a manifest
  std::map<int, Told> told_;
};

}  // namespace orch::cli

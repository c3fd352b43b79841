#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "loop/background.h"

namespace orch::session {

// If a job takes longer than this, a line of the log says so.
inline constexpr int64_t kSlowDiskMs = 100;

// The work on a run's files that may wait for a disk: some are closed, then some are written, each
// completely and synced before the next. The job ends at the first failure, so that no file claims
// a success that is not there.
class DiskJob final : public loop::Background::Job {
 public:
  struct Closed {
    base::Fd file;
    std::string path;
  };
  struct Written {
    std::string path;
    std::string content;
    bool has_room = false;     // store::keep_room() has reserved room for it
    bool dispensable = false;  // if the disk is full, the job goes on without it
  };
  struct Order {
    std::string folder = {};  // created if it does not exist; "": none
    std::vector<Closed> close;
    std::vector<Written> write;
    // Makes files to be written in place of the rest after a failure, with its reason; null: no
    // files. Called in the job's own thread, so it must own all that it uses.
    std::function<std::vector<Written>(const base::Error&)> if_failed = nullptr;
  };
  // How many files are on the disk so far; several jobs share it, and other threads read it.
  using Progress = std::atomic<size_t>;

  // `run` is the run's id, for the log.
  DiskJob(Order order, std::string run, std::shared_ptr<Progress> progress,
          std::function<void(const base::Status&)> on_done);

  // Carries the order out at once, and waits for the disk. Returns the first failure, even if the
  // files of `if_failed` could be written.
  static base::Status carry_out(Order& order, Progress& progress);

  void run() override;
  void on_done() override;

 private:
  static base::Status carry_out_all(Order& order, Progress& progress);
  static base::Status write(const Written& file);

  Order order_;
  std::string run_;
  std::shared_ptr<Progress> progress_;
  std::function<void(const base::Status&)> on_done_;
  base::Status status_ = base::Ok{};
  int64_t took_ms_ = 0;
};

}  // namespace orch::session

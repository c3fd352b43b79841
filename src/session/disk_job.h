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

// From when on a line of the log tells how long the disk took.
inline constexpr int64_t kSlowDiskMs = 100;

// What is to be done to a run's files where one may have to wait for a disk: some are closed, then
// some are written, each whole and on the disk before the next. It ends at the first that fails, so
// that no file says that all is well where it is not.
class DiskJob final : public loop::Background::Job {
 public:
  struct Closed {
    base::Fd file;
    std::string path;
  };
  struct Written {
    std::string path;
    std::string content;
    bool has_room = false;     // store::keep_room() has some for it
    bool dispensable = false;  // a full disk may go without it
  };
  struct Order {
    std::string folder = {};  // to be made if it is not there; "": none
    std::vector<Closed> close;
    std::vector<Written> write;
    // What is written in place of the rest when something fails, so that the files tell why; null:
    // nothing is. Called where the disk is waited for, so that it owns all that it uses.
    std::function<std::vector<Written>(const base::Error&)> if_failed = nullptr;
  };
  // How many files the disk has taken so far: of several jobs, and seen from another thread.
  using Progress = std::atomic<size_t>;

  // `run` is its id, for the log.
  DiskJob(Order order, std::string run, std::shared_ptr<Progress> progress,
          std::function<void(const base::Status&)> on_done);

  // Now, and waits for the disk. The first failure, also where what stands in its place was
  // written.
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

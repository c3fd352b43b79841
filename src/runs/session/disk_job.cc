#include "session/disk_job.h"

#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <utility>

#include "base/log.h"
#include "store/atomic_file.h"
#include "store/file_io.h"

namespace orch::session {

DiskJob::DiskJob(Order order, std::string run, std::shared_ptr<Progress> progress,
                 std::function<void(const base::Status&)> on_done)
    : order_(std::move(order)),
      run_(std::move(run)),
      progress_(std::move(progress)),
      on_done_(std::move(on_done)) {}

void DiskJob::run() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begun = Clock::now();
  status_ = carry_out(order_, *progress_);
  took_ms_ = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun).count();
}

base::Status DiskJob::carry_out(Order& order, Progress& progress) {
  base::Status done = carry_out_all(order, progress);
  if (done || order.if_failed == nullptr) return done;
  for (const Written& file : order.if_failed(done.error())) {
    if (write(file)) ++progress;  // a further failure here is not reported, only the first one
  }
  return done;
}

base::Status DiskJob::write(const Written& file) {
  return file.has_room ? store::write_file_in_room(file.path, file.content)
                       : store::write_file(file.path, file.content);
}

base::Status DiskJob::carry_out_all(Order& order, Progress& progress) {
  if (!order.folder.empty() && ::mkdir(order.folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return base::system_error("create folder " + order.folder, errno);
  }
  for (Closed& open : order.close) {
    if (base::Status s = store::close_file(std::move(open.file), open.path); !s) return s;
    ++progress;
  }
  for (const Written& file : order.write) {
    base::Status written = write(file);
    if (!written && !file.dispensable) return written;
    ++progress;
  }
  return base::Ok{};
}

void DiskJob::on_done() {
  if (took_ms_ > kSlowDiskMs) {
    base::log_warn(
        "disk",
        "slow: it took " + std::to_string(took_ms_) + " ms to write " + order_.write.back().path,
        run_);
  }
  on_done_(status_);
}

}  // namespace orch::session

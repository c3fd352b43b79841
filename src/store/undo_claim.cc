#include "store/undo_claim.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "store/file_io.h"
#include "store/file_lock.h"
#include "store/folder.h"

namespace orch::store {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxPathBytes = 64 << 10;

std::string undos_folder(const std::string& state_dir) { return state_dir + "/undos"; }

// The run whose undo is at work in `folder`, or in one above or below it; "" if there is none. The
// claim `own` is ignored.
std::string undo_near(const std::string& state_dir, const std::string& folder,
                      std::string_view own) {
  std::error_code failure;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(undos_folder(state_dir), failure)) {
    const std::string path = entry.path();
    if (path == own || !is_locked(path)) continue;
    const base::Result<std::string> there = read_regular_file(path, kMaxPathBytes);
    // A claim that cannot be read, or does not name its folder yet, may be for this one.
    const bool near = !there || there->empty() || base::is_within(*there, folder) ||
                      base::is_within(folder, *there);
    if (near) return entry.path().filename();
  }
  return "";
}

}  // namespace

base::Result<std::unique_ptr<UndoClaim>> UndoClaim::make(const std::string& state_dir,
                                                         const std::string& run,
                                                         const std::string& work_dir) {
  std::vector<std::string> created;
  if (base::Status s = create_folders(undos_folder(state_dir), created); !s) return s.error();
  const std::string path = undos_folder(state_dir) + "/" + run;
  base::Fd lock = try_lock(path);
  if (!lock.valid() && errno != EAGAIN) return base::system_error("lock " + path, errno);
  if (!lock.valid() || !is_still_there(lock, path)) {
    return base::usage_error("another undo of " + run + " is at work");
  }
  if (::ftruncate(lock.get(), 0) != 0) return base::system_error("shorten " + path, errno);
  std::unique_ptr<UndoClaim> claim(new UndoClaim(path, std::move(lock)));
  if (base::Status s = write_all(claim->lock_, path, work_dir); !s) return s.error();
  if (const std::string other = undo_near(state_dir, work_dir, path); !other.empty()) {
    return base::usage_error("the undo of run " + other + " is at work there");
  }
  return claim;
}

UndoClaim::~UndoClaim() { ::unlink(path_.c_str()); }

base::Status check_no_undo(const std::string& state_dir, const std::string& folder) {
  const std::string run = undo_near(state_dir, folder, "");
  if (run.empty()) return base::Ok{};
  return base::usage_error("the undo of run " + run + " is at work in " + folder +
                           "; start again when it is done");
}

std::vector<std::string> undos_cut_off(const std::string& state_dir) {
  std::vector<std::string> runs;
  std::error_code failure;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(undos_folder(state_dir), failure)) {
    if (!is_locked(entry.path())) runs.push_back(entry.path().filename());
  }
  return runs;
}

}  // namespace orch::store

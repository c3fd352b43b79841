#include "store/undo_claim.h"

#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <vector>

#include "store/file_io.h"
#include "store/file_lock.h"
#include "store/folder.h"
#include "store/folder_chain.h"
#include "store/state_file.h"

namespace orch::store {
namespace {

constexpr size_t kMaxPathBytes = 64 << 10;

std::string undos_folder(const std::string& state_dir) { return state_dir + "/undos"; }

// The run whose undo is at work in `folder`, or in one above or below it; "" if there is none. The
// claim `own` is ignored.
base::Result<std::string> undo_near(const std::string& state_dir, const std::string& folder,
                                    std::string_view own) {
  const base::Result<std::vector<std::string>> claims = names_in_folder(undos_folder(state_dir));
  if (!claims) return claims.error();
  for (const std::string& run : *claims) {
    const std::string path = undos_folder(state_dir) + "/" + run;
    if (path == own) continue;
    const Presence holder = holder_of_lock(path);
    if (holder.is_unknown()) return holder.error();
    if (holder.is_absent()) continue;
    const Found<std::string> there = read_state(path, kMaxPathBytes);
    if (there.is_absent()) continue;  // that undo has just ended
    // A claim that cannot be read, or does not name its folder yet, may be for this one.
    const bool near =
        there.is_unknown() || there->empty() || overlap(folder_place(*there), folder_place(folder));
    if (near) return run;
  }
  return std::string();
}

}  // namespace

base::Result<std::unique_ptr<UndoClaim>> UndoClaim::make(const std::string& state_dir,
                                                         const std::string& run,
                                                         const std::string& work_dir) {
  if (base::Status s = create_folders(undos_folder(state_dir)); !s) return s.error();
  const std::string path = undos_folder(state_dir) + "/" + run;
  base::Fd lock = try_lock(path);
  if (!lock.valid() && errno != EAGAIN) return base::system_error("lock " + path, errno);
  const Presence there = lock.valid() ? still_there(lock, path) : Presence::absent();
  if (there.is_unknown()) return there.error();
  if (there.is_absent()) return base::usage_error("another undo of " + run + " is at work");
  if (::ftruncate(lock.get(), 0) != 0) return base::system_error("shorten " + path, errno);
  std::unique_ptr<UndoClaim> claim(new UndoClaim(path, std::move(lock)));
  if (base::Status s = write_all(claim->lock_, path, work_dir); !s) return s.error();
  const base::Result<std::string> other = undo_near(state_dir, work_dir, path);
  if (!other) return other.error();
  if (!other->empty()) return base::usage_error("the undo of run " + *other + " is at work there");
  return claim;
}

UndoClaim::~UndoClaim() { ::unlink(path_.c_str()); }

base::Status check_no_undo(const std::string& state_dir, const std::string& folder) {
  const base::Result<std::string> run = undo_near(state_dir, folder, "");
  if (!run) return run.error();
  if (run->empty()) return base::Ok{};
  return base::usage_error("the undo of run " + *run + " is at work in " + folder +
                           "; start again when it is done");
}

base::Result<std::vector<std::string>> undos_cut_off(const std::string& state_dir) {
  const base::Result<std::vector<std::string>> claims = names_in_folder(undos_folder(state_dir));
  if (!claims) return claims.error();
  std::vector<std::string> runs;
  for (const std::string& run : *claims) {
    const Presence holder = holder_of_lock(undos_folder(state_dir) + "/" + run);
    if (holder.is_unknown()) return holder.error();
    if (holder.is_absent()) runs.push_back(run);
  }
  return runs;
}

}  // namespace orch::store

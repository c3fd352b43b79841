#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace orch::store {

// The folder .crew of a project: the state of a crew, and an inbox for each of its agents. The
// agents work in the project and may change anything in the folder, so no file in it is trusted: a
// link, a pipe or a file that is too long is an error, and nothing outside of the folder is read or
// written. Every Error names the path.
class CrewFolder {
 public:
  static constexpr const char* kName = ".crew";
  static constexpr size_t kMaxStateBytes = size_t{16} << 20;

  // `project` is absolute. kNotFound if the folder does not exist, unless it is to be created; then
  // git is made to ignore it. The folder of the inboxes is made again if it was removed.
  enum class Missing : uint8_t { kIsError, kIsCreated };
  static base::Result<CrewFolder> open(const std::string& project, Missing missing);

  const std::string& path() const { return path_; }
  // Whether the folder is still at its path, with the crew's state and the inboxes in it: the
  // agents may have removed it.
  bool is_there() const;
  // While the descriptor is open nobody else gets the lock; kUsage if somebody else has it.
  base::Result<base::Fd> lock() const;

  base::Result<std::optional<std::string>> read_state() const;  // nullopt without a state
  base::Status write_state(std::string_view text) const;

  // The path of an inbox in the form that agents get: ".crew/inbox/planner.md". `agent` must be a
  // name (base::is_name); to the functions below any other is an error or an empty inbox.
  static std::string inbox_of(std::string_view agent);
  uint64_t inbox_bytes(std::string_view agent) const;                  // 0: no mail has come yet
  base::Result<std::string> read_inbox(std::string_view agent) const;  // "": no mail has come yet
  // Appends an entry completely or not at all: readers see the file without it or with it. Waits up
  // to `patience_ms` for other writers. An inbox takes nothing more that would make it longer than
  // `most` bytes.
  base::Status append_to_inbox(std::string_view agent, std::string_view entry, size_t most,
                               int64_t patience_ms) const;

 private:
  CrewFolder(std::string path, base::Fd folder, base::Fd inboxes)
      : path_(std::move(path)), folder_(std::move(folder)), inboxes_(std::move(inboxes)) {}

  std::string path_;
  base::Fd folder_, inboxes_;
};

}  // namespace orch::store

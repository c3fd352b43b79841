#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace orch::store {

// The folder .crew of a project: a crew's state, and an inbox for each of its agents. The agents
// work beside it and may change anything in it, so nothing in it is believed to be a file: what is
// a link, a pipe or too long is an error, and nothing outside of the folder is read or written.
// Every Error names the path.
class CrewFolder {
 public:
  static constexpr const char* kName = ".crew";
  static constexpr size_t kMaxStateBytes = size_t{16} << 20;

  // `project` is absolute. kNotFound where there is none, unless it is to be created; then git
  // ignores it.
  enum class Missing : uint8_t { kIsError, kIsCreated };
  static base::Result<CrewFolder> open(const std::string& project, Missing missing);

  const std::string& path() const { return path_; }
  // Whether it still is what stands at its path, with the crew's state and the inboxes in it:
  // whoever works beside it may have removed it.
  bool is_there() const;
  // For as long as it is held nobody else gets it; kUsage where somebody has it.
  base::Result<base::Fd> lock() const;

  base::Result<std::optional<std::string>> read_state() const;  // nothing: there is none
  base::Status write_state(std::string_view text) const;

  // The path of an inbox as agents are told of it: ".crew/inbox/planner.md". `agent` is a name
  // (base::is_name); another is an error in both of the others.
  static std::string inbox_of(std::string_view agent);
  uint64_t inbox_bytes(std::string_view agent) const;                  // 0: nothing came yet
  base::Result<std::string> read_inbox(std::string_view agent) const;  // "": nothing came yet
  // Appends an entry whole or not at all: readers see the file before it or after it. Waits for
  // other writers, `patience_ms` at most. An inbox of more than `most` bytes takes nothing more.
  base::Status append_to_inbox(std::string_view agent, std::string_view entry, size_t most,
                               int64_t patience_ms) const;

 private:
  CrewFolder(std::string path, base::Fd folder, base::Fd inboxes)
      : path_(std::move(path)), folder_(std::move(folder)), inboxes_(std::move(inboxes)) {}

  std::string path_;
  base::Fd folder_, inboxes_;
};

}  // namespace orch::store

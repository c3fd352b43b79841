#include "store/trust.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "base/json.h"
#include "base/json_members.h"
#include "base/sha256.h"
#include "store/atomic_file.h"
#include "store/file_io.h"
#include "store/file_lock.h"
#include "store/folder.h"

namespace orch::store {
namespace {

using base::Result;

constexpr size_t kMaxListBytes = 4 << 20;

std::string to_json(const TrustedFiles& files) {
  base::Json json;
  json["files"] = base::Json::array();
  for (const TrustedFiles::Entry& entry : files.entries()) {
    json["files"].push_back(
        {{"path", entry.path}, {"sha256", entry.sha256}, {"since", entry.since}});
  }
  return base::json_text(json);
}

Result<std::vector<TrustedFiles::Entry>> entries_in(const std::string& text,
                                                    const std::string& list) {
  base::JsonDocument document(list, text);
  base::JsonMembers members(document);
  std::vector<TrustedFiles::Entry> entries;
  const base::Json* files = members.find("files");
  if (files == nullptr || !files->is_array()) members.fail("files", "must be an array");
  for (size_t i = 0; members.ok() && i < files->size(); ++i) {
    base::JsonMembers file(members, (*files)[i], "files[" + std::to_string(i) + "]");
    TrustedFiles::Entry& entry = entries.emplace_back();
    file.required("path", entry.path);
    file.required("sha256", entry.sha256);
    file.optional("since", entry.since);
  }
  return document.finish(std::move(entries));
}

}  // namespace

Standing TrustedFiles::standing_of(std::string_view path, std::string_view content) const {
  const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                  [path](const Entry& each) { return each.path == path; });
  if (entry == entries_.end()) return Standing::kUnknown;
  return entry->sha256 == base::sha256_hex(content) ? Standing::kTrusted : Standing::kChanged;
}

void TrustedFiles::trust(const std::string& path, std::string_view content,
                         const std::string& since) {
  std::erase_if(entries_, [&path](const Entry& each) { return each.path == path; });
  const auto place = std::lower_bound(
      entries_.begin(), entries_.end(), path,
      [](const Entry& each, const std::string& wanted) { return each.path < wanted; });
  entries_.insert(place, {path, base::sha256_hex(content), since});
}

size_t TrustedFiles::revoke(std::string_view path) {
  const std::string folder = std::string(path) + "/";
  return std::erase_if(entries_, [path, &folder](const Entry& each) {
    return each.path == path || each.path.starts_with(folder);
  });
}

Result<TrustedFiles> TrustedFiles::load(const std::string& list) {
  const base::Fd file(::open(list.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid() && (errno == ENOENT || errno == ENOTDIR)) return TrustedFiles{};
  if (!file.valid()) return base::system_error("open " + list, errno);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return base::system_error("stat " + list, errno);
  if (!S_ISREG(info.st_mode) || info.st_uid != ::geteuid() || (info.st_mode & 022) != 0) {
    return base::usage_error(list + " must be a file that this user alone can write");
  }
  const Result<std::string> text = read_open_file(file, list, kMaxListBytes);
  if (!text) return text.error();
  Result<std::vector<Entry>> entries = entries_in(*text, list);
  if (!entries) return entries.error();
  TrustedFiles files;
  files.entries_ = std::move(entries).value();
  return files;
}

base::Status TrustedFiles::update(const std::string& list,
                                  const std::function<void(TrustedFiles&)>& change) {
  if (base::Status s = create_folder_of(list); !s) return s;
  const std::string lock_path = list + ".lock";
  const base::Fd lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock.valid() || !lock_open(lock, std::numeric_limits<int64_t>::max())) {
    return base::system_error("lock " + lock_path, errno);
  }
  Result<TrustedFiles> files = load(list);
  if (!files) return files.error();
  change(*files);
  return write_file(list, to_json(*files));
}

}  // namespace orch::store

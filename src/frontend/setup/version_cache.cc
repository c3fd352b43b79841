#include "setup/version_cache.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/json.h"
#include "base/json_members.h"
#include "setup/paths.h"
#include "setup/versions.h"
#include "store/atomic_file.h"
#include "store/file_io.h"
#include "store/folder.h"

namespace orch::setup {
namespace {

namespace fs = std::filesystem;
using base::Json;
using base::JsonMembers;

constexpr size_t kMostBytes = 256 << 10;

int64_t nanoseconds(const struct timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::optional<Binary> binary_of(const std::string& file,
                                const std::vector<std::string>& arguments) {
  std::error_code failure;
  const std::string real = fs::canonical(file, failure).string();
  struct stat found {};
  if (failure || ::stat(real.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  Binary binary{{real}, found.st_size, nanoseconds(found.st_mtim), nanoseconds(found.st_ctim)};
  binary.command.insert(binary.command.end(), arguments.begin(), arguments.end());
  return binary;
}

VersionCache VersionCache::parse(std::string_view text) {
  base::JsonDocument document("", text, base::JsonAuthor::kProgram, {.bytes = kMostBytes});
  VersionCache cache;
  JsonMembers in(document);
  const Json* list = in.find("binaries");
  if (list == nullptr || !list->is_array()) return {};
  for (const Json& one : *list) {
    Entry entry;
    JsonMembers members(in, one, "binaries");
    members.required("command", entry.binary.command);
    members.required("size", entry.binary.size);
    members.required("modified_ns", entry.binary.modified_ns);
    members.required("changed_ns", entry.binary.changed_ns);
    members.required("version", entry.answer.version);
    members.required("asked_ms", entry.answer.asked_ms);
    if (!members.ok()) return {};
    const std::string& version = entry.answer.version;
    if (entry.binary.command.empty() || version_in(version) != version) continue;
    cache.keep(std::move(entry.binary), std::move(entry.answer));
  }
  return cache;
}

std::string VersionCache::to_json() const {
  Json list = Json::array();
  for (const Entry& entry : entries_) {
    list.push_back({{"command", entry.binary.command},
                    {"size", entry.binary.size},
                    {"modified_ns", entry.binary.modified_ns},
                    {"changed_ns", entry.binary.changed_ns},
                    {"version", entry.answer.version},
                    {"asked_ms", entry.answer.asked_ms}});
  }
  return base::json_text(Json{{"binaries", list}});
}

const VersionCache::Answer* VersionCache::find(const Binary& binary) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.binary == binary; });
  return found == entries_.end() ? nullptr : &found->answer;
}

void VersionCache::keep(Binary binary, Answer answer) {
  std::erase_if(entries_,
                [&](const Entry& entry) { return entry.binary.command == binary.command; });
  if (entries_.size() >= kMostBinaries) entries_.erase(entries_.begin());
  entries_.push_back({std::move(binary), std::move(answer)});
}

std::string version_cache_file() {
  const std::string cache = environment("XDG_CACHE_HOME");
  if (cache.starts_with('/')) return cache + "/orch/versions.json";
  const std::string home = environment("HOME");
  return home.starts_with('/') ? home + "/.cache/orch/versions.json" : "";
}

VersionCache load_version_cache(const std::string& file) {
  if (file.empty()) return {};
  const base::Result<std::string> text = store::read_file(file, kMostBytes);
  return text ? VersionCache::parse(*text) : VersionCache();
}

base::Status save_version_cache(const VersionCache& cache, const std::string& file) {
  if (file.empty()) return base::Ok{};
  if (base::Status s = store::create_folder_of(file); !s) {
    return s;
  }
  return store::write_file_unsynced(file, cache.to_json());
}

}  // namespace orch::setup

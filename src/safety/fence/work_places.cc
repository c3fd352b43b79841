#include "fence/work_places.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/author.h"
#include "base/json.h"
#include "base/json_members.h"
#include "base/text.h"
#include "fence/git_folders.h"
#include "fence/places.h"
#include "store/atomic_file.h"
#include "store/folder.h"
#include "store/state_file.h"

namespace orch::fence {

namespace fs = std::filesystem;
using base::Result;
using base::Status;

namespace {

constexpr size_t kMostPlaceBytes = 64 << 10;

struct Place {
  std::string path;
  // The folder's identity (base/author.h knows it by another name, too); 0 in older records.
  uint64_t device = 0, inode = 0;
  std::optional<std::vector<std::string>> git;  // absent: no agent has been started in it
};

std::string to_json(const Place& place) {
  base::Json json;
  json["path"] = place.path;
  struct stat info {};
  if (::stat(place.path.c_str(), &info) == 0) {
    json["device"] = uint64_t{info.st_dev};
    json["inode"] = uint64_t{info.st_ino};
  }
  if (place.git) json["git"] = *place.git;
  return base::json_text(json);
}

// nullopt if the folder is not remembered.
Result<std::optional<Place>> read_place(const std::string& file) {
  const store::Found<std::string> text = store::read_state(file, kMostPlaceBytes);
  if (text.is_absent()) return std::optional<Place>();
  if (text.is_unknown()) return text.error();
  base::JsonDocument document(file, *text);
  base::JsonMembers in(document);
  Place place;
  in.required("path", place.path);
  in.optional("device", place.device);
  in.optional("inode", place.inode);
  in.optional("git", place.git);
  Result<Place> read = document.finish(std::move(place));
  if (!read) return read.error();
  return std::optional(std::move(read).value());
}

// How a record is written: store::write_file, or one that does not wait for the disk.
using WriteFile = decltype(&store::write_file);

Status write_place(const std::string& file, const Place& place,
                   WriteFile write = &store::write_file) {
  if (Status s = store::create_folder_of(file); !s) return s;
  return write(file, to_json(place), 0600);
}

// Does nothing if the folder is remembered already.
Status write_new_place(const std::string& file, const std::string& folder, WriteFile write) {
  const store::Presence known = store::presence_of(file);
  if (known.is_unknown()) return known.error();
  if (known.is_present()) return base::Ok{};
  return write_place(file, {.path = folder, .git = std::nullopt}, write);
}

std::string names(const std::vector<std::string>& folders) {
  std::string text;
  for (const std::string& folder : folders) {
    text += (text.empty() ? "" : ", ") + base::printable(folder);
  }
  return text.empty() ? "none" : text;
}

base::Error question(const std::string& work_dir, const std::vector<std::string>& now,
                     const std::string& but) {
  return base::usage_error("what git keeps for " + base::printable(work_dir) +
                           " outside of it is " + names(now) + " now, and " + but +
                           "; look whether that is your doing, then: orch trust --git " +
                           base::printable(work_dir));
}

}  // namespace

std::string WorkPlaces::file_of(const std::string& folder) const {
  return base::record_of_place(state_dir_, folder);
}

Result<std::vector<std::string>> WorkPlaces::git_folders(const std::string& work_dir) const {
  const std::string file = file_of(work_dir);
  std::vector<std::string> now = git_folders_of(work_dir);
  const Result<std::optional<Place>> known = read_place(file);
  if (!known) return known.error();
  if (*known && (*known)->git) {
    const std::vector<std::string>& then = *(*known)->git;
    const bool fewer = std::all_of(now.begin(), now.end(), [&then](const std::string& folder) {
      return std::find(then.begin(), then.end(), folder) != then.end();
    });
    if (fewer) return now;
    return question(work_dir, now, "was " + names(then) + " when an agent first worked there");
  }
  if (base::Status s = check_first_look(work_dir, now); !s) return s.error();
  return now;
}

// Agents that have worked further up may have made this folder a part of another repository, one
// that contains the folder they have worked in.
base::Status WorkPlaces::check_first_look(const std::string& work_dir,
                                          const std::vector<std::string>& now) const {
  const store::Found<std::string> held = holding(fs::path(work_dir).parent_path().string());
  if (held.is_unknown()) return held.error();
  if (held.is_absent() || now.empty()) return base::Ok{};
  const std::string& around = *held;
  const Result<std::optional<Place>> known = read_place(file_of(around));
  if (!known) return known.error();
  std::vector<std::string> then;
  if (*known && (*known)->git) then = *(*known)->git;
  const bool expected = std::all_of(now.begin(), now.end(), [&](const std::string& folder) {
    return is_within(folder, around) || std::find(then.begin(), then.end(), folder) != then.end();
  });
  if (expected) return base::Ok{};
  return question(work_dir, now,
                  "is not what agents have worked with in " + base::printable(around));
}

Result<std::vector<std::string>> WorkPlaces::remember_git_folders(
    const std::string& work_dir) const {
  Result<std::vector<std::string>> now = git_folders(work_dir);
  if (!now) return now;
  const Result<std::optional<Place>> known = read_place(file_of(work_dir));
  if (known && *known && (*known)->git) return now;
  if (Status s = write_place(file_of(work_dir), {.path = work_dir, .git = *now}); !s)
    return s.error();
  return now;
}

Status WorkPlaces::accept_git_folders(const std::string& work_dir) const {
  return write_place(file_of(work_dir), {.path = work_dir, .git = git_folders_of(work_dir)});
}

Status WorkPlaces::remember(const std::string& folder) const {
  return write_new_place(file_of(folder), folder, &store::write_file);
}

Status WorkPlaces::remember_unsynced(const std::string& folder) const {
  return write_new_place(file_of(folder), folder, &store::write_file_unsynced);
}

store::Found<std::string> WorkPlaces::holding(const std::string& path) const {
  base::Result<std::string> place = base::remembered_place_around(state_dir_, path);
  if (!place) return place.error();
  if (place->empty()) return store::Found<std::string>::absent();
  return std::move(place).value();
}

void WorkPlaces::forget_gone(int64_t cutoff) const {
  std::vector<std::string> gone;
  std::error_code failure;
  for (fs::directory_iterator entry(state_dir_ + "/places", failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string file = entry->path().string();
    struct stat info {};
    if (::stat(file.c_str(), &info) != 0 || info.st_mtim.tv_sec >= cutoff) continue;
    const Result<std::optional<Place>> place = read_place(file);
    std::error_code missing;
    if (place && *place && !fs::exists((*place)->path, missing) && !missing) gone.push_back(file);
  }
  for (const std::string& file : gone) ::unlink(file.c_str());
}

}  // namespace orch::fence

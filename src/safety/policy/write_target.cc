#include "policy/write_target.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "policy/protected_path.h"

namespace orch::policy {
namespace {

bool has_mark(std::string_view text) { return std::any_of(text.begin(), text.end(), is_mark); }

// Whether the pattern matches everything in a folder: "*", ".*", "**".
bool names_all(std::string_view part) {
  return part.find(kGlobStar) != std::string_view::npos &&
         std::all_of(part.begin(), part.end(), [](char c) {
           return c == kGlobStar || c == kGlobOne || c == kGlobSet || c == '.' || c == ']' ||
                  c == '!' || c == '^';
         });
}

// Whether the pattern may match everything in a folder: "[a-z]*", "*.*".
bool names_most(std::string_view part) {
  const bool pattern = part.find(kGlobStar) != std::string_view::npos &&
                       std::all_of(part.begin(), part.end(), [](char c) {
                         return !is_mark(c) || c == kGlobStar || c == kGlobOne || c == kGlobSet;
                       });
  const bool may_climb = part.starts_with('.') && !is_path_below(part);  // .* may be ..
  return pattern && !may_climb && !is_narrow_pattern(part);
}

// Whether all components of the path may match nearly everything: "*/[a-z]*/".
bool names_most_below(std::string_view path) {
  while (!path.empty()) {
    const std::string_view part = base::take_until(path, '/');
    if (!part.empty() && part != "." && !names_most(part)) return false;
  }
  return true;
}

// Adds the components of `text` to the absolute path of `named`.
void append(std::string_view text, NamedPath& named) {
  while (!text.empty()) {
    const std::string_view part = base::take_until(text, '/');
    const bool last = text.find_first_not_of('/') == std::string_view::npos;
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      named.path.erase(std::min(named.path.rfind('/'), named.path.size()));
      continue;
    }
    if (names_most(part) && names_most_below(text)) {
      named.contents = true;
      named.exact = last && names_all(part);
      return;
    }
    if (has_mark(part) && !is_path_below(part) && part.find('-') != 0) {
      named.unknown = true;
      return;
    }
    named.path.append("/").append(part);
  }
}

// The beginning of an absolute path that is known, as whole components.
std::string_view known_front(std::string_view path) {
  const auto mark = std::find_if(path.begin(), path.end(), is_mark);
  if (mark == path.end()) return path;
  const std::string_view front(path.data(), static_cast<size_t>(mark - path.begin()));
  return front.substr(0, front.rfind('/'));
}

bool is_temporary(std::string_view path) {
  return (is_within(path, "/tmp") && path != "/tmp") ||
         (is_within(path, "/var/tmp") && path != "/var/tmp") ||
         (is_within(path, "/private/tmp") && path != "/private/tmp");
}

}  // namespace

std::string home_of(std::string_view work_dir) {
  if (is_within(work_dir, "/root")) return "/root";
  for (const std::string_view homes : {"/home/", "/Users/"}) {
    if (!work_dir.starts_with(homes)) continue;
    return std::string(work_dir.substr(0, work_dir.find('/', homes.size())));
  }
  return "/home/~";
}

std::optional<NamedPath> path_of(const ShellWord& word, const Whereabouts& where) {
  NamedPath named;
  const std::string text = whole(word.text);
  if (!text.starts_with('/')) {
    if (!where.dir || word.unknown()) return std::nullopt;
    append(*where.dir, named);
    named.contents = false;
    named.exact = true;
  }
  if (!named.unknown) append(text, named);
  if (named.path.empty()) named.path = "/";
  named.exact = named.exact && !named.unknown && !has_mark(named.path);
  for (const std::string& link : where.linked) {
    if (is_within(named.path, link) || has_mark(named.path) || named.contents) {
      named.unknown = true;
      named.exact = false;
    }
  }
  return named;
}

Place place_of(const ShellWord& word, const Whereabouts& where) {
  if (word.text.empty()) return Place::kAllowed;  // no file has an empty name
  const std::optional<NamedPath> named = path_of(word, where);
  if (!named || named->unknown) return Place::kUnknown;
  const std::string& path = named->path;
  if (is_within(path, "/dev") && path.size() > 5) {
    const std::string_view device = std::string_view(path).substr(5);
    const bool harmless =
        is_one_of(device, {"null", "zero", "full", "tty", "stdin", "stdout", "stderr"}) ||
        (device.starts_with("fd/") && !has_mark(device));
    if (harmless) return Place::kAllowed;
    if (is_within(device, "shm")) return Place::kAllowed;
    const auto begins = [device](std::string_view disk) { return device.starts_with(disk); };
    constexpr std::array<std::string_view, 15> kDisks{"sd",     "hd",   "vd",   "xvd",   "nvme",
                                                      "mmcblk", "disk", "loop", "dm-",   "mapper",
                                                      "md",     "mem",  "kmem", "rdisk", "block"};
    return std::any_of(kDisks.begin(), kDisks.end(), begins) ? Place::kDisk : Place::kUnknown;
  }
  if (is_within(path, where.work_dir)) {
    std::string below = path.substr(std::min(where.work_dir.size(), path.size()));
    if (named->contents && !below.empty()) below += std::string{'/', kGlobStar};
    switch (protection_of(below)) {
      case Protection::kNone:
        return Place::kAllowed;
      case Protection::kMaybe:
        return Place::kMaybeProtected;
      case Protection::kProtected:
        return Place::kProtected;
    }
  }
  if (is_temporary(path)) return Place::kAllowed;
  if (path == "/tmp" || path == "/var/tmp") {
    return named->contents ? Place::kUnknown : Place::kAllowed;
  }
  const std::string_view front = known_front(path);
  const bool may_lead_in = !named->exact && (front.empty() || is_within(where.work_dir, front) ||
                                             is_within("/tmp", front));
  return may_lead_in ? Place::kUnknown : Place::kOutside;
}

bool is_root(std::string_view path, std::string_view work_dir) {
  if (path == "/" || is_within(work_dir, path)) return true;
  if (path.find('/', 1) == std::string_view::npos) return path != "/tmp";
  for (const std::string_view homes : {"/home/", "/Users/"}) {
    if (path.starts_with(homes) && path.find('/', homes.size()) == std::string_view::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace orch::policy

#include "policy/write_target.h"

#include <algorithm>
#include <array>
#include <vector>

namespace orch::policy {
namespace {

bool is_within(std::string_view path, std::string_view folder) {
  if (folder == "/") return true;
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

// Without empty, "." and ".." components; of an absolute path.
std::string normalised(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty()) {
      parts.pop_back();
    }
  }
  std::string out;
  for (const std::string_view part : parts) out.append("/").append(part);
  return out.empty() ? "/" : out;
}

// The home that holds the work directory; else one of a user who is not known.
std::string home_of(std::string_view work_dir) {
  if (is_within(work_dir, "/root")) return "/root";
  for (const std::string_view homes : {"/home/", "/Users/"}) {
    if (!work_dir.starts_with(homes)) continue;
    return std::string(work_dir.substr(0, work_dir.find('/', homes.size())));
  }
  return "/home/~";
}

// The front of `word` with what it begins with (~, $HOME, $PWD, $TMPDIR) in place of it, up to the
// first expansion that is not known; nothing when it begins with such a one.
std::optional<std::string> known_front(const ShellWord& word, const Whereabouts& where,
                                       bool* exact) {
  std::string_view text = word.text;
  std::string front;
  if (word.known == 0 && !text.empty()) {
    struct Variable {
      std::string_view written;
      std::optional<std::string> value;
    };
    const std::string home = home_of(where.work_dir);
    const std::array<Variable, 7> variables{{{"${HOME}", home},
                                             {"$HOME", home},
                                             {"${PWD}", where.dir},
                                             {"$PWD", where.dir},
                                             {"${TMPDIR}", "/tmp"},
                                             {"$TMPDIR", "/tmp"},
                                             {"${TMPDIR:-/tmp}", "/tmp"}}};
    const auto* found =
        std::find_if(variables.begin(), variables.end(), [text](const Variable& variable) {
          return text.starts_with(variable.written) &&
                 (text.size() == variable.written.size() || text[variable.written.size()] == '/');
        });
    if (found == variables.end() || !found->value) return std::nullopt;
    front = *found->value;
    text.remove_prefix(found->written.size());
    const size_t end = std::min(text.find_first_of("$`{"), text.size());
    *exact = end == text.size();
    return front.append(text.substr(0, end));
  }
  *exact = word.known == text.size();
  text = text.substr(0, word.known);
  if (word.quoted || !text.starts_with('~')) return std::string(text);
  const size_t slash = std::min(text.find('/'), text.size());
  front = slash == 1 ? home_of(where.work_dir) : "/home/" + std::string(text.substr(1, slash - 1));
  return front.append(text.substr(slash));
}

// "*", ".*", "**": everything that is in a folder.
bool names_all(std::string_view part) {
  return part.find('*') != std::string_view::npos &&
         part.find_first_not_of("*.?[]!^") == std::string_view::npos;
}

}  // namespace

std::optional<NamedPath> path_of(const ShellWord& word, const Whereabouts& where) {
  NamedPath named;
  std::optional<std::string> front = known_front(word, where, &named.exact);
  if (!front) return std::nullopt;
  std::string_view path = *front;
  const size_t slash = path.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? path : path.substr(slash + 1);
  if (word.glob && named.exact && names_all(last)) {
    named.contents = true;
    path.remove_suffix(last.size());
  }
  if (path.starts_with('/')) {
    named.path = normalised(path);
    return named;
  }
  if (!where.dir) return std::nullopt;
  named.path = normalised(*where.dir + "/" + std::string(path));
  return named;
}

Place place_of(const ShellWord& word, const Whereabouts& where) {
  const std::optional<NamedPath> named = path_of(word, where);
  if (!named) return Place::kUnknown;
  const std::string& path = named->path;
  if (path.starts_with("/dev/")) {
    const std::string_view device = std::string_view(path).substr(5);
    for (const std::string_view harmless : {"null", "stdout", "stderr", "stdin", "tty", "zero"}) {
      if (device == harmless && named->exact) return Place::kAllowed;
    }
    if (is_within(path, "/dev/fd") || is_within(path, "/dev/shm")) return Place::kAllowed;
    for (const std::string_view disk : {"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "loop",
                                        "dm-", "mapper", "md", "mem", "kmem", "rdisk"}) {
      if (device.starts_with(disk)) return Place::kDisk;
    }
    return Place::kOutside;
  }
  // What follows could still climb out of the folder, but only by a name with ".." in it.
  for (const std::string_view folder :
       {std::string_view(where.work_dir), std::string_view("/tmp"), std::string_view("/var/tmp")}) {
    if (!folder.empty() && is_within(path, normalised(folder))) return Place::kAllowed;
  }
  return named->exact || !is_within(normalised(where.work_dir), path) ? Place::kOutside
                                                                      : Place::kUnknown;
}

bool is_root(std::string_view path, std::string_view work_dir) {
  const auto depth = std::count(path.begin(), path.end(), '/');
  if (path == "/" || depth == 1) return true;
  if (depth == 2 && (path.starts_with("/home/") || path.starts_with("/Users/"))) return true;
  return !work_dir.empty() && is_within(normalised(work_dir), path);
}

}  // namespace orch::policy

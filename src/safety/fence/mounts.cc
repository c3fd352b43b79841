#include "fence/mounts.h"

#include <array>
#include <cstddef>
#include <utility>

#include "base/path.h"
#include "base/result.h"
#include "base/text.h"
#include "store/file_io.h"

namespace orch::fence {

using base::is_within;

namespace {

constexpr size_t kMostMountBytes = 64 << 20;  // enough for the kernel's limit of 100,000 mounts

bool is_octal(char c) { return c >= '0' && c <= '7'; }

// Decodes "\040" and the like, as the kernel writes blanks, tabs, line feeds and backslashes.
std::string unescaped(std::string_view field) {
  constexpr size_t kDigits = 3;
  std::string text;
  for (size_t i = 0; i < field.size(); ++i) {
    const std::string_view digits = field.substr(i + 1, kDigits);
    if (field[i] == '\\' && digits.size() == kDigits && is_octal(digits[0]) &&
        is_octal(digits[1]) && is_octal(digits[2])) {
      text += static_cast<char>((digits[0] - '0') * 64 + (digits[1] - '0') * 8 + digits[2] - '0');
      i += kDigits;
    } else {
      text += field[i];
    }
  }
  return text;
}

// The rest of a path below one of its folders: "" or "/a/b".
std::string_view beneath(std::string_view path, std::string_view folder) {
  if (folder == "/") folder = "";
  path.remove_prefix(folder.size());
  return path == "/" ? "" : path;
}

std::string joined(std::string_view folder, std::string_view rest) {
  if (rest.empty()) return std::string(folder);
  return std::string(folder == "/" ? "" : folder) + std::string(rest);
}

// Calls `look` for each pair of mounts of one file system, if the first may contain `path`, with
// the second mount and with the path inside the file system. A mount that is covered by another one
// also counts: its content must not be visible by other names either.
template <typename Look>
void for_each_other(const std::vector<Mount>& mounts, std::string_view path, Look look) {
  for (const Mount& mount : mounts) {
    if (!is_within(path, mount.point)) continue;
    const std::string inner = joined(mount.root, beneath(path, mount.point));
    for (const Mount& other : mounts) {
      if (other.device == mount.device) look(other, inner);
    }
  }
}

}  // namespace

// Lines are "ID PARENT DEVICE ROOT POINT OPTIONS ...".
std::vector<Mount> parse_mounts(std::string_view mountinfo) {
  std::vector<Mount> mounts;
  for (std::string_view line : base::split_lines(mountinfo)) {
    std::array<std::string_view, 5> fields;
    for (std::string_view& field : fields) field = base::take_until(line, ' ');
    Mount mount{std::string(fields[2]), unescaped(fields[3]), unescaped(fields[4])};
    if (mount.root.starts_with('/') && mount.point.starts_with('/')) {
      mounts.push_back(std::move(mount));
    }
  }
  return mounts;
}

std::vector<Mount> mounts_of_this_process() {
  const base::Result<std::string> text = store::read_file("/proc/self/mountinfo", kMostMountBytes);
  return text ? parse_mounts(*text) : std::vector<Mount>();
}

std::vector<std::string> other_names(const std::vector<Mount>& mounts, std::string_view path) {
  std::vector<std::string> names;
  for_each_other(mounts, path, [&](const Mount& other, std::string_view inner) {
    if (!is_within(inner, other.root)) return;
    std::string name = joined(other.point, beneath(inner, other.root));
    if (name != path) names.push_back(std::move(name));
  });
  return names;
}

std::vector<std::string> parts_mounted(const std::vector<Mount>& mounts, std::string_view folder) {
  std::vector<std::string> points;
  for_each_other(mounts, folder, [&points](const Mount& other, std::string_view inner) {
    if (other.root != inner && is_within(other.root, inner)) points.push_back(other.point);
  });
  return points;
}

}  // namespace orch::fence

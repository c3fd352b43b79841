#include "repo/git_index.h"

#include <cstdint>

namespace orch::repo {
namespace {

constexpr size_t kHeaderBytes = 12;
constexpr size_t kStatBytes = 40;
constexpr size_t kModeAt = 24;
constexpr uint32_t kGitlink = 0160000;
constexpr uint16_t kExtended = 0x4000;

// kStaged: each path with its mode, object and flags, as bytes.
enum class Wanted : uint8_t { kAll, kSubmodules, kStaged };

uint32_t big_endian(std::string_view bytes) {
  uint32_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

// How many bytes a version 4 entry removes from the end of the previous path: a number of variable
// length, as for offsets in pack files.
std::optional<size_t> cut_length(std::string_view bytes, size_t& at) {
  size_t value = 0;
  for (int read = 0; at < bytes.size() && read < 5; ++read) {
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    value = value << 7 | (byte & 0x7F);
    if ((byte & 0x80) == 0) return value;
    ++value;
  }
  return std::nullopt;
}

std::optional<std::vector<std::string>> paths(std::string_view bytes, size_t hash_bytes,
                                              Wanted wanted) {
  const uint32_t version = big_endian(bytes.substr(4, 4));
  const uint32_t count = big_endian(bytes.substr(8, 4));
  if (version < 2 || version > 4) return std::nullopt;
  std::vector<std::string> found;
  std::string path;
  size_t at = kHeaderBytes;
  for (uint32_t i = 0; i < count; ++i) {
    const size_t begin = at;
    const size_t flags_at = begin + kStatBytes + hash_bytes;
    if (flags_at + 4 > bytes.size()) return std::nullopt;
    at = flags_at + 2;
    if ((big_endian(bytes.substr(flags_at, 2)) & kExtended) != 0) at += 2;
    std::string next;
    if (version == 4) {
      const std::optional<size_t> cut = cut_length(bytes, at);
      if (!cut || *cut > path.size()) return std::nullopt;
      next = path.substr(0, path.size() - *cut);
    }
    const size_t end = bytes.find('\0', at);
    if (end == std::string_view::npos) return std::nullopt;
    next += bytes.substr(at, end - at);
    // Not sorted, so the hash has a different size.
    if (next < path || next.empty()) return std::nullopt;
    path = std::move(next);
    at = version == 4 ? end + 1 : begin + (end - begin + 8) / 8 * 8;
    const bool is_submodule = big_endian(bytes.substr(begin + kModeAt, 4)) == kGitlink;
    if (wanted == Wanted::kStaged) {
      std::string staged(bytes.substr(begin + kModeAt, 4));
      staged += bytes.substr(begin + kStatBytes, hash_bytes + 2);  // the object and the flags
      found.push_back(staged += path);
    } else if (wanted == Wanted::kAll || is_submodule) {
      found.push_back(path);
    }
  }
  return found;
}

std::optional<std::vector<std::string>> paths(std::string_view bytes, Wanted wanted) {
  if (bytes.size() < kHeaderBytes || !bytes.starts_with("DIRC")) return std::nullopt;
  auto found = paths(bytes, 20, wanted);
  return found ? found : paths(bytes, 32, wanted);
}

}  // namespace

std::optional<std::vector<std::string>> paths_in_index(std::string_view bytes) {
  return paths(bytes, Wanted::kAll);
}

std::optional<std::vector<std::string>> submodules_in_index(std::string_view bytes) {
  return paths(bytes, Wanted::kSubmodules);
}

bool stage_the_same(std::string_view one, std::string_view other) {
  if (one == other) return true;
  const auto staged = paths(one, Wanted::kStaged);
  return staged && staged == paths(other, Wanted::kStaged);
}

}  // namespace orch::repo

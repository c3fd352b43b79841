#include "repo/manifest.h"

#include <sys/stat.h>

#include <charconv>
#include <optional>

#include "store/file_io.h"

namespace orch::repo {
namespace {

// Each field ends with NUL, the one byte that no path contains.
constexpr std::string_view kMagic = "orch snapshot 2";
// The first version had neither checksums nor the inodes of roots.
constexpr std::string_view kMagicOfFirst = "orch snapshot 1";
constexpr std::string_view kMagicOfAny = "orch snapshot ";

void put(std::string& out, std::string_view field) { out.append(field).push_back('\0'); }
template <typename Number>
void put_number(std::string& out, Number number) {
  put(out, std::to_string(number));
}

class Fields {
 public:
  explicit Fields(std::string_view text) : rest_(text) {}

  std::string text() {
    const size_t end = rest_.find('\0');
    if (end == std::string_view::npos) return torn_ = true, "";
    std::string field(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return field;
  }
  template <typename Number>
  Number number() {
    const std::string field = text();
    Number value = 0;
    const auto [end, failure] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (failure != std::errc() || end != field.data() + field.size()) torn_ = true;
    return value;
  }
  // The next number; nullopt if the field is empty.
  template <typename Number>
  std::optional<Number> number_if_any() {
    if (!rest_.starts_with('\0')) return number<Number>();
    rest_.remove_prefix(1);
    return std::nullopt;
  }
  // The length of a list that follows; each of its items takes at least a byte.
  size_t count() {
    const auto value = number<size_t>();
    if (value > rest_.size()) torn_ = true;
    return torn_ ? 0 : value;
  }
  bool torn() const { return torn_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool torn_ = false;
};

bool stays_below(std::string_view path) {
  if (path.empty()) return false;
  while (true) {
    const size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    if (name.empty() || name == "." || name == "..") return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

void put_entry(std::string& out, const KeptEntry& kept) {
  const Node& node = kept.entry.node;
  put(out, kept.entry.path);
  put_number(out, static_cast<unsigned>(node.kind));
  put_number(out, node.mode);
  put_number(out, node.uid);
  put_number(out, node.gid);
  put_number(out, node.size);
  put_number(out, node.mtime_ns);
  put_number(out, node.ctime_ns);
  put_number(out, node.inode);
  put(out, kept.entry.target);
  put_number(out, static_cast<unsigned>(kept.kept));
  put_number(out, kept.archive);
  put_number(out, kept.offset);
  put(out, kept.checksum ? std::to_string(*kept.checksum) : "");
}

std::optional<KeptEntry> read_entry(Fields& fields, bool is_whole, size_t archives) {
  KeptEntry kept;
  Node& node = kept.entry.node;
  kept.entry.path = fields.text();
  const auto kind = fields.number<unsigned>();
  node.mode = fields.number<mode_t>();
  node.uid = fields.number<uid_t>();
  node.gid = fields.number<gid_t>();
  node.size = fields.number<int64_t>();
  node.mtime_ns = fields.number<int64_t>();
  node.ctime_ns = fields.number<int64_t>();
  node.inode = fields.number<uint64_t>();
  kept.entry.target = fields.text();
  const auto where = fields.number<unsigned>();
  kept.archive = fields.number<uint32_t>();
  kept.offset = fields.number<int64_t>();
  if (is_whole) kept.checksum = fields.number_if_any<uint64_t>();
  if (fields.torn() || !stays_below(kept.entry.path) || node.mode > 07777 || node.size < 0 ||
      kept.offset < 0 || kind > static_cast<unsigned>(EntryKind::kOther) ||
      where > static_cast<unsigned>(Kept::kLeftOut)) {
    return std::nullopt;
  }
  node.kind = static_cast<EntryKind>(kind);
  kept.kept = static_cast<Kept>(where);
  if (kept.kept == Kept::kArchived && kept.archive >= archives) return std::nullopt;
  return kept;
}

}  // namespace

std::string to_text(const Manifest& manifest) {
  std::string out;
  put(out, kMagic);
  put(out, manifest.work_dir);
  put_number(out, manifest.taken_ns);
  put_number(out, manifest.archives.size());
  for (const std::string& archive : manifest.archives) put(out, archive);
  put_number(out, manifest.roots.size());
  for (const KeptRoot& root : manifest.roots) {
    put(out, root.spec.path);
    put_number(out, root.spec.shared ? 1 : 0);
    put_number(out, root.mode);
    put_number(out, root.inode);
    put_number(out, root.entries.size());
    for (const KeptEntry& kept : root.entries) put_entry(out, kept);
  }
  return out;
}

base::Result<Manifest> manifest_from_text(std::string_view text) {
  const base::Error damaged{base::ErrorCode::kSystem, "the manifest is damaged"};
  Fields fields(text);
  Manifest manifest;
  const std::string magic = fields.text();
  const bool is_whole = magic != kMagicOfFirst;
  if (!magic.starts_with(kMagicOfAny)) return damaged;
  if (is_whole && magic != kMagic) {
    return base::Error{base::ErrorCode::kSystem, "the manifest was written by a later orch"};
  }
  manifest.work_dir = fields.text();
  manifest.taken_ns = fields.number<int64_t>();
  for (size_t left = fields.count(); left > 0; --left) {
    manifest.archives.push_back(fields.text());
    if (manifest.archives.back().find('/') != std::string::npos) return damaged;
  }
  for (size_t left = fields.count(); left > 0; --left) {
    KeptRoot root;
    root.spec.path = fields.text();
    root.spec.shared = fields.number<int>() != 0;
    root.mode = fields.number<mode_t>();
    if (is_whole) root.inode = fields.number<uint64_t>();
    if (!root.spec.path.starts_with('/') || root.mode > 07777) return damaged;
    for (size_t entries = fields.count(); entries > 0; --entries) {
      std::optional<KeptEntry> kept = read_entry(fields, is_whole, manifest.archives.size());
      if (!kept) return damaged;
      root.entries.push_back(std::move(*kept));
    }
    manifest.roots.push_back(std::move(root));
  }
  if (fields.torn() || !fields.at_end() || manifest.roots.empty()) return damaged;
  return manifest;
}

namespace {

// An archive must be a regular file: opening a pipe may block, and the archive may be linked into a
// later snapshot. A missing archive is reported when its bytes are needed.
base::Status check_archives(const std::string& folder, const Manifest& manifest) {
  for (const std::string& name : manifest.archives) {
    const std::string path = folder + "/" + name;
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode)) continue;
    return base::Error{base::ErrorCode::kSystem, path + " is not a regular file"};
  }
  return base::Ok{};
}

}  // namespace

base::Result<Manifest> read_manifest(const std::string& snapshot_folder) {
  const std::string path = snapshot_folder + "/manifest";
  const base::Result<std::string> text = store::read_regular_file(path, kMaxManifestBytes);
  if (!text) return base::Error{base::ErrorCode::kSystem, text.error().text};
  base::Result<Manifest> manifest = manifest_from_text(*text);
  if (!manifest) {
    return base::Error{base::ErrorCode::kSystem, path + ": " + manifest.error().text};
  }
  if (base::Status s = check_archives(snapshot_folder, *manifest); !s) return s.error();
  return manifest;
}

}  // namespace orch::repo

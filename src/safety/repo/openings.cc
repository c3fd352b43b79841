#include "repo/openings.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "repo/tree.h"
#include "store/file_io.h"
#include "store/folder_at.h"
#include "store/state_file.h"

namespace orch::repo {
namespace {

constexpr size_t kMaxJournalBytes = size_t{1} << 30;
constexpr mode_t kAllOfOwner = 0700;

// Opens the folder of an absolute path of any length, following no link.
class Finder {
 public:
  Finder() : folders_(store::open_root("/")) {}
  const base::Fd& folder_of(std::string_view path) {
    std::string_view folder = parent_of(path);
    if (folder.starts_with('/')) folder.remove_prefix(1);
    return folders_.open(folder);
  }

 private:
  store::FolderCache folders_;
};

std::optional<struct stat> found_in(const base::Fd& folder, const std::string& name) {
  struct stat info {};
  if (!folder.valid() || ::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return std::nullopt;
  }
  return info;
}

// The next field, which ends with NUL; nullopt if the text is incomplete.
std::optional<std::string_view> next_field(std::string_view& text) {
  const size_t end = text.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view field = text.substr(0, end);
  text.remove_prefix(end + 1);
  return field;
}

std::optional<uint64_t> next_number(std::string_view& text) {
  const auto field = next_field(text);
  uint64_t value = 0;
  if (!field) return std::nullopt;
  const auto [end, failure] = std::from_chars(field->data(), field->data() + field->size(), value);
  if (failure != std::errc() || end != field->data() + field->size()) return std::nullopt;
  return value;
}

}  // namespace

base::Result<Openings> Openings::begin(std::string journal) {
  Openings openings(std::move(journal));
  if (openings.journal_.empty()) return openings;
  if (base::Status s = openings.take_over(); !s) return s.error();
  return openings;
}

Openings::Openings(Openings&& other) noexcept
    : journal_(std::exchange(other.journal_, {})),
      file_(std::move(other.file_)),
      all_(std::exchange(other.all_, {})),
      before_(std::exchange(other.before_, {})) {}

Openings::~Openings() { (void)close(); }

base::Status Openings::take_over() {
  const store::Found<std::string> text = store::read_state(journal_, kMaxJournalBytes);
  if (text.is_absent()) return base::Ok{};
  if (text.is_unknown()) return text.error();
  Finder finder;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const auto before = next_number(rest), given = next_number(rest), inode = next_number(rest);
    const auto path = next_field(rest);
    // Incomplete: its writer was killed.
    if (!before || !given || !inode || !path || *before > 07777) break;
    const auto now = found_in(finder.folder_of(*path), std::string(name_of(*path)));
    if (!now || now->st_ino != *inode || (now->st_mode & 07777) != *given) continue;
    const auto mode = static_cast<mode_t>(*before);
    all_.try_emplace(std::string(*path), Opened{mode, mode, true, false, *inode});
    before_.try_emplace({now->st_dev, now->st_ino}, mode);
  }
  return base::Ok{};
}

base::Status Openings::note(const std::string& path, const Opened& opened, mode_t given) {
  if (journal_.empty()) return base::Ok{};
  if (!file_.valid()) {
    base::Result<base::Fd> file = store::open_for_writing(journal_, O_APPEND);
    if (!file) return file.error();
    file_ = std::move(file).value();
  }
  std::string line;
  for (const std::string& field :
       {std::to_string(opened.before), std::to_string(given), std::to_string(opened.inode), path}) {
    line.append(field).push_back('\0');
  }
  return store::write_all(file_, journal_, line);
}

base::Status Openings::open_up(const base::Fd& folder, const std::string& name,
                               const std::string& path, mode_t bits) {
  const auto now = found_in(folder, name);
  if (!now) return base::system_error(path, errno);
  const mode_t mode = now->st_mode & 07777;
  const auto first = before_.find({now->st_dev, now->st_ino});
  if (S_ISLNK(now->st_mode) || ((mode & bits) == bits && first == before_.end())) {
    return base::Ok{};
  }
  const auto known = all_.find(path);
  Opened opened = known != all_.end() ? known->second : Opened{};
  if (!opened.opened) opened.before = first == before_.end() ? mode : first->second;
  if (!opened.settled) opened.after = opened.before;
  opened.opened = true;
  opened.inode = now->st_ino;
  if (base::Status s = note(path, opened, mode | bits); !s) return s;
  if (!store::set_mode(folder, name, mode | bits))
    return base::system_error("chmod " + path, errno);
  before_.try_emplace({now->st_dev, now->st_ino}, opened.before);
  all_.insert_or_assign(path, opened);
  return base::Ok{};
}

base::Status Openings::make_writable(const base::Fd& folder, const std::string& path) {
  if (::faccessat(folder.get(), ".", W_OK | X_OK, AT_EACCESS) == 0 || errno != EACCES) {
    return base::Ok{};
  }
  Finder finder;
  return open_up(finder.folder_of(path), std::string(name_of(path)), path, kAllOfOwner);
}

void Openings::settle(const std::string& path, mode_t mode) {
  Opened& opened = all_[path];
  opened.after = mode;
  opened.settled = true;
}

std::map<std::string, mode_t> Openings::modes_before() const {
  std::map<std::string, mode_t> modes;
  for (const auto& [path, opened] : all_) {
    if (opened.opened) modes.emplace(path, opened.before);
  }
  return modes;
}

std::map<std::string, mode_t> Openings::modes_after() const {
  std::map<std::string, mode_t> modes;
  for (const auto& [path, opened] : all_) modes.emplace(path, opened.after);
  return modes;
}

std::vector<std::string> Openings::close() {
  std::vector<std::string> failures;
  Finder finder;
  for (auto one = all_.rbegin(); one != all_.rend(); ++one) {
    const auto& [path, opened] = *one;
    const base::Fd& folder = finder.folder_of(path);
    const std::string name(name_of(path));
    const auto now = found_in(folder, name);
    if (!now || S_ISLNK(now->st_mode)) continue;  // it is gone
    // Another file has taken its place.
    if (!opened.settled && now->st_ino != opened.inode) continue;
    if ((now->st_mode & 07777) == opened.after || store::set_mode(folder, name, opened.after))
      continue;
    failures.push_back(base::system_error("chmod " + path, errno).text);
  }
  all_.clear();
  before_.clear();
  file_.reset();
  if (!journal_.empty()) ::unlink(journal_.c_str());
  return failures;
}

}  // namespace orch::repo

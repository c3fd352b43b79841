#include "store/named_place.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/author.h"
#include "base/path.h"
#include "base/text.h"

namespace orch::store {
namespace {

using base::Fd;
using base::Result;

constexpr int kStepFlags = O_PATH | O_NOFOLLOW | O_CLOEXEC;

std::string joined(const std::string& folder, const std::string& name) {
  return folder == "/" ? "/" + name : folder + "/" + name;
}

bool is_in_proc(const Fd& file) {
  struct statfs info {};
  return ::fstatfs(file.get(), &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

// "" with errno on failure.
std::string text_of_link(const Fd& folder, const std::string& name) {
  std::array<char, PATH_MAX> text{};
  const ssize_t length = ::readlinkat(folder.get(), name.c_str(), text.data(), text.size());
  return length <= 0 ? "" : std::string(text.data(), static_cast<size_t>(length));
}

// A link of the kernel's own in /proc. It leads to an open file or folder, whatever its text.
bool is_magic(const std::string& text) {
  return text.starts_with('/') || text.find(":[") != std::string::npos;
}

// Opens an already open file again. A descriptor of this process is duplicated, and so keeps its
// position: output to /dev/stdout stays in order.
Fd take_over(const Fd& folder, const std::string& folder_path, const std::string& name) {
  const std::string own = "/proc/" + std::to_string(::getpid());
  if (folder_path == own + "/fd" ||
      folder_path == own + "/task/" + std::to_string(::getpid()) + "/fd") {
    return base::duplicate(std::atoi(name.c_str()));
  }
  return Fd(::openat(folder.get(), name.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
}

class Walk {
 public:
  Walk(const std::string& named, Missing missing, AgentsLinks links)
      : named_(named), missing_(missing), links_(links) {}

  Result<NamedPlace> go() {
    Fd start(::open(named_.starts_with('/') ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!start.valid()) return base::system_error(base::printable(named_), errno);
    std::error_code failure;
    std::string path = "/";
    if (!named_.starts_with('/')) path = std::filesystem::current_path(failure).string();
    if (failure) return base::system_error(base::printable(named_), failure.value());
    at_.push_back({std::move(start), std::move(path)});
    if (base::Status s = along(named_); !s) return s.error();
    if (missing_ == Missing::kLast && named_.ends_with('/') && !last_.empty()) {
      return base::usage_error(base::printable(named_) + ": there is no such folder");
    }
    return found();
  }

 private:
  struct Folder {
    Fd fd;
    std::string path;
  };

  Result<NamedPlace> found() {
    NamedPlace place;
    place.open_file = std::move(open_file_);
    place.path = at_.back().path;
    if (last_.empty()) {
      place.folder = std::move(at_.back().fd);
      return place;
    }
    place.path = joined(place.path, last_);
    for (const std::string& name : rest_) place.path = joined(place.path, name);
    place.name = rest_.empty() ? last_ : rest_.back();
    if (rest_.empty()) place.folder = std::move(at_.back().fd);
    return place;
  }

  // Goes on along a path from the present folder. The first name that is not a folder is the last
  // name, and everything behind it is the rest.
  base::Status along(const std::string& way) {
    for (std::string_view left = way; !left.empty();) {
      const std::string name(base::take_until(left, '/'));
      if (name.empty() || name == ".") continue;
      if (base::Status s = step(name); !s) return s;
    }
    return base::Ok{};
  }

  base::Status step(const std::string& name) {
    if (!last_.empty()) return add_to_rest(name);
    if (name == "..") return up();
    Fd next(::openat(at_.back().fd.get(), name.c_str(), kStepFlags));
    if (!next.valid()) return cannot_open(name, errno);
    struct stat info {};
    if (::fstat(next.get(), &info) != 0) return base::system_error(base::printable(named_), errno);
    if (S_ISLNK(info.st_mode)) return follow(name);
    if (S_ISDIR(info.st_mode)) {
      at_.push_back({std::move(next), joined(at_.back().path, name)});
    } else {
      last_ = name;
    }
    return base::Ok{};
  }

  base::Status up() {
    if (at_.size() > 1) return at_.pop_back(), base::Ok{};
    Folder& top = at_.back();
    Fd above(::openat(top.fd.get(), "..", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!above.valid()) return base::system_error(base::printable(named_), errno);
    top = {std::move(above), std::filesystem::path(top.path).parent_path().string()};
    return base::Ok{};
  }

  base::Status cannot_open(const std::string& name, int error) {
    if (error == EMFILE || error == ENFILE || error == ENOMEM) {
      return base::system_error(base::printable(named_), error);
    }
    const bool is_missing = error == ENOENT || error == ENOTDIR;
    if (is_missing && missing_ == Missing::kError) return not_there();
    last_ = name;
    return base::Ok{};
  }

  base::Status not_there() const {
    return base::Error{base::ErrorCode::kNotFound,
                       base::printable(named_) + ": there is no such file or folder"};
  }

  // A name behind a missing one, or behind one that is not a folder.
  base::Status add_to_rest(const std::string& name) {
    if (missing_ != Missing::kRest) return not_there();
    if (name != "..") {
      rest_.push_back(name);
    } else if (rest_.empty()) {
      last_.clear();
    } else {
      rest_.pop_back();
    }
    return base::Ok{};
  }

  base::Status follow(const std::string& name) {
    constexpr int kMostLinks = 40;  // the kernel's limit, too
    const std::string link = joined(at_.back().path, name);
    const std::string text = text_of_link(at_.back().fd, name);
    if (text.empty() || ++links_followed_ > kMostLinks) {
      return base::system_error(base::printable(link), text.empty() ? errno : ELOOP);
    }
    if (is_in_proc(at_.back().fd)) return follow_in_proc(name, text);
    const base::Authorship made = base::who_may_have_written(link);
    if (links_ == AgentsLinks::kRefused && made.author != base::Author::kUser &&
        made.author != base::Author::kOrch) {
      return refused(link, made);
    }
    if (text.starts_with('/')) {
      Fd root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
      if (!root.valid()) return base::system_error(base::printable(link), errno);
      at_.clear();
      at_.push_back({std::move(root), "/"});
    }
    if (base::Status s = along(text); !s) return s;
    if (made.author != base::Author::kAgent || base::is_within(here(), made.folder)) {
      return base::Ok{};
    }
    return base::usage_error(
        base::printable(link) +
        " is a link in a folder where agents write, and leads out of it: name its target");
  }

  std::string here() const {
    std::string path = last_.empty() ? at_.back().path : joined(at_.back().path, last_);
    for (const std::string& name : rest_) path = joined(path, name);
    return path;
  }

  static base::Status refused(const std::string& link, const base::Authorship& made) {
    if (made.author == base::Author::kAgent) {
      return base::usage_error(base::printable(link) +
                               " is a link in a folder where agents write, and is not followed: "
                               "name its target, or remove it");
    }
    return base::usage_error(
        base::printable(link) + " is a link that another user may have made (" +
        base::printable(made.folder) + "), and is not followed: name its target");
  }

  base::Status follow_in_proc(const std::string& name, const std::string& text) {
    if (!is_magic(text)) return along(text);
    Folder& here = at_.back();
    Fd folder(::openat(here.fd.get(), name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (folder.valid()) {
      std::string path = text;
      at_.clear();
      at_.push_back({std::move(folder), std::move(path)});
      return base::Ok{};
    }
    if (links_ == AgentsLinks::kRefused) {  // to be written
      open_file_ = take_over(here.fd, here.path, name);
      if (!open_file_.valid()) return base::system_error(base::printable(named_), errno);
    }
    last_ = name;
    return base::Ok{};
  }

  const std::string& named_;
  Missing missing_;
  AgentsLinks links_;
  std::vector<Folder> at_;  // the folders on the way, so that ".." can lead back
  std::string last_;
  std::vector<std::string> rest_;  // behind the last name that was looked at
  Fd open_file_;
  int links_followed_ = 0;
};

}  // namespace

Result<NamedPlace> find_named_place(const std::string& path, Missing missing, AgentsLinks links) {
  return Walk(path, missing, links).go();
}

}  // namespace orch::store

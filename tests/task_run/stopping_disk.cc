#include "stopping_disk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string_view>

namespace orch::stopping_disk {
namespace {

std::string watched;
int stops_at = 0, made = 0, elsewhere = 0;
Moment stops = Moment::kBefore;

bool is_below(std::string_view path) {
  return !watched.empty() && elsewhere == 0 && path.starts_with(watched);
}

std::string path_of(int fd) {
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t length = ::readlink(link.c_str(), path.data(), path.size());
  return {path.data(), length > 0 ? static_cast<size_t>(length) : 0};
}

std::string path_at(int folder, const char* path) {
  const bool absolute = path[0] == '/' || folder == AT_FDCWD;
  return absolute ? path : path_of(folder) + "/" + path;
}

bool is_the_one(Moment moment) { return made == stops_at && moment == stops; }

// Makes a change that happens completely or not at all.
template <typename Make>
long change(std::string_view path, const Make& make) {
  if (!is_below(path)) return make();
  ++made;
  if (is_the_one(Moment::kBefore) || is_the_one(Moment::kInTheMiddle)) ::_exit(kStopped);
  const long result = make();
  if (is_the_one(Moment::kAfter)) ::_exit(kStopped);
  return result;
}

}  // namespace

Ran in_child(const std::string& folder, int at, Moment moment, const std::function<int()>& work) {
  std::array<int, 2> report{-1, -1};
  if (::pipe(report.data()) != 0) return {-1, 0};
  const pid_t child = ::fork();
  if (child == 0) {
    watched = folder;
    stops_at = at;
    stops = moment;
    const int code = work();
    ::_exit(::write(report[1], &made, sizeof made) == sizeof made ? code : 1);
  }
  ::close(report[1]);
  int status = 0;
  Ran ran;
  if (::waitpid(child, &status, 0) != child) return {-1, 0};
  if (::read(report[0], &ran.changes, sizeof ran.changes) <= 0) ran.changes = 0;
  ::close(report[0]);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

Elsewhere::Elsewhere() { ++elsewhere; }
Elsewhere::~Elsewhere() { --elsewhere; }

}  // namespace orch::stopping_disk

using namespace orch::stopping_disk;

extern "C" {

ssize_t write(int fd, const void* bytes, size_t size) {
  const auto make = [&](size_t part) { return ::syscall(SYS_write, fd, bytes, part); };
  if (watched.empty() || !is_below(path_of(fd))) return make(size);
  ++made;
  if (is_the_one(Moment::kBefore)) ::_exit(kStopped);
  if (is_the_one(Moment::kInTheMiddle)) {
    make(size / 2);
    ::_exit(kStopped);
  }
  const ssize_t result = make(size);
  if (is_the_one(Moment::kAfter)) ::_exit(kStopped);
  return result;
}

int rename(const char* from, const char* to) noexcept {
  return static_cast<int>(
      change(to, [&] { return ::syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to); }));
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return static_cast<int>(change(path_at(to_folder, to), [&] {
    return ::syscall(SYS_renameat, from_folder, from, to_folder, to);
  }));
}

int unlink(const char* path) noexcept {
  return static_cast<int>(change(path, [&] { return ::syscall(SYS_unlinkat, AT_FDCWD, path, 0); }));
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  return static_cast<int>(
      change(path_at(folder, path), [&] { return ::syscall(SYS_unlinkat, folder, path, flags); }));
}

int mkdir(const char* path, mode_t mode) noexcept {
  return static_cast<int>(
      change(path, [&] { return ::syscall(SYS_mkdirat, AT_FDCWD, path, mode); }));
}

int mkdirat(int folder, const char* path, mode_t mode) noexcept {
  return static_cast<int>(
      change(path_at(folder, path), [&] { return ::syscall(SYS_mkdirat, folder, path, mode); }));
}

int ftruncate(int fd, off_t size) noexcept {
  return static_cast<int>(change(path_of(fd), [&] { return ::syscall(SYS_ftruncate, fd, size); }));
}

}  // extern "C"

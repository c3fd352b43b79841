// Preloaded into a program: one read below a folder fails. Reads are counted in the process that is
// started; what it executes has none of this. A forked child counts on by itself.
//   ORCH_UNREADABLE_BELOW  the folder
//   ORCH_UNREADABLE_AT     which read fails, from 1; 0: none
//   ORCH_UNREADABLE_ERRNO  with what (a number)
//   ORCH_UNREADABLE_ONCE   set: this one alone; else every later read of the same path, too, as of
//   a
//                          disk that has gone bad
//   ORCH_UNREADABLE_LOG    takes a line for each read, or of a failing one alone: "CALL PATH"
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

template <typename Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}
#define REAL(name) (real<decltype(&::name)>(#name))

struct Wanted {
  std::string below, log, bad_path;
  long at = 0, seen = 0;
  int error = 0;
  bool once = false;
};

std::string taken(const char* name) {
  const char* value = ::getenv(name);
  std::string text = value == nullptr ? "" : value;
  ::unsetenv(name);
  return text;
}

Wanted read_wanted() {
  Wanted wanted;
  wanted.below = taken("ORCH_UNREADABLE_BELOW");
  wanted.at = std::atol(taken("ORCH_UNREADABLE_AT").c_str());
  wanted.error = std::atoi(taken("ORCH_UNREADABLE_ERRNO").c_str());
  wanted.once = !taken("ORCH_UNREADABLE_ONCE").empty();
  wanted.log = taken("ORCH_UNREADABLE_LOG");
  ::unsetenv("LD_PRELOAD");
  return wanted;
}

Wanted& wanted() {
  static Wanted* const known = new Wanted(read_wanted());  // outlives what runs at exit
  return *known;
}

__attribute__((constructor)) void begin() { wanted(); }

std::string path_of(int fd) {
  char path[PATH_MAX];
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t length = ::readlink(link.c_str(), path, sizeof path);
  return length <= 0 ? "" : std::string(path, static_cast<size_t>(length));
}

std::string path_at(int folder, const char* name) {
  if (name == nullptr) return "";
  if (*name == '/') return name;
  if (folder == AT_FDCWD) return "";
  const std::string above = path_of(folder);
  return std::strcmp(name, ".") == 0 || *name == '\0' ? above : above + "/" + name;
}

void log(const char* call, const std::string& path) {
  if (wanted().log.empty()) return;
  const int fd = REAL(open)(wanted().log.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  const std::string line = std::string(call) + " " + path + "\n";
  if (fd >= 0 && ::write(fd, line.data(), line.size()) < 0) std::abort();
  ::close(fd);
}

// Whether this read fails. EMFILE is that of calls which make a descriptor.
bool fails(const char* call, const std::string& path, bool makes_descriptor = false) {
  Wanted& want = wanted();
  if (want.below.empty() || path.compare(0, want.below.size(), want.below) != 0) return false;
  const int before = errno;
  const bool again = !want.once && !want.bad_path.empty() && path == want.bad_path;
  if (want.error == EMFILE && !makes_descriptor) return false;
  const bool now = ++want.seen == want.at;
  if (now) want.bad_path = path;
  if (now || want.at == 0) log(call, path);
  errno = now || again ? want.error : before;
  return now || again;
}

bool reads(int flags) { return (flags & O_ACCMODE) != O_WRONLY; }

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  if (reads(flags) && fails("open", path_at(AT_FDCWD, path), true)) return -1;
  return REAL(open)(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  if (reads(flags) && fails("open", path_at(AT_FDCWD, path), true)) return -1;
  return REAL(open64)(path, flags, mode);
}

int openat(int at, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  if (reads(flags) && fails("openat", path_at(at, path), true)) return -1;
  return REAL(openat)(at, path, flags, mode);
}

int openat64(int at, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  if (reads(flags) && fails("openat", path_at(at, path), true)) return -1;
  return REAL(openat64)(at, path, flags, mode);
}

long syscall(long number, ...) {
  va_list rest;
  va_start(rest, number);
  long words[6];
  for (long& word : words) word = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_openat2) {
    const auto* path = reinterpret_cast<const char*>(words[1]);
    const auto* how = reinterpret_cast<const open_how*>(words[2]);
    if (reads(static_cast<int>(how->flags)) &&
        fails("openat2", path_at(static_cast<int>(words[0]), path), true)) {
      return -1;
    }
  }
  return REAL(syscall)(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

FILE* fopen(const char* path, const char* mode) {
  if (*mode == 'r' && fails("fopen", path_at(AT_FDCWD, path), true)) return nullptr;
  return REAL(fopen)(path, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  if (*mode == 'r' && fails("fopen", path_at(AT_FDCWD, path), true)) return nullptr;
  return REAL(fopen64)(path, mode);
}

ssize_t read(int fd, void* bytes, size_t most) {
  return fails("read", path_of(fd)) ? -1 : REAL(read)(fd, bytes, most);
}

ssize_t pread(int fd, void* bytes, size_t most, off_t at) {
  return fails("pread", path_of(fd)) ? -1 : REAL(pread)(fd, bytes, most, at);
}

ssize_t pread64(int fd, void* bytes, size_t most, off64_t at) {
  return fails("pread", path_of(fd)) ? -1 : REAL(pread64)(fd, bytes, most, at);
}

int stat(const char* path, struct stat* info) {
  return fails("stat", path_at(AT_FDCWD, path)) ? -1 : REAL(stat)(path, info);
}

int lstat(const char* path, struct stat* info) {
  return fails("lstat", path_at(AT_FDCWD, path)) ? -1 : REAL(lstat)(path, info);
}

int fstat(int fd, struct stat* info) {
  return fails("fstat", path_of(fd)) ? -1 : REAL(fstat)(fd, info);
}

int fstatat(int at, const char* path, struct stat* info, int flags) {
  return fails("fstatat", path_at(at, path)) ? -1 : REAL(fstatat)(at, path, info, flags);
}

int statfs(const char* path, struct statfs* info) {
  return fails("statfs", path_at(AT_FDCWD, path)) ? -1 : REAL(statfs)(path, info);
}

int access(const char* path, int mode) {
  return fails("access", path_at(AT_FDCWD, path)) ? -1 : REAL(access)(path, mode);
}

int faccessat(int at, const char* path, int mode, int flags) {
  return fails("access", path_at(at, path)) ? -1 : REAL(faccessat)(at, path, mode, flags);
}

DIR* opendir(const char* path) {
  return fails("opendir", path_at(AT_FDCWD, path), true) ? nullptr : REAL(opendir)(path);
}

dirent* readdir(DIR* folder) {
  return fails("readdir", path_of(::dirfd(folder))) ? nullptr : REAL(readdir)(folder);
}

dirent64* readdir64(DIR* folder) {
  return fails("readdir", path_of(::dirfd(folder))) ? nullptr : REAL(readdir64)(folder);
}

int fcntl(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  if (command == F_OFD_GETLK && fails("getlk", path_of(fd))) return -1;
  return REAL(fcntl)(fd, command, argument);
}

int fcntl64(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  if (command == F_OFD_GETLK && fails("getlk", path_of(fd))) return -1;
  return REAL(fcntl64)(fd, command, argument);
}

}  // extern "C"

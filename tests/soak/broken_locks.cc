// Preloaded into a program: no file can be locked, as on a network file system whose lock server is
// not there.
#include <dlfcn.h>
#include <fcntl.h>

#include <cerrno>
#include <cstdarg>

namespace {

int without_locks(const char* name, int fd, int command, void* argument) {
  if (command == F_OFD_SETLK || command == F_OFD_GETLK || command == F_OFD_SETLKW) {
    errno = ENOLCK;
    return -1;
  }
  const auto real = reinterpret_cast<int (*)(int, int, ...)>(::dlsym(RTLD_NEXT, name));
  return real(fd, command, argument);
}

}  // namespace

extern "C" int flock(int /*fd*/, int /*operation*/) {
  errno = ENOLCK;
  return -1;
}

extern "C" int fcntl(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  return without_locks("fcntl", fd, command, argument);
}

extern "C" int fcntl64(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  return without_locks("fcntl64", fd, command, argument);
}

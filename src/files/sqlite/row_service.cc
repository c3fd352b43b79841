#include "sqlite/row_service.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "sqlite/library.h"
#include "sqlite/pieces.h"
#include "sqlite/read_rows.h"

// The sanitizers need memory and system calls of their own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ORCH_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define ORCH_SANITIZED
#endif
#endif

namespace orch::sqlite {
namespace {

constexpr rlim_t kMostSeconds = 2;  // of a processor
[[maybe_unused]] constexpr rlim_t kMostMemory = rlim_t{512} << 20;
constexpr size_t kMostRequestBytes = 1 << 20;

void limit(decltype(RLIMIT_AS) resource, rlim_t most) {
  const rlimit value{most, most};
  ::setrlimit(resource, &value);
}

#ifndef ORCH_SANITIZED

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "the audit architecture of this processor"
#endif

// System calls to read the open files, to allocate memory, to write the answer, and to end.
constexpr int kAllowed[] = {
    __NR_pread64,    __NR_read,          __NR_write,        __NR_fstat,      __NR_lseek, __NR_mmap,
    __NR_munmap,     __NR_mremap,        __NR_madvise,      __NR_mprotect,   __NR_brk,   __NR_futex,
    __NR_getpid,     __NR_gettid,        __NR_rt_sigreturn, __NR_exit_group, __NR_exit,  __NR_statx,
    __NR_newfstatat, __NR_clock_gettime, __NR_getrandom};

// Makes every other system call fail with EPERM, if the kernel has these filters.
void refuse_system_calls() {
  constexpr uint8_t kCount = std::size(kAllowed);
  std::vector<sock_filter> program{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
  };
  for (uint8_t i = 0; i < kCount; ++i) {
    const auto to_end = static_cast<uint8_t>(kCount - i);
    program.push_back(
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(kAllowed[i]), to_end, 0));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

#endif

// Any harm that a database could make SQLite do ends here: with this process.
void give_up_all_else() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_CPU, kMostSeconds);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
#ifndef ORCH_SANITIZED
  limit(RLIMIT_AS, kMostMemory);
  limit(RLIMIT_NOFILE, 0);
  refuse_system_calls();
#endif
}

std::string request() {
  std::string text;
  std::array<char, 64 << 10> buffer;
  while (text.size() <= kMostRequestBytes) {
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got == 0 || (got < 0 && errno != EINTR)) break;
    text.append(buffer.data(), static_cast<size_t>(std::max<ssize_t>(got, 0)));
  }
  return text;
}

bool write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    text.remove_prefix(static_cast<size_t>(std::max<ssize_t>(written, 0)));
  }
  return true;
}

// A request's pieces: the query, the limit in bytes, and names and values in turn.
base::Result<std::vector<std::string>> answer_to(std::string_view text) {
  const auto query = take_piece(text), most = take_piece(text);
  size_t most_bytes = 0;
  if (!query || !most ||
      std::from_chars(most->data(), most->data() + most->size(), most_bytes).ec != std::errc()) {
    return base::Error{base::ErrorCode::kSystem, "SQLite: no query"};
  }
  std::vector<std::pair<std::string, std::string>> values;
  while (const auto name = take_piece(text)) {
    values.emplace_back(*name, take_piece(text).value_or(""));
  }
  // Not closed at the end: the process ends.
  base::Fd database(kDatabaseFd), log(kLogFd);
  auto rows = read_rows(database, log, std::string(*query), values, most_bytes);
  database.release();
  log.release();
  return rows;
}

}  // namespace

int serve_rows() {
  const std::string asked = request();
  const auto library = load_library();
  give_up_all_else();
  const base::Result<std::vector<std::string>> rows =
      library ? answer_to(asked) : base::Result<std::vector<std::string>>(library.error());
  std::string answer;
  if (rows) {
    for (const std::string& row : *rows) add_piece(answer, row);
    add_piece(answer, kDone);
  } else {
    add_piece(answer, rows.error().text);
    add_piece(answer, kFailed);
  }
  return write_all(answer) ? 0 : 1;
}

}  // namespace orch::sqlite

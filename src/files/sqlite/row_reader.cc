#include "sqlite/row_reader.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string_view>

#include "base/child.h"
#include "base/own_program.h"
#include "sqlite/pieces.h"
#include "sqlite/row_service.h"

extern char** environ;

namespace orch::sqlite {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::system_error;
using Clock = std::chrono::steady_clock;
using Rows = std::vector<std::string>;

constexpr int kFirstFreeFd = 10;    // above all descriptors that the process gets
constexpr size_t kPieceBytes = 16;  // for the length of a piece
constexpr size_t kErrorBytes = 4 << 10;
constexpr int kReapLooks = 50;  // a millisecond each
constexpr const char* kWhat = "SQLite's process";

// Processes that had not ended when the wait for them was over: a disk that does not answer holds
// them. They are reaped at a later call.
std::vector<pid_t>& unreaped() {
  static std::vector<pid_t> pids;
  return pids;
}

bool reap(pid_t pid) {
  const pid_t ended = ::waitpid(pid, nullptr, WNOHANG);
  return ended == pid || (ended < 0 && errno == ECHILD);
}

// A process that was killed is gone within a moment, unless a disk holds it.
void reap_killed(pid_t pid) {
  for (int look = 0; look < kReapLooks; ++look) {
    if (reap(pid)) return;
    ::poll(nullptr, 0, 1);
  }
  unreaped().push_back(pid);
}

void reap_left() { std::erase_if(unreaped(), reap); }

// A copy with a number above the descriptors that the process gets.
base::Fd moved_up(const base::Fd& fd) {
  return base::Fd(fd.valid() ? ::fcntl(fd.get(), F_DUPFD_CLOEXEC, kFirstFreeFd) : -1);
}

// The loader's variables for finding libsqlite3. This process's other variables are left out.
std::vector<char*> loader_environment() {
  std::vector<char*> env;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::string_view(*entry).starts_with("LD_")) env.push_back(*entry);
  }
  env.push_back(nullptr);
  return env;
}

// A process that answers on the other end of `answer`.
struct Process {
  pid_t pid = 0;
  base::Fd answer;
};

Result<Process> start(const std::string& program, const base::Fd& database, const base::Fd& log,
                      std::string_view request) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_error(kWhat, errno);
  Process process{0, base::Fd(ends[0])};
  const base::Fd theirs_low(ends[1]);
  const base::Fd theirs = moved_up(theirs_low), in = moved_up(base::memory_file(request)),
                 read = moved_up(database), read_log = moved_up(log);
  if (!theirs.valid() || !in.valid() || !read.valid()) return system_error(kWhat, errno);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, in.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, theirs.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, read.get(), kDatabaseFd);
  if (read_log.valid()) ::posix_spawn_file_actions_adddup2(&files, read_log.get(), kLogFd);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::string orch = "orch", internal = base::kInternal, command = "read-rows";
  std::array<char*, 4> argv{orch.data(), internal.data(), command.data(), nullptr};
  const int failure = ::posix_spawn(&process.pid, program.c_str(), &files, &attributes, argv.data(),
                                    loader_environment().data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  if (failure != 0) return system_error(kWhat, failure);
  return process;
}

enum class End { kWhole, kTooLong, kTooLate };

// Reads to the end of the answer.
End read_answer(const base::Fd& from, Clock::time_point until, size_t most, std::string& answer) {
  std::array<char, 64 << 10> buffer;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    if (left.count() <= 0) return End::kTooLate;
    pollfd readable{from.get(), POLLIN, 0};
    if (::poll(&readable, 1, static_cast<int>(left.count())) <= 0) continue;
    const ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return End::kWhole;
    answer.append(buffer.data(), static_cast<size_t>(got));
    if (answer.size() > most) return End::kTooLong;
  }
}

Error failed(std::string_view what) { return {ErrorCode::kSystem, "SQLite: " + std::string(what)}; }

Result<Rows> rows_in(std::string_view answer) {
  Rows pieces;
  while (const auto piece = take_piece(answer)) pieces.emplace_back(*piece);
  if (pieces.empty()) return failed("its process was ended");
  const std::string last = std::move(pieces.back());
  pieces.pop_back();
  if (last == kDone) return pieces;
  if (last == kFailed && !pieces.empty()) return Error{ErrorCode::kSystem, pieces.back()};
  return failed("its process was ended");
}

}  // namespace

Result<Rows> RowReader::read(const base::Fd& database, const base::Fd& log,
                             const std::string& query,
                             const std::vector<std::pair<std::string, std::string>>& values,
                             size_t most_bytes) {
  if (too_slow_) return failed("an earlier query took too long");
  reap_left();
  const Clock::time_point until = Clock::now() + std::chrono::milliseconds(kQueryMs);
  std::string request;
  add_piece(request, query);
  add_piece(request, std::to_string(most_bytes));
  for (const auto& [name, value] : values) {
    add_piece(request, name);
    add_piece(request, value);
  }
  Result<Process> process = start(program_, database, log, request);
  if (!process) return process.error();
  std::string answer;
  const End end = read_answer(process->answer, until,
                              most_bytes + kMostRows * kPieceBytes + kErrorBytes, answer);
  ::kill(process->pid, SIGKILL);
  reap_killed(process->pid);
  if (end == End::kTooLong) return failed("the answer is too long");
  if (end == End::kWhole) return rows_in(answer);
  too_slow_ = true;
  return failed("the query took longer than " + std::to_string(kQueryMs) + " ms");
}

}  // namespace orch::sqlite

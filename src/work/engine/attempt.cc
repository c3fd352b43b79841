#include "engine/attempt.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>

#include "base/json_members.h"
#include "base/random.h"
#include "base/text.h"
#include "engine/number.h"
#include "event/exit_reason.h"
#include "store/file_io.h"
#include "store/file_lock.h"
#include "store/folder.h"
#include "store/replace_file.h"
#include "store/time_text.h"

namespace orch::engine {
namespace {

constexpr size_t kMaxResultBytes = 16 << 20;
constexpr int kMostAttempts = 10'000;

std::string verdict_file(const std::string& artifacts) { return artifacts + "/verdict"; }

std::optional<int> verdict_in(const std::string& artifacts) {
  const base::Result<std::string> text =
      store::read_regular_file(verdict_file(artifacts), 64, store::Links::kRefused);
  if (!text) return std::nullopt;
  const std::optional<size_t> attempt = number_of(base::trim(*text));
  if (!attempt || *attempt == 0 || *attempt > kMostAttempts) return std::nullopt;
  return static_cast<int>(*attempt);
}

std::optional<AttemptResult> result_in(const std::string& artifacts, int attempt) {
  const base::Result<std::string> text = store::read_regular_file(
      attempt_folder(artifacts, attempt) + "/result.json", kMaxResultBytes, store::Links::kRefused);
  if (!text) return std::nullopt;
  base::Result<AttemptResult> result = attempt_result_from_json(*text);
  if (!result) return std::nullopt;
  return std::move(result).value();
}

volatile std::sig_atomic_t stop_asked = 0;
extern "C" void note_stop(int /*signum*/) { stop_asked = 1; }

// A waiting job ends at once on a signal. The first process of a container has no default action of
// its own: there a signal without a handler is lost.
class StopWatch {
 public:
  StopWatch() {
    stop_asked = 0;
    struct sigaction action {};
    action.sa_handler = note_stop;
    ::sigaction(SIGTERM, &action, &term_);
    ::sigaction(SIGINT, &action, &int_);
  }
  ~StopWatch() {
    ::sigaction(SIGTERM, &term_, nullptr);
    ::sigaction(SIGINT, &int_, nullptr);
  }
  StopWatch(const StopWatch&) = delete;
  StopWatch& operator=(const StopWatch&) = delete;

  static bool asked() { return stop_asked != 0; }
  // A signal ends the wait early.
  static void wait() {
    struct timespec time {
      .tv_sec = 0, .tv_nsec = 500'000'000
    };
    ::nanosleep(&time, nullptr);
  }

 private:
  struct sigaction term_ {
  }, int_{};
};

// When the next attempt may begin; nullopt: at once.
std::optional<store::TimePoint> not_before(const IssueFiles& files) {
  if (!files.result || files.result_of != files.attempts) return std::nullopt;
  const AttemptResult& last = *files.result;
  if (last.code != event::exit_code(event::ExitReason::kRetryLater)) return std::nullopt;
  const std::optional<store::TimePoint> ended = store::parse_rfc3339_utc(last.ended);
  if (!ended || !last.retry_after_ms) return std::nullopt;
  return *ended + std::chrono::milliseconds(*last.retry_after_ms);
}

}  // namespace

base::Result<AttemptResult> attempt_result_from_json(std::string_view text) {
  base::JsonDocument document("result.json", text);
  AttemptResult result;
  {
    base::JsonMembers in(document);
    in.required("reason", result.reason);
    in.required("code", result.code);
    in.optional("detail", result.detail);
    in.nullable("run", result.run);
    in.optional("ended", result.ended);
    in.nullable("retry_after_ms", result.retry_after_ms);
    in.nullable("ms", result.ms);
    in.nullable("turns", result.turns);
  }
  base::Result<AttemptResult> read = document.finish(std::move(result));
  if (!read) return read;
  const std::optional<event::ExitReason> reason = event::exit_reason_named(read->reason);
  const bool signal = reason == event::ExitReason::kAgentSignal && read->code > 128;
  if (!reason || read->code > 255 || (!signal && event::exit_code(*reason) != read->code)) {
    return base::usage_error("result.json: reason and code are none of orch's");
  }
  return read;
}

std::string attempt_folder(const std::string& artifacts, int attempt) {
  return artifacts + "/attempt-" + std::to_string(attempt);
}

IssueFiles look_at(const std::string& artifacts) {
  IssueFiles files;
  while (files.attempts < kMostAttempts &&
         store::is_folder(attempt_folder(artifacts, files.attempts + 1))) {
    ++files.attempts;
  }
  files.verdict = verdict_in(artifacts);
  for (int attempt = 1; attempt <= files.attempts; ++attempt) {
    const std::optional<AttemptResult> result = result_in(artifacts, attempt);
    if (!result) continue;
    if (result->code == event::exit_code(event::ExitReason::kRetryLater)) ++files.limited;
    if (files.verdict && *files.verdict != attempt) continue;
    files.result = result;
    files.result_of = attempt;
  }
  return files;
}

base::Result<Attempt::Begin> Attempt::begin(
    const std::function<void(const std::string& line)>& say) {
  if (base::Status s = store::create_folders(artifacts_); !s) return s.error();
  const StopWatch stop;
  bool told = false;
  for (;; StopWatch::wait()) {
    if (StopWatch::asked()) return Begin::kStopped;
    if (!lock_.valid()) lock_ = store::try_lock(artifacts_ + "/lock");
    // A disk without locks holds nobody up.
    const bool is_taken = !lock_.valid() && (errno == EAGAIN || errno == EACCES);
    before_ = look_at(artifacts_);
    if (before_.verdict) return Begin::kTold;
    const std::optional<store::TimePoint> from = not_before(before_);
    const bool is_early = from && std::chrono::system_clock::now() < *from;
    if (!is_taken && !is_early) break;
    if (!std::exchange(told, true)) {
      say(is_taken ? "an earlier attempt of it still works; waiting for its end"
                   : "waiting until " + store::rfc3339_utc(*from) + ", as the limit says");
    }
  }
  for (number_ = before_.attempts + 1; number_ <= kMostAttempts; ++number_) {
    if (::mkdir(folder().c_str(), 0700) == 0) return Begin::kRun;
    if (errno != EEXIST) return base::system_error("make " + base::printable(folder()), errno);
  }
  return base::Error{base::ErrorCode::kSystem, "it was begun too often"};
}

std::optional<AttemptResult> Attempt::result() const { return result_in(artifacts_, number_); }

base::Result<bool> Attempt::publish() const {
  if (!result()) {
    return base::Error{
        base::ErrorCode::kSystem,
        base::printable(folder()) + "/result.json is not there, so that there is no verdict"};
  }
  const std::string path = verdict_file(artifacts_);
  const std::string temporary = artifacts_ + "/.verdict-" + base::random_hex();
  const std::string text = std::to_string(number_) + "\n";
  base::Fd file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.valid()) return base::system_error("make " + base::printable(path), errno);
  base::Status status = store::write_all(file, temporary, text);
  if (status && ::fsync(file.get()) != 0) status = base::system_error("sync " + temporary, errno);
  if (status) status = store::close_file(std::move(file), temporary);
  if (!status) {
    ::unlink(temporary.c_str());
    return status.error();
  }
  int failed = ::link(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
  // A network disk may have made the link and lost the answer; then the file has two names
  // (open(2), O_EXCL).
  struct stat info {};
  if (failed != 0 && ::stat(temporary.c_str(), &info) == 0 && info.st_nlink == 2) failed = 0;
  // Volumes without hard links can at least rename without replacing.
  if (failed == EPERM || failed == ENOTSUP || failed == ENOSYS) {
    // By its number, because musl lacks the function.
    failed = ::syscall(SYS_renameat2, AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(),
                       RENAME_NOREPLACE) == 0
                 ? 0
                 : errno;
  }
  ::unlink(temporary.c_str());
  if (failed == 0) {
    const base::Fd folder = store::open_folder_of(path);
    if (base::Status s = store::sync_folder(folder, path); !s) return s.error();
    return true;
  }
  if (failed == EEXIST) return false;
  return base::system_error("make " + base::printable(path), failed);
}

bool is_verdict(const AttemptResult& result, int limited_before, int retries) {
  using event::ExitReason;
  if (result.reason == event::name(ExitReason::kTerminated)) return false;
  return result.reason != event::name(ExitReason::kRetryLater) || limited_before >= retries;
}

}  // namespace orch::engine

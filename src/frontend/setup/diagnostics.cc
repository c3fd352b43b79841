#include "setup/diagnostics.h"

// The open files must not be inherited by programs that orch starts.
#define SPDLOG_PREVENT_CHILD_FD

#include <poll.h>
#include <spdlog/async_logger.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "base/words.h"
#include "mask/text.h"
#include "store/output.h"

namespace orch::setup {
namespace {

using base::LogLevel;

constexpr size_t kFileBytes = 1 << 20;
constexpr size_t kOlderFiles = 2;
constexpr size_t kMostWaiting = 512;  // lines
// Lines of the whole process that are repeated in the files of later runs.
constexpr size_t kMostOfAll = 32;
constexpr std::string_view kFilePrefix = "file:";

constexpr base::Words<LogLevel, 4> kLevels{{
    {LogLevel::kDebug, "debug"},
    {LogLevel::kInfo, "info"},
    {LogLevel::kWarn, "warn"},
    {LogLevel::kError, "error"},
}};

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::off;
}

// Writes a line if stderr takes it without blocking: a pipe or a terminal that is ready takes this
// many bytes (pipe(7): PIPE_BUF).
void write_what_fits(const std::string& line) {
  constexpr size_t kMostBytes = 4096;
  pollfd ready{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (line.size() > kMostBytes || ::poll(&ready, 1, 0) <= 0) return;
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

ReadLogRequest read_log_request(int verbose, std::string_view variable) {
  ReadLogRequest read;
  LogRequest& wanted = read.wanted;
  if (verbose > 0) wanted.on_stderr = verbose > 1 ? LogLevel::kDebug : LogLevel::kInfo;
  while (!variable.empty()) {
    const std::string_view word = variable.substr(0, variable.find(','));
    variable.remove_prefix(std::min(word.size() + 1, variable.size()));
    if (word.starts_with(kFilePrefix) && word.size() > kFilePrefix.size()) {
      wanted.file = word.substr(kFilePrefix.size());
    } else if (const auto level = base::value_of(kLevels, word)) {
      wanted.on_stderr = std::min(wanted.on_stderr.value_or(*level), *level);
    } else if (!word.empty()) {
      read.error = base::usage_error("ORCH_LOG: '" + std::string(word) +
                                     "' is neither debug, info, warn, error nor file:PATH");
    }
  }
  if (wanted.on_stderr == LogLevel::kDebug || !wanted.file.empty())
    wanted.in_files = LogLevel::kDebug;
  return read;
}

Diagnostics::Diagnostics() : write_stderr_(write_what_fits) {}

base::Status Diagnostics::begin(LogRequest wanted) {
  wanted_ = std::move(wanted);
  base::Status opened = wanted_.file.empty() ? base::Ok{} : open_named();
  base::set_log_sink([this](const base::LogLine& line) { take(line); });
  return opened;
}

// The file of ORCH_LOG. It is found once, by its own rules (store/output.h); after that only its
// descriptor names it.
base::Status Diagnostics::open_named() {
  base::Result<base::Fd> named = store::open_output(wanted_.file);
  if (!named) return base::Error{named.error().code, "ORCH_LOG: " + named.error().text};
  named_ = std::move(named).value();
  file_ = open("/proc/self/fd/" + std::to_string(named_.get()), Growth::kUnbounded);
  return base::Ok{};
}

Diagnostics::~Diagnostics() {
  base::set_log_sink(nullptr);
  of_runs_.clear();
  file_.reset();
  writer_.reset();
}

void Diagnostics::keep_runs(const std::string& state_dir) {
  runs_ = state_dir + "/runs/";
  try {
    writer_ = std::make_shared<spdlog::details::thread_pool>(kMostWaiting, 1);
  } catch (const std::system_error&) {
    // A thread cannot be made (pids.max, RLIMIT_NPROC): files are written synchronously.
  }
  if (file_) {  // with the thread
    file_ = open("/proc/self/fd/" + std::to_string(named_.get()), Growth::kUnbounded);
  }
}

void Diagnostics::end_run(const std::string& run) {
  const auto ended = of_runs_.find(run);
  if (ended == of_runs_.end()) return;
  ended->second->flush();
  of_runs_.erase(ended);
}

void Diagnostics::write_out() {
  of_runs_.clear();
  if (file_) file_->flush();
  file_.reset();
  writer_.reset();  // the thread ends when it has written everything
}

void Diagnostics::write_stderr_by(std::function<void(std::string)> write) {
  write_stderr_ = write ? std::move(write) : write_what_fits;
}

void Diagnostics::take(const base::LogLine& line) {
  const bool for_stderr = wanted_.on_stderr && line.level >= *wanted_.on_stderr;
  const bool for_files = line.level >= wanted_.in_files;
  if (!for_stderr && !for_files) return;
  std::string text = std::string(line.component) + ": " + base::printable(line.text);
  if (secrets_) text = mask::masked(secrets_, text);
  if (for_stderr) tell_stderr(line, text);
  if (!for_files) return;
  const spdlog::level::level_enum level = level_of(line.level);
  if (file_) file_->log(level, text);
  if (!line.run.empty()) {
    if (spdlog::logger* log = log_of(line.run)) log->log(level, text);
    return;
  }
  for (const auto& [run, log] : of_runs_) log->log(level, text);
  of_all_.push_back({std::chrono::system_clock::now(), line.level, text});
  if (of_all_.size() > kMostOfAll) of_all_.pop_front();
}

void Diagnostics::tell_stderr(const base::LogLine& line, const std::string& text) {
  write_stderr_("orch: " + std::string(base::word_of(kLevels, line.level)) + ": " + text + "\n");
}

// Opens a run's log at its first line, once the run has its folder; nullptr before.
spdlog::logger* Diagnostics::log_of(std::string_view run) {
  if (runs_.empty()) return nullptr;
  const auto found = of_runs_.find(run);
  if (found != of_runs_.end()) return found->second.get();
  const std::string folder = runs_ + std::string(run);
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0) return nullptr;
  std::shared_ptr<spdlog::logger> log = open(folder + "/orch.log", Growth::kRotated);
  if (!log) return nullptr;
  for (const Kept& line : of_all_) {
    log->log(line.at, spdlog::source_loc{}, level_of(line.level), line.text);
  }
  return of_runs_.emplace(run, std::move(log)).first->second.get();
}

// Returns nullptr if the file cannot be opened: a run does not depend on its log.
std::shared_ptr<spdlog::logger> Diagnostics::open(const std::string& path, Growth growth) {
  spdlog::file_event_handlers events;
  if (growth == Growth::kRotated) {  // then it is our file; any other may be a device
    events.after_open = [](const spdlog::filename_t& /*path*/, std::FILE* file) {
      ::fchmod(::fileno(file), 0600);
    };
  }
  std::shared_ptr<spdlog::sinks::sink> sink;
  try {
    if (growth == Growth::kRotated) {
      sink = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(path, kFileBytes, kOlderFiles,
                                                                    false, events);
    } else {
      sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path, false, events);
    }
  } catch (const spdlog::spdlog_ex&) {
    return nullptr;
  }
  std::shared_ptr<spdlog::logger> log;
  if (writer_) {
    log = std::make_shared<spdlog::async_logger>("orch", std::move(sink), writer_,
                                                 spdlog::async_overflow_policy::overrun_oldest);
  } else {
    log = std::make_shared<spdlog::logger>("orch", std::move(sink));
  }
  log->set_level(spdlog::level::debug);
  log->flush_on(spdlog::level::warn);
  log->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %P %l %v", spdlog::pattern_time_type::utc);
  log->set_error_handler([](const std::string& /*message*/) {});
  return log;
}

}  // namespace orch::setup

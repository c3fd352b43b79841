#include "chatter_host.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "pty/spawn.h"

namespace orch::soak {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{30};
constexpr std::chrono::milliseconds kPause{20};

constexpr const char* kManifest = R"({
  "manifest": 1, "name": "chatter", "title": "prints, and changes its status",
  "idle_known": false, "program": ["CHATTER", "FOLDER", "BYTES", "LINE", "RATE"],
  "rules": [
    {"id": "even", "status": "working", "cause": "tool", "priority": 50,
     "when": [{"in": "title", "match": "^even"}]},
    {"id": "odd", "status": "working", "cause": "retry", "priority": 40,
     "when": [{"in": "title", "match": "^odd"}]}]
})";

// The only host of this program, to be ended if the program gives up.
struct Living {
  pid_t pid = 0;
  std::string folder;
  void end() {
    if (pid > 0) ::kill(pid, SIGTERM);
    if (pid > 0) ::waitpid(pid, nullptr, 0);
    std::error_code ignored;
    if (!folder.empty()) fs::remove_all(folder, ignored);
    *this = {};
  }
};
Living living;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(2);
}

void replace(std::string& text, const std::string& word, const std::string& by) {
  text.replace(text.find(word), word.size(), by);
}

}  // namespace

ChatterHost::ChatterHost(const Plan& plan) {
  folder_ = (fs::temp_directory_path() / "orch-soak-XXXXXX").string();
  if (::mkdtemp(folder_.data()) == nullptr) give_up("mkdtemp " + folder_);
  living.folder = folder_;
  std::atexit([] { living.end(); });
  start(plan);
  await_sessions(plan.issues.size());
}

ChatterHost::~ChatterHost() { living.end(); }

void ChatterHost::start(const Plan& plan) {
  fs::create_directories(folder_ + "/project/.git");
  fs::create_directories(folder_ + "/config/orch/adapters");
  if (::mkfifo((folder_ + "/go").c_str(), 0600) != 0) give_up("mkfifo in " + folder_);
  std::string manifest = kManifest;
  replace(manifest, "CHATTER", plan.chatter);
  replace(manifest, "FOLDER", folder_);
  replace(manifest, "BYTES", std::to_string(plan.flood_bytes));
  replace(manifest, "LINE", std::to_string(plan.line_bytes));
  replace(manifest, "RATE", std::to_string(plan.rate));
  std::ofstream(folder_ + "/config/orch/adapters/chatter.json") << manifest;

  std::vector<std::string> words{plan.orch, "run",    "--agent", "chatter",  "--until",
                                 "exit",    "--size", "120x40",  "--output", "quiet"};
  words.insert(words.end(), plan.issues.begin(), plan.issues.end());
  const char* path = std::getenv("PATH");
  const base::Fd nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const base::Fd errors(
      ::open((folder_ + "/errors").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  const auto host = pty::spawn_child(
      words, folder_ + "/project",
      {"HOME=" + folder_, "ORCH_STATE_DIR=" + folder_ + "/state",
       "XDG_CONFIG_HOME=" + folder_ + "/config",
       std::string("PATH=") + (path == nullptr ? "/usr/bin:/bin" : path)},
      {pty::ChildStdio::Kind::kPipes, {nowhere.get(), nowhere.get(), errors.get()}});
  if (!host) give_up(host.error().text);
  pid_ = living.pid = *host;
}

void ChatterHost::await_sessions(size_t count) {
  const Clock::time_point until = Clock::now() + kPatience;
  const auto reachable = [](const store::SessionRecord& session) {
    return !session.socket.empty();
  };
  for (;;) {
    sessions_ = store::list_sessions(folder_ + "/state").value();
    const bool all = std::all_of(sessions_.begin(), sessions_.end(), reachable);
    std::ifstream(folder_ + "/flooder") >> flooder_;
    if (sessions_.size() == count && all && !flooder_.empty()) return;
    if (Clock::now() > until || ::waitpid(pid_, nullptr, WNOHANG) != 0) {
      std::ifstream errors(folder_ + "/errors");
      give_up("the host does not start: " + std::string(std::istreambuf_iterator(errors), {}));
    }
    std::this_thread::sleep_for(kPause);
  }
}

void ChatterHost::let_go() {
  go_.reset(::open((folder_ + "/go").c_str(), O_WRONLY | O_CLOEXEC));
  if (!go_.valid()) give_up("nobody floods");
}

void ChatterHost::print_files() const {
  const std::string run = folder_ + "/state/runs/" + flooder_;
  for (const char* name : {"output.cast", "events.jsonl", "transcript.txt"}) {
    std::printf("%-32s %.1f MB\n", name,
                static_cast<double>(fs::file_size(run + "/" + name)) / (1 << 20));
  }
}

int64_t ChatterHost::status_field(const std::string& name) const {
  std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return std::atoll(line.c_str() + name.size() + 1);
  }
  give_up("the host is gone");
}

int64_t percentile(std::vector<int64_t> values, double percent) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto rank = std::ceil(static_cast<double>(values.size()) * percent / 100.0);
  return values[static_cast<size_t>(std::max(rank, 1.0)) - 1];
}

}  // namespace orch::soak

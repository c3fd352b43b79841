// kill_host ORCH [N [SEED [MS]]]: starts `orch run` N times (100), ends it each time at a random
// moment within MS (2000), in turn by SIGKILL and in the other ways, and checks what is left at
// most 10 s later. The agents fork helpers, move them out of their session, ignore SIGHUP and
// SIGTERM, clear their environment, lose their parents, and call themselves guardians.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/fd.h"
#include "left_over.h"
#include "pty/cgroup.h"
#include "pty/spawn.h"

namespace orch::soak {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;
using std::chrono::milliseconds;

constexpr std::chrono::seconds kPatience{10};
constexpr milliseconds kPause{20};

// $0 of these scripts is a word that identifies their processes; $wait_forever makes a shell wait
// for ever without a child.
constexpr const char* kHelpers = R"(trap '' HUP TERM
wait_forever='exec 3<>"$0.fifo"; read x <&3'
setsid sh -c "$wait_forever" "$0" &
(setsid sh -c "trap '' TERM; $wait_forever" "$0" &)
env -i setsid /bin/sh -c "$wait_forever" "$0" &
while :; do date; sleep 0.01; done)";
constexpr const char* kDaemons = R"(wait_forever='exec 3<>"$0.fifo"; read x <&3'
for i in 1 2 3 4 5; do
  (env -i setsid /bin/sh -c "trap '' TERM HUP; $wait_forever" "$0" >/dev/null 2>&1 &)
done
for i in 1 2; do
  (ORCH_GUARDIAN=1 setsid /bin/sh -c "trap '' TERM HUP; $wait_forever" "$0" >/dev/null 2>&1 &)
done
)";
constexpr const char* kForEver = "while :; do (setsid sleep 0.05 &); echo one more; done";
constexpr const char* kForASecond = "sleep 1; exit 0";

// How a host comes to its end.
enum class Way { kKilled, kTerminated, kKillCommand, kByItself };

struct Agent {
  const char* name;
  Words words;
  Way way = Way::kKilled;
};

struct Figures {
  int ends = 0, runs = 0, recordings = 0;
  size_t processes = 0, troubles = 0;
  milliseconds slowest{0};
};

class Soak {
 public:
  Soak(std::string orch, unsigned seed, int64_t latest_ms)
      : orch_(std::move(orch)), random_(seed), moment_(0, latest_ms) {}

  // Runs and ends one host, in a folder of its own.
  void end_one(const Agent& agent, Figures& figures) {
    std::string folder = (fs::temp_directory_path() / "orch-soak-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) std::abort();
    for (const char* name : {"/project", "/project/.git"}) fs::create_directory(folder + name);
    if (::mkfifo((folder + ".fifo").c_str(), 0600) != 0) std::abort();
    Words words{"run"};
    for (const std::string& word : agent.words) words.push_back(word == "FOLDER" ? folder : word);
    const pid_t host = start(words, folder);
    end(agent.way, host, folder);
    look(agent, folder, figures);
    std::error_code ignored;  // a killed host's agent may still write to it
    fs::remove_all(folder, ignored);
    ::unlink((folder + ".fifo").c_str());
  }

 private:
  void end(Way way, pid_t host, const std::string& folder) {
    if (way != Way::kByItself) std::this_thread::sleep_for(milliseconds(moment_(random_)));
    switch (way) {
      case Way::kKilled:
        ::kill(host, SIGKILL);
        break;
      case Way::kTerminated:
        ::kill(host, SIGTERM);
        break;
      case Way::kKillCommand:
        ::waitpid(start({"kill", "1"}, folder), nullptr, 0);
        ::kill(host, SIGTERM);  // it may not have had a session yet
        break;
      case Way::kByItself:
        break;
    }
    ::waitpid(host, nullptr, 0);
  }

  pid_t start(const Words& arguments, const std::string& folder) {
    const base::Fd nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
    const int fd = nowhere.get();
    Words words{orch_};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const char* path = std::getenv("PATH");
    const auto program = pty::spawn_child(
        words, folder + "/project",
        {"HOME=" + folder, "ORCH_STATE_DIR=" + folder + "/state", "ORCH_DEMO_SPEED=0.3",
         std::string("PATH=") + (path == nullptr ? "/usr/bin:/bin" : path)},
        {pty::ChildStdio::Kind::kPipes, {fd, fd, fd}});
    if (!program) {
      std::fprintf(stderr, "%s\n", program.error().text.c_str());
      std::exit(2);
    }
    return *program;
  }

  void look(const Agent& agent, const std::string& folder, Figures& figures) {
    const Clock::time_point died = Clock::now();
    std::vector<std::string> living;
    FilesSeen files;
    do {
      std::this_thread::sleep_for(kPause);
      living = processes_with(folder);
      if (living.empty()) files = look_at_files(folder + "/state");
    } while ((!living.empty() || !files.troubles.empty()) && Clock::now() - died < kPatience);
    const auto took = std::chrono::duration_cast<milliseconds>(Clock::now() - died);
    ++figures.ends;
    figures.runs += files.runs;
    figures.recordings += files.recordings;
    figures.processes += living.size();
    figures.troubles += files.troubles.size();
    figures.slowest = std::max(figures.slowest, took);
    for (const std::string& line : living) std::printf("%s: left: %s\n", agent.name, line.c_str());
    for (const std::string& line : files.troubles)
      std::printf("%s: %s\n", agent.name, line.c_str());
    for (const std::string& line : living) ::kill(std::atoi(line.c_str()), SIGKILL);
  }

  std::string orch_;
  std::mt19937 random_;
  std::uniform_int_distribution<int64_t> moment_;
};

std::vector<Agent> agents() {
  const std::string daemons = std::string(kDaemons) + kForEver;
  const std::string leaving = std::string(kDaemons) + kForASecond;
  const auto daemons_with = [](const std::string& script, Words words) {
    for (const char* word : {"--", "sh", "-c", script.c_str(), "FOLDER"}) {
      words.push_back(word);
    }
    return words;
  };
  const bool groups =
      pty::Cgroup::create(pty::own_cgroup(), "soak-" + std::to_string(::getpid())) != nullptr;
  std::printf("control groups: %s\n", groups ? "yes" : "none can be made here");
  return {
      {"demo", {"1", "--agent", "demo", "-p", "work"}},
      {"helpers", {"1", "--", "sh", "-c", kHelpers, "FOLDER"}},
      {"two at once", {"1", "2", "--", "sh", "-c", kHelpers, "FOLDER"}},
      {"daemons", daemons_with(daemons, {"1"})},
      {"two of them", daemons_with(daemons, {"1", "2"})},
      {"SIGTERM", daemons_with(daemons, {"1"}), Way::kTerminated},
      {"orch kill", daemons_with(daemons, {"1"}), Way::kKillCommand},
      {"--timeout", daemons_with(daemons, {"1", "--timeout", "1s"}), Way::kByItself},
      {"own end", daemons_with(leaving, {"1"}), Way::kByItself},
  };
}

void print_row(const char* name, const Figures& f) {
  std::printf("%-12s %6d %6d %11d %15zu %9zu %12lld\n", name, f.ends, f.runs, f.recordings,
              f.processes, f.troubles, static_cast<long long>(f.slowest.count()));
}

int run(Soak soak, int count) {
  const std::vector<Agent> all = agents();
  std::vector<Figures> figures(all.size());
  for (int i = 0; i < count; ++i) {
    const size_t which = static_cast<size_t>(i) % all.size();
    soak.end_one(all[which], figures[which]);
  }
  std::printf("%-12s %6s %6s %11s %15s %9s %12s\n", "agent", "ends", "runs", "recordings",
              "processes left", "troubles", "slowest, ms");
  size_t wrong = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    print_row(all[i].name, figures[i]);
    wrong += figures[i].processes + figures[i].troubles;
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace orch::soak

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: kill_host ORCH [N [SEED [MS]]]\n");
    return 2;
  }
  const auto number = [&](int i, int otherwise) {
    return argc > i ? std::atoi(argv[i]) : otherwise;
  };
  return orch::soak::run({argv[1], static_cast<unsigned>(number(3, 1)), number(4, 2000)},
                         number(2, 100));
}

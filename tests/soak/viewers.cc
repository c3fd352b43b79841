// viewers ORCH [ACTIONS [SEED]]: three viewers attach to one session and act at random - keys,
// pastes, windows of all sizes, leaving, coming back, being killed - ACTIONS (10000) times in all.
// Every viewer must end with a documented code and leave its terminal's modes as they were; the
// host must live; and at the end, what each viewer shows must equal a replay of the session's
// recording, in every cell and mode. Exit code 0 if all of that holds.
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "attach/modes.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "pty/pty.h"
#include "store/cast_reader.h"
#include "term/screen.h"

namespace orch::soak {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr term::Size kLast{100, 31};  // every window's size at the end; the agent has one row less
constexpr const char* kKey = "\x1d";
constexpr std::chrono::seconds kPatience{60};
constexpr std::chrono::seconds kAgain{5};
// Echoes its input like cat -v, in the modes that an agent's interface sets.
constexpr const char* kAgent =
    "stty raw -echo; printf '\\033[?2004h\\033[?1000h\\033[?1006h\\033[?1h\\033[?1004h\\033[33m'; "
    "exec cat -v";

std::vector<std::string> environment(const std::string& folder) {
  const char* path = std::getenv("PATH");
  return {"HOME=" + folder, "ORCH_STATE_DIR=" + folder + "/state", "TERM=no-such-terminal",
          "ASAN_OPTIONS=detect_leaks=0",
          std::string("PATH=") + (path == nullptr ? "/usr/bin:/bin" : path)};
}

// A program on a terminal of its own, and the screen of that.
class Terminal final : pty::Observer {
 public:
  Terminal(loop::Loop& loop, const std::vector<std::string>& argv, const std::string& folder,
           term::Size size)
      : screen_(size) {
    pty::SpawnPlan plan;
    plan.argv = argv;
    plan.cwd = folder + "/project";
    plan.env = environment(folder);
    plan.cols = size.cols;
    plan.rows = size.rows;
    auto pty = pty::Pty::spawn(loop, plan, *this);
    if (!pty) {
      std::fprintf(stderr, "%s\n", pty.error().text.c_str());
      std::exit(2);
    }
    pty_ = std::move(pty).value();
  }

  void type(const std::string& bytes) { pty_->write(bytes); }
  void resize(term::Size size) {
    screen_.resize(size);
    pty_->resize(size.cols, size.rows);
  }
  void signal(int signum) const {
    // Pid 0 after its end would signal our own process group.
    if (pty_->pid() > 0) ::kill(pty_->pid(), signum);
  }

  bool is_attached() const { return screen_.modes().alternate; }
  const std::optional<pty::ExitStatus>& end() const { return end_; }
  const term::Screen& screen() const { return screen_; }
  const std::string& said() const { return said_; }

 private:
  void on_output(std::string_view bytes) override {
    screen_.feed(bytes);
    screen_.take_replies();
    said_ += bytes;
    if (said_.size() > 4'000) said_.erase(0, said_.size() - 2'000);
  }
  void on_end(pty::ExitStatus status) override { end_ = status; }

  term::Screen screen_;
  std::string said_;  // the end of its output
  std::optional<pty::ExitStatus> end_;
  std::unique_ptr<pty::Pty> pty_;
};

std::string cell_text(const term::Screen& screen, const term::RowView& row, size_t col) {
  std::string text;
  screen.append_text({row.codes.subspan(col, 1), row.styles.subspan(col, 1)}, text);
  return text == " " ? "" : text;
}

// How a cell looks: the colour of an empty cell cannot be seen.
term::Style look_of(const term::Screen& screen, const term::RowView& row, size_t col) {
  constexpr uint16_t kSeen = term::kUnderline | term::kInverse | term::kStrike;
  term::Style style = screen.style(row.styles[col]);
  if (!cell_text(screen, row, col).empty() || (style.attributes & kSeen) != 0) return style;
  return {.fg = {}, .bg = style.bg, .attributes = 0};
}

// The first difference of two screens, in one line; "" if there is none.
std::string difference(const term::Screen& seen, const term::Screen& truth) {
  for (int row = 0; row < truth.size().rows; ++row) {
    const term::RowView here = seen.row(row), there = truth.row(row);
    for (size_t col = 0; col < there.codes.size(); ++col) {
      const bool same = cell_text(seen, here, col) == cell_text(truth, there, col) &&
                        look_of(seen, here, col) == look_of(truth, there, col);
      if (same) continue;
      std::string rows;
      seen.append_row_text(row, rows);
      rows += "' is not '";
      truth.append_row_text(row, rows);
      return "row " + std::to_string(row) + ", column " + std::to_string(col) + ": '" + rows + "'";
    }
  }
  if (attach::modes_to_mirror(seen.modes(), true) != attach::modes_to_mirror(truth.modes(), true)) {
    return "other modes";
  }
  if (seen.cursor_row() != truth.cursor_row() || seen.cursor_col() != truth.cursor_col()) {
    return "the cursor stands elsewhere";
  }
  return "";
}

class Soak {
 public:
  Soak(std::string orch, unsigned seed) : orch_(std::move(orch)), random_(seed), timer_(loop_) {
    folder_ = (fs::temp_directory_path() / "orch-viewers-XXXXXX").string();
    if (::mkdtemp(folder_.data()) == nullptr) std::abort();
    fs::create_directory(folder_ + "/project");
    fs::create_directory(folder_ + "/project/.git");
  }
  ~Soak() {
    command({"kill", "1", "--now"});
    std::error_code ignored;  // the host may still be ending
    fs::remove_all(folder_, ignored);
  }
  Soak(const Soak&) = delete;
  Soak& operator=(const Soak&) = delete;

  bool run(int actions) {
    if (command({"run", "1", "-d", "--until", "exit", "--", "/bin/sh", "-c", kAgent}) != 0) {
      return fail("the session did not start");
    }
    for (size_t i = 0; i < viewers_.size(); ++i) attach(i);
    for (int i = 0; i < actions && ok_; ++i) act(pick(viewers_.size()));
    if (!ok_ || !settle()) return false;
    std::printf("%d actions: %d keys, %d pastes, %d windows, %d left, %d killed, %d came back\n",
                actions, keys_, pastes_, windows_, left_, killed_, came_);
    return compare();
  }

 private:
  size_t pick(size_t count) { return random_() % count; }
  int between(int low, int high) {
    return low + static_cast<int>(pick(static_cast<size_t>(high - low + 1)));
  }

  bool fail(const std::string& why) {
    std::printf("FAILED: %s\n", why.c_str());
    ok_ = false;
    return false;
  }

  void wait(int64_t ms) {
    timer_.start(ms, [this] { loop_.stop(); });
    loop_.run();
  }

  template <class Holds>
  bool wait_until(Holds holds, const char* what) {
    const Clock::time_point until = Clock::now() + kPatience;
    while (!holds()) {
      if (Clock::now() > until) return fail(std::string("waited in vain: ") + what);
      wait(2);
    }
    return true;
  }

  // Runs a command of orch to its end; returns its exit code.
  int command(std::vector<std::string> words) {
    words.insert(words.begin(), orch_);
    Terminal program(loop_, words, folder_, {80, 24});
    const Clock::time_point until = Clock::now() + kPatience;
    while (!program.end() && Clock::now() < until) wait(2);
    if (!program.end()) return -1;
    if (program.end()->code != 0) std::printf("%s\n", program.said().c_str());
    return program.end()->signal != 0 ? 128 + program.end()->signal : program.end()->code;
  }

  void attach(size_t i) {
    std::vector<std::string> words{orch_, "attach", "1"};
    looks_only_[i] = pick(10) == 0;
    if (looks_only_[i]) words.emplace_back("--read-only");
    viewers_[i] = std::make_unique<Terminal>(loop_, words, folder_,
                                             term::Size{between(50, 150), between(12, 50)});
    if (!wait_until([&] { return viewers_[i]->is_attached() || viewers_[i]->end(); },
                    "to be attached")) {
      return;
    }
    if (viewers_[i]->end()) fail("a viewer ended at once: " + viewers_[i]->said());
  }

  void act(size_t i) {
    Terminal& viewer = *viewers_[i];
    const size_t what = pick(1'000);
    if (what < 700) {
      viewer.type(keys());
      ++keys_;
    } else if (what < 850) {
      viewer.type("\x1b[200~" + std::string(pick(1'500), static_cast<char>('a' + pick(26))) +
                  "\x1d\x1b[201~");
      ++pastes_;
    } else if (what < 985) {
      viewer.resize({between(50, 150), between(12, 50)});
      ++windows_;
    } else {
      leave(i, what >= 996);
    }
    if (pick(4) == 0) wait(1);
  }

  std::string keys() {
    static const std::array<std::string, 12> kKeys{"\r",     "\x1b[A", "\x1b[B", "\x1bOC",
                                                   "\x1b",   "\t",     "\x7f",   "\x1b[<0;10;5M",
                                                   "\x1b[I", "ü",      "日本",   "\x03"};
    if (pick(3) == 0) return kKeys[pick(kKeys.size())];
    std::string text;
    for (size_t n = pick(20) + 1; n > 0; --n) text.push_back(static_cast<char>(' ' + pick(95)));
    // q would end a viewer that only looks.
    for (char& one : text) one = one == 'q' ? 'Q' : one;
    return text;
  }

  void leave(size_t i, bool by_force) {
    Terminal& viewer = *viewers_[i];
    static constexpr std::array kSignals{SIGKILL, SIGTERM, SIGHUP};
    const int signum = by_force ? kSignals[pick(kSignals.size())] : 0;
    if (signum != 0) {
      viewer.signal(signum);
      ++killed_;
    } else {
      viewer.type(kKey);
      ++left_;
    }
    if (!wait_until([&] { return viewer.end().has_value(); }, "a viewer's end")) return;
    // Ctrl-C also ends a viewer that only looks; a signal may end one while it leaves, and so may a
    // Ctrl-C that was typed before and reaches a terminal which is no longer the viewer's.
    std::set<int> allowed{0, signum == 0 ? 0 : 128 + signum};
    if (looks_only_[i] || signum != 0) allowed.insert(128 + SIGINT);
    const int code = viewer.end()->signal != 0 ? 128 + viewer.end()->signal : viewer.end()->code;
    if (!allowed.contains(code)) fail("a viewer ended with " + std::to_string(code));
    if (!wait_until([&] { return !viewer.is_attached(); }, "the viewer's screen to be left"))
      return;
    if (attach::modes_to_mirror(viewer.screen().modes(), true) != attach::MirroredModes{}) {
      fail("a viewer left modes behind");
    }
    attach(i);
    ++came_;
  }

  // Gives all windows the same size and waits until nothing is on its way any more.
  bool settle() {
    for (size_t i = 0; i < viewers_.size(); ++i) {
      if (viewers_[i]->end()) attach(i);
      viewers_[i]->resize(kLast);
    }
    std::vector<std::string> words{orch_, "attach", "1"};
    viewers_[0]->type(kKey);  // viewer 0 may be one that only looks
    if (!wait_until([&] { return viewers_[0]->end().has_value(); }, "a viewer's end")) return false;
    viewers_[0] = std::make_unique<Terminal>(loop_, words, folder_, kLast);
    if (!wait_until([&] { return viewers_[0]->is_attached(); }, "to be attached")) return false;
    const auto shows_end = [](const Terminal& terminal) {
      std::string text;
      for (int row = 0; row < terminal.screen().size().rows; ++row) {
        terminal.screen().append_row_text(row, text);
      }
      return text.find("the end") != std::string::npos;
    };
    // What others typed may still be on its way, and come in between.
    wait(500);
    Clock::time_point next = Clock::now();
    const auto all_show_end = [&] {
      if (Clock::now() >= next) {
        viewers_[0]->type("\rthe end\r");
        next += kAgain;
      }
      return std::ranges::all_of(viewers_, [&](const auto& one) { return shows_end(*one); });
    };
    if (!wait_until(all_show_end, "the end to be seen")) return false;
    wait(1'500);
    return command({"status", "1"}) == 0 || fail("the host does not answer");
  }

  bool compare() {
    std::string path;
    for (const auto& run : fs::directory_iterator(folder_ + "/state/runs")) {
      if (fs::exists(run.path() / "output.cast")) path = run.path() / "output.cast";
    }
    const auto cast = store::read_cast(path);
    if (!cast) return fail(cast.error().text);
    term::Screen truth({cast->header.cols, cast->header.rows});
    for (const store::CastEvent& event : cast->events) {
      if (event.kind == store::CastKind::kOutput) truth.feed(event.data);
      const auto size = event.kind == store::CastKind::kResize ? store::parse_cast_size(event.data)
                                                               : std::nullopt;
      if (size) truth.resize({size->cols, size->rows});
      truth.take_replies();
    }
    if (truth.size() != term::Size{kLast.cols, kLast.rows - 1}) return fail("of another size");
    for (size_t i = 0; i < viewers_.size(); ++i) {
      const std::string why = difference(viewers_[i]->screen(), truth);
      if (!why.empty()) return fail("viewer " + std::to_string(i) + ": " + why);
    }
    std::printf("%zu viewers see what the replay of %zu events shows\n", viewers_.size(),
                cast->events.size());
    return true;
  }

  std::string orch_, folder_;
  std::mt19937 random_;
  loop::Loop loop_;
  loop::Timer timer_;
  std::array<std::unique_ptr<Terminal>, 3> viewers_;
  std::array<bool, 3> looks_only_{};
  bool ok_ = true;
  int keys_ = 0, pastes_ = 0, windows_ = 0, left_ = 0, killed_ = 0, came_ = 0;
};

}  // namespace
}  // namespace orch::soak

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: viewers ORCH [ACTIONS [SEED]]\n");
    return 2;
  }
  const std::string orch = std::filesystem::absolute(argv[1]);
  const int actions = argc > 2 ? std::atoi(argv[2]) : 10'000;
  const unsigned seed = argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 1;
  std::printf("seed %u\n", seed);
  return orch::soak::Soak(orch, seed).run(actions) ? 0 : 1;
}

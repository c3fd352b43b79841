#pragma once

#include <sys/types.h>
#include <termios.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "term/screen.h"

namespace orch::e2e {

using Clock = std::chrono::steady_clock;

// The longest wait in these tests; one that takes longer fails the test and prints what was seen.
inline constexpr std::chrono::seconds kPatience{90};

struct TerminalSize {
  unsigned short cols = 0, rows = 0;
};

// What a viewer types to leave a session that it shows.
inline constexpr const char* kLeavingKey = "\x1d";  // Ctrl-]
// How a program takes the terminal's other screen, and gives it back.
inline constexpr std::string_view kEnterScreen = "\x1b[?1049h", kLeaveScreen = "\x1b[?1049l";

// The program to start: argv[0] is a path.
struct Launch {
  std::vector<std::string> argv;
  std::vector<std::string> env;  // "K=V", the whole environment
  std::string cwd;
  std::string input;            // all of its standard input, unless ...
  bool is_given_input = false;  // ... the test writes that, by give() and end_input()
  // Stdin and stdout are a terminal of this size; unset: pipes.
  std::optional<TerminalSize> terminal;
  bool errors_on_terminal = false;  // stderr is the terminal, too
};

// The same with all three streams on a terminal.
Launch on_terminal(Launch launch, TerminalSize size = {100, 30});
// The same by a shell, which runs `script` with the program and its words as "$@".
Launch by_shell(Launch launch, const std::string& script);

// The result of a program that has ended.
struct Outcome {
  std::string out, err;
  int code = -1;                  // as a shell gives it: 128+n for signal n
  bool terminal_as_found = true;  // the terminal's modes at the end are those from before
};

// A running program, with stdout and stderr on pipes, or stdin and stdout on a terminal. Its output
// is only read inside of the calls that say so. The destructor kills it if it still runs.
class Program {
 public:
  explicit Program(const Launch& launch);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void wait_for_output(std::string_view text);  // reads both streams
  void wait_for_error(std::string_view text);   // reads stderr alone
  // Waits until the text is on the terminal's screen.
  void wait_for_drawn(std::string_view text);
  void wait_for_more_output();        // any new output
  void close_output();                // closes the reader's end of stdout
  void type(std::string_view bytes);  // types on its terminal
  // Writes to its standard input, if it was launched with is_given_input.
  void give(std::string_view bytes);
  void end_input();
  void resize(TerminalSize size);
  void signal(int signum);

  // Reads both streams to their ends and waits until the program has ended.
  Outcome finish();

  pid_t pid() const { return pid_; }
  const std::string& output() const { return seen_.out; }  // what was read so far

 private:
  enum class Streams { kBoth, kErrors };
  std::string drawn();  // the rows of the terminal's screen
  // False: time is up, or both streams are at their end.
  bool read_some(Streams streams, Clock::time_point until);
  void wait_until_holds(const std::string& stream, std::string_view text, Streams streams);
  void compare_modes();
  [[noreturn]] void give_up(const std::string& what);

  base::Fd out_, err_;  // empty after their end
  base::Fd in_;         // the writer's end of its standard input
  Outcome seen_;
  std::optional<term::Screen> screen_;  // the terminal's screen, drawn up to drawn_
  size_t drawn_ = 0;
  std::optional<termios> modes_;  // the terminal's modes before the start
  pid_t pid_ = -1;                // -1 once reaped
};

// Waits until a process that is not our child, and may be gone already, has ended; false if it does
// not end in time.
bool ends(pid_t pid);
// Waits for a file that another process creates; false if it does not appear.
bool comes(const std::string& path);

// Whether a mount namespace can be made where this is launched. Where it cannot, says that the test
// is skipped.
bool may_mount(Launch probe);

// The pid of a host's guardian, once it stands guard; 0 if it never does.
pid_t guardian_of(pid_t host);

// The processes with ORCH_RUN=<run id> in their environment, except those that are about to end.
std::vector<pid_t> living_with_mark(std::string_view run_id);

}  // namespace orch::e2e

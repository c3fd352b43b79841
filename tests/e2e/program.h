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

// No wait in these tests takes longer; one that does fails the test and says what was seen.
inline constexpr std::chrono::seconds kPatience{90};

struct TerminalSize {
  unsigned short cols = 0, rows = 0;
};

// What is started: argv[0] is a path.
struct Launch {
  std::vector<std::string> argv;
  std::vector<std::string> env;  // "K=V", the whole environment
  std::string cwd;
  std::string input;                     // all of its standard input, unless
  bool is_given_input = false;           // ... it comes by give() and end_input()
  std::optional<TerminalSize> terminal;  // stdin and stdout are a terminal of that size, else pipes
  bool errors_on_terminal = false;       // stderr, too
};

// What a program left behind.
struct Outcome {
  std::string out, err;
  int code = -1;                  // as a shell tells it: 128+n for signal n
  bool terminal_as_found = true;  // its modes at the end are what they were
};

// One running program, its stdout and stderr on pipes or its stdin and stdout on a terminal.
// Nothing is read but by the calls that say so. The destructor kills what still runs.
class Program {
 public:
  explicit Program(const Launch& launch);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void wait_for_output(std::string_view text);  // reads both streams
  void wait_for_error(std::string_view text);   // reads stderr alone
  // The same of text that stands on its terminal's screen.
  void wait_for_drawn(std::string_view text);
  void wait_for_more_output();        // whatever it is
  void close_output();                // nobody reads stdout any more
  void type(std::string_view bytes);  // on its terminal
  void give(std::string_view bytes);  // on its standard input, where it was launched so
  void end_input();
  void resize(TerminalSize size);
  void signal(int signum);

  // Reads both streams to their ends, and waits for the program's.
  Outcome finish();

  pid_t pid() const { return pid_; }
  const std::string& output() const { return seen_.out; }  // what was read so far

 private:
  enum class Streams { kBoth, kErrors };
  std::string drawn();                                       // the rows of its terminal's screen
  bool read_some(Streams streams, Clock::time_point until);  // false: time is up or all are at end
  void wait_until_holds(const std::string& stream, std::string_view text, Streams streams);
  void compare_modes();
  [[noreturn]] void give_up(const std::string& what);

  base::Fd out_, err_;  // empty once at their end
  base::Fd in_;         // where it is given input
  Outcome seen_;
  std::optional<term::Screen> screen_;  // of the terminal, from what was drawn_
  size_t drawn_ = 0;
  std::optional<termios> modes_;  // of the terminal, before
  pid_t pid_ = -1;                // -1 once reaped
};

// Waits for the end of a process that is not ours, or that is gone already; false when it lives on.
bool ends(pid_t pid);
// Waits for a file that another process makes; false when it does not come.
bool comes(const std::string& path);

// The guardian of a host, once it stands guard; 0 when that never comes.
pid_t guardian_of(pid_t host);

// The processes that carry ORCH_RUN=<run id>, but those that are about to end.
std::vector<pid_t> living_with_mark(std::string_view run_id);

}  // namespace orch::e2e

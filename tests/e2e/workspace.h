#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "program.h"

namespace orch::e2e {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

// The files of one finished run, as read from its folder.
struct RunFolder {
  std::string path;
  Json record, result;       // run.json, result.json
  std::vector<Json> events;  // events.jsonl
  std::string transcript;

  std::string recording() const { return path + "/output.cast"; }
  std::string id() const { return record.at("id"); }
  std::string words()
      const;  // what `orch run` prints on a pipe: without the echoes of messages and the keyword
  // Every status in order, as "idle", "waiting/trust".
  std::vector<std::string> statuses() const;
};

// The folder of one test, with a project to run in, a home, a state directory that does not exist
// yet, and the demo agent's log. The destructor removes it.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  std::string project() const { return file("project"); }
  std::string state() const { return file("state"); }
  std::string write(std::string_view name, std::string_view text) const;  // returns the file's path

  // Launches orch with these words, in the project, with the test's own home and state directory.
  Launch orch(Words words) const;
  // Launches orch run <issue> --agent demo with that scenario, five times as fast as usual.
  Launch demo(const std::string& scenario, Words words = {}, const std::string& issue = "7") const;
  // Launches orch run <issue> <words> -- sh -c <script>.
  Launch shell(const std::string& script, Words words = {}, const std::string& issue = "7") const;

  // The messages that demo agents accepted, in order.
  std::vector<std::string> messages() const;
  // The folder of the only run of an issue.
  RunFolder run_of(const std::string& issue = "7") const;
  bool has_state() const;

 private:
  std::string path_;
};

Outcome run_orch(const Workspace& workspace, Words words);
// Runs a shell's script in the project, which has to succeed, and returns what it prints.
std::string shell_output(const Workspace& workspace, const std::string& script);
// Makes a git repository of the project, with main.c, sub/two.c and one commit; *.o is ignored.
void make_repository(const Workspace& workspace);
// Where `orch run <issue> --worktree` works.
std::string worktree(const Workspace& workspace, const std::string& issue = "7");
// Launches the demo agent that asks for permission, on a terminal.
Launch asking(const Workspace& workspace, Words words = {}, TerminalSize size = {100, 30});

// Holds up a shell at `read word < PATH`; each let_through() lets one such read go on.
class Gate {
 public:
  explicit Gate(const std::string& path);  // makes the named pipe
  void let_through() const;

 private:
  base::Fd pipe_;
};

std::vector<Json> json_lines(std::string_view text);
std::string content_of(const std::string& path);
std::vector<std::string> lines_of(std::string_view text);
std::string last_line(std::string_view text);
bool holds(std::string_view text, std::string_view part);
size_t count_of(std::string_view text, std::string_view part);
std::vector<std::string> names_in(const std::string& folder);  // sorted

// The texts of the output records.
std::vector<std::string> output_of(const std::vector<Json>& records);
std::vector<std::string> statuses_of(const std::vector<Json>& records);

// Checks that a run ended for this reason, and that the last line of stderr, result.json, run.json,
// the last event and the exit code agree. Returns the run's folder.
RunFolder check_ending(const Workspace& workspace, const Outcome& outcome,
                       const std::string& reason, int code);

}  // namespace orch::e2e

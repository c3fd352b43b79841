#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "program.h"

namespace orch::e2e {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

// The folder of one finished run, read.
struct RunFolder {
  std::string path;
  Json record, result;       // run.json, result.json
  std::vector<Json> events;  // events.jsonl
  std::string transcript;

  std::string recording() const { return path + "/output.cast"; }
  std::string id() const { return record.at("id"); }
  std::string words() const;  // what a pipe gets: without the echoes of messages
  // "idle", "waiting/trust": every status in the order of its coming.
  std::vector<std::string> statuses() const;
};

// A folder of one test, removed with all that is in it: a project to run in, a home, a state
// directory that does not exist yet and the demo agent's log.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  std::string project() const { return file("project"); }
  std::string state() const { return file("state"); }
  std::string write(std::string_view name, std::string_view text) const;  // returns its path

  // orch with these words, in the project, with this test's own home and state directory.
  Launch orch(Words words) const;
  // orch run <issue> --agent demo in that scenario, at a fifth of its times.
  Launch demo(const std::string& scenario, Words words = {}, const std::string& issue = "7") const;
  // orch run <issue> <words> -- sh -c <script>
  Launch shell(const std::string& script, Words words = {}, const std::string& issue = "7") const;

  // The messages that demo agents accepted, in that order.
  std::vector<std::string> messages() const;
  // The folder of the only run of this issue.
  RunFolder run_of(const std::string& issue = "7") const;
  bool has_state() const;

 private:
  std::string path_;
};

// Holds a shell at `read word < PATH` until it is let through; each time lets one such read pass.
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

// The output records' texts.
std::vector<std::string> output_of(const std::vector<Json>& records);
std::vector<std::string> statuses_of(const std::vector<Json>& records);

// Checks that a run ended for this reason, and that stderr's last line, result.json, run.json, the
// last event and the exit code all say so.
RunFolder check_ending(const Workspace& workspace, const Outcome& outcome,
                       const std::string& reason, int code);

}  // namespace orch::e2e

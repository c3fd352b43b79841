#include "workspace.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/text.h"

namespace orch::e2e {

namespace fs = std::filesystem;

namespace {

// The part of our environment that the machine and the sanitizers need.
Words basic_environment() {
  Words env{"LANG=C.UTF-8"};
  for (const char* name : {"PATH", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"}) {
    if (const char* value = std::getenv(name)) env.push_back(std::string(name) + "=" + value);
  }
  return env;
}

std::string expected_record_status(const std::string& reason, int code) {
  if (code == 0) return "completed";
  const bool asked = reason == "interrupted" || reason == "killed" || reason == "terminated";
  return asked ? "cancelled" : "failed";
}

}  // namespace

Workspace::Workspace() : path_((fs::temp_directory_path() / "orch-e2e-XXXXXX").string()) {
  REQUIRE(::mkdtemp(path_.data()) != nullptr);
  for (const char* folder : {"project/.git", "home"}) fs::create_directories(file(folder));
}

Workspace::~Workspace() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string Workspace::write(std::string_view name, std::string_view text) const {
  const std::string path = file(name);
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream out(path, std::ios::binary);
  out << text;
  REQUIRE(out.flush());
  return path;
}

Launch Workspace::orch(Words words) const {
  Launch launch;
  launch.argv = {ORCH_PROGRAM};
  launch.argv.insert(launch.argv.end(), words.begin(), words.end());
  launch.env = basic_environment();
  launch.env.push_back("HOME=" + file("home"));
  launch.env.push_back("ORCH_STATE_DIR=" + state());
  launch.env.push_back("ORCH_DEMO_LOG=" + file("project/.messages"));
  launch.env.emplace_back("ORCH_DEMO_SPEED=0.2");
  launch.cwd = project();
  return launch;
}

Launch Workspace::demo(const std::string& scenario, Words words, const std::string& issue) const {
  words.insert(words.begin(), {"run", issue, "--agent", "demo"});
  Launch launch = orch(std::move(words));
  launch.env.push_back("ORCH_DEMO_SCENARIO=" + scenario);
  return launch;
}

Launch Workspace::shell(const std::string& script, Words words, const std::string& issue) const {
  words.insert(words.begin(), {"run", issue});
  words.insert(words.end(), {"--", "sh", "-c", script});
  return orch(std::move(words));
}

std::vector<std::string> Workspace::messages() const {
  std::vector<std::string> texts;
  if (!fs::exists(file("project/.messages"))) return texts;
  for (const Json& line : json_lines(content_of(file("project/.messages")))) {
    texts.push_back(line.at("message"));
  }
  return texts;
}

RunFolder Workspace::run_of(const std::string& issue) const {
  RunFolder run;
  for (const auto& entry : fs::directory_iterator(state() + "/runs")) {
    if (entry.path().filename().string().find("-" + issue + "-") == std::string::npos) continue;
    REQUIRE(run.path.empty());
    run.path = entry.path().string();
  }
  REQUIRE_FALSE(run.path.empty());
  run.record = Json::parse(content_of(run.path + "/run.json"));
  run.result = Json::parse(content_of(run.path + "/result.json"));
  run.events = json_lines(content_of(run.path + "/events.jsonl"));
  run.transcript = content_of(run.path + "/transcript.txt");
  return run;
}

Outcome run_orch(const Workspace& workspace, Words words) {
  return Program(workspace.orch(std::move(words))).finish();
}

std::string shell_output(const Workspace& workspace, const std::string& script) {
  Launch launch = workspace.orch({});
  launch.argv = {"/bin/sh", "-ec", script};
  const Outcome outcome = Program(launch).finish();
  INFO(script << "\n" << outcome.err);
  REQUIRE(outcome.code == 0);
  return outcome.out;
}

void make_repository(const Workspace& workspace) {
  shell_output(
      workspace,
      "git init -q -b main .; git config user.email a@b; git config user.name a; mkdir sub; "
      "printf '*.o\\n' > .gitignore; echo one > main.c; echo two > sub/two.c; git add .; "
      "git commit -qm first");
}

std::string worktree(const Workspace& workspace, const std::string& issue) {
  return fs::canonical(workspace.project()).string() + ".orch/" + issue;
}

Launch asking(const Workspace& workspace, Words words, TerminalSize size) {
  words.insert(words.end(), {"-p", "do it"});
  return on_terminal(workspace.demo("permission", words), size);
}

Gate::Gate(const std::string& path) {
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  pipe_ = base::Fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  REQUIRE(pipe_.valid());
}

void Gate::let_through() const { REQUIRE(::write(pipe_.get(), "\n", 1) == 1); }

bool Workspace::has_state() const { return fs::exists(state()); }

std::string RunFolder::words() const {
  const std::vector<std::string> lines = lines_of(transcript);
  const auto is_echo = [&lines](size_t i) {
    return i < lines.size() && lines[i].starts_with("❯ ");
  };
  std::string words;
  for (size_t i = 0; i < lines.size(); ++i) {
    const bool after_echo = i > 0 && is_echo(i - 1);
    if (is_echo(i) || (lines[i].empty() && after_echo) || lines[i] == "LOOP_COMPLETE") continue;
    words += lines[i] + "\n";
  }
  return words;
}

std::vector<std::string> RunFolder::statuses() const { return statuses_of(events); }

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  INFO(path);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> lines_of(std::string_view text) {
  const std::vector<std::string_view> lines = base::split_lines(text);
  return {lines.begin(), lines.end()};
}

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

size_t count_of(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

std::string last_line(std::string_view text) {
  const std::vector<std::string_view> lines = base::split_lines(text);
  return lines.empty() ? std::string() : std::string(lines.back());
}

std::vector<Json> json_lines(std::string_view text) {
  std::vector<Json> records;
  for (const std::string_view line : base::split_lines(text)) {
    INFO(line);
    records.push_back(Json::parse(line, nullptr, false));
    REQUIRE_FALSE(records.back().is_discarded());
  }
  return records;
}

std::vector<std::string> output_of(const std::vector<Json>& records) {
  std::vector<std::string> texts;
  for (const Json& record : records) {
    if (record.at("event") == "output") texts.push_back(record.at("text"));
  }
  return texts;
}

std::vector<std::string> statuses_of(const std::vector<Json>& records) {
  std::vector<std::string> statuses;
  for (const Json& record : records) {
    if (record.at("event") != "status") continue;
    std::string status = record.at("status");
    if (record.at("cause").is_string()) status += "/" + record.at("cause").get<std::string>();
    statuses.push_back(std::move(status));
  }
  return statuses;
}

RunFolder check_ending(const Workspace& workspace, const Outcome& outcome,
                       const std::string& reason, int code) {
  INFO("stderr: " << outcome.err);
  const RunFolder run = workspace.run_of();
  CHECK(outcome.code == code);
  const std::string told = "orch: orch-7: " + reason + " (exit " + std::to_string(code) + ")";
  CHECK(last_line(outcome.err).substr(0, told.size()) == told);
  CHECK(run.result.at("reason") == reason);
  CHECK(run.result.at("code") == code);
  CHECK(run.result.at("run") == run.id());
  CHECK(run.record.at("status") == expected_record_status(reason, code));
  REQUIRE_FALSE(run.events.empty());
  CHECK(run.events.back().at("event") == "exit");
  CHECK(run.events.back().value("reason", "") == reason);
  CHECK(run.events.back().value("code", -1) == code);
  return run;
}

}  // namespace orch::e2e

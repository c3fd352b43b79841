#include "session/usage_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "adapters/embedded.h"

namespace orch::session {
namespace {

namespace fs = std::filesystem;
using store::TimePoint;

constexpr const char* kMine = "11111111-2222-4333-8444-555555555555";
constexpr const char* kOther = "99999999-2222-4333-8444-555555555555";
constexpr const char* kNext = "77777777-2222-4333-8444-555555555555";

adapters::RecordSpec spec_of(std::string_view agent) {
  for (const adapters::EmbeddedManifest& embedded : adapters::embedded_manifests()) {
    auto manifest = adapters::parse_manifest(embedded.text, embedded.file);
    if (manifest->name == agent) return manifest->record;
  }
  return {};
}

// A home of agents, and a run that began a second ago.
class Home {
 public:
  Home() : path_((fs::temp_directory_path() / "orch-usage-XXXXXX").string()) {
    REQUIRE(::mkdtemp(path_.data()) != nullptr);
    path_ = fs::canonical(path_);
    fs::create_directories(path_ + "/p");
  }
  ~Home() { fs::remove_all(path_); }
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;

  UsageFiles files(std::string_view agent) const {
    return {spec_of(agent), {"HOME=" + path_}, path_ + "/p", started_};
  }
  void add(const std::string& name, const std::string& text) const {
    const fs::path file = path_ + "/" + name;
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::app) << text;
  }
  // The path of a session file of the project's.
  std::string claude(const std::string& name) const {
    std::string folder = path_ + "/p";
    for (char& c : folder) c = c == '/' || c == '_' ? '-' : c;
    return ".claude/projects/" + folder + "/" + name;
  }
  std::string now() const { return store::rfc3339_utc(started_ + std::chrono::seconds(1)); }
  std::string claude_line(const std::string& session, const std::string& id, int out) const {
    return R"({"type":"assistant","sessionId":")" + session + R"(","message":{"id":")" + id +
           R"(","usage":{"input_tokens":10,"output_tokens":)" + std::to_string(out) +
           R"(}},"timestamp":")" + now() + "\"}\n";
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  TimePoint started_ = std::chrono::system_clock::now() - std::chrono::seconds(1);
};

TEST_CASE("only the session that the agent was told of counts, with its sub-agents") {
  const Home home;
  home.add(home.claude(std::string(kMine) + ".jsonl"), home.claude_line(kMine, "msg_1", 4));
  home.add(home.claude(std::string(kMine) + "/subagents/agent-a1.jsonl"),
           home.claude_line(kMine, "msg_2", 50));
  home.add(home.claude(std::string(kOther) + ".jsonl"), home.claude_line(kOther, "msg_3", 600));
  UsageFiles files = home.files("claude");
  files.find(0, kMine);
  files.read();
  CHECK(files.sum().in == 20);
  CHECK(files.sum().out == 54);

  // Later lines are read from there on; half a line is not read.
  const std::string more = home.claude_line(kMine, "msg_4", 7);
  home.add(home.claude(std::string(kMine) + ".jsonl"), more.substr(0, 40));
  files.read();
  CHECK(files.sum().out == 54);
  home.add(home.claude(std::string(kMine) + ".jsonl"), more.substr(40));
  files.read();
  CHECK(files.sum().out == 61);
}

TEST_CASE("the agent says itself that its process has begun another session") {
  const Home home;
  home.add(home.claude(std::string(kMine) + ".jsonl"), home.claude_line(kMine, "msg_1", 4));
  home.add(home.claude(std::string(kNext) + ".jsonl"), home.claude_line(kNext, "msg_2", 5));
  home.add(".claude/sessions/4711.json",
           R"({"pid":4711,"sessionId":")" + std::string(kNext) + "\"}");
  UsageFiles files = home.files("claude");
  files.find(4711, kMine);
  files.read();
  CHECK(files.sum().out == 9);
}

TEST_CASE("a file of that name that says it is another session's does not count") {
  const Home home;
  home.add(home.claude(std::string(kMine) + ".jsonl"), home.claude_line(kOther, "msg_1", 4));
  UsageFiles files = home.files("claude");
  files.find(0, kMine);
  files.read();
  CHECK_FALSE(files.any());
}

TEST_CASE("neither links nor names that lead elsewhere are followed") {
  const Home home;
  home.add("elsewhere.jsonl", home.claude_line(kMine, "msg_1", 4));
  home.add(home.claude("x"), "");
  fs::create_symlink(home.path() + "/elsewhere.jsonl",
                     home.path() + "/" + home.claude(std::string(kMine) + ".jsonl"));
  UsageFiles files = home.files("claude");
  files.find(0, kMine);
  files.find(0, "../../../elsewhere");
  files.find(0, "*");
  CHECK_FALSE(files.any());
}

TEST_CASE("a session file that a process of the agent holds open is this run's") {
  const Home home;
  const auto line = [&home](const std::string& id, int out) {
    return R"({"timestamp":")" + home.now() +
           R"(","type":"token_usage_record","payload":{"response_id":")" + id +
           R"(","usage":{"input_tokens":10,"output_tokens":)" + std::to_string(out) + "}}}\n";
  };
  const std::string folder = ".codex/sessions/2026/11/22/";
  home.add(folder + "rollout-2026-11-22T10-00-00-" + kMine + ".jsonl", line("resp_1", 4));
  home.add(folder + "rollout-2026-11-22T10-00-00-" + kOther + ".jsonl", line("resp_2", 50));
  UsageFiles files = home.files("codex");
  files.find(getpid(), "");
  CHECK_FALSE(files.any());
  const base::Fd open_one(
      open((home.path() + "/" + folder + "rollout-2026-11-22T10-00-00-" + kMine + ".jsonl").c_str(),
           O_RDWR | O_CLOEXEC));
  files.find(getpid(), "");
  files.read();
  CHECK(files.sum().out == 4);
}

TEST_CASE("of a file with a long past only the end is read") {
  const Home home;
  const std::string name = home.claude(std::string(kMine) + ".jsonl");
  home.add(name, home.claude_line(kMine, "msg_0", 4));
  const std::string old = R"({"type":"user","message":")" + std::string(1 << 20, 'x') + "\"}\n";
  for (int i = 0; i < 10; ++i) home.add(name, old);
  home.add(name, home.claude_line(kMine, "msg_1", 5));
  UsageFiles files = home.files("claude");
  files.find(0, kMine);
  for (int i = 0; i < 3; ++i) files.read();
  CHECK(files.sum().out == 5);
}

// The agents agree among themselves which folder is the project's: one that comes second may write
// to a folder that does not say whose it is.
TEST_CASE("of agents that start side by side in one folder each has its own count") {
  const Home home;
  home.add(".gemini/tmp/p/.project_root", home.path() + "/p");
  std::vector<std::string> ids;
  for (size_t i = 0; i < 6; ++i) {
    ids.push_back(std::to_string(i) + "1111111-2222-4333-8444-555555555555");
    const std::string folder = i < 3 ? "p" : "hash-" + std::to_string(i % 2);
    home.add(".gemini/tmp/" + folder + "/chats/session-2026-11-22T10-00-" + ids[i].substr(0, 8) +
                 ".jsonl",
             R"({"sessionId":")" + ids[i] + R"(","startTime":")" + home.now() + "\"}\n" +
                 R"({"id":"m1","timestamp":")" + home.now() +
                 R"(","type":"gemini","tokens":{"input":10,"output":)" + std::to_string(i + 1) +
                 R"(,"cached":0,"thoughts":0}})" + "\n");
  }
  for (size_t i = 0; i < 6; ++i) {
    UsageFiles files = home.files("gemini");
    files.find(0, ids[i]);
    files.read();
    CHECK(files.sum().in == 10);
    CHECK(files.sum().out == static_cast<int64_t>(i) + 1);
  }
}

}  // namespace
}  // namespace orch::session

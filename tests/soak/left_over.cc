#include "left_over.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "pty/process_table.h"
#include "store/cast_reader.h"
#include "store/file_io.h"
#include "store/session_file.h"

namespace orch::soak {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string content_of(const fs::path& path) {
  base::Result<std::string> text = store::read_file(path, store::kMaxCastBytes);
  return text ? std::move(text).value() : "";
}

std::string text_of(const Json& record, const char* key) {
  const auto value = record.find(key);
  return value != record.end() && value->is_string() ? value->get<std::string>() : "";
}

class Inspection {
 public:
  explicit Inspection(FilesSeen& seen) : seen_(seen) {}

  void look_at(const fs::directory_entry& entry) {
    path_ = entry.path();
    const std::string name = path_.filename();
    if (entry.is_directory()) return;
    if (entry.is_socket()) return;  // nobody listens on it; the next host replaces it
    if (!entry.is_regular_file()) return trouble("neither a file nor a folder");
    if (name == "run.json") {
      look_at_run();
    } else if (path_.extension() == ".json") {
      if (!Json::accept(content_of(path_))) trouble("not JSON");
    } else if (name == "events.jsonl") {
      look_at_events();
    } else if (name == "output.cast") {
      look_at_recording();
    } else if (!belongs(name)) {
      trouble("does not belong there");
    }
  }

 private:
  bool belongs(const std::string& name) const {
    return name == "prompt.md" || name == "transcript.txt" || name == "orch.log" ||
           name == "last_screen.txt" || path_.extension() == ".lock";
  }

  void trouble(const std::string& what) { seen_.troubles.push_back(path_.string() + ": " + what); }

  void look_at_run() {
    ++seen_.runs;
    const Json record = Json::parse(content_of(path_), nullptr, false);
    if (!record.is_object()) return trouble("not a JSON object");
    const std::string status = text_of(record, "status");
    if (status == "starting" || status == "running") trouble("says it is " + status);
    const Json result =
        Json::parse(content_of(path_.parent_path() / "result.json"), nullptr, false);
    if (!result.is_object()) trouble("has ended without a result");
  }

  void look_at_events() {
    const std::string text = content_of(path_);
    if (!text.empty() && text.back() != '\n') trouble("a torn last line");
    std::ifstream lines(path_);
    Json last;
    for (std::string line; std::getline(lines, line);) {
      last = Json::parse(line, nullptr, false);
      if (!last.is_object()) trouble("a line is not JSON");
    }
    if (!last.is_object() || text_of(last, "event") != "exit")
      trouble("does not end with the exit");
  }

  void look_at_recording() {
    const std::string text = content_of(path_);
    if (text.find('\n') == std::string::npos) return;  // killed before it wrote the header
    const auto cast = store::parse_cast(text);
    if (!cast) return trouble(cast.error().text);
    if (cast->malformed_lines > 0) trouble("a line is malformed");
    ++seen_.recordings;
  }

  FilesSeen& seen_;
  fs::path path_;
};

}  // namespace

std::vector<std::string> processes_with(std::string_view token) {
  std::vector<std::string> found;
  for (const pty::ProcessEntry& process : pty::living_processes()) {
    const fs::path proc = "/proc/" + std::to_string(process.pid);
    std::string command = content_of(proc / "cmdline");
    const bool meant = command.find(token) != std::string::npos ||
                       content_of(proc / "environ").find(token) != std::string::npos;
    if (!meant) continue;
    std::replace(command.begin(), command.end(), '\0', ' ');
    found.push_back(std::to_string(process.pid) + " " + command);
  }
  return found;
}

FilesSeen look_at_files(const std::string& state_dir) {
  FilesSeen seen;
  Inspection inspection(seen);
  std::error_code none;
  for (const auto& entry : fs::recursive_directory_iterator(state_dir, none)) {
    inspection.look_at(entry);
  }
  const auto found = store::list_sessions(state_dir);
  for (const store::SessionRecord& session : *found) {
    if (session.status == store::SessionStatus::kRunning) {
      seen.troubles.push_back(session.key + ": says it is running");
    }
  }
  return seen;
}

}  // namespace orch::soak

// Records of earlier versions of orch (tests/state_folders), with every command that reads records.
#include <catch2/catch.hpp>
#include <filesystem>

#include "workspace.h"

using namespace orch::e2e;
namespace fs = std::filesystem;

namespace {

struct Earlier {
  explicit Earlier(const fs::path& folder) {
    fs::copy(folder, workspace.state(), fs::copy_options::recursive);
    for (const auto& run : fs::directory_iterator(workspace.state() + "/runs")) {
      const std::string id = run.path().filename().string();
      for (const char* issue : {"good", "bad", "chat"}) {
        if (id.find(std::string("-") + issue + "-") != std::string::npos) ids[issue] = id;
      }
    }
    REQUIRE(ids.size() == 3);
  }
  Outcome says(Words words) const { return Program(workspace.orch(std::move(words))).finish(); }
  Json json(Words words) const {
    words.emplace_back("--json");
    const Outcome outcome = says(words);
    INFO(words[0] << ": " << outcome.err);
    REQUIRE(outcome.code == 0);
    return Json::parse(outcome.out);
  }

  Workspace workspace;
  std::map<std::string, std::string> ids;
};

}  // namespace

TEST_CASE("what earlier orchs recorded is read by every command") {
  int folders = 0;
  for (const auto& folder : fs::directory_iterator(ORCH_SOURCE_DIR "/tests/state_folders")) {
    if (!folder.is_directory()) continue;
    ++folders;
    INFO(folder.path());
    Earlier earlier(folder.path());
    const Json runs = earlier.json({"runs", "--all-repositories"});
    CHECK(runs.size() == 3);
    for (const auto& [issue, code] : {std::pair{"good", 0}, {"bad", 1}, {"chat", 0}}) {
      INFO(issue);
      const std::string& id = earlier.ids.at(issue);
      CHECK(earlier.json({"show", id}).at("result").at("code") == code);
      CHECK(earlier.json({"status", id}).at("code") == code);
      CHECK(earlier.says({"wait", id, "--until", "exited"}).code == code);
      CHECK_FALSE(earlier.says({"logs", id}).out.empty());
      CHECK(earlier.says({"report", id, "-o", earlier.workspace.file("page.html")}).code == 0);
      CHECK(fs::file_size(earlier.workspace.file("page.html")) > 1'000);
    }
    const Outcome undo = earlier.says({"undo", earlier.ids.at("good"), "--dry-run"});
    INFO(undo.err);
    CHECK(undo.code == 0);
    CHECK(holds(undo.out, "restore      . (and 3 in it)"));
    CHECK(earlier.says({"doctor", "--records"}).code == 0);
    CHECK(earlier.says({"gc", "--older-than", "0s"}).code == 0);
    CHECK(fs::is_empty(earlier.workspace.state() + "/runs"));
  }
  CHECK(folders > 0);
}

#include "forge/forge_call.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "temporary_folder.h"

namespace {

namespace fs = std::filesystem;

// A gh of this script, along PATH for as long as this lives.
class FakeGh {
 public:
  explicit FakeGh(const std::string& script) : before_(std::getenv("PATH")) {
    const std::string path = folder_.path() + "/gh";
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(path, fs::perms::owner_all);
    ::setenv("PATH", (folder_.path() + ":" + before_).c_str(), 1);
  }
  ~FakeGh() { ::setenv("PATH", before_.c_str(), 1); }
  FakeGh(const FakeGh&) = delete;
  FakeGh& operator=(const FakeGh&) = delete;

 private:
  TemporaryFolder folder_;
  std::string before_;
};

}  // namespace

TEST_CASE("a forge that is silent has not answered, although gh waits for ever") {
  const FakeGh gh("sleep 600");
  const auto answer = orch::forge::call_forge({"api", "x"}, {.patience_ms = 300});
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == orch::base::ErrorCode::kSystem);
  INFO(answer.error().text);
  CHECK(answer.error().text.find("gh") != std::string::npos);
}

TEST_CASE("gh is asked without the variables by which it would draw, trace or choose for itself") {
  ::setenv("GH_FORCE_TTY", "1", 1);
  ::setenv("GH_REPO", "x/y", 1);
  const FakeGh gh("printf 'HTTP/1.1 200 OK\\r\\n\\r\\n'; env");
  const auto answer = orch::forge::call_forge({"api", "x"});
  REQUIRE(answer);
  CHECK(answer->body.find("GH_FORCE_TTY") == std::string::npos);
  CHECK(answer->body.find("GH_REPO") == std::string::npos);
  CHECK(answer->body.find("GH_PROMPT_DISABLED=1") != std::string::npos);
}

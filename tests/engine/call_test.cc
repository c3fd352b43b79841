#include "engine/call.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/author.h"
#include "store/temporary_folder.h"

using namespace orch;
using namespace orch::engine;

namespace {

// A folder that is the PATH, with programs made of shell scripts.
class Programs {
 public:
  Programs() : made_(store::TemporaryFolder::make("orch-call-test-")), path_(std::getenv("PATH")) {
    ::setenv("PATH", (made_->path() + ":" + path_).c_str(), 1);
  }
  ~Programs() { ::setenv("PATH", path_.c_str(), 1); }
  void add(const std::string& name, const std::string& script) const {
    const std::string file = made_->path() + "/" + name;
    std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }

 private:
  base::Result<store::TemporaryFolder> made_;
  std::string path_;
};

}  // namespace

TEST_CASE("call: words are argv, and a variable is the program's") {
  const Programs programs;
  programs.add("squeue", "printf '%s|' \"$@\" \"$ADDED\"");
  CHECK(*call({"squeue", "a b", "$(id)", "'\n"}, {"ADDED=x y"}) == "a b|$(id)|'\n|x y|");
}

TEST_CASE("call: settings that lie where agents may write are not obeyed") {
  const Programs programs;
  programs.add("kubectl", "echo ran");
  const base::Result<store::TemporaryFolder> made = store::TemporaryFolder::make("orch-call-test-");
  const std::string agents = made->path(), file = agents + "/config";
  std::ofstream(file) << "x";
  const std::string link = agents + "-link";
  REQUIRE(::symlink(file.c_str(), link.c_str()) == 0);
  base::know_folder_of_agents(agents);
  const auto runs = [](std::vector<std::string> more) {
    more.insert(more.begin(), "kubectl");
    return call(more).ok();
  };
  CHECK(runs({"--kubeconfig=/etc/hostname"}));
  CHECK_FALSE(runs({"--kubeconfig=" + file}));
  CHECK_FALSE(runs({"get", "--kubeconfig", file}));
  CHECK_FALSE(runs({"--kubeconfig=" + link}));
  CHECK_FALSE(runs({"--kubeconfig=" + agents + "/none-yet"}));
  ::setenv("KUBECONFIG", ("/etc/hostname:" + file).c_str(), 1);
  CHECK_FALSE(runs({"get"}));
  ::unsetenv("KUBECONFIG");
  CHECK(runs({"get"}));
  base::know_nothing();
  ::unlink(link.c_str());
}

TEST_CASE("call: an engine that hangs is left after its time") {
  const Programs programs;
  programs.add("squeue", "exec sleep 1000");
  const base::Result<std::string> said = call({"squeue"}, {}, {.patience_ms = 300});
  REQUIRE_FALSE(said);
  CHECK(said.error().text == "squeue gave no answer within 0 s");
  CHECK(said.error().code == base::ErrorCode::kSystem);
}

TEST_CASE("call: an engine that answers without end is not read to its end") {
  const Programs programs;
  programs.add("squeue", "exec cat /dev/zero");
  const base::Result<std::string> said = call({"squeue"});
  REQUIRE_FALSE(said);
  CHECK(said.error().text == "squeue answered with more than 16384 kB, which is not read");
}

TEST_CASE("call: what an engine complains of is one line, without control characters") {
  const Programs programs;
  programs.add("squeue", "printf '\\n\\033[2Jno \\r controller\\nmore\\n' >&2; exit 1");
  const base::Result<std::string> said = call({"squeue"});
  REQUIRE_FALSE(said);
  CHECK(said.error().text.find('\n') == std::string::npos);
  CHECK(said.error().text.find('\x1b') == std::string::npos);
  CHECK(said.error().text.find("controller") != std::string::npos);
  programs.add("squeue", "exit 1");
  CHECK(call({"squeue"}).error().text == "squeue: it does not say why");
}

TEST_CASE("call: a program that is not there is told with the remedy") {
  const base::Result<std::string> said = call({"no-such-engine"});
  REQUIRE_FALSE(said);
  CHECK(said.error().code == base::ErrorCode::kUsage);
  CHECK(said.error().text.find("install it") != std::string::npos);
  CHECK_FALSE(check_program("no-such-engine"));
  CHECK(check_program("sh"));
}

// Files that a repository brings, and folders that belong to other users.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "skipped.h"
#include "workspace.h"

using namespace orch::e2e;

namespace {

namespace fs = std::filesystem;

// The demo agent's manifest under another name, as a repository could bring it.
std::string manifest_named(const std::string& name) {
  Json manifest = Json::parse(content_of(ORCH_SOURCE_DIR "/src/adapters/manifests/demo.json"));
  manifest["name"] = name;
  return manifest.dump(1);
}

// Runs orch in another folder. The demo agent can write only there, so it keeps no log.
Outcome run_orch_in(const Workspace& workspace, const std::string& folder, Words words) {
  Launch launch = workspace.orch(std::move(words));
  launch.cwd = workspace.file(folder);
  std::erase_if(launch.env, [](const std::string& e) { return e.starts_with("ORCH_DEMO_LOG="); });
  return Program(launch).finish();
}

Outcome refused(const Workspace& workspace, Words words, std::string_view word) {
  const Outcome outcome = run_orch(workspace, std::move(words));
  INFO(outcome.err);
  CHECK(outcome.code == 2);
  CHECK(outcome.out.empty());
  CHECK(lines_of(outcome.err).size() <= 2);
  CHECK(holds(outcome.err, word));
  CHECK_FALSE(workspace.has_state());
  return outcome;
}

const Words kRun{"run", "7", "--agent", "demo", "--until", "idle"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("of the user's own configuration nothing is obeyed that others could have written") {
  const Workspace workspace;
  const std::string config =
      workspace.write("home/.config/orch/config.json", R"({"size": "101x31"})");
  const std::string own =
      workspace.write("home/.config/orch/adapters/own.json", manifest_named("own"));
  const std::string rules =
      workspace.write("home/.config/orch/rules.json", R"({"default": "allow"})");
  const std::string folder = workspace.file("home/.config/orch");
  const auto others_may = [](const std::string& path, mode_t mode, const Words& words,
                             const Workspace& there) {
    struct stat before {};
    REQUIRE(::stat(path.c_str(), &before) == 0);
    REQUIRE(::chmod(path.c_str(), mode) == 0);
    refused(there, words, path + " can be written by others, and is not obeyed");
    REQUIRE(::chmod(path.c_str(), before.st_mode & 07777) == 0);
    if (::geteuid() != 0) return;
    REQUIRE(::chown(path.c_str(), 4321, static_cast<gid_t>(-1)) == 0);
    refused(there, words, path + " belongs to another user (uid 4321), and is not obeyed");
    REQUIRE(::chown(path.c_str(), 0, static_cast<gid_t>(-1)) == 0);
  };
  others_may(config, 0666, kRun, workspace);
  others_may(config, 0602, {"config"}, workspace);
  others_may(folder, 0777, {"config"}, workspace);
  others_may(own, 0602, {"run", "7", "--agent", "own", "--until", "idle"}, workspace);
  others_may(rules, 0666, with(kRun, {"--approve", rules}), workspace);
  const Outcome obeyed = run_orch(workspace, {"config"});
  CHECK(obeyed.code == 0);
  CHECK(holds(obeyed.out, "101x31"));
}

TEST_CASE("a repository's agent counts only once it was trusted, and as it was then") {
  const Workspace workspace;
  workspace.write("project/.orch/adapters/mine.json", manifest_named("mine"));
  const Words run{"run", "7", "--agent", "mine", "-p", "hi", "--output", "quiet"};

  Outcome outcome = run_orch(workspace, run);
  CHECK(outcome.code == 2);
  CHECK(lines_of(outcome.err).front() ==
        "orch: .orch/adapters/mine.json is not trusted and was left out; see: orch trust");
  CHECK(holds(outcome.err, "there is no agent \"mine\""));
  CHECK(holds(run_orch(workspace, {"agents"}).out, "untrusted  .orch/adapters/mine.json"));

  outcome = run_orch(workspace, {"trust"});  // there is no terminal to ask on
  CHECK(outcome.code == 2);
  CHECK(holds(outcome.out, "  |  \"name\": \"mine\""));
  CHECK(holds(outcome.err, "--yes"));
  CHECK(run_orch(workspace, run).code == 2);

  CHECK(run_orch(workspace, {"trust", "--yes"}).code == 0);
  CHECK(run_orch(workspace, run).code == 0);
  CHECK(holds(run_orch(workspace, {"trust", "--list"}).out, "trusted "));

  workspace.write("project/.orch/adapters/mine.json", manifest_named("mine") + " ");
  outcome = run_orch(workspace, run);
  CHECK(outcome.code == 2);
  CHECK(holds(outcome.err, "has changed since it was trusted and was left out"));
  const Json list = Json::parse(run_orch(workspace, {"trust", "--list", "--json"}).out);
  CHECK(list.at(0).at("standing") == "changed");

  CHECK(run_orch(workspace, {"trust", "--revoke", "."}).code == 0);
  CHECK(Json::parse(run_orch(workspace, {"trust", "--list", "--json"}).out).empty());
}

TEST_CASE("a repository's configuration loosens none of the user's limits before it is trusted") {
  const Workspace workspace;
  workspace.write("home/.config/orch/config.json", R"({"timeout": "1s", "keep": "9d"})");
  workspace.write("project/.orch/config.json",
                  R"({"timeout": "99h", "keep": "1s", "bell": false})");
  const Outcome run = run_orch(workspace, {"run", "7", "--", "sleep", "99999"});
  CHECK(run.code == 124);
  CHECK(holds(run.err, "config.json is not trusted, so this of it is left out: timeout keep;"));
  CHECK(holds(run_orch(workspace, {"config"}).out, "bell             false"));
  REQUIRE(run_orch(workspace, {"trust", "--yes"}).code == 0);
  const std::string trusted = run_orch(workspace, {"config"}).out;
  CHECK(holds(trusted, "timeout          99h"));
  CHECK(holds(trusted, "keep             1s"));
}

TEST_CASE("a pipe where agents write is refused as a file, and keeps no command waiting") {
  const Workspace workspace;
  const std::string pipe = workspace.file("project/f");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const std::vector<Words> commands{
      with(kRun, {"--prompt-file", "f"}),
      with(kRun, {"-p", "x", "--system-prompt", "f"}),
      with(kRun, {"-p", "x", "--approve", "f"}),
      {"replay", "./f"},
      {"shot", "./f"},
      {"explain", "./f"},
      {"report", "./f", "-o", "-"},
      {"task", "f"},
      {"plan", "f"},
      {"crew", "up", "f"},
      {"agents", "--check", "f"},
  };
  for (const Words& words : commands) {
    INFO(words.front());
    const Outcome outcome = run_orch(workspace, words);
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(holds(outcome.err, "regular file"));
  }
}

TEST_CASE("on a terminal orch trust asks, and only yes is yes") {
  for (const auto& [answer, code] :
       std::vector<std::pair<std::string, int>>{{"\n", 2}, {"no\n", 2}, {"y\n", 0}}) {
    const Workspace workspace;
    workspace.write("project/.orch/adapters/mine.json", manifest_named("mine"));
    Launch launch = workspace.orch({"trust"});
    launch.terminal = TerminalSize{100, 40};
    Program program(launch);
    program.wait_for_output("[y/N]");
    program.type(answer);
    CHECK(program.finish().code == code);
    CHECK(Json::parse(run_orch(workspace, {"trust", "--list", "--json"}).out).size() ==
          (code == 0 ? 1 : 0));
  }
}

TEST_CASE("what is shown before it is trusted cannot move the cursor or hide") {
  const Workspace workspace;
  workspace.write("project/.orch/evil\x1b[2J.json", "one\x1b[1A\x1b[2K\rtwo");
  const Outcome outcome = run_orch(workspace, {"trust"});
  CHECK(holds(outcome.out, "  | one\uFFFD[1A"));
  CHECK_FALSE(holds(outcome.out, "\x1b"));
}

TEST_CASE("a policy inside the repository must be trusted, one outside of it is the user's") {
  const Workspace workspace;
  workspace.write("project/.orch/policies/p.json", R"({"default":"all"})");
  const Words inside = with(kRun, {"-p", "hi", "--approve", ".orch/policies/p.json"});
  refused(workspace, inside, "orch trust .orch/policies/p.json");
  fs::create_symlink(workspace.project() + "/.orch/policies/p.json", workspace.file("link.json"));
  refused(workspace, with(kRun, {"-p", "hi", "--approve", workspace.file("link.json")}),
          "is not trusted");
  CHECK(run_orch(workspace, {"trust", ".orch/policies/p.json", "--yes"}).code == 0);
  CHECK(run_orch(workspace, inside).code == 0);
  const std::string own = workspace.write("own.json", R"({"default":"all"})");
  CHECK(run_orch(workspace, with(kRun, {"-p", "hi", "--approve", own})).code == 0);
}

TEST_CASE("a policy that a repository brings must be trusted from wherever it is used") {
  const Workspace workspace;
  const std::string policy = workspace.write("project/.orch/p.json", R"({"default":"all"})");
  workspace.write("project/sub/.git/HEAD", "ref: refs/heads/main\n");
  workspace.write("other/file", "");
  const auto run_in = [&workspace](const std::string& folder, const std::string& file) {
    return run_orch_in(workspace, folder, with(kRun, {"-p", "hi", "--approve", file}));
  };
  const auto refused_in = [&](const std::string& folder, const std::string& file) {
    const Outcome outcome = run_in(folder, file);
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(holds(outcome.err, "is not trusted; look at it with: orch trust " + policy));
    CHECK_FALSE(workspace.has_state());
  };
  refused_in("project/sub", "../.orch/p.json");
  refused_in("other", policy);
  fs::create_symlink(policy, workspace.file("other/link.json"));
  refused_in("home", workspace.file("other/link.json"));
  fs::create_directory_symlink(workspace.project() + "/.orch", workspace.file("other/link"));
  refused_in("home", workspace.file("other/link/p.json"));
  CHECK(run_orch(workspace, {"trust", policy, "--yes"}).code == 0);
  CHECK(run_in("project/sub", "../.orch/p.json").code == 0);
  CHECK(run_orch_in(
            workspace, "other",
            {"run", "8", "--agent", "demo", "--until", "idle", "-p", "hi", "--approve", policy})
            .code == 0);
}

TEST_CASE("a policy where agents have worked must be trusted, wherever the next one works") {
  const Workspace workspace;
  const std::string policy = workspace.write("project/p.json", R"({"default":"all"})");
  const std::string own = workspace.write("home/.config/orch/rules.json", R"({"default":"all"})");
  workspace.write("other/file", "");
  const auto run_in_other = [&workspace](const std::string& issue, const std::string& file) {
    return run_orch_in(
        workspace, "other",
        {"run", issue, "--agent", "demo", "--until", "idle", "-p", "hi", "--approve", file});
  };
  CHECK(run_in_other("1", policy).code == 0);  // no agent has worked there yet
  const Outcome fenced = Program(workspace.shell("true", {"--sandbox", "landlock"})).finish();
  if (fenced.code != 0) return orch::say_skipped("this kernel has no Landlock");
  const Outcome outcome = run_in_other("2", policy);
  CHECK(outcome.code == 2);
  CHECK(holds(outcome.err, "is not trusted; look at it with: orch trust " + policy));
  fs::create_symlink(own, workspace.project() + "/link.json");
  CHECK(holds(run_in_other("3", workspace.project() + "/link.json").err, "is a link in a folder"));
  CHECK(run_in_other("4", own).code == 0);
  CHECK(run_orch(workspace, {"trust", policy, "--yes"}).code == 0);
  CHECK(run_in_other("5", policy).code == 0);
  workspace.write("project/p.json", R"({"default": "all"})");
  CHECK(holds(run_in_other("6", policy).err, "has changed since it was trusted"));
}

TEST_CASE("an issue's file must be a regular file in the repository, of bounded size") {
  const Workspace workspace;
  fs::create_directories(workspace.project() + "/.orch/issues");
  const std::string issue = workspace.project() + "/.orch/issues/7.md";
  const auto attempt = [&](std::string_view word) {
    refused(workspace, kRun, word);
    fs::remove(issue);
  };
  fs::create_symlink("/etc/shadow", issue);
  attempt("symbolic link");
  fs::create_symlink("/dev/zero", issue);
  attempt("symbolic link");
  REQUIRE(::mkfifo(issue.c_str(), 0600) == 0);
  attempt("not a regular file");
  fs::create_directory(issue);
  attempt("not a regular file");
  workspace.write("project/.orch/issues/7.md", std::string((1 << 20) + 1, 'x'));
  attempt("more than 1048576 bytes");
  fs::create_directories(workspace.file("elsewhere"));
  workspace.write("elsewhere/7.md", "stolen");
  fs::remove(workspace.project() + "/.orch/issues");
  fs::create_directory_symlink(workspace.file("elsewhere"), workspace.project() + "/.orch/issues");
  refused(workspace, kRun, "symbolic link");
}

TEST_CASE("files that a user names may be endless, and are refused then") {
  const Workspace workspace;
  for (const char* option : {"--prompt-file", "--approve"}) {
    refused(workspace, with(kRun, {option, "/dev/zero"}), "more than 1048576 bytes");
  }
  refused(workspace, {"run", "7", "--agent", "claude", "-p", "x", "--system-prompt", "/dev/zero"},
          "more than 1048576 bytes");
}

TEST_CASE("another user's repository is refused, as git does it; sudo's caller's is not") {
  if (::geteuid() != 0) {
    orch::say_skipped("only root can give a folder away");
    return;
  }
  const Workspace workspace;
  workspace.write("project/.orch/adapters/mine.json", manifest_named("mine"));
  workspace.write("project/.orch/issues/7.md", "theirs");
  workspace.write("project/.orch/p.json", R"({"default":"all"})");
  CHECK(run_orch(workspace, {"trust", "--yes"}).code == 0);
  constexpr uid_t kOther = 12345;
  for (const auto& entry : fs::recursive_directory_iterator(workspace.project())) {
    REQUIRE(::chown(entry.path().c_str(), kOther, kOther) == 0);
  }
  REQUIRE(::chown(workspace.project().c_str(), kOther, kOther) == 0);

  const Outcome agents = run_orch(workspace, {"agents"});
  CHECK(holds(agents.err, "belongs to another user (uid 12345): nothing of "));
  CHECK_FALSE(holds(agents.out, "mine"));
  Outcome outcome = run_orch(workspace, kRun);
  CHECK(outcome.code == 2);
  CHECK(holds(last_line(outcome.err), "belongs to another user (uid 12345)"));
  outcome = run_orch(workspace, with(kRun, {"-p", "hi", "--approve", ".orch/p.json"}));
  CHECK(outcome.code == 2);
  CHECK(holds(last_line(outcome.err), "belongs to another user (uid 12345)"));
  refused(workspace, {"trust", "--yes"}, "belongs to another user (uid 12345)");

  Launch sudo = workspace.orch({"run", "7", "--agent", "mine", "--output", "quiet"});
  sudo.env.emplace_back("SUDO_UID=12345");
  CHECK(Program(sudo).finish().code == 0);
}

TEST_CASE("a state directory or a folder of runs of another user is refused by every command") {
  if (::geteuid() != 0) {
    orch::say_skipped("only root can give a folder away");
    return;
  }
  for (const char* given : {"state", "state/runs"}) {
    const Workspace workspace;
    fs::create_directories(workspace.file("state/runs"));
    fs::permissions(workspace.state(), fs::perms::owner_all);
    REQUIRE(::chown(workspace.file(given).c_str(), 12345, 12345) == 0);
    for (const Words& words : std::vector<Words>{
             {"run", "7", "--", "true"}, {"sessions"}, {"logs", "7"}, {"gc"}, {"kill", "7"}}) {
      const Outcome outcome = run_orch(workspace, words);
      CHECK(outcome.code == 2);
      CHECK(lines_of(outcome.err).size() == 1);
      CHECK(holds(outcome.err, "belongs to another user (uid 12345)"));
      CHECK(holds(outcome.err, "--state-dir"));
    }
  }
}

TEST_CASE("a state directory that was open to others is closed, and that is said once") {
  const Workspace workspace;
  fs::create_directories(workspace.file("state/runs"));
  REQUIRE(::chmod(workspace.state().c_str(), 0777) == 0);
  CHECK(holds(run_orch(workspace, {"sessions"}).err, "was open to others"));
  CHECK(run_orch(workspace, {"sessions"}).err.empty());
}

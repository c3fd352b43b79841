#include "session/agent_fence.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "fence/places.h"
#include "fence/work_places.h"
#include "live_run.h"
#include "session/environment.h"
#include "watched_folder.h"

namespace orch::session {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<std::string>;

bool holds(const Paths& paths, const std::string& path) {
  return std::find(paths.begin(), paths.end(), path) != paths.end();
}

// A variable of this process, for one test.
class OwnVariable {
 public:
  OwnVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~OwnVariable() {
    if (before_) {
      ::setenv(name_, before_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  OwnVariable(const OwnVariable&) = delete;
  OwnVariable& operator=(const OwnVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

base::Fd listening_at(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof name.sun_path);
  std::memcpy(name.sun_path, path.data(), path.size());
  base::Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0);
  REQUIRE(::listen(socket.get(), 1) == 0);
  return socket;
}

// A home, a work folder and a state directory, and the plan of a fence around them: with the layers
// of a machine that need not be this one, for nothing is shut in.
class FenceScene {
 public:
  FenceScene() {
    for (const char* name : {"home", "work", "agent", "state"}) fs::create_directories(yard / name);
    wanted.offer.landlock = 6;
    wanted.offer.seccomp = true;
    wanted.launcher = "/bin/true";
    wanted.socket_folder = yard / "sockets";
    agent.cwd = yard / "work";
    agent.state_dir = yard / "state";
    agent.argv = {"/bin/true"};
    agent.environment = {"HOME=" + (yard / "home"), "PATH=/usr/bin:/bin",
                         "AGENT_HOME=" + (yard / "agent")};
    agent.persons_environment = agent.environment;
    auto made = store::RunDir::create(yard / "state", std::chrono::system_clock::now(), "t1");
    REQUIRE(made);
    dir.emplace(std::move(made).value());
  }

  void raise() {
    fence.reset();
    auto raised = AgentFence::raise(wanted, spec, *dir, agent);
    INFO((raised ? "" : raised.error().text));
    REQUIRE(raised);
    fence = std::move(raised).value();
  }
  // The error of a fence that cannot be raised: one line, after which nothing is left of it.
  std::string refused() {
    auto raised = AgentFence::raise(wanted, spec, *dir, agent);
    REQUIRE_FALSE(raised);
    CHECK(scratch_folders().empty());
    CHECK_FALSE(fs::exists(dir->fence_file()));
    CHECK(raised.error().text.find('\n') == std::string::npos);
    return raised.error().text;
  }
  bool may_write(const std::string& path) const {
    return std::any_of(
        fence->plan().write.begin(), fence->plan().write.end(),
        [&](const fence::Grant& grant) { return fence::is_within(path, grant.path); });
  }
  // The folders for temporary files of this run.
  Paths scratch_folders() const {
    Paths found;
    for (const std::string_view parent : store::kTemporaryParents) {
      std::error_code failure;
      for (const auto& entry : fs::directory_iterator(parent, failure)) {
        if (content_of(entry.path().string() + "/owner").find(dir->id()) != std::string::npos) {
          found.push_back(entry.path().string());
        }
      }
    }
    return found;
  }
  // Whether an agent is known to have had the folder in its hands.
  bool remembered(const std::string& folder) const {
    return fence::WorkPlaces(agent.state_dir).holding(folder).if_present() == folder;
  }
  // Makes the work folder a worktree of the repository `name`.
  void link_worktree(const std::string& name) const {
    const std::string git = name + "/.git";
    yard.write(git + "/HEAD", "ref: refs/heads/main\n");
    for (const char* folder : {"/objects", "/refs"}) fs::create_directories(yard / (git + folder));
    yard.write(git + "/worktrees/w/HEAD", "ref: refs/heads/w\n");
    yard.write(git + "/worktrees/w/commondir", "../..\n");
    yard.write(git + "/worktrees/w/gitdir", (yard / "work/.git") + "\n");
    yard.write("work/.git", "gitdir: " + (yard / git) + "/worktrees/w\n");
  }

  const WatchedFolder yard;
  const OwnVariable home{"HOME", yard / "home"}, config{"XDG_CONFIG_HOME", yard / "home/.config"};
  FenceRequest wanted;
  adapters::FenceSpec spec;
  FencedAgent agent;
  std::optional<store::RunDir> dir;
  std::unique_ptr<AgentFence> fence;
};

TEST_CASE("an agent may write its work folder, its run's scratch, and nothing beside") {
  FenceScene it;
  it.raise();
  const fence::Plan& plan = it.fence->plan();
  CHECK(plan.work_dir.path == it.yard / "work");
  REQUIRE(plan.write.size() == 1);
  CHECK(plan.write[0] == plan.work_dir);
  CHECK(it.scratch_folders() == Paths{fs::path(plan.scratch).parent_path().string()});
  CHECK(it.remembered(it.yard / "work"));
  CHECK(holds(plan.secrets.closed, it.yard / "home/.ssh"));
  // The launcher reads the same plan.
  CHECK(fence::plan_from_json(content_of(it.dir->fence_file()), "fence.json").value() == plan);
  it.fence.reset();
  CHECK(it.scratch_folders().empty());
}

TEST_CASE("the folders of git that belong to a worktree are granted, and others never again") {
  FenceScene it;
  it.link_worktree("repository");
  it.raise();
  CHECK(it.may_write(it.yard / "repository/.git/worktrees/w"));
  CHECK(it.may_write(it.yard / "repository/.git/refs"));
  CHECK_FALSE(it.may_write(it.yard / "repository/src"));
  CHECK(it.remembered(it.yard / "repository/.git"));
  it.fence.reset();
  fs::remove(it.dir->fence_file());

  it.link_worktree("other");  // as the agent has written it
  const std::string why = it.refused();
  CHECK(why.find(it.yard / "other/.git") != std::string::npos);
  CHECK(why.find("orch trust --git " + (it.yard / "work")) != std::string::npos);
}

TEST_CASE("a .git that names a folder which knows nothing of it grants nothing") {
  FenceScene it;
  it.link_worktree("repository");
  it.yard.write("repository/.git/worktrees/w/gitdir", "/elsewhere/.git\n");
  it.raise();
  CHECK_FALSE(it.may_write(it.yard / "repository/.git"));
}

TEST_CASE("the agent's own folders are made and granted, its files only if they are there") {
  FenceScene it;
  it.spec.folders = {"$AGENT_HOME/logs/new", "${UNSET_PLACE}/x", "${NO_PLACE:-relative}"};
  it.spec.files = {"$AGENT_HOME/history", "$AGENT_HOME/missing"};
  it.spec.secrets = {"$HOME/.ssh/agent_token"};
  it.yard.write("agent/history", "");
  it.yard.write("home/.ssh/agent_token", "");
  it.yard.write("home/.ssh/id", "");
  it.raise();
  CHECK(it.may_write(it.yard / "agent/logs/new"));
  CHECK(it.may_write(it.yard / "agent/history"));
  CHECK_FALSE(it.may_write(it.yard / "agent"));
  CHECK_FALSE(it.may_write(it.yard / "agent/logs"));
  CHECK_FALSE(it.may_write(it.yard / "agent/missing"));
  CHECK(fs::status(it.yard / "agent/logs/new").permissions() == fs::perms::owner_all);
  CHECK(it.fence->plan().write.size() == 3);
  // It may read its token, and not write it.
  CHECK(it.fence->plan().secrets.open == Paths{it.yard / "home/.ssh/agent_token"});
  CHECK_FALSE(it.may_write(it.yard / "home/.ssh/agent_token"));
}

TEST_CASE("without layers nothing is granted, made or remembered") {
  FenceScene it;
  it.wanted.offer = {};
  it.wanted.write = {it.yard / "agent"};
  it.spec.folders = {"$AGENT_HOME/logs"};
  it.link_worktree("repository");
  it.raise();
  CHECK_FALSE(it.fence->plan().layers.any());
  CHECK(it.fence->plan().write.empty());
  CHECK_FALSE(fs::exists(it.yard / "agent/logs"));
  CHECK_FALSE(fs::exists(it.yard / "state/places"));
}

// An agent may have put links where its own files were, for its next run.
TEST_CASE("no link in the agent's own folders leads what is granted elsewhere") {
  FenceScene it;
  it.yard.write("home/.ssh/id", "key");
  it.yard.write("home/.profile", "");
  it.spec.folders = {"$AGENT_HOME/inner", "$AGENT_HOME"};
  it.spec.files = {"$AGENT_HOME/history", "$AGENT_HOME/sub/.profile",
                   "$AGENT_HOME/../home/.profile"};
  it.spec.secrets = {"$AGENT_HOME/token", "$AGENT_HOME/keys/id"};
  fs::create_symlink(it.yard / "home/.profile", it.yard / "agent/history");
  fs::create_symlink(it.yard / "home", it.yard / "agent/sub");
  fs::create_symlink(it.yard / "home/.ssh/id", it.yard / "agent/token");
  fs::create_symlink(it.yard / "home/.ssh", it.yard / "agent/keys");
  fs::create_symlink(it.yard / "home/.ssh", it.yard / "agent/inner");
  it.raise();
  CHECK(it.may_write(it.yard / "agent"));
  CHECK_FALSE(it.may_write(it.yard / "home/.profile"));
  CHECK_FALSE(it.may_write(it.yard / "home/.ssh"));
  CHECK(it.fence->plan().secrets.open.empty());
  CHECK(holds(it.fence->plan().secrets.closed, it.yard / "home/.ssh"));
}

TEST_CASE("a person's own link to the agent's folder is followed") {
  FenceScene it;
  fs::create_directories(it.yard / "dotfiles/agent");
  fs::create_symlink(it.yard / "dotfiles/agent", it.yard / "home/.agent");
  it.spec.folders = {"$HOME/.agent"};
  it.raise();
  CHECK(it.may_write(it.yard / "dotfiles/agent"));
}

TEST_CASE("only a person's variables decide what is granted") {
  FenceScene it;
  fs::create_directories(it.yard / "chosen-by-a-model");
  it.agent.environment.push_back("AGENT_CONFIG=" + (it.yard / "chosen-by-a-model"));
  it.spec.folders = {"${AGENT_CONFIG:-$AGENT_HOME}"};
  it.raise();
  CHECK(it.may_write(it.yard / "agent"));
  CHECK_FALSE(it.may_write(it.yard / "chosen-by-a-model"));
}

TEST_CASE("what --write and --read name is granted, remembered and opened") {
  FenceScene it;
  fs::create_directories(it.yard / "cache");
  it.yard.write("home/.ssh/known_hosts", "");
  it.yard.write("home/.aws/credentials", "");
  it.wanted.write = {it.yard / "cache", it.yard / "home/.aws", it.yard / "not-there"};
  it.wanted.read = {it.yard / "home/.ssh/known_hosts"};
  it.raise();
  CHECK(it.may_write(it.yard / "cache"));
  CHECK_FALSE(it.may_write(it.yard / "not-there"));
  CHECK_FALSE(it.may_write(it.yard / "home/.ssh/known_hosts"));
  CHECK(it.remembered(it.yard / "cache"));
  CHECK_FALSE(it.remembered(it.yard / "home/.ssh/known_hosts"));
  // What may be written may be read as well.
  const fence::SecretPlaces& secrets = it.fence->plan().secrets;
  CHECK(holds(secrets.open, it.yard / "home/.ssh/known_hosts"));
  CHECK(holds(secrets.closed, it.yard / "home/.ssh"));
  CHECK_FALSE(holds(secrets.closed, it.yard / "home/.aws"));
}

TEST_CASE("what must not be granted is an error that names it and says why") {
  FenceScene it;
  std::string named, why;
  SECTION("the home") {
    named = it.yard / "home";
    why = "your home directory";
  }
  SECTION("what holds the home") {
    named = it.yard.path();
    why = "your home directory";
  }
  SECTION("orch's records") {
    named = it.yard / "state";
    why = "orch's own records";
  }
  SECTION("orch's configuration") {
    named = it.yard / "home/.config/orch/adapters";
    fs::create_directories(named);
    why = "orch's own configuration";
  }
  SECTION("the system") {
    named = "/etc";
    why = "belongs to the system";
  }
  SECTION("what has become a link since a person named it") {
    named = it.yard / "moved";
    fs::create_symlink(it.yard / "agent", named);
    why = "leads through the link moved";
  }
  it.wanted.write = {named};
  const std::string text = it.refused();
  CHECK(text.find(named + " ") == 0);
  CHECK(text.find(why) != std::string::npos);
}

TEST_CASE("a work folder that must not be granted is an error, as is one that has become a link") {
  FenceScene it;
  std::string why;
  SECTION("the home") {
    it.agent.cwd = it.yard / "home";
    why = "your home directory";
  }
  SECTION("a link") {
    fs::remove(it.yard / "work");
    fs::create_symlink(it.yard / "agent", it.yard / "work");
    why = "leads through the link work";
  }
  SECTION("it is gone") {
    fs::remove(it.yard / "work");
    why = "is not there";
  }
  const std::string text = it.refused();
  CHECK(text.find(it.agent.cwd + " ") == 0);
  CHECK(text.find(why) != std::string::npos);
}

TEST_CASE("what the disk refuses is an error, and the agent is not started with less") {
  FenceScene it;
  std::string named;
  SECTION("a folder of the agent's own cannot be made") {
    it.yard.write("agent/file", "");
    it.spec.folders = {"$AGENT_HOME/file/logs"};
    named = it.yard / "agent/file";
  }
  SECTION("what is granted cannot be remembered") {
    it.yard.write("state/places", "");
    named = it.yard / "state/places";
  }
  SECTION("what was remembered cannot be read") {
    it.raise();
    it.fence.reset();
    fs::remove(it.dir->fence_file());
    for (const auto& entry : fs::directory_iterator(it.yard / "state/places")) {
      it.yard.write("state/places/" + entry.path().filename().string(), "{");
    }
    named = it.yard / "state/places";
  }
  SECTION("the plan cannot be written") {
    named = it.dir->fence_file();
    fs::remove_all(it.dir->path());
  }
  CHECK(it.refused().find(named) != std::string::npos);
}

TEST_CASE("a network that cannot be held here is an error") {
  FenceScene it;
  it.wanted.offer.landlock = 3;
  it.wanted.network = {fence::Network::Kind::kPorts, {443}, false, {}};
  CHECK(it.refused().find("--net 443 cannot be held") == 0);
}

TEST_CASE("the program and all that its links lead to can be seen, and what --read names") {
  const WatchedFolder programs, packages, read, option, secret;
  for (const WatchedFolder* folder : {&programs, &packages, &read, &option, &secret}) {
    if (folder->path().starts_with("/tmp/")) continue;
    return;  // nothing hides /var/tmp
  }
  const auto top = [](const WatchedFolder& folder) {
    return fs::path(folder.path()).parent_path().string();
  };
  FenceScene it;
  packages.write("lib/agent.js", "");
  fs::permissions(packages / "lib/agent.js", fs::perms::owner_all);
  fs::create_symlink(packages / "lib/agent.js", programs / "agent");
  it.agent.persons_environment[1] = "PATH=/usr/bin:" + programs.path();
  it.agent.argv = {"agent", option / "settings.json", "--x"};
  option.write("settings.json", "{}");
  it.wanted.read = {read.path()};
  it.raise();
  const Paths& visible = it.fence->plan().visible;
  for (const WatchedFolder* folder : {&programs, &packages, &read, &option}) {
    CHECK(holds(visible, top(*folder)));
  }
  CHECK_FALSE(holds(visible, top(secret)));

  it.agent.argv = {"agent-that-is-not-there"};  // which somebody else says
  it.raise();
  CHECK_FALSE(holds(it.fence->plan().visible, top(programs)));
}

TEST_CASE("of the home an agent sees its own files, its program and git's configuration") {
  FenceScene it;
  for (const char* name : {".agent/settings.json", "tools/agent.py", "settings.json", ".gitconfig",
                           "notes", ".other-agent/auth.json"}) {
    it.yard.write(std::string("home/") + name, "[user]\n\tname = me\n");
  }
  it.spec.reads = {"$HOME/.agent"};
  it.agent.argv = {"/bin/sh", it.yard / "home/tools/agent.py", "--settings",
                   it.yard / "home/settings.json", it.yard / "home/notes"};
  it.raise();
  const fence::HomeView& homes = it.fence->plan().homes;
  for (const char* name :
       {".agent/settings.json", "tools/agent.py", "settings.json", ".gitconfig"}) {
    INFO(name);
    CHECK_FALSE(fence::is_emptied(homes, it.yard / (std::string("home/") + name)));
  }
  for (const char* name : {"notes", ".other-agent/auth.json", "new"}) {
    INFO(name);
    CHECK(fence::is_emptied(homes, it.yard / (std::string("home/") + name)));
  }
}

TEST_CASE("the repository around a work folder in the home is seen, the home itself never is") {
  FenceScene it;
  it.yard.write("home/project/.git/HEAD", "ref: refs/heads/main\n");
  it.yard.write("home/project/package.json", "{}");
  fs::create_directories(it.yard / "home/project/sub");
  it.agent.cwd = it.yard / "home/project/sub";
  it.raise();
  CHECK_FALSE(fence::is_emptied(it.fence->plan().homes, it.yard / "home/project/package.json"));
  it.fence.reset();
  fs::rename(it.yard / "home/project/.git", it.yard / "home/.git");
  FenceScene other;
  other.yard.write("home/.git/HEAD", "ref: refs/heads/main\n");
  other.yard.write("home/notes", "");
  fs::create_directories(other.yard / "home/project");
  other.agent.cwd = other.yard / "home/project";
  other.raise();
  CHECK(fence::is_emptied(other.fence->plan().homes, other.yard / "home/notes"));
}

TEST_CASE("a key in git's configuration is kept from the agent, and its other settings are not") {
  FenceScene it;
  it.yard.write("home/.gitconfig", "[user]\n\tname = me\n[github]\n\ttoken = TOKEN\n");
  it.raise();
  const fence::Plan& plan = it.fence->plan();
  CHECK(fence::is_emptied(plan.homes, it.yard / "home/.gitconfig"));
  const std::string text = content_of(plan.scratch + "/gitconfig");
  CHECK(text.find("me") != std::string::npos);
  CHECK(text.find("TOKEN") == std::string::npos);
  CHECK(plan.env.at("GIT_CONFIG_GLOBAL") == plan.scratch + "/gitconfig");
}

TEST_CASE("of the sockets around it an agent may reach orch's and the person's keys") {
  FenceScene it;
  it.wanted.offer.bubblewrap = "/usr/bin/bwrap";
  fs::create_directories(it.yard / "sockets");
  const base::Fd foreign = listening_at(it.yard / "foreign");
  const base::Fd keys = listening_at(it.yard / "keys");
  const base::Fd own = listening_at(it.yard / "sockets/t1");
  it.agent.environment.push_back("SSH_AUTH_SOCK=" + (it.yard / "foreign"));
  std::string named = it.yard / "keys";
  SECTION("by their names") {}
  SECTION("by links") {
    fs::create_symlink(named, it.yard / "link");
    named = it.yard / "link";
    fs::create_symlink(it.yard / "sockets", it.yard / "run");
    it.wanted.socket_folder = it.yard / "run";
  }
  it.agent.persons_environment.push_back("SSH_AUTH_SOCK=" + named);
  it.raise();
  const Paths& closed = it.fence->plan().sockets;
  CHECK(holds(closed, it.yard / "foreign"));
  CHECK_FALSE(holds(closed, it.yard / "keys"));
  CHECK_FALSE(holds(closed, it.yard / "sockets/t1"));
}

TEST_CASE("the launcher is started with the agent's words, and obeys no variable of the agent's") {
  FenceScene it;
  it.raise();
  Paths words{"agent", "--", "a b", ""};
  Paths environment{"LD_PRELOAD=/tmp/x.so", "PATH=/agent/bin", "ORCH_RUN=r1"};
  it.fence->enclose(words, environment);
  CHECK(words == Paths{"/proc/self/exe", "internal", "launch", it.dir->fence_file(), "--", "agent",
                       "--", "a b", ""});
  CHECK(value_in(environment, "PATH") == value_in(own_environment(), "PATH"));
  CHECK_FALSE(holds(environment, "LD_PRELOAD=/tmp/x.so"));
  CHECK(holds(environment, "ORCH_FOR_AGENT_LD_PRELOAD=/tmp/x.so"));
  CHECK(holds(environment, "ORCH_FOR_AGENT_PATH=/agent/bin"));
  CHECK(holds(environment, "ORCH_RUN=r1"));
}

TEST_CASE("what an agent leaves for somebody's next start is told") {
  FenceScene it;
  it.link_worktree("repository");
  it.spec.watched = {{.path = "$AGENT_HOME/hooks.json", .members = {}, .ignore = {}},
                     {.path = "$NO_SUCH_PLACE/x", .members = {}, .ignore = {}}};
  fs::create_directories(it.yard / "cache");
  it.wanted.write = {it.yard / "cache"};
  it.raise();
  CHECK(it.fence->changed().empty());
  it.yard.write("agent/hooks.json", R"({"start":"curl evil"})");
  it.yard.write("work/.vscode/tasks.json", "{}");
  it.yard.write("repository/.git/hooks/post-commit", "#!/bin/sh\n");
  it.yard.write("cache/.claude/settings.json", R"({"hooks":{}})");
  it.yard.write("work/src/a.cc", "");
  const Paths changed = it.fence->changed();
  CHECK(changed.size() == 4);
  for (const char* name : {"agent/hooks.json", "work/.vscode", "repository/.git/hooks",
                           "cache/.claude/settings.json"}) {
    INFO(name);
    CHECK(holds(changed, it.yard / name));
  }
}

TEST_CASE("a snapshot that was asked for is there when its manifest is, or it is said why not") {
  FenceScene it;
  SECTION("it was not asked for") {
    it.wanted.snapshot = FenceRequest::Snapshot::kNone;
    it.raise();
    CHECK_FALSE(it.fence->lacks_snapshot());
    CHECK(it.fence->snapshot().empty());
    CHECK(it.fence->snapshot_note().empty());
  }
  SECTION("the launcher says nothing at all") {
    it.raise();
    CHECK(it.fence->lacks_snapshot());
    CHECK(it.fence->snapshot_note().empty());
  }
  SECTION("it was begun, and not finished") {
    it.raise();
    fs::create_directories(it.dir->snapshot_folder());
    CHECK(it.fence->lacks_snapshot());
  }
  SECTION("it is whole") {
    it.raise();
    fs::create_directories(it.dir->snapshot_folder());
    std::ofstream(it.dir->snapshot_folder() + "/manifest") << "{}";
    CHECK_FALSE(it.fence->lacks_snapshot());
    CHECK(it.fence->snapshot() == it.dir->snapshot_folder());
  }
  SECTION("it is said why") {
    it.raise();
    std::ofstream(it.dir->snapshot_folder() + ".txt") << "\norch: no room\nmore of it\n";
    CHECK(it.fence->snapshot_note() == "no room");
  }
  SECTION("too much is said") {
    it.raise();
    std::ofstream(it.dir->snapshot_folder() + ".txt") << std::string(1 << 20, 'x');
    CHECK(it.fence->snapshot_note().size() <= 64 << 10);
  }
}

}  // namespace
}  // namespace orch::session

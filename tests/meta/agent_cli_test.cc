#include "meta/agent_cli.h"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "adapters/registry.h"
#include "base/author.h"
#include "fake_program.h"
#include "meta/agent_variables.h"

namespace orch::meta {
namespace {

struct Scene {
  explicit Scene(const std::string& codex) {
    programs.add("codex", codex);
    deadline.start(20'000, [] { FAIL("no answer"); });
    config.manifest = *adapters::Registry::load({}).value().find("codex");
    config.provider.kind = "codex-cli";
    config.variables = config.given = programs.variables();
    config.private_folder = programs.work();
  }

  base::Result<Answer> ask(const Question& question = {"be brief", "type: question\n"}) {
    AgentCli cli(loop, config);
    REQUIRE(cli.check().ok());
    std::optional<base::Result<Answer>> result;
    cli.ask(question, [&](base::Result<Answer> answer) {
      result.emplace(std::move(answer));
      loop.stop();
    });
    CHECK_FALSE(result);
    loop.run();
    CHECK(std::filesystem::is_empty(programs.work()));
    return *result;
  }
  std::string error() {
    const base::Result<Answer> answer = ask();
    REQUIRE_FALSE(answer.ok());
    CHECK(answer.error().text.find('\n') == std::string::npos);
    return answer.error().text;
  }
  // Whether the process whose pid a fake program wrote has ended; the kernel takes a moment for
  // that.
  bool ends(const std::string& pid_file) const {
    const std::string pid = programs.text(pid_file);
    REQUIRE_FALSE(pid.empty());
    for (int looks = 0; looks < 1'000; ++looks) {
      std::ifstream stat("/proc/" + std::to_string(std::stoi(pid)) + "/stat");
      std::string number, name, state;
      if (!(stat >> number >> name >> state) || state == "Z") return true;
      ::usleep(1'000);
    }
    return false;
  }

  FakePrograms programs;
  loop::Loop loop;
  loop::Timer deadline{loop};
  CliConfig config;
};

}  // namespace

TEST_CASE("an agent is asked on its standard input, in an empty folder, read-only") {
  Scene scene(
      "printf '%s\\n' \"$@\" > $HERE/args; cat > $HERE/stdin; pwd > $HERE/pwd; ls -A > $HERE/ls\n"
      "echo \"noise of the agent\" >&2; echo 'type: answer'");
  const std::string text = "$(touch x) `id` 'q' \"q\" \x1b[31m\n" + std::string(200'000, 'y');
  CHECK(scene.ask({"be brief", text}).value().text == "type: answer\n");
  CHECK(scene.programs.text("args") ==
        "exec\n--skip-git-repo-check\n--sandbox\nread-only\n-c\nmodel_reasoning_effort=medium\n"
        "--model\ngpt-5.2\n-\n");
  CHECK(scene.programs.text("stdin") == "be brief\n\n" + text);
  CHECK(scene.programs.text("pwd").starts_with(scene.programs.work() + "/orch-meta-"));
  CHECK(scene.programs.text("ls").empty());
}

TEST_CASE("a failure is told by its code and the end of what it said, without secrets") {
  Scene scene(
      "echo 'first line' >&2; printf 'bad key %s\\033[2J\\n' \"$OPENAI_API_KEY\" >&2; exit 3");
  scene.config.variables["OPENAI_API_KEY"] = scene.config.given["OPENAI_API_KEY"] =
      "s3cret-of-Mine";
  CHECK(scene.error() == "codex-cli: exit code 3: bad key ***\xef\xbf\xbd[2J");
}

TEST_CASE("an agent that says nothing, is killed, or is not there is an error") {
  CHECK(Scene("exit 0").error() == "codex-cli: it said nothing");
  CHECK(Scene("echo half; kill -9 $$").error() == "codex-cli: killed by signal 9: half");
  Scene scene("exit 0");
  scene.config.provider.cli_path = "/nowhere/codex";
  CHECK(scene.error().find("/nowhere/codex") != std::string::npos);
}

TEST_CASE("an agent whose program lies where agents may write is not asked") {
  Scene scene("touch $HERE/ran; echo 'type: answer'");
  base::know_folder_of_agents(scene.programs.work().substr(0, scene.programs.work().rfind('/')));
  const base::Status checked = AgentCli(scene.loop, scene.config).check();
  base::know_nothing();
  REQUIRE_FALSE(checked);
  CHECK(checked.error().text.find("where agents may write") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(scene.programs.file("ran")));
}

TEST_CASE("an answer without an end is refused by its size") {
  CHECK(Scene("exec cat /dev/zero").error() ==
        "codex-cli: the answer is larger than 1048576 bytes");
}

TEST_CASE("an agent that hangs is ended with all that it started") {
  Scene scene(
      "trap '' TERM INT HUP\n"
      "setsid sh -c 'trap \"\" TERM; echo $$ > $HERE/helper; exec sleep 1000' &\n"
      "echo $$ > $HERE/agent; while :; do sleep 1000; done");
  scene.config.timeout_ms = 700;
  CHECK(scene.error() == "codex-cli: no answer within 700 ms");
  CHECK(scene.ends("agent"));
  CHECK(scene.ends("helper"));
}

TEST_CASE("a question is taken back with its provider, and leaves no process") {
  Scene scene(
      "setsid sh -c 'echo $$ > $HERE/helper; exec sleep 1000' &\n"
      "echo $$ > $HERE/agent; exec sleep 1000");
  auto cli = std::make_unique<AgentCli>(scene.loop, scene.config);
  cli->ask({}, [](const base::Result<Answer>&) { FAIL("it was taken back"); });
  loop::Timer look(scene.loop);
  const std::function<void()> until_started = [&] {
    if (!scene.programs.text("agent").empty() && !scene.programs.text("helper").empty()) {
      return scene.loop.stop();
    }
    look.start(5, until_started);
  };
  until_started();
  scene.loop.run();
  cli.reset();
  CHECK(scene.ends("agent"));
  CHECK(scene.ends("helper"));
  CHECK(std::filesystem::is_empty(scene.programs.work()));
}

TEST_CASE("a meta-agent gets the keys of its own vendor, and no others") {
  const adapters::Registry agents = adapters::Registry::load({}).value();
  const std::map<std::string, std::string> all{
      {"PATH", "/bin"},
      {"HOME", "/home/me"},
      {"ANTHROPIC_API_KEY", "key-one"},
      {"GEMINI_API_KEY", "k"},
      {"OPENAI_API_KEY", "k2"},
      {"CODEX_API_KEY", "k3"},
      {"GITHUB_TOKEN", "t"},
      {"DB_PASSWORD", "p"},
      {"SSH_AUTH_SOCK", "/run/agent"},
      {"MINE", "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"}};
  const auto names = [&](const char* agent) {
    std::vector<std::string> out;
    for (const auto& [name, value] : agent_variables(all, *agents.find(agent), agents)) {
      out.push_back(name);
    }
    return out;
  };
  using Names = std::vector<std::string>;
  CHECK(names("claude") == Names{"ANTHROPIC_API_KEY", "HOME", "PATH"});
  CHECK(names("codex") == Names{"CODEX_API_KEY", "HOME", "OPENAI_API_KEY", "PATH"});
  CHECK(names("gemini") == Names{"GEMINI_API_KEY", "HOME", "PATH"});
}

}  // namespace orch::meta

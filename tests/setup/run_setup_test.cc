#include "setup/run_setup.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "scene.h"

using namespace orch::setup;
using orch::base::ErrorCode;
using orch::options::RunRequest;
using orch::run::Until;

namespace {

RunRequest options_in(const Scene& scene, const std::string& agent) {
  RunRequest options;
  options.issues = {"7"};
  options.agent = agent;
  options.cwd = scene.repository();
  return options;
}

RunRequest asking_demo(const Scene& scene, const std::string& prompt) {
  RunRequest options = options_in(scene, "demo");
  options.prompt = prompt;
  return options;
}

RunSetup prepared(const RunRequest& options) {
  AgentChoice choice;
  auto setup = prepare_run(options, choice);
  INFO((setup ? "" : setup.error().text));
  REQUIRE(setup);
  // These point into `choice`, which ends here.
  for (auto& session : setup->sessions) {
    session.manifest = nullptr;
    session.rules = nullptr;
  }
  return std::move(setup).value();
}

// The text of the usage error for a request.
std::string refusal(const RunRequest& options) {
  AgentChoice choice;
  const auto setup = prepare_run(options, choice);
  REQUIRE_FALSE(setup);
  CHECK(setup.error().code == ErrorCode::kUsage);
  CHECK(setup.error().text.find('\n') == std::string::npos);
  return setup.error().text;
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the defaults are those that are documented") {
  const Scene scene;
  const RunSetup setup = prepared(asking_demo(scene, "do it"));
  CHECK(setup.output == orch::ui::OutputMode::kText);
  CHECK(setup.notes.empty());
  REQUIRE(setup.sessions.size() == 1);
  const auto& session = setup.sessions.front();
  CHECK(session.issue == "7");
  CHECK(session.cwd == scene.repository());
  CHECK(session.repository == scene.repository());
  CHECK(session.plan.until == Until::kComplete);
  CHECK(session.plan.keyword == "LOOP_COMPLETE");
  CHECK(session.plan.max_turns == 50);
  CHECK(session.plan.timeout_ms == 0);
  CHECK(session.state_dir == scene.file("home/.local/state/orch"));
}

TEST_CASE("every issue is a session of its own with the options of all") {
  const Scene scene;
  RunRequest options = asking_demo(scene, "do it");
  options.issues = {"1", "two", "3_x"};
  options.timeout = "90s";
  options.size = "81x25";
  options.max_turns = 3;
  const RunSetup setup = prepared(options);
  REQUIRE(setup.sessions.size() == 3);
  for (size_t i = 0; i < 3; ++i) {
    const auto& session = setup.sessions[i];
    CHECK(session.issue == options.issues[i]);
    CHECK(session.size == orch::term::Size{81, 25});
    CHECK(session.plan.timeout_ms == 90'000);
    CHECK(session.plan.max_turns == 3);
  }
  CHECK_FALSE(setup.follow_terminal_size);
}

TEST_CASE(
    "the completion instruction goes with a prompt that is run until complete, with no other") {
  const Scene scene;
  RunRequest options = asking_demo(scene, "do it");
  options.keyword = "ALL DONE";
  const std::string composed = prepared(options).sessions.front().plan.prompt;
  CHECK(composed.starts_with("do it\n\n"));
  CHECK(mentions(composed, "ALL DONE"));
  options.prompt = "do it\n";
  CHECK(prepared(options).sessions.front().plan.prompt == composed);
  for (const char* until : {"idle", "exit"}) {
    options.until = until;
    CHECK(prepared(options).sessions.front().plan.prompt == "do it\n");
  }
}

TEST_CASE("the prompt is -p, else the file, else standard input, else the issue's own file") {
  const Scene scene;
  scene.write("repository/.orch/issues/7.md", "from the issue");
  scene.write("repository/deep/file", "");
  RunRequest options = options_in(scene, "demo");
  options.until = "idle";
  const auto prompt = [&options] { return prepared(options).sessions.front().plan.prompt; };
  CHECK(prompt() == "from the issue");
  options.cwd = scene.repository() + "/deep";
  CHECK(prompt() == "from the issue");
  options.prompt_file = scene.write("prompt.md", "from the file");
  CHECK(prompt() == "from the file");
  options.prompt = "from the words";
  CHECK(prompt() == "from the words");
  options.prompt.reset();
  options.prompt_file = "-";
  std::istringstream typed("from standard input");
  std::streambuf* const before = std::cin.rdbuf(typed.rdbuf());
  CHECK(prompt() == "from standard input");
  std::cin.rdbuf(before);
}

TEST_CASE("an issue without a prompt is told where one could stand") {
  const Scene scene;
  CHECK(mentions(refusal(options_in(scene, "claude")), scene.repository() + "/.orch/issues/7.md"));
  RunRequest options = options_in(scene, "demo");
  options.prompt_file = scene.file("missing.md");
  CHECK(mentions(refusal(options), "missing.md: No such file or directory"));
}

TEST_CASE("a prompt must be UTF-8 with something in it, and may begin with anything") {
  const Scene scene;
  CHECK(mentions(refusal(asking_demo(scene, "caf\xe9")), "UTF-8 at byte 3"));
  CHECK(mentions(refusal(asking_demo(scene, "half \xe6\x97")), "UTF-8 at byte 5"));
  for (const char* empty : {"", " ", "\n\t \r\n"}) {
    CHECK(mentions(refusal(asking_demo(scene, empty)), "empty"));
  }
  // A text that would be a command by itself is prefixed only when it is typed.
  for (const std::string text :
       {"look at /etc and # and 日本語", "# A title\n\nwords", "/exit", "!ls"}) {
    CHECK(prepared(asking_demo(scene, text)).sessions.front().plan.prompt.starts_with(text));
  }
}

TEST_CASE("a command after the dashes is run until it exits, without a prompt") {
  const Scene scene;
  RunRequest options = options_in(scene, "");
  options.command = {"make", "-j2"};
  const RunSetup setup = prepared(options);
  CHECK(setup.notes.empty());
  CHECK(setup.sessions.front().launch.argv == options.command);
  CHECK(setup.sessions.front().plan.until == Until::kExit);
  CHECK(setup.sessions.front().plan.prompt.empty());
  options.agent = "command";
  CHECK(prepared(options).sessions.front().launch.argv == options.command);
  options.until = "exit";
  CHECK(prepared(options).sessions.front().plan.until == Until::kExit);
  for (const char* until : {"idle", "complete"}) {
    options.until = until;
    CHECK(mentions(refusal(options), "--until exit"));
  }
  options.until.clear();
  options.prompt = "hello";
  CHECK(mentions(refusal(options), "takes no prompt"));
  options.prompt.reset();
  options.prompt_file = "prompt.md";
  CHECK(mentions(refusal(options), "takes no prompt"));
  options.prompt_file.clear();
  options.agent = "demo";
  CHECK(mentions(refusal(options), "--agent command"));
  options.agent = "command";
  options.command.clear();
  CHECK(mentions(refusal(options), "after --"));
}

TEST_CASE("a program that gets messages is an agent without a manifest") {
  const Scene scene;
  RunRequest options = options_in(scene, "");
  options.command = {"my-agent", "--fast"};
  options.prompt = "hello";
  const RunSetup prompted = prepared(options);
  CHECK(prompted.sessions.front().launch.argv == options.command);
  CHECK(prompted.sessions.front().plan.until == Until::kComplete);
  CHECK(mentions(prompted.notes.at(0), "guessed"));
  options.prompt.reset();
  options.detach = true;
  CHECK(prepared(options).notes.empty());  // a command
  options.agent = "generic";
  CHECK(mentions(prepared(options).notes.at(0), "guessed"));
  CHECK(prepared(options).sessions.front().plan.until == Until::kExit);
  options.command.clear();
  options.agent = "/opt/my-agent";
  options.prompt = "hello";
  CHECK(prepared(options).sessions.front().launch.argv ==
        std::vector<std::string>{"/opt/my-agent"});
  options.approve = "all";
  CHECK(mentions(refusal(options), "no manifest describes"));
}

TEST_CASE("without --agent the first installed is taken, and said") {
  Scene scene;
  RunRequest options = options_in(scene, "");
  options.prompt = "do it";
  AgentChoice none;
  const auto nothing = prepare_run(options, none);
  REQUIRE_FALSE(nothing);
  CHECK(nothing.error().code == ErrorCode::kNotFound);
  scene.write_program("bin/gemini");
  CHECK(mentions(prepared(options).notes.at(0), "gemini"));
  scene.write_program("bin/codex");
  const RunSetup setup = prepared(options);
  CHECK(mentions(setup.notes.at(0), "codex"));
  CHECK(setup.sessions.front().launch.argv.front() == "codex");
  options.issues = {"demo"};
  CHECK(mentions(prepared(options).notes.at(0), "the built-in demo agent"));
  options.agent = "gemini";
  CHECK(prepared(options).sessions.front().launch.argv.front() == "gemini");
  options.agent = "nobody";
  CHECK(mentions(refusal(options), "there is no agent \"nobody\"; known are aider, claude"));
}

TEST_CASE("the agent's own options reach its command line, or are refused") {
  const Scene scene;
  RunRequest options = options_in(scene, "claude");
  options.prompt = "do it";
  options.model = "opus";
  options.system_prompt_file = scene.write("system.md", "be brief");
  const auto argv = prepared(options).sessions.front().launch.argv;
  CHECK(std::vector<std::string>(argv.begin() + 1, argv.end()) ==
        std::vector<std::string>{"--permission-mode", "default", "--model", "opus",
                                 "--append-system-prompt-file", options.system_prompt_file});
  options.system_prompt_file = scene.file("missing.md");
  CHECK(mentions(refusal(options), "missing.md"));
  options.agent = "demo";
  options.system_prompt_file.clear();
  CHECK(mentions(refusal(options), "agent demo cannot be given a model (supports_model is false)"));
}

TEST_CASE("a program and further words take their places in the agent's command line") {
  const Scene scene;
  RunRequest options = options_in(scene, "claude");
  options.prompt = "do it";
  options.model = "opus";
  options.agent_program = scene.write("claude-2", "");
  options.agent_flags = {"--verbose", "--add-dir=/x y"};
  const RunSetup setup = prepared(options);
  CHECK(setup.sessions.front().launch.argv ==
        std::vector<std::string>{options.agent_program, "--permission-mode", "default", "--model",
                                 "opus", "--verbose", "--add-dir=/x y"});
  CHECK(setup.sessions.front().request->agent_program == options.agent_program);
  CHECK(setup.sessions.front().request->agent_flags == options.agent_flags);
  options.mode = "headless";
  const auto argv = prepared(options).sessions.front().launch.argv;
  CHECK(argv.front() == options.agent_program);
  CHECK(argv.back() == "--add-dir=/x y");
  options.agent.clear();
  CHECK(mentions(refusal(options), "--agent NAME"));
}

TEST_CASE("an agent that is told to ask for nothing is fenced whatever its program is called") {
  const Scene scene;
  RunRequest options = options_in(scene, "codex");
  options.prompt = "do it";
  options.agent_program = scene.write("my-own-build", "");
  using Snapshot = orch::session::FenceRequest::Snapshot;
  const auto open = prepared(options).sessions.front().fence;
  options.agent_flags = {"--yolo"};
  const auto fenced = prepared(options).sessions.front().fence;
  REQUIRE(open.has_value());
  CHECK_FALSE(open->offer.any());
  CHECK(open->snapshot == Snapshot::kIfPossible);
  REQUIRE(fenced.has_value());
  CHECK(fenced->offer.any());
  CHECK(fenced->snapshot == Snapshot::kNeeded);
}

TEST_CASE("a snapshot is taken for an agent that may write, and for no other unless it is needed") {
  const Scene scene;
  RunRequest options = asking_demo(scene, "do it");
  CHECK_FALSE(prepared(options).sessions.front().fence.has_value());
  options.agent = "codex";
  options.agent_program = scene.write("my-own-build", "");
  CHECK(prepared(options).sessions.front().fence.has_value());
  options.snapshot = false;
  CHECK_FALSE(prepared(options).sessions.front().fence.has_value());
  RunRequest program = options_in(scene, "");
  program.command = {"make"};
  CHECK_FALSE(prepared(program).sessions.front().fence.has_value());
  program.require_changes = true;
  CHECK(prepared(program).sessions.front().fence.has_value());
}

TEST_CASE("variables for the agent are given by name, or with a value") {
  const Scene scene;
  RunRequest options = asking_demo(scene, "do it");
  options.env = {"HOME", "CI=a=b", "EMPTY="};
  const auto env = prepared(options).sessions.front().launch.env;
  CHECK(env.at("HOME") == std::getenv("HOME"));
  CHECK(env.at("CI") == "a=b");
  CHECK(env.at("EMPTY").empty());
  for (const std::string word : {"", "=x", "NO_SUCH_VARIABLE_HERE"}) {
    options.env = {word};
    CHECK(mentions(refusal(options), "--env " + word));
  }
}

TEST_CASE("wrong words are refused before anything is read") {
  const Scene scene;
  const auto refused = [&scene](auto change) {
    RunRequest options = asking_demo(scene, "do it");
    change(options);
    return refusal(options);
  };
  CHECK(mentions(refused([](RunRequest& o) { o.until = "never"; }), "never"));
  CHECK(mentions(refused([](RunRequest& o) { o.output = "xml"; }), "xml"));
  CHECK(mentions(refused([](RunRequest& o) { o.timeout = "soon"; }), "soon"));
  CHECK(mentions(refused([](RunRequest& o) { o.max_turns = 0; }), "--max-turns"));
  CHECK(mentions(refused([](RunRequest& o) { o.cwd = "/nonexistent"; }), "/nonexistent"));
  CHECK(mentions(refused([](RunRequest& o) { o.state_dir = ""; }), "--state-dir"));
  CHECK(mentions(refused([](RunRequest& o) { o.issues = {"7", "8", "7"}; }), "issue 7"));
  CHECK(mentions(refused([](RunRequest& o) { o.issues = {"7", "../8"}; }), "../8"));
  for (const char* keyword : {"", " DONE", "DONE ", "DO\nNE", "\x1b[1m", "\xff"}) {
    CHECK(mentions(refused([&](RunRequest& o) { o.keyword = keyword; }), "--complete-keyword"));
  }
  CHECK(mentions(refused([](RunRequest& o) {
                   o.issues = {"7", "8"};
                   o.output = "raw";
                 }),
                 "--output raw"));
}

#include "driver/stream_driver.h"

#include <catch2/catch.hpp>

#include "adapters/registry.h"

namespace orch::driver {
namespace {

using event::AgentStatus;
using event::Cause;

// A headless agent of the binary; the test writes its output lines.
class Headless {
 public:
  explicit Headless(const std::string& agent, std::string conversation = "", bool asks = true)
      : driver_(*registry_->find(agent), std::move(conversation), 0, asks) {}

  std::optional<Launch> deliver(const std::string& text, const std::string& id = "m1") {
    driver_.command(now_, agent::Deliver{.id = id, .text = text});
    take();
    return driver_.take_launch();
  }
  void say(const std::string& line) {
    driver_.on_output(now_, line + "\n");
    take();
  }
  void complain(const std::string& row) {
    driver_.on_error_output(now_, row + "\n");
    take();
  }
  void answer(size_t option) { answer(std::vector{option}); }
  void answer(std::vector<size_t> options) {
    driver_.command(now_, agent::Answer{std::move(options)});
    take();
  }
  bool exit(int code, int signal = 0) {
    const bool goes_on = driver_.on_process_end(now_, code, signal);
    take();
    return goes_on;
  }
  void wait(TimeMs ms) {
    now_ += ms;
    driver_.on_timer(now_);
    take();
  }
  template <typename One>
  std::vector<One> told() const {
    std::vector<One> found;
    for (const agent::News& news : news_) {
      if (const auto* one = std::get_if<One>(&news)) found.push_back(*one);
    }
    return found;
  }
  std::vector<std::string> lines(agent::Speaker speaker) const {
    std::vector<std::string> lines;
    for (const auto& line : told<agent::Line>()) {
      if (line.speaker == speaker) lines.push_back(line.text);
    }
    return lines;
  }
  std::vector<std::string> writes() { return std::exchange(writes_, {}); }
  StreamDriver& driver() { return driver_; }

 private:
  void take() {
    for (agent::News& news : driver_.take_news()) news_.push_back(std::move(news));
    for (std::string& bytes : driver_.take_writes()) writes_.push_back(std::move(bytes));
  }

  base::Result<adapters::Registry> registry_ = adapters::Registry::load({});
  TimeMs now_ = 0;
  StreamDriver driver_;
  std::vector<agent::News> news_;
  std::vector<std::string> writes_;
};

using Lines = std::vector<std::string>;
constexpr const char* kThread = R"({"type":"thread.started","thread_id":"01a1-7f"})";
constexpr const char* kDone =
    R"({"type":"turn.completed","usage":{"input_tokens":1200,"cached_input_tokens":200,"output_tokens":4}})";
constexpr const char* kCodexWords =
    R"({"type":"item.completed","item":{"id":"i1","type":"agent_message","text":"All done."}})";
constexpr const char* kCodexCommand =
    R"({"type":"item.started","item":{"id":"i2","type":"command_execution","command":"make"}})";
constexpr const char* kCodexMade =
    R"({"type":"item.completed","item":{"id":"i2","type":"command_execution","command":"make","aggregated_output":"ok","status":"completed"}})";
constexpr const char* kInit =
    R"({"type":"system","subtype":"init","session_id":"0b1c","model":"m"})";
constexpr const char* kResult =
    R"({"type":"result","subtype":"success","is_error":false,"result":"Done.","total_cost_usd":0.5,"usage":{"input_tokens":10,"output_tokens":2},"modelUsage":{"m":{"inputTokens":10,"outputTokens":2,"cacheReadInputTokens":5}}})";

constexpr const char* kReplay =
    R"({"type":"user","message":{"role":"user","content":"Do it"},"session_id":"0b1c","parent_tool_use_id":null,"isReplay":true})";

std::string claude_words(const std::string& text) {
  return R"({"type":"assistant","parent_tool_use_id":null,"message":{"model":"m","content":[{"type":"text","text":")" +
         text + R"("}]}})";
}
std::string claude_asks(const std::string& id, const std::string& tool, const std::string& input) {
  return R"({"type":"control_request","request_id":")" + id +
         R"(","request":{"subtype":"can_use_tool","tool_name":")" + tool + R"(","input":)" + input +
         "}}";
}

}  // namespace

TEST_CASE("A turn is a process; the next one continues its conversation") {
  Headless codex("codex");
  std::optional<Launch> launch = codex.deliver("Do\nit");
  REQUIRE(launch);
  CHECK(launch->resume.empty());
  CHECK(launch->input == "Do\nit");
  CHECK_FALSE(launch->more_input);
  CHECK(codex.driver().status() == AgentStatus::kWorking);
  CHECK(codex.told<agent::MessageAccepted>().empty());

  codex.say(kThread);
  CHECK(codex.told<agent::MessageAccepted>().size() == 1);
  codex.say(kCodexWords);
  codex.say(kDone);
  CHECK(codex.told<agent::TurnEnded>().empty());  // the turn ends only with its process
  CHECK(codex.exit(0));
  CHECK(codex.told<agent::TurnEnded>().size() == 1);
  CHECK(codex.told<agent::Recorded>().back().last_words == "All done.");
  CHECK(codex.driver().status() == AgentStatus::kIdle);
  CHECK(codex.driver().conversation() == "01a1-7f");
  CHECK(codex.lines(agent::Speaker::kUser) == Lines{"Do", "it"});
  CHECK(codex.lines(agent::Speaker::kAgent) == Lines{"All done."});

  launch = codex.deliver("More", "m2");
  REQUIRE(launch);
  CHECK(launch->resume == Lines{"resume", "01a1-7f"});
}

TEST_CASE("A conversation that was to be continued and is not is an error") {
  Headless codex("codex", "01a1-7f");
  CHECK(codex.deliver("More")->resume == Lines{"resume", "01a1-7f"});
  codex.say(R"({"type":"thread.started","thread_id":"another"})");
  CHECK(codex.driver().status() == AgentStatus::kError);
  CHECK(codex.told<agent::TurnEnded>().size() == 1);
  CHECK(codex.driver().conversation() == "01a1-7f");
}

TEST_CASE("An agent may name its conversation at the end alone") {
  Headless copilot("copilot");
  copilot.deliver("Do it");
  copilot.say(R"({"type":"assistant.message","data":{"content":"All done."}})");
  CHECK(copilot.driver().conversation().empty());
  const std::string end = R"({"type":"result","sessionId":"06fa8425-c253-4a6a-9d48-d0b861807451"})";
  copilot.say(end);
  copilot.exit(0);
  CHECK(copilot.driver().status() == AgentStatus::kIdle);
  CHECK(copilot.driver().conversation() == "06fa8425-c253-4a6a-9d48-d0b861807451");
  CHECK(copilot.deliver("More", "m2")->resume ==
        Lines{"--session-id", "06fa8425-c253-4a6a-9d48-d0b861807451"});
  copilot.say(R"({"type":"result","sessionId":"another"})");
  CHECK(copilot.driver().status() == AgentStatus::kError);
}

TEST_CASE("An id that would be an option on a command line is not taken") {
  Headless codex("codex");
  codex.deliver("Do it");
  codex.say(R"({"type":"thread.started","thread_id":"--yolo"})");
  CHECK(codex.driver().conversation().empty());
}

TEST_CASE("What an accumulating agent counts is told turn by turn") {
  Headless codex("codex");
  codex.deliver("Do it");
  codex.say(kThread);
  codex.say(kCodexWords);
  codex.say(kDone);
  codex.exit(0);
  codex.deliver("More", "m2");
  codex.say(kThread);
  codex.say(kCodexWords);
  codex.say(
      R"({"type":"turn.completed","usage":{"input_tokens":3600,"cached_input_tokens":300,"output_tokens":9}})");
  codex.exit(0);
  const auto usage = codex.told<event::Usage>();
  REQUIRE(usage.size() == 2);
  CHECK(usage[0].in == 1200);
  CHECK(usage[1].in == 2400);
  CHECK(usage[1].cached == 100);
  CHECK(usage[1].out == 5);
}

TEST_CASE("An exit code decides nothing: what counts is the last line") {
  Headless codex("codex");
  SECTION("exit 0 without the end of the turn") {
    codex.deliver("Do it");
    codex.say(kThread);
    codex.say(kCodexWords);
    CHECK(codex.exit(0));
    CHECK(codex.told<agent::TurnEnded>().size() == 1);
    CHECK(codex.driver().status() == AgentStatus::kError);
    CHECK(codex.driver().cause() == Cause::kApi);
  }
  SECTION("another code without the end of the turn says more") {
    codex.deliver("Do it");
    codex.say(kThread);
    CHECK_FALSE(codex.exit(3));
    CHECK(codex.told<agent::TurnEnded>().empty());
  }
  SECTION("the end of the turn, and exit 1") {
    codex.deliver("Do it");
    codex.say(kThread);
    codex.say(kCodexWords);
    codex.say(kDone);
    CHECK(codex.exit(1));
    CHECK(codex.driver().status() == AgentStatus::kIdle);
  }
  SECTION("not a word") {
    codex.deliver("Do it");
    CHECK_FALSE(codex.exit(0));
    CHECK(codex.told<agent::MessageFailed>().size() == 1);
  }
  SECTION("a last line without a line feed counts") {
    codex.deliver("Do it");
    codex.say(kCodexWords);
    codex.driver().on_output(0, kDone);
    CHECK(codex.exit(0));
    CHECK(codex.driver().status() == AgentStatus::kIdle);
  }
}

TEST_CASE(
    "Words without a last line are a turn that failed, whatever was said and of whichever agent") {
  struct Broken {
    const char* agent;
    Lines lines;
  };
  const std::vector<Broken> all{
      {"claude", {kInit, kReplay, claude_words("LOOP_COMPLETE")}},
      {"claude", {kInit, claude_words("LOOP_COMPLETE")}},  // nor a line that takes up the message
      {"claude", {kInit, claude_words("LOOP_COMPLETE"), R"({"type":"result","subtype":"succ)"}},
      {"codex", {kThread, kCodexWords}},
      {"gemini", {R"({"type":"message","role":"assistant","content":"LOOP_COMPLETE"})"}},
      {"opencode", {R"({"type":"text","part":{"text":"LOOP_COMPLETE"}})"}},
      {"cursor",
       {R"({"type":"assistant","message":{"content":[{"type":"text","text":"LOOP_COMPLETE"}]}})"}},
  };
  for (const Broken& broken : all) {
    INFO(broken.agent << " " << broken.lines.back());
    Headless agent(broken.agent);
    agent.deliver("Do it");
    for (const std::string& line : broken.lines) agent.say(line);
    CHECK(agent.exit(0));
    CHECK(agent.driver().status() == AgentStatus::kError);
    CHECK(agent.told<agent::TurnEnded>().size() == 1);
    CHECK(agent.told<agent::MessageAccepted>().size() == 1);
  }
}

TEST_CASE("A process that has told its end and stays is waited for, but not for ever") {
  Headless codex("codex");
  codex.deliver("Do it");
  codex.say(kCodexWords);
  codex.say(kDone);
  codex.wait(4'000);
  CHECK(codex.told<agent::TurnEnded>().empty());
  codex.wait(2'000);
  CHECK(codex.told<agent::TurnEnded>().size() == 1);
}

TEST_CASE("A turn whose last deed is a tool says so") {
  Headless codex("codex");
  codex.deliver("Do it");
  codex.say(kThread);
  codex.say(kCodexWords);
  codex.say(kCodexCommand);
  CHECK(codex.driver().cause() == Cause::kTool);
  codex.say(kCodexMade);
  codex.say(kDone);
  codex.exit(0);
  CHECK(codex.told<agent::Recorded>().back().tool_after);
  const auto tools = codex.told<event::Tool>();
  REQUIRE(tools.size() == 2);
  CHECK(tools[0].name == "command_execution");
  CHECK(tools[1].phase == event::ToolPhase::kEnded);
  CHECK(tools[1].text == "ok");
}

TEST_CASE("Failures are told with their cause") {
  Headless codex("codex");
  codex.deliver("Do it");
  codex.say(kThread);
  const auto [line, cause] = GENERATE(
      std::pair{"unexpected status 401 Unauthorized: no", Cause::kAuth},
      std::pair{"exceeded retry limit, last status: 429 Too Many Requests", Cause::kRateLimit},
      std::pair{"stream disconnected before completion", Cause::kApi});
  codex.say(std::string(R"({"type":"turn.failed","error":{"message":")") + line + R"("}})");
  CHECK(codex.driver().status() == AgentStatus::kError);
  CHECK(codex.driver().cause() == cause);
  CHECK(codex.exit(1));  // another message may be tried
  CHECK(codex.lines(agent::Speaker::kNotice).back() == line);
}

TEST_CASE("Nothing but retries is given up, and so is silence - but not while a tool works") {
  Headless codex("codex");
  codex.deliver("Do it");
  codex.say(kThread);
  SECTION("retries") {
    for (int i = 0; i < 13; ++i) {
      codex.say(R"({"type":"error","message":"Reconnecting... 429 Too Many Requests"})");
      codex.wait(10'000);
    }
    CHECK(codex.driver().cause() == Cause::kRateLimit);
    CHECK(codex.told<agent::TurnEnded>().size() == 1);
  }
  SECTION("silence") {
    codex.wait(599'000);
    CHECK(codex.driver().status() == AgentStatus::kWorking);
    codex.wait(2'000);
    CHECK(codex.driver().status() == AgentStatus::kError);
  }
  SECTION("a tool") {
    codex.say(kCodexCommand);
    codex.wait(10'000'000);
    CHECK(codex.driver().status() == AgentStatus::kWorking);
  }
}

TEST_CASE("A message of which nothing shows that it was taken was not accepted") {
  Headless codex("codex");
  codex.deliver("Do it");
  codex.wait(601'000);
  CHECK(codex.told<agent::MessageAccepted>().empty());
  REQUIRE(codex.told<agent::MessageFailed>().size() == 1);
  CHECK(codex.told<agent::MessageFailed>()[0].result == agent::DeliveryResult::kUnconfirmed);
  CHECK(codex.told<agent::MessageFailed>()[0].reason == "not a word for 600 s");
  CHECK(codex.deliver("Do it", "m2"));  // a new process takes it
}

TEST_CASE("What a turn failed of can be read, for when a limit ends") {
  Headless codex("codex");
  codex.deliver("Do it");
  codex.say(kThread);
  codex.say(R"({"type":"turn.failed","error":{"message":"429: Please try again in 30 seconds."}})");
  CHECK(codex.driver().text().find("try again in 30 seconds") != std::string::npos);
  codex.exit(1);
  codex.deliver("Do it", "m2");
  CHECK(codex.driver().text().find("try again") == std::string::npos);
}

TEST_CASE("A tool that the agent denied itself is told as such") {
  Headless codex("codex");
  codex.deliver("Do it");
  codex.say(kThread);
  codex.complain("2026 ERROR codex_core: approval policy is Never; reject command");
  REQUIRE(codex.told<agent::Denied>().size() == 1);
  CHECK(codex.told<agent::Denied>()[0].request.kind == Cause::kPermission);
  CHECK(codex.told<agent::Denied>()[0].request.options.empty());
}

TEST_CASE("An agent that may do everything denies nothing") {
  Headless codex("codex", "", /*asks=*/false);
  codex.deliver("Do it");
  codex.say(kThread);
  codex.complain("2026 ERROR codex_core: approval policy is Never; reject command");
  CHECK(codex.told<agent::Denied>().empty());
  CHECK(codex.lines(agent::Speaker::kNotice).size() == 1);
}

TEST_CASE("One process of claude takes several messages") {
  Headless claude("claude");
  std::optional<Launch> launch = claude.deliver("Say \"{text}\"\n");
  REQUIRE(launch);
  CHECK(launch->more_input);
  CHECK(launch->input ==
        "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"Say "
        "\\\"{text}\\\"\\n\"}}\n");
  claude.say(kInit);
  claude.say(kReplay);
  claude.say(claude_words("Done."));
  claude.say(kResult);
  CHECK(claude.told<agent::TurnEnded>().size() == 1);
  CHECK(claude.driver().conversation() == "0b1c");
  CHECK_FALSE(claude.deliver("More", "m2"));
  CHECK(claude.writes().size() == 1);
  claude.say(kReplay);
  claude.say(claude_words("Done again."));
  claude.say(
      R"({"type":"result","subtype":"success","is_error":false,"total_cost_usd":0.75,"usage":{"input_tokens":1,"output_tokens":1},"modelUsage":{"m":{"inputTokens":11,"outputTokens":3,"cacheReadInputTokens":5},"of-sub-agents":{"inputTokens":100,"outputTokens":7}}})");
  const auto usage = claude.told<event::Usage>();
  REQUIRE(usage.size() == 2);
  CHECK(usage[0].in == 15);
  CHECK(usage[0].cached == 5);
  CHECK(usage[0].cost_usd == 0.5);
  CHECK(usage[1].in == 101);  // the process reports the sum over all turns, and models
  CHECK(usage[1].out == 8);
  CHECK(usage[1].cached == 0);
  CHECK(usage[1].cost_usd == 0.25);
  CHECK(claude.exit(0));
}

TEST_CASE("A process that replaces another one counts from nothing") {
  Headless claude("claude");
  claude.deliver("Do it");
  claude.say(kInit);
  claude.say(kResult);
  claude.exit(0);
  REQUIRE(claude.deliver("More", "m2"));
  claude.say(kInit);
  claude.say(
      R"({"type":"result","subtype":"success","is_error":false,"total_cost_usd":0.75,"modelUsage":{"m":{"inputTokens":20,"outputTokens":3,"cacheReadInputTokens":5}}})");
  const auto usage = claude.told<event::Usage>();
  REQUIRE(usage.size() == 2);
  CHECK(usage[1].in == 25);
  CHECK(usage[1].out == 3);
  CHECK(usage[1].cached == 5);
  CHECK(usage[1].cost_usd == 0.75);
}

TEST_CASE("A conversation that is begun anew counts from nothing") {
  Headless codex("codex");
  codex.deliver("Do it");
  codex.say(kThread);
  codex.say(kCodexWords);
  codex.say(kDone);
  codex.exit(0);
  codex.driver().command(0, agent::Reset{});
  codex.deliver("Do it", "m2");
  codex.say(R"({"type":"thread.started","thread_id":"02b2-7f"})");
  codex.say(kCodexWords);
  codex.say(kDone);
  codex.exit(0);
  const auto usage = codex.told<event::Usage>();
  REQUIRE(usage.size() == 2);
  CHECK(usage[1].in == 1200);
  CHECK(usage[1].out == 4);
}

TEST_CASE("What claude asks is answered on its input, one after the other") {
  Headless claude("claude");
  claude.deliver("Do it");
  claude.say(kInit);
  claude.say(claude_asks("r1", "Bash", R"({"command":"touch {id} x"})"));
  claude.say(claude_asks("r2", "Write", R"({"file_path":"/tmp/y","content":"z"})"));
  claude.say(claude_asks("r3", "Read", R"({"file_path":"/tmp/y"})"));
  auto opened = claude.told<agent::DialogOpened>();
  REQUIRE(opened.size() == 1);
  CHECK(claude.driver().status() == AgentStatus::kWaiting);
  CHECK(opened[0].request.action == agent::DialogRequest::Action::kCommand);
  CHECK(opened[0].request.likely == Lines{"touch {id} x"});
  CHECK(opened[0].request.complete);

  claude.answer(0);
  CHECK(claude.writes() ==
        Lines{"{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":"
              "\"r1\",\"response\":{\"behavior\":\"allow\",\"updatedInput\":{\"command\":\"touch "
              "{id} x\"}}}}\n"});
  opened = claude.told<agent::DialogOpened>();
  REQUIRE(opened.size() == 2);
  CHECK(opened[1].request.paths == Lines{"/tmp/y"});
  claude.say(R"({"type":"control_cancel_request","request_id":"r3"})");
  claude.answer(1);
  const Lines writes = claude.writes();
  REQUIRE(writes.size() == 1);
  CHECK(writes[0].find(R"("behavior":"deny")") != std::string::npos);
  CHECK(claude.told<agent::DialogOpened>().size() == 2);
  CHECK(claude.told<agent::DialogClosed>().size() == 2);
  CHECK(claude.driver().status() == AgentStatus::kWorking);
}

TEST_CASE("A question is answered with the text of what was chosen") {
  Headless claude("claude");
  claude.deliver("Do it");
  claude.say(claude_asks(
      "q", "AskUserQuestion",
      R"({"questions":[{"question":"Which?","options":[{"label":"A"},{"label":"B"}]}]})"));
  const auto opened = claude.told<agent::DialogOpened>();
  REQUIRE(opened.size() == 1);
  CHECK(opened[0].request.kind == Cause::kQuestion);
  CHECK(opened[0].request.title == "Which?");
  claude.answer(1);
  const Lines writes = claude.writes();
  REQUIRE(writes.size() == 1);
  CHECK(writes[0].find(R"("answers":{"Which?":"B"})") != std::string::npos);
}

TEST_CASE("Several questions are asked one by one, and answered together") {
  constexpr const char* kQuestions =
      R"({"questions":[{"question":"Which?","options":[{"label":"A"},{"label":"B"}]},)"
      R"({"question":"Colours?","multiSelect":true,)"
      R"("options":[{"label":"Red","description":"warm"},{"label":"Blue"}]}]})";
  Headless claude("claude");
  claude.deliver("Do it");
  claude.say(claude_asks("q", "AskUserQuestion", kQuestions));
  claude.answer(1);
  CHECK(claude.writes().empty());
  CHECK(claude.driver().status() == AgentStatus::kWaiting);
  const auto opened = claude.told<agent::DialogOpened>();
  REQUIRE(opened.size() == 2);
  CHECK(opened[1].request.title == "Colours?");
  CHECK(opened[1].request.is_set());
  CHECK(opened[1].request.options[0].description == "warm");
  SECTION("all are answered") {
    claude.answer({0, 1});
    const Lines writes = claude.writes();
    REQUIRE(writes.size() == 1);
    CHECK(writes[0].find(R"("answers":{"Colours?":"Red, Blue","Which?":"B"})") !=
          std::string::npos);
    CHECK(claude.told<agent::DialogClosed>().size() == 2);
  }
  SECTION("one is not") {
    claude.answer(std::vector<size_t>{});
    const Lines writes = claude.writes();
    REQUIRE(writes.size() == 1);
    CHECK(writes[0].find(R"("behavior":"deny")") != std::string::npos);
  }
  CHECK(claude.driver().status() == AgentStatus::kWorking);
}

TEST_CASE("A message is claude's when claude takes it up: what comes before is of another turn") {
  Headless claude("claude");
  claude.deliver("Do it");
  claude.say(kInit);
  CHECK(claude.told<agent::MessageAccepted>().empty());
  claude.say(kReplay);
  CHECK(claude.told<agent::MessageAccepted>().size() == 1);
  claude.say(claude_words("It runs in the background."));
  claude.say(kResult);
  REQUIRE(claude.told<agent::TurnEnded>().size() == 1);
  CHECK(claude.driver().status() == AgentStatus::kIdle);

  claude.say(kInit);
  CHECK(claude.driver().status() == AgentStatus::kIdle);
  claude.say(claude_words("It has ended."));  // the agent begins a turn by itself
  CHECK(claude.driver().status() == AgentStatus::kWorking);
  SECTION("a turn of its own ends like any other") {
    claude.say(kResult);
    CHECK(claude.driver().status() == AgentStatus::kIdle);
    CHECK(claude.told<agent::TurnEnded>().size() == 2);
    CHECK(claude.told<agent::MessageAccepted>().size() == 1);
  }
  SECTION("a message that comes meanwhile waits for its end") {
    claude.deliver("Do it", "m2");
    claude.say(claude_words("LOOP_COMPLETE"));
    claude.say(kResult);
    CHECK(claude.told<agent::MessageAccepted>().size() == 1);
    CHECK(claude.told<agent::TurnEnded>().size() == 1);
    CHECK(claude.driver().status() == AgentStatus::kWorking);
    claude.say(kInit);
    claude.say(kReplay);
    CHECK(claude.told<agent::MessageAccepted>().size() == 2);
    claude.say(claude_words("The answer."));
    claude.say(kResult);
    CHECK(claude.told<agent::TurnEnded>().size() == 2);
    CHECK(claude.told<agent::Recorded>().back().last_words == "The answer.");
    CHECK(claude.lines(agent::Speaker::kUser) == Lines{"Do it", "Do it"});
    CHECK(claude.lines(agent::Speaker::kAgent) ==
          Lines{"It runs in the background.", "It has ended.", "LOOP_COMPLETE", "The answer."});
  }
  SECTION("what it asks there is asked") {
    claude.say(claude_asks("r1", "Bash", R"({"command":"ls"})"));
    CHECK(claude.told<agent::DialogOpened>().size() == 1);
    claude.answer(0);
    CHECK(claude.writes().size() == 1);
  }
  SECTION("a command is not repeated") {
    claude.driver().command(0, agent::Deliver{.id = "m2", .text = "/compact", .as_command = true});
    claude.say(kResult);  // the end of its own turn
    CHECK(claude.told<agent::MessageAccepted>().size() == 1);
    claude.say(kResult);
    CHECK(claude.told<agent::MessageAccepted>().size() == 2);
  }
}

TEST_CASE("A request that stands when the process ends is closed, and the agent has ended") {
  Headless claude("claude");
  claude.deliver("Do it");
  claude.say(claude_asks("r1", "Bash", R"({"command":"ls"})"));
  CHECK_FALSE(claude.exit(0, 9));
  CHECK(claude.told<agent::DialogClosed>().size() == 1);
}

TEST_CASE("Sub-agents' words are not the agent's") {
  Headless claude("claude");
  claude.deliver("Do it");
  claude.say(
      R"({"type":"assistant","parent_tool_use_id":"t1","message":{"model":"m","content":[{"type":"text","text":"inner"}]}})");
  claude.say(claude_words("outer"));
  CHECK(claude.lines(agent::Speaker::kAgent) == Lines{"outer"});
}

TEST_CASE("A refused key is an error although claude calls it a success") {
  Headless claude("claude");
  claude.deliver("Do it");
  claude.say(kInit);
  claude.say(kReplay);
  claude.say(
      R"({"terminal_reason":"api_error","type":"result","subtype":"success","is_error":true,"api_error_status":401,"result":"Invalid API key"})");
  CHECK(claude.driver().status() == AgentStatus::kError);
  CHECK(claude.driver().cause() == Cause::kAuth);
}

TEST_CASE("A command is no message, unless something can stand before it") {
  Headless claude("claude");
  CHECK_FALSE(claude.deliver("/clear"));
  REQUIRE(claude.told<agent::MessageFailed>().size() == 1);
  claude.driver().command(0, agent::Deliver{.id = "m2", .text = "/x", .lead = "Task:"});
  const std::optional<Launch> launch = claude.driver().take_launch();
  REQUIRE(launch);
  CHECK(launch->input.find("Task:\\n/x") != std::string::npos);
}

TEST_CASE("Lines of a text that goes on are told as they are whole, and once") {
  Headless gemini("gemini");
  gemini.deliver("Do it");
  const auto say = [&gemini](const std::string& text) {
    gemini.say(R"({"type":"message","role":"assistant","delta":true,"content":")" + text + R"("})");
  };
  say("one\\ntw");
  CHECK(gemini.lines(agent::Speaker::kAgent) == Lines{"one"});
  say("o\\n");
  say("three");
  gemini.say(
      R"({"type":"result","status":"success","stats":{"input_tokens":1,"output_tokens":1}})");
  gemini.exit(0);
  CHECK(gemini.lines(agent::Speaker::kAgent) == Lines{"one", "two", "three"});
  CHECK(gemini.told<agent::Recorded>().back().last_words == "one\ntwo\nthree");
}

}  // namespace orch::driver

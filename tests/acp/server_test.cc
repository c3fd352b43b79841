#include "acp/server.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"

using namespace orch::acp;
using orch::base::Json;
using orch::event::AgentStatus;
using orch::event::Cause;
namespace event = orch::event;
namespace wire = orch::wire;

namespace {

// A client and the owner of the server's sessions, in set time.
class Rig {
 public:
  explicit Rig(int64_t turn_limit_ms = 0)
      : server_({.protocol = &protocol_1(),
                 .version = "1",
                 .agents = {"demo"},
                 .settings = {.mode = "ask", .agent = "", .model = "", .effort = ""},
                 .policy = "",
                 .turn_limit_ms = turn_limit_ms}) {}

  Json ask(int id, const std::string& method, const Json& params) {
    hear({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
    return last_;
  }
  void tell(const std::string& method, const Json& params) {
    hear({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
  }
  void answer(const Json& id, const Json& result) {
    hear({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
  }
  void hear(const Json& message) {
    server_.hear(message.dump(), now);
    act();
  }
  void hear_line(const std::string& line) {
    server_.hear(line, now);
    act();
  }

  // Opens session "s", with a client that declares `can`.
  void open(const Json& can = Json::object()) {
    ask(1, "initialize", {{"protocolVersion", 1}, {"clientCapabilities", can}});
    ask(2, "session/new", {{"cwd", "/work"}, {"mcpServers", Json::array()}});
    opened();
  }
  void opened() {
    server_.opened(opens.back().call,
                   Opened{"s", "run-1", "demo", {"big", "small"}, "/runs/run-1/prompts"});
    act();
  }
  // Sends a prompt to an idle agent, which accepts it.
  void prompt(int id = 3) {
    hear({{"jsonrpc", "2.0"},
          {"id", id},
          {"method", "session/prompt"},
          {"params", {{"sessionId", "s"}, {"prompt", {{{"type", "text"}, {"text", "do it"}}}}}}});
    report(AgentStatus::kIdle);
    REQUIRE(sends.size() == 1);
    see(event::StatusChange{.status = AgentStatus::kWorking});
    see(event::Message{.id = "m1", .phase = event::MessagePhase::kAccepted});
  }
  void report(AgentStatus status, Cause cause = Cause::kNone,
              std::optional<wire::DialogReport> dialog = std::nullopt) {
    wire::StatusReport told;
    told.status = status;
    told.cause = cause;
    told.dialog = std::move(dialog);
    told.usage = usage;
    told.retry_after_ms = retry_after_ms;
    server_.conversation("s")->on_report(told, now);
    act();
  }
  void see(const event::Event& event) {
    server_.conversation("s")->on_event(event, now);
    act();
  }
  void sent(AgentStatus status = AgentStatus::kIdle, Cause cause = Cause::kNone,
            const std::string& result = "accepted") {
    wire::Sent told;
    told.result = result;
    told.status = status;
    told.cause = cause;
    server_.conversation("s")->on_sent(sends.back().turn, told, now);
    act();
    report(status, cause);
  }
  void answered(const std::string& dialog, const orch::base::Status& done = orch::base::Ok{}) {
    server_.conversation("s")->on_answered(dialog, done, now);
    act();
  }
  void wait(int64_t ms) {
    now += ms;
    server_.on_timer(now);
    act();
  }

  // The message with this id, or the last request of ours with this method.
  Json response(int id) const {
    for (const Json& message : said) {
      if (message.contains("id") && message.at("id") == id && !message.contains("method")) {
        return message;
      }
    }
    return nullptr;
  }
  std::vector<Json> named(const std::string& method) const {
    std::vector<Json> found;
    for (const Json& message : said) {
      if (message.value("method", "") == method) found.push_back(message.at("params"));
    }
    return found;
  }
  std::vector<Json> updates(const std::string& kind) const {
    std::vector<Json> found;
    for (const Json& params : named("session/update")) {
      if (params.at("update").at("sessionUpdate") == kind) found.push_back(params.at("update"));
    }
    return found;
  }
  Json last() const { return last_; }
  Server& server() { return server_; }

  orch::base::TimeMs now = 1'000;
  std::vector<Json> said;
  std::vector<Open> opens;
  std::vector<Attachment> saves;
  std::vector<Send> sends;
  std::vector<Answer> answers;
  std::vector<std::string> warned, closed;
  int escapes = 0;
  std::optional<event::Usage> usage;
  std::optional<int64_t> retry_after_ms;

 private:
  void act() {
    for (Action& action : server_.take_actions()) {
      if (const auto* told = std::get_if<Tell>(&action)) {
        CHECK(told->line.ends_with('\n'));
        last_ = Json::parse(told->line);
        said.push_back(last_);
      } else if (const auto* open = std::get_if<Open>(&action)) {
        opens.push_back(*open);
      } else if (const auto* save = std::get_if<Save>(&action)) {
        saves.insert(saves.end(), save->files.begin(), save->files.end());
      } else if (const auto* close = std::get_if<Close>(&action)) {
        closed.push_back(close->session);
      } else if (const auto* work = std::get_if<SessionWork>(&action)) {
        take(work->work);
      }
    }
  }
  void take(const Work& work) {
    if (const auto* send = std::get_if<Send>(&work)) sends.push_back(*send);
    if (const auto* answer = std::get_if<Answer>(&work)) answers.push_back(*answer);
    if (const auto* warn = std::get_if<Warn>(&work)) warned.push_back(warn->line);
    if (std::holds_alternative<PressEscape>(work)) ++escapes;
  }

  Server server_;
  Json last_;
};

wire::DialogReport touch(const std::string& id = "d1") {
  wire::DialogReport dialog;
  dialog.id = id;
  dialog.kind = Cause::kPermission;
  dialog.title = "Bash command";
  dialog.text = "Do you want to proceed?";
  dialog.command = "touch out.txt";
  dialog.complete = true;
  dialog.options = {{.number = 1, .text = "Yes, always", .meaning = "allow always"},
                    {.number = 2, .text = "Yes", .meaning = "allow once"},
                    {.number = 3, .text = "No", .meaning = "deny"},
                    {.number = 4, .text = "Something else", .meaning = "other"}};
  return dialog;
}

void at_dialog(Rig& rig) {
  rig.open();
  rig.prompt();
  rig.see(event::StatusChange{.status = AgentStatus::kWaiting, .cause = Cause::kPermission});
  rig.report(AgentStatus::kWaiting, Cause::kPermission, touch());
}

event::Output words(const std::string& text, event::Speaker speaker = event::Speaker::kAgent) {
  return {.text = text, .speaker = speaker};
}

}  // namespace

TEST_CASE("a prompt is sent when the agent is ready, and its end is the turn's") {
  Rig rig;
  rig.open();
  CHECK(rig.response(2).at("result").at("sessionId") == "s");
  rig.hear({{"jsonrpc", "2.0"},
            {"id", 3},
            {"method", "session/prompt"},
            {"params", {{"sessionId", "s"}, {"prompt", {{{"type", "text"}, {"text", "do it"}}}}}}});
  CHECK(rig.updates("session_info_update").at(0).at("title") == "do it");
  rig.report(AgentStatus::kStarting);
  CHECK(rig.sends.empty());
  rig.report(AgentStatus::kIdle);
  REQUIRE(rig.sends.size() == 1);
  CHECK(rig.sends[0].text == "do it");
  rig.usage = event::Usage{.in = 10, .out = 3, .cached = 4, .cost_usd = 0.5};
  rig.sent();
  CHECK(rig.response(3).at("result").at("stopReason") == "end_turn");
  CHECK(rig.response(3).at("result").at("usage").at("inputTokens") == 10);
  REQUIRE(rig.updates("usage_update").size() == 1);
  CHECK(rig.updates("usage_update")[0].at("cost").at("amount") == 0.5);
}

TEST_CASE("words are chunks of one message, with the line feeds between them and none at its end") {
  Rig rig;
  rig.open();
  rig.prompt();
  for (const char* line : {"", "One", "", "two"}) rig.see(words(line));
  event::Output more = words("and on");
  more.continues = true;
  rig.see(more);
  rig.see(words("not told again", event::Speaker::kUser));
  rig.see(words(""));
  rig.see(words("Read(x)", event::Speaker::kTool));
  rig.see(words("Three"));
  rig.see(words(""));
  rig.sent();
  std::string first, second;
  const std::vector<Json> chunks = rig.updates("agent_message_chunk");
  for (const Json& chunk : chunks) {
    std::string& message = chunk.at("messageId") == chunks[0].at("messageId") ? first : second;
    message += chunk.at("content").at("text").get<std::string>();
  }
  CHECK(first == "One\n\ntwo and on");
  CHECK(second == "Three");
  CHECK(rig.updates("user_message_chunk").empty());
}

TEST_CASE("words that settle after their turn are no part of the next turn's message") {
  Rig rig;
  rig.open();
  rig.prompt();
  rig.see(words("One."));
  rig.sent();
  rig.see(words("Late."));
  rig.sends.clear();
  rig.prompt(4);
  rig.see(words("Two."));
  const std::vector<Json> chunks = rig.updates("agent_message_chunk");
  REQUIRE(chunks.size() == 3);
  CHECK(chunks[2].at("content").at("text") == "Two.");
  CHECK(chunks[1].at("messageId") != chunks[2].at("messageId"));
}

TEST_CASE("a permission offers what allows once first, and the client's choice is typed") {
  Rig rig;
  at_dialog(rig);
  const std::vector<Json> asked = rig.named("session/request_permission");
  REQUIRE(asked.size() == 1);
  const Json& options = asked[0].at("options");
  REQUIRE(options.size() == 3);
  CHECK(options[0].at("kind") == "allow_once");
  CHECK(options[1].at("kind") == "allow_always");
  CHECK(options[2].at("kind") == "reject_once");
  CHECK(asked[0].at("toolCall").at("rawInput").at("command") == "touch out.txt");
  rig.answer(rig.said.back().at("id"), {{"outcome", {{"outcome", "selected"}, {"optionId", "2"}}}});
  REQUIRE(rig.answers.size() == 1);
  CHECK(rig.answers[0].dialog == "d1");
  CHECK(rig.answers[0].choice.number == 2);
  rig.answered("d1");
  // The tool's rows on the screen belong to the call that was allowed.
  rig.see(words("\xe2\x97\x8f Bash(touch out.txt)", event::Speaker::kTool));
  rig.see(words("done", event::Speaker::kTool));
  rig.sent();
  REQUIRE(rig.updates("tool_call").size() == 1);
  const Json ended = rig.updates("tool_call_update").back();
  CHECK(ended.at("toolCallId") == rig.updates("tool_call")[0].at("toolCallId"));
  CHECK(ended.at("status") == "completed");
}

TEST_CASE("whatever is not a choice of an offered option denies") {
  const std::vector<Json> answers{{{"outcome", {{"outcome", "cancelled"}}}},
                                  {{"outcome", {{"outcome", "selected"}, {"optionId", "9"}}}},
                                  {{"outcome", {{"outcome", "selected"}, {"optionId", "4"}}}},
                                  {{"outcome", {{"outcome", "selected"}, {"optionId", 2}}}},
                                  {{"outcome", "selected"}},
                                  Json::object(),
                                  nullptr,
                                  Json::array({1}),
                                  "2"};
  for (const Json& answer : answers) {
    INFO(answer.dump());
    Rig rig;
    at_dialog(rig);
    const Json id = rig.said.back().at("id");
    rig.hear({{"jsonrpc", "2.0"}, {"id", id}, {"result", answer}});
    REQUIRE(rig.answers.size() == 1);
    CHECK(rig.answers[0].choice.kind == orch::agent::DialogChoice::Kind::kNo);
  }
  Rig rig;
  at_dialog(rig);
  rig.hear({{"jsonrpc", "2.0"}, {"id", rig.said.back().at("id")}, {"error", {{"code", -32601}}}});
  CHECK(rig.answers.at(0).choice.kind == orch::agent::DialogChoice::Kind::kNo);
}

TEST_CASE("an answer from elsewhere takes the question back, and a late answer is not typed") {
  Rig rig;
  at_dialog(rig);
  const Json id = rig.said.back().at("id");
  rig.see(event::Dialog{.options = {"Yes, always", "Yes", "No"}, .answer = "No", .by = "user"});
  rig.report(AgentStatus::kWorking);
  CHECK(rig.updates("tool_call_update").back().at("status") == "failed");
  REQUIRE(rig.named("$/cancel_request").size() == 1);
  CHECK(rig.named("$/cancel_request")[0].at("requestId") == id);
  rig.answer(id, {{"outcome", {{"outcome", "selected"}, {"optionId", "2"}}}});
  CHECK(rig.answers.empty());
}

TEST_CASE("a dialog without options can be left, and one that is left keeps no prompt waiting") {
  Rig rig;
  rig.open();
  rig.prompt();
  wire::DialogReport dialog = touch();
  dialog.options.clear();
  rig.report(AgentStatus::kWaiting, Cause::kPermission, dialog);
  REQUIRE(rig.named("session/request_permission").size() == 1);
  CHECK(rig.named("session/request_permission")[0].at("options").size() == 1);
  rig.answer(rig.said.back().at("id"), {{"outcome", {{"outcome", "selected"}, {"optionId", "0"}}}});
  rig.answered("d1", orch::base::usage_error("there is no such option"));
  CHECK(rig.escapes == 1);
  rig.sent();
  rig.hear({{"jsonrpc", "2.0"},
            {"id", 4},
            {"method", "session/prompt"},
            {"params", {{"sessionId", "s"}, {"prompt", {{{"type", "text"}, {"text", "x"}}}}}}});
  rig.report(AgentStatus::kIdle, Cause::kNone, dialog);  // it is still reported
  CHECK(rig.sends.size() == 2);
}

TEST_CASE("cancel at a dialog denies, then presses Escape, then waits for idle") {
  Rig rig;
  at_dialog(rig);
  rig.tell("session/cancel", {{"sessionId", "s"}});
  REQUIRE(rig.answers.size() == 1);
  CHECK(rig.answers[0].choice.kind == orch::agent::DialogChoice::Kind::kNo);
  CHECK(rig.escapes == 0);
  rig.answered("d1");
  CHECK(rig.escapes == 1);
  CHECK(rig.response(3).is_null());
  rig.sent();
  CHECK(rig.response(3).at("result").at("stopReason") == "cancelled");
}

TEST_CASE("cancel in a turn presses Escape until the agent is idle, and ends in any case") {
  Rig rig;
  rig.open();
  rig.prompt();
  rig.tell("session/cancel", {{"sessionId", "s"}});
  CHECK(rig.escapes == 1);
  rig.wait(1'000);
  CHECK(rig.escapes == 2);
  for (int i = 0; i < 12; ++i) rig.wait(1'000);
  CHECK(rig.escapes <= 5);
  CHECK(rig.response(3).at("result").at("stopReason") == "cancelled");
}

TEST_CASE("$/cancel_request of the prompt cancels it, and of another request nothing") {
  Rig rig;
  rig.open();
  rig.prompt();
  rig.tell("$/cancel_request", {{"requestId", 2}});
  CHECK(rig.escapes == 0);
  rig.tell("$/cancel_request", {{"requestId", 3}});
  CHECK(rig.escapes == 1);
}

TEST_CASE("a turn that failed is an error with its kind, never end_turn") {
  const std::vector<std::pair<Cause, std::string>> kinds{
      {Cause::kAuth, "auth"}, {Cause::kRateLimit, "rate_limit"}, {Cause::kOverloaded, "overloaded"},
      {Cause::kApi, "api"},   {Cause::kModel, "model"},          {Cause::kContext, "context"},
      {Cause::kNone, "api"}};
  for (const auto& [cause, kind] : kinds) {
    Rig rig;
    rig.open();
    rig.prompt();
    rig.sent(AgentStatus::kError, cause);
    const Json error = rig.response(3).at("error");
    CHECK(error.at("data").at("kind") == kind);
    CHECK(error.at("data").at("run") == "run-1");
    CHECK(error.at("data").contains("retry_after"));
    CHECK(rig.warned.size() == 1);
  }
}

TEST_CASE("a limit whose end the agent has named says when to try again") {
  Rig rig;
  rig.open();
  rig.prompt();
  rig.retry_after_ms = 119'001;
  rig.sent(AgentStatus::kError, Cause::kRateLimit);
  CHECK(rig.response(3).at("error").at("data").at("retry_after") == 120);
}

TEST_CASE("a dialog about a limit fails the turn, and the next prompt asks about it") {
  Rig rig;
  rig.open();
  rig.prompt();
  wire::DialogReport dialog = touch();
  dialog.kind = Cause::kLimit;
  dialog.command.clear();
  rig.retry_after_ms = 7'200'000;
  rig.report(AgentStatus::kWaiting, Cause::kLimit, dialog);
  const Json data = rig.response(3).at("error").at("data");
  CHECK(data.at("kind") == "rate_limit");
  CHECK(data.at("retry_after") == 7'200);
  CHECK(rig.named("session/request_permission").empty());
  rig.hear({{"jsonrpc", "2.0"},
            {"id", 4},
            {"method", "session/prompt"},
            {"params", {{"sessionId", "s"}, {"prompt", {{{"type", "text"}, {"text", "again"}}}}}}});
  rig.report(AgentStatus::kWaiting, Cause::kLimit, dialog);
  CHECK(rig.named("session/request_permission").size() == 1);
  CHECK(rig.response(4).is_null());
}

TEST_CASE("the end of the session in a turn is an error with the reason") {
  Rig rig;
  rig.open();
  rig.prompt();
  rig.server().conversation("s")->on_end(
      failure_of(event::ExitReason::kCost, Cause::kNone, "more than $1"));
  const std::vector<Action> actions = rig.server().take_actions();
  Json error;
  for (const Action& action : actions) {
    if (const auto* told = std::get_if<Tell>(&action)) error = Json::parse(told->line);
  }
  CHECK(error.at("error").at("data").at("kind") == "limit");
}

TEST_CASE("a turn that takes longer than --timeout is stopped, and fails as timeout") {
  Rig rig(5'000);
  rig.open();
  rig.prompt();
  rig.wait(4'999);
  CHECK(rig.escapes == 0);
  rig.wait(1);
  CHECK(rig.escapes == 1);
  rig.sent();
  CHECK(rig.response(3).at("error").at("data").at("kind") == "timeout");
}

TEST_CASE("a client that shows forms gets a question as elicitation") {
  Rig rig;
  rig.open({{"elicitation", {{"form", Json::object()}}}});
  rig.prompt();
  wire::DialogReport dialog = touch();
  dialog.kind = Cause::kQuestion;
  dialog.command.clear();
  dialog.options = {{.number = 1, .text = "SQLite", .meaning = "other"},
                    {.number = 2, .text = "PostgreSQL", .meaning = "other"}};
  rig.report(AgentStatus::kWaiting, Cause::kQuestion, dialog);
  REQUIRE(rig.named("elicitation/create").size() == 1);
  rig.answer(rig.said.back().at("id"), {{"action", "accept"}, {"content", {{"answer", "2"}}}});
  CHECK(rig.answers.at(0).choice.number == 2);
}

TEST_CASE("tools that the agent reports as data have input, place, diff and output") {
  Rig rig;
  rig.open();
  rig.prompt();
  rig.see(event::Tool{.id = "t1",
                      .name = "Edit",
                      .input = R"({"file_path":"/work/a.cc","old_string":"a","new_string":"b"})"});
  rig.see(words("Edit(a.cc)", event::Speaker::kTool));
  rig.see(event::Tool{.id = "t1", .text = "ok", .phase = event::ToolPhase::kEnded});
  rig.sent();
  REQUIRE(rig.updates("tool_call").size() == 1);
  const Json call = rig.updates("tool_call")[0];
  CHECK(call.at("kind") == "edit");
  CHECK(call.at("locations")[0].at("path") == "/work/a.cc");
  CHECK(call.at("content")[0].at("newText") == "b");
  CHECK(rig.updates("tool_call_update").at(0).at("status") == "completed");
}

TEST_CASE("a list of things to do is the protocol's plan, whichever agent's tool has it") {
  for (const char* input :
       {R"({"todos":[{"content":"read","status":"completed"},{"content":"write","status":"new"},)"
        R"({"content":"no","status":"cancelled"},7,{"status":"pending"}]})",
        R"({"plan":[{"step":"read","status":"completed"},{"step":"write","status":"pending"}]})"}) {
    Rig rig;
    rig.open();
    rig.prompt();
    rig.see(event::Tool{.id = "t1", .name = "update_plan", .input = input});
    REQUIRE(rig.updates("plan").size() == 1);
    const Json entries = rig.updates("plan")[0].at("entries");
    REQUIRE(entries.size() == 2);
    CHECK(entries[0] == Json{{"content", "read"}, {"priority", "medium"}, {"status", "completed"}});
    CHECK(entries[1] == Json{{"content", "write"}, {"priority", "medium"}, {"status", "pending"}});
  }
}

TEST_CASE("the client's MCP servers and further folders go with its session, also anew") {
  Rig rig;
  rig.ask(1, "initialize", {{"protocolVersion", 1}});
  const Json variable{{"name", "KEY"}, {"value", "secret"}};
  const Json server{{"name", "My server"},
                    {"command", "/bin/server"},
                    {"args", Json::array({"-v"})},
                    {"env", Json::array({variable})}};
  rig.ask(2, "session/new",
          {{"cwd", "/work"},
           {"mcpServers", Json::array({server, server})},
           {"additionalDirectories", Json::array({"/more"})}});
  const Json told{{"command", "/bin/server"}, {"args", {"-v"}}, {"env", {{"KEY", "secret"}}}};
  CHECK(Json::parse(rig.opens.back().options.mcp_config) ==
        Json{{"mcpServers", {{"My_server", told}, {"My_server_2", told}}}});
  CHECK(rig.opens.back().options.folders == std::vector<std::string>{"/more"});
  rig.opened();
  rig.ask(3, "session/set_mode", {{"sessionId", "s"}, {"modeId", "all"}});
  CHECK(rig.opens.back().how == Open::How::kAgain);
  CHECK(rig.opens.back().options.mcp_config.find("secret") != std::string::npos);
}

TEST_CASE("an image of a prompt is a file of the run, which the message names") {
  Rig rig;
  rig.open();
  const auto prompt = [&](int id, const Json& image) {
    return rig.ask(id, "session/prompt",
                   {{"sessionId", "s"},
                    {"prompt", Json::array({{{"type", "text"}, {"text", "See"}}, image})}});
  };
  const Json wrong = prompt(3, {{"type", "image"}, {"mimeType", "image/png"}, {"data", "?"}});
  CHECK(wrong.at("error").at("message").get<std::string>().find("base64") != std::string::npos);
  const Json strange = prompt(4, {{"type", "image"}, {"mimeType", "../x"}, {"data", "Zm9v"}});
  CHECK(strange.at("error").at("code") == -32602);
  CHECK(rig.saves.empty());
  prompt(5, {{"type", "image"}, {"mimeType", "image/png"}, {"data", "Zm9v"}});
  REQUIRE(rig.saves.size() == 1);
  CHECK(rig.saves[0].path == "/runs/run-1/prompts/prompt-1-1.png");
  CHECK(rig.saves[0].bytes == "foo");
  rig.report(AgentStatus::kIdle);
  REQUIRE(rig.sends.size() == 1);
  CHECK(rig.sends[0].text == "See\n/runs/run-1/prompts/prompt-1-1.png");
}

TEST_CASE("a server behind a URL and a folder that is not absolute are refused by name") {
  Rig rig;
  rig.ask(1, "initialize", {{"protocolVersion", 1}});
  const Json remote{{"type", "http"}, {"name", "far"}, {"url", "https://example.com"}};
  const Json far =
      rig.ask(2, "session/new", {{"cwd", "/work"}, {"mcpServers", Json::array({remote})}});
  CHECK(far.at("error").at("code") == -32602);
  CHECK(far.at("error").at("message").get<std::string>().find("\"far\"") != std::string::npos);
  const Json folder = rig.ask(3, "session/new",
                              {{"cwd", "/work"},
                               {"mcpServers", Json::array()},
                               {"additionalDirectories", Json::array({"more"})}});
  CHECK(folder.at("error").at("message").get<std::string>().find("\"more\"") != std::string::npos);
  CHECK(rig.opens.empty());
}

TEST_CASE("hostile words are valid JSON, one line each") {
  Rig rig;
  rig.open();
  rig.prompt();
  for (const std::string text : {"\xff\xfe", "\xed\xa0\x80 a lone surrogate", "\x1b]0;title\a",
                                 "a\r\nb", "\xe2\x80\xae right to left"}) {
    rig.see(words(text));
    rig.see(words(text, event::Speaker::kTool));
    rig.see(event::Tool{.id = "x", .name = text, .input = text});
  }
  wire::DialogReport dialog = touch();
  dialog.command = dialog.text = "\xff\x1b[2J\xed\xa0\x80";
  rig.report(AgentStatus::kWaiting, Cause::kPermission, dialog);
  CHECK(rig.named("session/request_permission").size() == 1);
}

TEST_CASE("before initialize every other request is refused, and changes nothing") {
  Rig rig;
  const Json fresh{{"cwd", "/work"}, {"mcpServers", Json::array()}};
  for (const char* method : {"session/new", "session/load", "session/list", "session/prompt"}) {
    const Json refused = rig.ask(1, method, fresh).at("error");
    CHECK(refused.at("code") == -32600);
    CHECK(refused.at("message").get<std::string>().find("initialize") != std::string::npos);
  }
  CHECK(rig.ask(2, "initialize", Json::object()).contains("error"));  // without a version
  rig.ask(3, "session/new", fresh);
  CHECK(rig.opens.empty());
  rig.ask(4, "initialize", {{"protocolVersion", 1}});
  rig.ask(5, "session/new", fresh);
  CHECK(rig.opens.size() == 1);
}

TEST_CASE("a hostile client gets an error for each request, and changes nothing") {
  Rig rig;
  rig.open();
  int id = 100;
  const std::vector<std::string> methods{
      "session/new",    "session/load", "session/resume",   "session/close",
      "session/delete", "session/list", "session/set_mode", "session/prompt",
      "initialize",     "nonsense",     "session/cancel",   "session/set_config_option"};
  const std::vector<Json> wrong{
      Json::object(),
      {{"cwd", 1}},
      {{"cwd", "relative"}},
      {{"sessionId", 7}},
      {{"sessionId", "s"}, {"prompt", "text"}},
      {{"sessionId", "s"}, {"prompt", {1, nullptr}}},
      {{"sessionId", "s"}, {"prompt", Json::array()}},
      {{"sessionId", "s"}, {"prompt", {{{"type", "image"}, {"data", "x"}}}}},
      {{"sessionId", "s"}, {"modeId", "yolo"}},
      {{"sessionId", "s"}, {"configId", "model"}},
      {{"sessionId", "s"}, {"configId", "model"}, {"value", "--approve=all"}},
      {{"sessionId", "s"}, {"configId", "agent"}, {"value", "nobody"}}};
  const size_t opened = rig.opens.size();
  for (const std::string& method : methods) {
    for (const Json& params : wrong) {
      if (method == "session/list" || method == "session/close" || method == "session/delete") {
        if (params != Json{{"cwd", 1}} && params != Json::object()) continue;
        if (method == "session/list") continue;  // takes any of these
      }
      INFO(method << " " << params.dump());
      const Json answer = rig.ask(++id, method, params);
      CHECK(answer.at("id") == id);
      CHECK(answer.contains("error"));
    }
  }
  rig.hear_line("{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"initialize\"}");
  CHECK(rig.last().contains("error"));
  rig.hear_line("not JSON");
  CHECK(rig.last().at("error").at("code") == -32700);
  CHECK(rig.opens.size() == opened);
  CHECK(rig.sends.empty());
  CHECK(rig.answers.empty());
}

TEST_CASE("another mode or model starts the agent anew in its conversation, but not in a turn") {
  Rig rig;
  rig.open();
  rig.prompt();
  CHECK(rig.ask(4, "session/set_mode", {{"sessionId", "s"}, {"modeId", "all"}}).contains("error"));
  rig.sent();
  rig.ask(5, "session/set_mode", {{"sessionId", "s"}, {"modeId", "all"}});
  REQUIRE(rig.opens.size() == 2);
  CHECK(rig.opens.back().how == Open::How::kAgain);
  CHECK(rig.opens.back().settings.mode == "all");
  CHECK(rig.ask(6, "session/prompt",
                {{"sessionId", "s"}, {"prompt", {{{"type", "text"}, {"text", "x"}}}}})
            .contains("error"));
}

TEST_CASE("a loaded session keeps its agent, and its conversation cannot go on with another") {
  Rig rig;
  rig.ask(1, "initialize", {{"protocolVersion", 1}});
  rig.ask(2, "session/load", {{"sessionId", "s"}, {"cwd", "/work"}, {"mcpServers", Json::array()}});
  rig.server().opened(rig.opens.back().call,
                      Opened{.session = "s", .run = "run-1", .agent = "other", .had_turns = true});
  const Json chosen{{"sessionId", "s"}, {"configId", "agent"}, {"value", "demo"}};
  CHECK(rig.ask(3, "session/set_config_option", chosen).contains("error"));
  rig.ask(4, "session/set_mode", {{"sessionId", "s"}, {"modeId", "all"}});
  REQUIRE(rig.opens.size() == 2);
  CHECK(rig.opens.back().settings.agent == "other");
}

TEST_CASE("a prompt during a turn is refused, and the turn goes on") {
  Rig rig;
  rig.open();
  rig.prompt();
  const Json refused = rig.ask(
      9, "session/prompt", {{"sessionId", "s"}, {"prompt", {{{"type", "text"}, {"text", "x"}}}}});
  CHECK(refused.at("error").at("code") == -32600);
  rig.sent();
  CHECK(rig.response(3).at("result").at("stopReason") == "end_turn");
}

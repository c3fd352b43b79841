#include "mcp/tools.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <string>

using namespace orch::mcp;
using orch::base::Json;
using Words = std::vector<std::string>;

namespace {

Words words_of(std::string_view tool, const std::string& arguments) {
  const auto invocation = invocation_of(tool, orch::jsonrpc::Members::parse(arguments));
  if (!invocation) return {"refused", invocation.error().text};
  return invocation->words;
}

std::string why(std::string_view tool, const std::string& arguments) {
  const auto invocation = invocation_of(tool, orch::jsonrpc::Members::parse(arguments));
  return invocation ? "" : invocation.error().text;
}

std::set<std::string> names_for(Caller caller) {
  std::set<std::string> names;
  for (const Json& tool : tool_list(caller)) names.insert(tool.at("name"));
  return names;
}

const std::set<std::string> kForAll{"whoami", "status",     "sessions", "logs",
                                    "wait",   "crew_inbox", "crew_send"};
const std::set<std::string> kOutsideAlone{"run", "send", "answer", "kill", "shot"};

}  // namespace

TEST_CASE("an agent of a run is offered what looks, and its crew; a person all") {
  CHECK(names_for(Caller::kInRun) == kForAll);
  std::set<std::string> all = kForAll;
  all.insert(kOutsideAlone.begin(), kOutsideAlone.end());
  CHECK(names_for(Caller::kOutside) == all);
  for (const std::string& name : all) {
    INFO(name);
    CHECK(is_tool(name));
    CHECK(refusal(name, Caller::kOutside).empty());
    CHECK(refusal(name, Caller::kInRun).empty() == kForAll.contains(name));
  }
  CHECK(refusal("kill", Caller::kInRun).starts_with("refused: kill is not for agents of a run"));
  CHECK_FALSE(is_tool("keys"));
  CHECK_FALSE(is_tool(""));
}

TEST_CASE("each tool says what it is and what it takes, as a JSON schema") {
  for (const Json& tool : tool_list(Caller::kOutside)) {
    INFO(tool.dump());
    CHECK(tool.at("description").get<std::string>().size() > 20);
    const Json& schema = tool.at("inputSchema");
    CHECK(schema.at("type") == "object");
    CHECK(schema.at("additionalProperties") == false);
    for (const Json& name : schema.value("required", Json::array())) {
      CHECK(schema.at("properties").contains(name.get<std::string>()));
    }
    for (const auto& [name, property] : schema.at("properties").items()) {
      CHECK(property.contains("type"));
      CHECK_FALSE(property.at("description").get<std::string>().empty());
    }
    const bool reads = tool.at("annotations").at("readOnlyHint");
    static const std::set<std::string> kChanging{"crew_send", "run", "send", "answer", "kill"};
    CHECK(reads == !kChanging.contains(tool.at("name").get<std::string>()));
  }
}

TEST_CASE("a call is one command of orch") {
  CHECK(words_of("whoami", "{}") == Words{"sessions", "--json"});
  CHECK(words_of("sessions", "{}") == Words{"sessions", "--json"});
  CHECK(words_of("status", R"({"issue":"42"})") == Words{"status", "--json", "42"});
  CHECK(words_of("logs", R"({"issue":"orch-42"})") == Words{"logs", "orch-42", "--lines=50"});
  CHECK(words_of("logs", R"({"issue":"42","lines":7})") == Words{"logs", "42", "--lines=7"});
  CHECK(
      words_of("wait",
               R"({"issues":["1","orch-2@1a2b3c4d"],"until":"exited","any":true,"timeout_s":9})") ==
      Words{"wait", "--no-bell", "--json", "1", "orch-2@1a2b3c4d", "--until=exited", "--any",
            "--timeout=9s"});
  CHECK(words_of("wait", R"({"issues":"1"})") ==
        Words{"wait", "--no-bell", "--json", "1", "--until=idle", "--timeout=45s"});
  CHECK(words_of("crew_inbox", "{}") == Words{"crew", "inbox"});
  CHECK(words_of("answer", R"({"issue":"42","answer":"Use make","dialog":"d1"})") ==
        Words{"answer", "--json", "42", "Use make", "--dialog=d1"});
  CHECK(words_of("kill", R"({"issue":"42","now":true})") == Words{"kill", "--json", "42", "--now"});
  CHECK(words_of("kill", R"({"issue":"42","now":false})") == Words{"kill", "--json", "42"});
  CHECK(words_of("shot", R"({"issue":"20261121T225100-42-0a1b"})") ==
        Words{"shot", "20261121T225100-42-0a1b"});
}

TEST_CASE("texts go to the command's standard input, whatever they begin with") {
  const auto sent =
      invocation_of("send", orch::jsonrpc::Members::parse(
                                R"({"issue":"42","text":"--as-command\n-","wait_until":"idle"})"));
  REQUIRE(sent);
  CHECK(sent->words == Words{"send", "--json", "42", "-", "--wait=idle", "--timeout=45s"});
  CHECK(sent->input == "--as-command\n-");
  const auto mail = invocation_of(
      "crew_send", orch::jsonrpc::Members::parse(R"({"to":"reviewer","text":"--to=x"})"));
  REQUIRE(mail);
  CHECK(mail->words == Words{"crew", "send", "--to=reviewer", "-"});
  CHECK(mail->input == "--to=x");
  const auto run = invocation_of(
      "run",
      orch::jsonrpc::Members::parse(R"({"issue":"42","prompt":"-d","agent":"demo","approve":"all",
                                "worktree":true,"time_limit_s":60})"));
  REQUIRE(run);
  CHECK(run->words == Words{"run", "-d", "--json", "42", "--prompt-file=-", "--agent=demo",
                            "--approve=all", "--worktree", "--timeout=60s"});
  CHECK(run->input == "-d");
}

TEST_CASE("an argument that is missing, unknown or of another form is one line that names it") {
  CHECK(why("status", "{}") == "issue is missing");
  CHECK(why("status", R"({"issue":null})") == "issue is missing");
  CHECK(why("status", R"({"issue":42})") == "issue must be a string");
  CHECK(why("status", R"({"issue":"42","json":true})") == "unknown argument \"json\"");
  CHECK(why("sessions", R"({"":1})") == "unknown argument \"\"");
  CHECK(why("wait", R"({"issues":[]})") == "issues must be an array of 1 to 64 strings");
  CHECK(why("wait", R"({"issues":["1"],"until":"done"})") ==
        "until must be one of idle, working, waiting, error, exited, complete");
  CHECK(why("wait", R"({"issues":["1"],"any":1})") == "any must be true or false");
  for (const char* number : {"0", "-1", "1.5", "3601", "1e30", "\"9\"", "true"}) {
    INFO(number);
    CHECK(why("wait", R"({"issues":["1"],"timeout_s":)" + std::string(number) + "}") ==
          "timeout_s must be a whole number from 1 to 3600");
  }
  CHECK(why("send", R"({"issue":"1","text":" \n"})") == "text is empty");
  CHECK(why("crew_send", R"({"to":"a b","text":"x"})").starts_with("to \"a b\" is not a name"));
}

TEST_CASE("no value becomes an option, a path or another command") {
  for (const char* value : {"", "-d", "--all", "--", "-", "+", "a b", "../x", "a/b", "x.cast",
                            "a\nb", "42;id", "$(id)", "@", "@x", "42@", "42@-x", "42@x/y", "é"}) {
    INFO(value);
    const std::string issue = Json(value).dump();
    for (const char* tool : {"status", "logs", "kill", "shot"}) {
      CHECK(why(tool, R"({"issue":)" + issue + "}").find("is not a name") != std::string::npos);
    }
    CHECK_FALSE(why("wait", R"({"issues":["1",)" + issue + "]}").empty());
    CHECK_FALSE(why("run", R"({"prompt":"x","issue":)" + issue + "}").empty());
    CHECK_FALSE(why("run", R"({"prompt":"x","issue":"1","agent":)" + issue + "}").empty());
    CHECK_FALSE(why("crew_send", R"({"text":"x","to":)" + issue + "}").empty());
    CHECK_FALSE(why("answer", R"({"issue":"1","answer":"yes","dialog":)" + issue + "}").empty());
  }
  CHECK_FALSE(why("run", R"({"prompt":"x","issue":")" + std::string(65, 'a') + "\"}").empty());
  for (const char* value : {"", " ", "-1", "--dialog=d2", "-", "--", "++", "a\\u0000b"}) {
    INFO(value);
    CHECK_FALSE(why("answer", R"({"issue":"1","answer":")" + std::string(value) + "\"}").empty());
  }
}

TEST_CASE(
    "whatever a client gives, the words after the command are names, answers and known options") {
  std::mt19937 random(3);
  const std::vector<std::string> values{
      "\"42\"", "\"-d\"", "\"--all\"", "[]",          "[\"--any\"]", "true",    "7",  "-7",
      "null",   "{}",     "\"idle\"",  "\"\\u0000\"", "[\"1\",2]",   "\"a b\"", "1.5"};
  const std::vector<std::string> keys{"issue", "issues", "until", "any",   "text",   "to",
                                      "now",   "answer", "lines", "agent", "prompt", "approve"};
  std::vector<std::string> tools(kForAll.begin(), kForAll.end());
  tools.insert(tools.end(), kOutsideAlone.begin(), kOutsideAlone.end());
  int taken = 0;
  for (int round = 0; round < 30'000; ++round) {
    orch::jsonrpc::Members arguments = orch::jsonrpc::Members::object();
    for (auto count = random() % 4; count > 0; --count) {
      arguments[keys[random() % keys.size()]] =
          orch::jsonrpc::Members::parse(values[random() % values.size()]);
    }
    const std::string& tool = tools[random() % tools.size()];
    const auto invocation = invocation_of(tool, arguments);
    if (!invocation) {
      REQUIRE(invocation.error().text.find('\n') == std::string::npos);
      continue;
    }
    ++taken;
    for (const std::string& word : invocation->words) {
      REQUIRE(word != "--all");
      REQUIRE((word != "-d" || tool == "run"));
      REQUIRE((word != "--any" || arguments.value("any", orch::jsonrpc::Members()) == true));
      REQUIRE(word.find('\0') == std::string::npos);
    }
  }
  CHECK(taken > 1000);
}

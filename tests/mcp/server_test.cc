#include "mcp/server.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>
#include <string>

using namespace orch::mcp;
using orch::base::Json;
using Words = std::vector<std::string>;

namespace {

Server outside() { return Server({Caller::kOutside, "", "1.0", std::nullopt}); }
Server in_run(const std::string& run = "20261121T225100-42-0a1b") {
  return Server({Caller::kInRun, run, "1.0", "/state"});
}

std::string request(const Json& id, const std::string& method, const Json& params = nullptr) {
  Json message{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}};
  if (!params.is_null()) message["params"] = params;
  return message.dump();
}
std::string call(const Json& id, const std::string& tool, const Json& arguments = Json::object()) {
  return request(id, "tools/call", Json{{"name", tool}, {"arguments", arguments}});
}
std::string cancel(const Json& id) {
  Json message{{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}};
  message["params"] = {{"requestId", id}, {"reason", "enough"}};
  return message.dump();
}

Json said(const std::optional<Action>& action) {
  REQUIRE(action);
  const auto* say = std::get_if<Say>(&*action);
  REQUIRE(say != nullptr);
  CHECK(say->line.find('\n') == say->line.size() - 1);
  return Json::parse(say->line);
}
Start started(const std::optional<Action>& action) {
  REQUIRE(action);
  const auto* start = std::get_if<Start>(&*action);
  REQUIRE(start != nullptr);
  return *start;
}
// The text of a tool's result, which must be an error or not, as `is_error` says.
std::string text(const Json& answer, bool is_error) {
  INFO(answer.dump());
  const Json& result = answer.at("result");
  CHECK(result.at("isError") == is_error);
  REQUIRE(result.at("content").size() == 1);
  CHECK(result.at("content").at(0).at("type") == "text");
  return result.at("content").at(0).at("text");
}
int code(const Json& answer) { return answer.at("error").at("code"); }

}  // namespace

TEST_CASE("initialize agrees on the client's version where it is known, else on the newest") {
  Server server = outside();
  for (const char* version : {"2025-06-18", "2025-03-26", "2024-11-05"}) {
    const Json answer = said(server.hear(request(1, "initialize", {{"protocolVersion", version}})));
    CHECK(answer.at("id") == 1);
    CHECK(answer.at("result").at("protocolVersion") == version);
  }
  const Json answer =
      said(server.hear(request("a", "initialize", {{"protocolVersion", "2099-01-01"}})));
  CHECK(answer.at("id") == "a");
  const Json& result = answer.at("result");
  CHECK(result.at("protocolVersion") == "2025-06-18");
  CHECK(result.at("capabilities").at("tools").is_object());
  CHECK(result.at("serverInfo") == Json{{"name", "orch"}, {"version", "1.0"}});
  CHECK(code(said(server.hear(request(2, "initialize")))) == -32602);
  CHECK(code(said(server.hear(request(2, "initialize", {{"protocolVersion", 1}})))) == -32602);
}

TEST_CASE("ping is answered, other methods are not known, notifications never answered") {
  Server server = outside();
  CHECK(said(server.hear(request(5, "ping"))).at("result") == Json::object());
  CHECK(code(said(server.hear(request(6, "resources/list")))) == -32601);
  CHECK(code(said(server.hear(request(6, "")))) == -32601);
  for (const char* method : {"notifications/initialized", "tools/list", "ping", "nonsense"}) {
    const Json message{{"jsonrpc", "2.0"}, {"method", method}};
    CHECK_FALSE(server.hear(message.dump()));
  }
  CHECK_FALSE(server.hear(""));
  CHECK_FALSE(server.hear("  "));
  CHECK(code(said(server.hear("garbage"))) == -32700);
}

TEST_CASE("the list of tools is for the caller, on one page") {
  Server person = outside(), agent = in_run();
  const Json all = said(person.hear(request(1, "tools/list"))).at("result").at("tools");
  const Json few =
      said(agent.hear(request(1, "tools/list", Json::object()))).at("result").at("tools");
  CHECK(all == tool_list(Caller::kOutside));
  CHECK(few == tool_list(Caller::kInRun));
  CHECK(code(said(agent.hear(request(1, "tools/list", {{"cursor", "x"}})))) == -32602);
}

TEST_CASE("a call becomes a command, and what the command says its answer") {
  Server server = outside();
  const Start start = started(server.hear(call(7, "status", {{"issue", "42"}})));
  CHECK(start.invocation.words == Words{"status", "--json", "42"});
  CHECK(server.calls() == 1);
  const Json answer = said(server.ended(start.call, {0, "{\"status\":\"idle\"}\n", "a note\n"}));
  CHECK(answer.at("id") == 7);
  CHECK(text(answer, false) == "{\"status\":\"idle\"}\n");
  CHECK(server.calls() == 0);
  CHECK_FALSE(server.ended(start.call, {0, "again", ""}));
}

TEST_CASE("a state directory is given to every command") {
  Server server = in_run();
  CHECK(started(server.hear(call(1, "sessions"))).invocation.words ==
        Words{"sessions", "--json", "--state-dir=/state"});
}

TEST_CASE("a command that fails is an error of the tool, with what it said and its code") {
  Server server = outside();
  const auto failure = [&](const Ended& ended, const char* tool = "kill",
                           const Json& arguments = {{"issue", "42"}}) {
    return text(said(server.ended(started(server.hear(call(1, tool, arguments))).call, ended)),
                true);
  };
  CHECK(failure({4, "", "orch: no session for 42\n"}) == "orch: no session for 42\nexit code 4");
  CHECK(failure({3, "{\"result\":\"unconfirmed\"}\n", ""}) ==
        "{\"result\":\"unconfirmed\"}\nexit code 3");
  CHECK(failure({137, "", ""}) == "exit code 137");
  CHECK(failure({124, "", ""}, "wait", {{"issues", {"1"}}}) ==
        "exit code 124: not so yet; call wait again to wait on");
}

TEST_CASE("a call that is malformed is the client's error, one with wrong arguments the model's") {
  Server server = outside();
  CHECK(code(said(server.hear(request(1, "tools/call")))) == -32602);
  CHECK(code(said(server.hear(request(1, "tools/call", {{"name", 7}})))) == -32602);
  CHECK(code(said(server.hear(call(1, "keys")))) == -32602);
  CHECK(code(said(server.hear(call(1, "status", Json::array())))) == -32602);
  CHECK(text(said(server.hear(call(1, "status"))), true) == "status: issue is missing");
  CHECK(text(said(server.hear(request(1, "tools/call", {{"name", "status"}}))), true) ==
        "status: issue is missing");
  CHECK(server.calls() == 0);
}

TEST_CASE("an agent of a run that calls what it was not offered is refused, and nothing started") {
  Server server = in_run();
  for (const char* tool : {"run", "send", "answer", "kill", "shot"}) {
    const std::string why = text(said(server.hear(call(1, tool, {{"issue", "42"}}))), true);
    CHECK(why.starts_with("refused: " + std::string(tool)));
    CHECK(why.find('\n') == std::string::npos);
  }
  CHECK(server.calls() == 0);
}

TEST_CASE("a call that the client takes back is stopped, and has no answer") {
  Server server = outside();
  const Start start = started(server.hear(call("w", "wait", {{"issues", {"1"}}})));
  const Start other = started(server.hear(call(2, "sessions")));
  CHECK_FALSE(server.hear(cancel("nobody")));
  const auto action = server.hear(cancel("w"));
  REQUIRE(action);
  REQUIRE(std::holds_alternative<Stop>(*action));
  CHECK(std::get<Stop>(*action).call == start.call);
  CHECK_FALSE(server.hear(cancel("w")));  // only once
  CHECK_FALSE(server.ended(start.call, {143, "", ""}));
  CHECK(said(server.ended(other.call, {0, "[]", ""})).at("id") == 2);
  CHECK_FALSE(server.hear(cancel(2)));  // it was answered meanwhile
  CHECK_FALSE(server.hear(R"({"jsonrpc":"2.0","method":"notifications/cancelled"})"));
  CHECK(server.calls() == 0);
}

TEST_CASE("so many calls are under way at most; one that is being stopped is among them") {
  Server server = outside();
  std::vector<uint64_t> calls;
  for (size_t i = 0; i < kMostCalls; ++i) {
    calls.push_back(started(server.hear(call(i, "sessions"))).call);
  }
  CHECK(text(said(server.hear(call(99, "sessions"))), true).starts_with("16 calls are under way"));
  server.hear(cancel(0));
  CHECK(text(said(server.hear(call(99, "sessions"))), true).starts_with("16 calls are under way"));
  server.ended(calls.front(), {143, "", ""});
  CHECK(started(server.hear(call(99, "sessions"))).call > calls.back());
  CHECK(said(server.hear(request(100, "ping"))).at("id") == 100);
}

TEST_CASE("an id that waits for its answer is no other request's") {
  Server server = outside();
  const Start first = started(server.hear(call(1, "sessions")));
  CHECK(code(said(server.hear(call(1, "sessions")))) == -32600);
  // "1" is another id than 1.
  CHECK(started(server.hear(call("1", "sessions"))).call != first.call);
  server.hear(cancel(1));
  started(server.hear(call(1, "sessions")));  // allowed, since the cancelled call gets no answer
}

TEST_CASE("whoami is the entry of the own run in the list of sessions") {
  Server server = in_run("R1");
  const Json sessions{{{"run", "R0"}, {"name", "orch-1"}, {"issue", "1"}},
                      {{"run", "R1"}, {"name", "orch-42"}, {"issue", "42"}}};
  Start start = started(server.hear(call(1, "whoami")));
  CHECK(start.invocation.words == Words{"sessions", "--json", "--state-dir=/state"});
  CHECK(Json::parse(text(said(server.ended(start.call, {0, sessions.dump(), ""})), false)) ==
        sessions.at(1));
  for (const char* list : {"[]", "{}", "", "[1,{\"run\":2}]", "[the beginning is left out]\n]"}) {
    INFO(list);  // no session can be read from the list, but the run is known
    start = started(server.hear(call(1, "whoami")));
    CHECK(Json::parse(text(said(server.ended(start.call, {0, list, ""})), false)) ==
          Json{{"run", "R1"}});
  }
  start = started(server.hear(call(1, "whoami")));
  CHECK(text(said(server.ended(start.call, {125, "", "orch: x"})), true) ==
        "orch: x\nexit code 125");
  CHECK(server.calls() == 0);
}

TEST_CASE("whoami of an agent of a crew tells its name, and the others") {
  Server server = in_run("R1");
  const Json sessions{{{"run", "R1"}, {"issue", "crew-shop-planner"}, {"key", "K1"}}};
  const Json crew{
      {"project", "shop"},
      {"members",
       {{{"key", "K1"}, {"member", "planner"}, {"role", "plans"}, {"status", "working"}},
        {{"key", "K2"}, {"member", "reviewer"}, {"role", nullptr}, {"status", "idle"}}}}};
  Start start = started(server.hear(call(1, "whoami")));
  const Start second = started(server.ended(start.call, {0, sessions.dump(), ""}));
  CHECK(second.call == start.call);
  CHECK(second.invocation.words == Words{"crew", "status", "--json", "--state-dir=/state"});
  CHECK(server.calls() == 1);
  const Json told =
      Json::parse(text(said(server.ended(second.call, {4, crew.dump(), "one is gone"})), false));
  const Json& member = told.at("agent_of_crew");
  CHECK(told.at("issue") == "crew-shop-planner");
  CHECK(member.at("crew") == "shop");
  CHECK(member.at("member") == "planner");
  CHECK(member.at("role") == "plans");
  CHECK(member.at("others") ==
        Json{{{"member", "reviewer"}, {"role", nullptr}, {"status", "idle"}}});
  // A list that does not name it, or cannot be read, adds nothing to what is known.
  for (const char* status :
       {"", "{}", "[]", R"({"members":[1,{"key":"K2"}]})", R"({"members":{}})"}) {
    INFO(status);
    start = started(server.hear(call(1, "whoami")));
    REQUIRE(server.ended(start.call, {0, sessions.dump(), ""}));
    const Json alone = Json::parse(text(said(server.ended(start.call, {4, status, ""})), false));
    CHECK(alone == sessions.at(0));
  }
}

TEST_CASE("whoami is refused where nobody is in a run, and where it cannot be told") {
  Server person = outside(), hidden = in_run("");
  CHECK(text(said(person.hear(call(1, "whoami"))), true) ==
        "you are not an agent of a run of orch");
  CHECK(text(said(hidden.hear(call(1, "whoami"))), true) ==
        "it is unknown which run of orch you are an agent of");
}

TEST_CASE("every request has exactly one answer, whatever else comes and goes") {
  std::mt19937 random(17);
  const std::vector<std::string> tools{"whoami", "status", "wait", "kill", "nonsense", "sessions"};
  for (int round = 0; round < 40; ++round) {
    Server server = round % 2 == 0 ? outside() : in_run();
    std::map<int, int> answers;  // the number of answers by id
    std::set<int> taken_back;
    std::map<uint64_t, int> under_way;
    int next_id = 0;
    const auto take = [&](const std::optional<Action>& action) {
      if (!action) return;
      if (const auto* start = std::get_if<Start>(&*action)) under_way[start->call] = 1;
      const auto* say = std::get_if<Say>(&*action);
      if (say == nullptr) return;
      const Json answer = Json::parse(say->line);
      REQUIRE((answer.contains("result") != answer.contains("error")));
      if (answer.at("id").is_number()) ++answers[answer.at("id").get<int>()];
    };
    const auto end_one = [&] {
      if (under_way.empty()) return;
      const uint64_t ending = under_way.begin()->first;
      under_way.erase(ending);
      take(server.ended(ending, {static_cast<int>(random() % 3), "[]", "x"}));
    };
    for (int step = 0; step < 200; ++step) {
      switch (random() % 6) {
        case 0:
          take(server.hear(request(next_id++, "ping")));
          break;
        case 1:
        case 2:
          take(server.hear(call(next_id++, tools[random() % tools.size()], {{"issue", "1"}})));
          break;
        case 3: {
          const int id =
              next_id == 0 ? 0 : static_cast<int>(random() % static_cast<unsigned>(next_id));
          const auto action = server.hear(cancel(id));
          if (action && std::holds_alternative<Stop>(*action)) taken_back.insert(id);
          break;
        }
        case 4:
          end_one();
          break;
        default: {
          std::string noise(random() % 30, '\0');
          for (char& byte : noise) byte = static_cast<char>(random());
          take(server.hear(noise));
        }
      }
    }
    while (!under_way.empty()) end_one();
    REQUIRE(server.calls() == 0);
    for (int id = 0; id < next_id; ++id) REQUIRE(answers[id] == (taken_back.contains(id) ? 0 : 1));
  }
}

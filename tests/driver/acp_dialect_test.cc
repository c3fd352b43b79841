#include "driver/acp_dialect.h"

#include <catch2/catch.hpp>

#include "base/text.h"

namespace orch::driver {
namespace {

using Kind = StreamItem::Kind;
using Items = std::vector<StreamItem>;

// orch's side of the protocol. The test writes the agent's lines.
class AcpRig {
 public:
  explicit AcpRig(adapters::AcpSpec spec = {}) : dialect_(std::move(spec), "/work") {}

  // The lines that orch writes, by their methods; each is kept in last().
  std::vector<std::string> begin(const std::string& conversation = "") {
    return methods(dialect_.begin(conversation, "Do it"));
  }
  std::vector<std::string> hear(const AgentJson& message) {
    for (StreamItem& item : dialect_.read(as_json(message) + "\n"))
      items.push_back(std::move(item));
    return methods(dialect_.take_reply());
  }
  std::vector<std::string> result(AgentJson result) {
    return hear({{"jsonrpc", "2.0"}, {"id", last_["id"]}, {"result", std::move(result)}});
  }
  void error(AgentJson error) {
    hear({{"jsonrpc", "2.0"}, {"id", last_["id"]}, {"error", std::move(error)}});
  }
  void update(AgentJson update) {
    hear({{"jsonrpc", "2.0"},
          {"method", "session/update"},
          {"params", {{"sessionId", "s1"}, {"update", std::move(update)}}}});
  }
  // Brings a new session to its prompt.
  void open() {
    begin();
    result({{"protocolVersion", 1}});
    REQUIRE(result({{"sessionId", "s1"}}) == std::vector<std::string>{"session/prompt"});
  }
  void words(const std::string& text, const std::string& id = "m") {
    update({{"sessionUpdate", "agent_message_chunk"},
            {"messageId", id},
            {"content", {{"type", "text"}, {"text", text}}}});
  }
  // A request for a permission, with the options of the kinds.
  OpenRequest ask(AgentJson tool_call, const std::vector<std::string>& kinds) {
    AgentJson options = AgentJson::array();
    for (const std::string& kind : kinds) {
      options.push_back({{"optionId", "id-" + kind}, {"name", kind}, {"kind", kind}});
    }
    hear({{"jsonrpc", "2.0"},
          {"id", 0},
          {"method", "session/request_permission"},
          {"params",
           {{"sessionId", "s1"}, {"toolCall", std::move(tool_call)}, {"options", options}}}});
    REQUIRE(items.back().kind == Kind::kRequest);
    return {items.back().id, items.back().input, dialect_.requests(items.back())};
  }
  AgentJson answer(OpenRequest open, size_t option) {
    open.answers.push_back({option});
    return parse_agent_json(dialect_.answer(open));
  }
  Items of(Kind kind) const {
    Items found;
    for (const StreamItem& item : items) {
      if (item.kind == kind) found.push_back(item);
    }
    return found;
  }
  const AgentJson& last() const { return last_; }
  AcpDialect& dialect() { return dialect_; }

  Items items;

 private:
  std::vector<std::string> methods(const std::string& bytes) {
    std::vector<std::string> methods;
    for (const std::string_view line : base::split_lines(bytes)) {
      last_ = parse_agent_json(line);
      methods.push_back(last_.value("method", ""));
    }
    return methods;
  }

  AcpDialect dialect_;
  AgentJson last_;
};

using Methods = std::vector<std::string>;

}  // namespace

TEST_CASE("acp: a message is sent once the agent has begun a session, and its turn is told") {
  AcpRig rig;
  CHECK(rig.begin() == Methods{"initialize"});
  CHECK(rig.result({{"protocolVersion", 1}}) == Methods{"session/new"});
  CHECK(rig.last()["params"]["cwd"] == "/work");
  CHECK(rig.result({{"sessionId", "s1"}}) == Methods{"session/prompt"});
  CHECK(rig.last()["params"]["prompt"][0]["text"] == "Do it");
  CHECK(rig.items.empty());  // nothing shows that the agent has the message
  rig.words("One ");
  rig.words("line.");
  rig.words("Another message.", "m2");
  rig.result({{"stopReason", "end_turn"}, {"usage", {{"inputTokens", 7}, {"outputTokens", 3}}}});
  REQUIRE(rig.of(Kind::kSession).size() == 1);
  CHECK(rig.of(Kind::kSession)[0].id == "s1");
  std::string said;
  for (const StreamItem& item : rig.of(Kind::kWords)) said += item.text;
  CHECK(said == "One line.\nAnother message.");
  REQUIRE(rig.of(Kind::kEnd).size() == 1);
  CHECK(rig.of(Kind::kEnd)[0].usage->in == 7);
  CHECK(parse_agent_json(rig.dialect().message("More"))["method"] == "session/prompt");
}

TEST_CASE("acp: the agent is brought into the mode in which it asks, and has to say its mode") {
  adapters::AcpSpec asking;
  asking.asks = "default";
  AcpRig rig(asking);
  rig.begin();
  rig.result({{"protocolVersion", 1}});
  CHECK(rig.result({{"sessionId", "s1"}, {"modes", {{"currentModeId", "yolo"}}}}) ==
        Methods{"session/set_mode"});
  CHECK(rig.last()["params"]["modeId"] == "default");
  CHECK(rig.result(AgentJson::object()) == Methods{"session/prompt"});

  AcpRig in_it(asking);
  in_it.begin();
  in_it.result({{"protocolVersion", 1}});
  CHECK(in_it.result({{"sessionId", "s1"}, {"modes", {{"currentModeId", "default"}}}}) ==
        Methods{"session/prompt"});

  AcpRig refused(asking);
  refused.begin();
  refused.result({{"protocolVersion", 1}});
  refused.result({{"sessionId", "s1"}, {"modes", {{"currentModeId", "yolo"}}}});
  refused.error({{"code", -32602}, {"message", "no such mode"}});
  CHECK(refused.of(Kind::kFailure).at(0).text.find("the mode default") != std::string::npos);

  AcpRig silent(asking);
  silent.begin();
  silent.result({{"protocolVersion", 1}});
  CHECK(silent.result({{"sessionId", "s1"}}).empty());
  CHECK(silent.of(Kind::kFailure).size() == 1);
}

TEST_CASE("acp: an earlier session is resumed or loaded, and what it tells of before is not told") {
  AcpRig rig;
  rig.begin("s1");
  CHECK(rig.result({{"protocolVersion", 1}, {"agentCapabilities", {{"loadSession", true}}}}) ==
        Methods{"session/load"});
  rig.words("Said long ago.");
  CHECK(rig.items.empty());
  CHECK(rig.result(AgentJson::object()) == Methods{"session/prompt"});
  rig.words("New.");
  CHECK(rig.of(Kind::kWords).size() == 1);

  AcpRig resumes;
  resumes.begin("s1");
  const AgentJson can{{"sessionCapabilities", {{"resume", AgentJson::object()}}}};
  CHECK(resumes.result({{"protocolVersion", 1}, {"agentCapabilities", can}}) ==
        Methods{"session/resume"});

  AcpRig cannot;
  cannot.begin("s1");
  CHECK(cannot.result({{"protocolVersion", 1}}).empty());
  CHECK(cannot.of(Kind::kFailure).size() == 1);
}

TEST_CASE("acp: a turn in which nothing happened has failed, whatever the agent says") {
  const auto end_of = [](const AgentJson& result) {
    AcpRig rig;
    rig.open();
    rig.result(result);
    return rig.items.back();
  };
  CHECK(end_of({{"stopReason", "end_turn"}}).kind == Kind::kFailure);
  CHECK(end_of({{"stopReason", "refusal"}}).text == "the turn ended by refusal");
  CHECK(end_of(AgentJson::object()).kind == Kind::kFailure);

  AcpRig rig;
  rig.open();
  rig.words("Part of it");
  rig.error({{"code", -32000}, {"message", "Authentication required"}});
  CHECK(rig.of(Kind::kFailure).at(0).code == 401);
  CHECK(rig.of(Kind::kFailure).at(0).text == "Authentication required");
}

TEST_CASE("acp: a shell's command is read as data, and without it the request is incomplete") {
  AcpRig rig;
  rig.open();
  const Methods both{"allow_always", "allow_once", "reject_once"};
  OpenRequest open = rig.ask({{"toolCallId", "t1"},
                              {"kind", "execute"},
                              {"title", "make"},
                              {"rawInput", {{"command", "make test"}}}},
                             both);
  CHECK(open.current().likely == Methods{"make test"});
  CHECK(open.current().complete);
  CHECK(open.current().options.at(0).meaning == agent::Meaning::kAllowAlways);
  CHECK(open.current().options.at(1).meaning == agent::Meaning::kAllowOnce);
  CHECK(open.current().options.at(2).meaning == agent::Meaning::kDeny);
  const AgentJson reply = rig.answer(open, 1);
  CHECK(reply["id"] == 0);
  CHECK(reply["result"]["outcome"]["optionId"] == "id-allow_once");

  OpenRequest folded =
      rig.ask({{"toolCallId", "t2"}, {"kind", "execute"}, {"title", "make test"}}, both);
  CHECK_FALSE(folded.current().complete);

  // What an agent calls a read may be a command all the same.
  OpenRequest disguised = rig.ask({{"toolCallId", "t3"},
                                   {"kind", "read"},
                                   {"rawInput", {{"command", {"bash", "-lc", "cat a; rm -r b"}}}}},
                                  both);
  CHECK(disguised.current().likely == Methods{"cat a; rm -r b"});
  CHECK(disguised.current().action == agent::DialogRequest::Action::kCommand);
  OpenRequest words = rig.ask({{"toolCallId", "t4"},
                               {"kind", "search"},
                               {"rawInput", {{"command", {"rg", "x", "a", "b"}}}}},
                              both);
  CHECK_FALSE(words.current().complete);

  adapters::AcpSpec titled;
  titled.title_is_command = true;
  AcpRig by_title(titled);
  by_title.open();
  OpenRequest whole =
      by_title.ask({{"toolCallId", "t2"}, {"kind", "execute"}, {"title", "make test"}}, both);
  CHECK(whole.current().likely == Methods{"make test"});
}

TEST_CASE("acp: the input of a call may come in an update before the request") {
  AcpRig rig;
  rig.open();
  rig.update({{"sessionUpdate", "tool_call"},
              {"toolCallId", "t1"},
              {"title", "bash"},
              {"kind", "execute"},
              {"status", "pending"},
              {"rawInput", AgentJson::object()}});
  CHECK(rig.of(Kind::kTool).empty());
  rig.update({{"sessionUpdate", "tool_call_update"},
              {"toolCallId", "t1"},
              {"status", "in_progress"},
              {"rawInput", {{"command", "ls"}}}});
  REQUIRE(rig.of(Kind::kTool).size() == 1);
  CHECK(rig.of(Kind::kTool)[0].input == R"({"command":"ls"})");
  OpenRequest open = rig.ask({{"toolCallId", "t1"}}, {"allow_once"});
  CHECK(open.current().likely == Methods{"ls"});
  // There is always a way to deny.
  CHECK(open.current().options.at(1).meaning == agent::Meaning::kDeny);
  CHECK(rig.answer(open, 1)["result"]["outcome"]["outcome"] == "cancelled");
  rig.update({{"sessionUpdate", "tool_call_update"},
              {"toolCallId", "t1"},
              {"status", "failed"},
              {"rawOutput", {{"output", "denied"}}}});
  CHECK(rig.of(Kind::kTool).size() == 1);
  CHECK(rig.of(Kind::kToolFailed).at(0).text == "denied");
}

TEST_CASE("acp: an edit names its files, and several ways to allow are a question's answers") {
  AcpRig rig;
  rig.open();
  const AgentJson diff{{"type", "diff"}, {"path", "/work/b.cc"}, {"newText", "x"}};
  OpenRequest edit = rig.ask({{"toolCallId", "t1"},
                              {"kind", "edit"},
                              {"locations", AgentJson::array({{{"path", "/work/a.cc"}}})},
                              {"content", AgentJson::array({diff})}},
                             {"allow_once", "reject_once"});
  CHECK(edit.current().action == agent::DialogRequest::Action::kWrite);
  CHECK(edit.current().paths == Methods{"/work/a.cc", "/work/b.cc"});
  OpenRequest question = rig.ask({{"toolCallId", "t2"}, {"title", "Which?"}},
                                 {"allow_once", "allow_once", "reject_once"});
  CHECK(question.current().kind == event::Cause::kQuestion);
  CHECK(question.current().options.at(0).meaning == agent::Meaning::kOther);
}

TEST_CASE("acp: other requests of the agent are refused, and hostile lines change nothing") {
  AcpRig rig;
  rig.open();
  rig.hear({{"jsonrpc", "2.0"}, {"id", 5}, {"method", "fs/write_text_file"}});
  CHECK(rig.last()["error"]["code"] == -32601);
  for (const char* line :
       {"[]", "no JSON", "{\"id\":1}", "{\"method\":\"session/update\"}",
        R"({"method":"session/update","params":{"update":[]}})",
        R"({"jsonrpc":"2.0","id":99,"result":{"stopReason":"end_turn"}})",
        R"({"method":"session/update","params":{"sessionId":"s1","update":)"
        R"({"sessionUpdate":"tool_call","toolCallId":7,"kind":[],"locations":3}}})",
        R"({"method":"session/update","params":{"sessionId":"other","update":)"
        R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text",)"
        R"("text":"theirs"}}}})"}) {
    rig.dialect().read(std::string(line) + "\n");
    CHECK(rig.dialect().take_reply().empty());
  }
  CHECK(rig.of(Kind::kWords).empty());
  rig.words("Still here.");
  CHECK(rig.of(Kind::kWords).size() == 1);
}

TEST_CASE("acp: a permission that the agent takes back needs no answer") {
  AcpRig rig;
  rig.open();
  OpenRequest open = rig.ask({{"toolCallId", "t1"}, {"kind", "other"}}, {"allow_once"});
  rig.hear({{"jsonrpc", "2.0"}, {"method", "$/cancel_request"}, {"params", {{"requestId", 0}}}});
  REQUIRE(rig.items.back().kind == Kind::kRequestGone);
  CHECK(rig.items.back().id == open.id);
}

TEST_CASE("acp: an agent of another version of the protocol is refused by its number") {
  AcpRig rig;
  rig.begin();
  rig.result({{"protocolVersion", 2}});
  CHECK(rig.of(Kind::kFailure).at(0).text.find("version 2") != std::string::npos);
}

}  // namespace orch::driver

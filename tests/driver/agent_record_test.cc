#include "driver/agent_record.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>

#include "adapters/embedded.h"
#include "cpu_time.h"

namespace orch::driver {
namespace {

using Pieces = std::vector<RecordedPiece>;

RecordedPiece text(std::string words) { return {RecordedPiece::Kind::kText, std::move(words)}; }
RecordedPiece tool(std::string name) { return {RecordedPiece::Kind::kTool, std::move(name)}; }

const adapters::RecordSpec& record_of(std::string_view agent) {
  static const auto specs = [] {
    std::map<std::string, adapters::RecordSpec> read;
    for (const adapters::EmbeddedManifest& embedded : adapters::embedded_manifests()) {
      const auto manifest = adapters::parse_manifest(embedded.text, embedded.file);
      read[manifest->name] = manifest->record;
    }
    return read;
  }();
  return specs.at(std::string(agent));
}

struct Sample {
  const char* agent;
  std::string jsonl;
  std::string message;
  Pieces pieces;
};

const std::string kClaude = R"({"type":"mode","mode":"normal"}
{"type":"user","isSidechain":false,"message":{"role":"user","content":"the first task"},"timestamp":"2026-05-01T10:00:00.000Z"}
{"type":"assistant","message":{"content":[{"type":"text","text":"an old answer"}]}}
{"type":"user","message":{"role":"user","content":"mend the sum"},"timestamp":"2026-05-01T10:01:00.250Z"}
{"type":"attachment","attachment":{"type":"skills","content":"no words of anyone"}}
{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"what is the sum?"}]}}
{"type":"assistant","message":{"content":[{"type":"text","text":"I look at it.\n\n```\nLOOP_COMPLETE\n```"}]}}
{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"cat sum.py","text":"no answer"}}]}}
{"type":"user","isSidechain":true,"message":{"role":"user","content":"look around"}}
{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"text","text":"a helper's words"}]}}
{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":[{"type":"text","text":"TOTAL = 1"}]}]}}
{"type":"system","subtype":"compact_boundary","content":"Conversation compacted"}
{"type":"user","isCompactSummary":true,"message":{"role":"user","content":"what was before"}}
{"type":"user","isMeta":true,"message":{"role":"user","content":"a caveat"}}
{"type":"user","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user]"}]}}
{"type":"assistant","message":{"model":"<synthetic>","content":[{"type":"text","text":"No response requested."}]}}
{"type":"assistant","message":{"content":[{"type":"text","text":" \n"},{"type":"text","text":"Grüße: \"2\" 日本"}]}}
{"type":"system","subtype":"turn_duration","durationMs":12}
)";

const std::string kCodex = R"({"type":"session_meta","payload":{"cwd":"/home/u/old"}}
{"type":"turn_context","payload":{"cwd":"/home/u/project"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"mend it"}]}}
{"type":"event_msg","timestamp":"2026-05-01T10:01:00.250Z","payload":{"type":"item_completed","item":{"type":"UserMessage","content":[{"type":"text","text":"mend it"}]}}}
{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"Reasoning","content":[{"type":"Text","text":"hm"}]}}}
{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"AgentMessage","content":[{"type":"Text","text":"I look."}]}}}
{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look."}]}}
{"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{}"}}
{"type":"response_item","payload":{"type":"function_call_output","output":"TOTAL = 1"}}
{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a summary for itself"}]}}
{"type":"compacted","payload":{"message":"a summary for itself"}}
{"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin"}}
{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"AgentMessage","content":[{"type":"Text","text":"Done."}]}}}
{"type":"event_msg","payload":{"type":"task_complete","last_agent_message":"Done."}}
)";

const std::string kGemini = R"({"sessionId":"s","kind":"main"}
{"id":"1","type":"user","content":[{"text":"what is before a summary"}]}
{"id":"2","type":"gemini","content":"gone"}
{"$set":{"messages":[{"id":"3","type":"user","content":[{"text":"<session_context>\nThis is"}]},{"id":"4","type":"gemini","content":"a summary"}],"lastUpdated":"x"}}
{"id":"5","type":"user","timestamp":"2026-05-01T10:01:00.250Z","content":[{"text":"mend it"}]}
{"$set":{"lastUpdated":"x"}}
{"id":"6","type":"gemini","content":"I look.","thoughts":[{"subject":"s","description":"hm"}]}
{"id":"6","type":"gemini","content":"I look.","toolCalls":[{"id":"c","name":"read_file","args":{},"result":[{"functionResponse":{"name":"read_file","response":{"output":"TOTAL = 1"}}}]}]}
{"id":"7","type":"user","content":[{"functionResponse":{"name":"read_file","response":{"output":"TOTAL = 1"}}}]}
{"id":"8","type":"info","content":"Update available"}
{"id":"9","type":"gemini","content":"Done."}
)";

const std::string kQwen = R"({"type":"user","message":{"role":"user","parts":[{"text":"old"}]}}
{"type":"user","timestamp":"2026-05-01T10:01:00.250Z","message":{"role":"user","parts":[{"text":"mend it"}]}}
{"type":"system","subtype":"ui_telemetry","systemPayload":{"uiEvent":{"response_text":"I look."}}}
{"type":"assistant","message":{"role":"model","parts":[{"text":"hm","thought":true},{"text":"I look."},{"functionCall":{"name":"read_file","args":{}}}]}}
{"type":"tool_result","message":{"role":"user","parts":[{"functionResponse":{"name":"read_file","response":{"output":"1"}}}]}}
{"type":"assistant","message":{"role":"model","parts":[{"text":"Done."}]}}
)";

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all{
      {"claude",
       kClaude,
       "mend the sum",
       {text("I look at it.\n\n```\nLOOP_COMPLETE\n```"), tool("Bash"), text("Grüße: \"2\" 日本")}},
      {"codex",
       kCodex,
       "mend it",
       {text("I look."), tool("exec_command"), tool("apply_patch"), text("Done.")}},
      {"gemini", kGemini, "mend it", {text("I look."), tool("read_file"), text("Done.")}},
      {"qwen", kQwen, "mend it", {text("I look."), tool("read_file"), text("Done.")}},
  };
  return all;
}

RecordedTurn read(std::string_view agent, std::string_view jsonl) {
  return read_last_turn(record_of(agent), jsonl);
}

// `words` as they are written in a JSON string.
std::string escaped(const std::string& words) {
  const std::string quoted = nlohmann::json(words).dump();
  return quoted.substr(1, quoted.size() - 2);
}

}  // namespace

TEST_CASE("A session file tells what the agent said and did since the user's last message") {
  for (const Sample& sample : samples()) {
    INFO(sample.agent);
    const RecordedTurn turn = read(sample.agent, sample.jsonl);
    CHECK(turn.message == sample.message);
    CHECK(turn.time == "2026-05-01T10:01:00.250Z");
    CHECK(turn.pieces == sample.pieces);
  }
}

// A record of claude 2.1.197, which answered at once, twice, and used a tool.
const std::string kEarly =
    R"({"type":"assistant","uuid":"a0","parentUuid":"u0","message":{"content":[{"type":"text","text":"an old answer"}]}}
{"type":"system","uuid":"s0","parentUuid":"a0","subtype":"turn_duration"}
{"type":"assistant","uuid":"b0","parentUuid":"x9","message":{"content":[{"type":"text","text":"of another branch"}]}}
{"type":"assistant","uuid":"a1","parentUuid":"m2","message":{"content":[{"type":"text","text":"I look."}]}}
{"type":"assistant","uuid":"a2","parentUuid":"a1","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]}}
{"type":"user","uuid":"r1","parentUuid":"a2","message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"1"}]}}
{"type":"last-prompt","leafUuid":"r1"}
{"type":"user","uuid":"u1","parentUuid":"s0","timestamp":"2026-05-01T10:01:00.250Z","message":{"role":"user","content":"mend it"}}
{"type":"attachment","uuid":"m1","parentUuid":"u1"}
{"type":"attachment","uuid":"m2","parentUuid":"m1"}
{"type":"assistant","uuid":"a3","parentUuid":"r1","message":{"content":[{"type":"text","text":"Done."}]}}
)";

TEST_CASE("An answer that stands before its message in claude's file is the answer to it") {
  const RecordedTurn turn = read("claude", kEarly);
  CHECK(turn.message == "mend it");
  CHECK(turn.pieces == Pieces{text("I look."), tool("Bash"), text("Done.")});
  const std::string first =
      R"({"type":"assistant","uuid":"a","parentUuid":"m","message":{"content":[{"type":"text","text":"DONE"}]}}
{"type":"user","uuid":"u","parentUuid":null,"message":{"role":"user","content":"mend it"}}
{"type":"attachment","uuid":"m","parentUuid":"u"}
)";
  CHECK(read("claude", first).pieces == Pieces{text("DONE")});
}

TEST_CASE("Where codex worked is told before the user's message") {
  CHECK(read("codex", kCodex).cwd == "/home/u/project");
}

TEST_CASE("Every cut of a session file tells words of the cut alone, none twice, in order") {
  for (const Sample& sample : samples()) {
    const std::string_view file = sample.jsonl;
    for (size_t begin = 0; begin < file.size(); ++begin) {
      const Pieces pieces = read(sample.agent, file.substr(begin)).pieces;
      INFO(sample.agent << " from " << begin);
      REQUIRE(pieces.size() <= sample.pieces.size());
      REQUIRE(std::equal(pieces.rbegin(), pieces.rend(), sample.pieces.rbegin()));
    }
    for (size_t end = 0; end < file.size(); ++end) {
      for (const size_t begin : {size_t{0}, end / 2, end * 7 / 8}) {
        const std::string_view cut = file.substr(begin, end - begin);
        const RecordedTurn turn = read(sample.agent, cut);
        INFO(sample.agent << " from " << begin << " to " << end);
        REQUIRE(cut.find(escaped(turn.message.value_or(""))) != std::string_view::npos);
        size_t at = 0;
        for (const RecordedPiece& piece : turn.pieces) {
          at = cut.find("\"" + escaped(piece.text) + "\"", at);
          REQUIRE(at != std::string_view::npos);
        }
      }
    }
  }
}

TEST_CASE("The beginning of a turn may stand further back than the file was read") {
  const RecordedTurn turn =
      read("claude", kClaude.substr(kClaude.find("{\"type\":\"attachment\"")));
  CHECK_FALSE(turn.message);
  CHECK(turn.pieces == samples()[0].pieces);
}

TEST_CASE("A message that was just sent begins a turn without words") {
  const std::string sent = R"({"type":"user","message":{"content":"go on"}})";
  CHECK(read("claude", kClaude + sent).message == "go on");
  CHECK(read("claude", kClaude + sent).pieces.empty());
  // A command for the agent itself is a message, too.
  const std::string command =
      R"({"type":"user","message":{"content":"<command-name>/clear</command-name>"}})";
  CHECK(read("claude", kClaude + command).pieces.empty());
}

TEST_CASE("What the program adds to a message is not the user's") {
  const RecordedTurn turn = read(
      "claude",
      R"({"type":"user","message":{"content":[{"type":"text","text":"<ide_opened_file>a.py"},{"type":"text","text":"one"},{"type":"text","text":"two"}]}})");
  CHECK(turn.message == "one\ntwo");
}

TEST_CASE("A summary takes the place of all that was said before it") {
  const std::string summary =
      R"({"$set":{"messages":[{"id":"10","type":"user","content":"all of it"},{"id":"11","type":"gemini","content":"a summary"}]}})";
  const RecordedTurn turn = read("gemini", kGemini + summary + "\n");
  CHECK(turn.message == "all of it");
  CHECK(turn.pieces == Pieces{text("a summary")});
  const std::string empty = R"({"$set":{"messages":[]}})";
  CHECK_FALSE(read("gemini", kGemini + empty).message);
  CHECK(read("gemini", kGemini + empty).pieces.empty());
}

TEST_CASE("Lines that are no records are passed over") {
  const std::string strange[] = {"",
                                 "\r",
                                 "no JSON",
                                 "[]",
                                 "12",
                                 "null",
                                 "\"assistant\"",
                                 "{}",
                                 std::string("\0\xFF\xC3", 3),
                                 R"({"type":"assistant"})",
                                 R"({"type":"assistant","message":7})",
                                 R"({"type":"assistant","message":{"content":{"a":[]}}})",
                                 R"({"type":"assistant","message":{"content":[7,null,[[]],{}]}})",
                                 R"({"type":["assistant"],"message":{"content":"no"}})",
                                 R"({"type":"user","message":{"content":null}})"};
  std::string mixed;
  for (size_t begin = 0; begin < kClaude.size();) {
    const size_t end = kClaude.find('\n', begin) + 1;
    mixed += kClaude.substr(begin, end - begin);
    for (const std::string& line : strange) mixed += line + "\n";
    begin = end;
  }
  const RecordedTurn turn = read("claude", mixed);
  CHECK(turn.message == samples()[0].message);
  CHECK(turn.pieces == samples()[0].pieces);
}

TEST_CASE("What is hostile costs time for its size alone") {
  std::string many = R"({"type":"assistant","message":{"content":[{"text":"many"}]},"input":{)";
  for (int i = 0; i < 200'000; ++i) many += "\"" + std::to_string(i) + "\":0,";
  many += "\"end\":0}}\n";
  const std::string deep = std::string(500'000, '[') + std::string(500'000, ']') + "\n";
  const std::string feeds(500'000, '\n');
  const auto begin = orch::cpu_time();
  CHECK(read("claude", many + deep + feeds).pieces == Pieces{text("many")});
  // It takes 0.2 s; a minute if each member were compared with all others.
  CHECK(orch::cpu_time() - begin < std::chrono::seconds(10));
}

TEST_CASE("An agent that keeps no such files has no record") {
  CHECK(record_of("command").files.empty());
  CHECK_FALSE(read("command", kClaude).message);
  CHECK(read("command", kClaude).pieces.empty());
}

TEST_CASE("Two texts have the same words when they differ in white space alone") {
  CHECK(same_words("", " \n\t"));
  CHECK(same_words("a b\n\tc", "abc  "));
  CHECK(same_words("mend it", "mend  it\r\n"));
  CHECK_FALSE(same_words("mend it", "mend it now"));
  CHECK_FALSE(same_words("mend it now", "mend it"));
  CHECK_FALSE(same_words("a", "b"));
}

}  // namespace orch::driver

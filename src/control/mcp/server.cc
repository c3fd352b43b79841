#include "mcp/server.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace orch::mcp {
namespace {

using base::Json;
using jsonrpc::error_line;
using jsonrpc::ErrorCode;
using jsonrpc::Members;
using jsonrpc::Notification;
using jsonrpc::Request;
using jsonrpc::result_line;

// The newest comes first: it is offered to a client that asks for a version that is not in the
// list.
constexpr std::array<std::string_view, 3> kVersions{"2025-06-18", "2025-03-26", "2024-11-05"};

constexpr std::string_view kWhoAmI = "whoami", kWait = "wait";
constexpr int kTimeoutCode = 124;
constexpr std::string_view kCrewPrefix = "crew-";  // of the issues of a crew's agents

constexpr std::string_view kOutsideInstructions =
    "orch runs coding agents in the background. run starts one, wait and status tell how it "
    "stands, logs what it said, send and answer talk to it, kill ends it.";
constexpr std::string_view kInRunInstructions =
    "You are an agent that orch runs. whoami tells which one; in a crew, crew_send writes to "
    "another agent and crew_inbox shows what was written to you.";

Json result_of(std::string_view text, bool is_error) {
  Json content = Json::array();
  content.push_back(Json{{"type", "text"}, {"text", text}});
  Json result;
  result["content"] = std::move(content);
  result["isError"] = is_error;
  return result;
}

Say failed(const Json& id, std::string_view text) {
  return {result_line(id, result_of(text, true))};
}

std::string text_of(const std::string& tool, const Ended& ended) {
  if (ended.code == 0) return ended.out.empty() ? ended.err : ended.out;
  std::string text = ended.out;
  for (const std::string& more : {ended.err, "exit code " + std::to_string(ended.code)}) {
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
    text += more;
  }
  const bool waits_on = tool == kWait && ended.code == kTimeoutCode;
  return waits_on ? text + ": not so yet; call wait again to wait on" : text;
}

// The object in a list whose `key` has this value; null if there is none, or if this is not a list
// of objects.
Json entry_where(const Json& list, const std::string& key, const std::string& value) {
  if (!list.is_array()) return nullptr;
  for (const Json& entry : list) {
    if (entry.is_object() && entry.value(key, Json()) == value) return entry;
  }
  return nullptr;
}

// The answer to whoami for an agent of a crew: its own place, and the other agents.
Json crew_member(const std::string& status, const std::string& key) {
  const Json crew = base::parse_json(status);
  if (!crew.is_object()) return nullptr;
  const Json members = crew.value("members", Json());
  const Json own = entry_where(members, "key", key);
  if (!own.is_object()) return nullptr;
  Json others = Json::array();
  for (const Json& member : members) {
    if (!member.is_object() || member == own) continue;
    others.push_back(Json{{"member", member.value("member", Json())},
                          {"role", member.value("role", Json())},
                          {"status", member.value("status", Json())}});
  }
  Json told{{"crew", crew.value("project", Json())}, {"member", own.value("member", Json())}};
  told["role"] = own.value("role", Json());
  told["inbox"] = own.value("inbox", Json());
  told["others"] = std::move(others);
  return told;
}

}  // namespace

std::optional<Action> Server::hear(std::string_view line) {
  if (base::trim(line).empty()) return std::nullopt;
  const jsonrpc::Message message = jsonrpc::read_message(line);
  if (const auto* request = std::get_if<Request>(&message)) return answer(*request);
  if (const auto* told = std::get_if<Notification>(&message)) return heed(*told);
  if (const auto* malformed = std::get_if<jsonrpc::Malformed>(&message))
    return Say{malformed->answer};
  return std::nullopt;
}

Action Server::answer(const Request& request) {
  if (request.method == "initialize") return initialize(request);
  if (request.method == "ping") return Say{result_line(request.id, Json::object())};
  if (request.method == "tools/call") return call_tool(request);
  if (request.method != "tools/list") {
    return Say{error_line(request.id, ErrorCode::kNoSuchMethod, "no such method")};
  }
  if (request.params.contains("cursor")) {  // there is only one page
    return Say{error_line(request.id, ErrorCode::kInvalidParams, "no such cursor")};
  }
  Json list;
  list["tools"] = tool_list(plan_.caller);
  return Say{result_line(request.id, std::move(list))};
}

std::optional<Action> Server::heed(const Notification& notification) {
  if (notification.method != "notifications/cancelled") return std::nullopt;
  const auto id = notification.params.find("requestId");
  if (id == notification.params.end()) return std::nullopt;
  for (auto& [number, call] : calls_) {
    if (call.taken_back || call.id != Json(*id)) continue;
    call.taken_back = true;
    return Stop{number};
  }
  return std::nullopt;  // already answered, or never asked
}

Say Server::initialize(const Request& request) const {
  const auto asked = request.params.find("protocolVersion");
  if (asked == request.params.end() || !asked->is_string()) {
    return {error_line(request.id, ErrorCode::kInvalidParams, "protocolVersion must be a string")};
  }
  const auto known = std::find(kVersions.begin(), kVersions.end(), asked->get<std::string>());
  Json capabilities = Json::object();
  capabilities["tools"] = Json::object();
  Json result{{"protocolVersion", known == kVersions.end() ? kVersions.front() : *known}};
  result["capabilities"] = std::move(capabilities);
  result["serverInfo"] = {{"name", "orch"}, {"version", plan_.version}};
  result["instructions"] =
      plan_.caller == Caller::kInRun ? kInRunInstructions : kOutsideInstructions;
  return {result_line(request.id, std::move(result))};
}

Action Server::call_tool(const Request& request) {
  const Members& params = request.params;
  const auto name = params.find("name");
  if (name == params.end() || !name->is_string()) {
    return Say{error_line(request.id, ErrorCode::kInvalidParams, "name must be a string")};
  }
  const std::string tool = name->get<std::string>();
  if (!is_tool(tool)) {
    constexpr size_t kShown = 64;
    return Say{error_line(request.id, ErrorCode::kInvalidParams,
                          "no tool is called \"" + tool.substr(0, kShown) + "\"")};
  }
  const auto given = params.find("arguments");
  const bool has_arguments = given != params.end() && !given->is_null();
  if (has_arguments && !given->is_object()) {
    return Say{error_line(request.id, ErrorCode::kInvalidParams, "arguments must be an object")};
  }
  const bool is_used = std::any_of(calls_.begin(), calls_.end(), [&](const auto& entry) {
    return !entry.second.taken_back && entry.second.id == request.id;
  });
  if (is_used) {
    return Say{error_line(request.id, ErrorCode::kInvalidRequest,
                          "a request with this id is not answered yet")};
  }
  // From here on errors are tool results, which the model sees and can react to.
  if (const std::string why = refusal(tool, plan_.caller); !why.empty()) {
    return failed(request.id, why);
  }
  const Members no_arguments = Members::object();
  base::Result<Invocation> invocation = invocation_of(tool, has_arguments ? *given : no_arguments);
  if (!invocation) return failed(request.id, tool + ": " + invocation.error().text);
  if (tool == kWhoAmI && plan_.run.empty()) {
    const bool known = plan_.caller == Caller::kOutside;
    return failed(request.id, known ? "you are not an agent of a run of orch"
                                    : "it is unknown which run of orch you are an agent of");
  }
  if (calls_.size() >= kMostCalls) {
    return failed(request.id, std::to_string(kMostCalls) +
                                  " calls are under way already; wait until one of them is over");
  }
  const uint64_t number = next_call_++;
  calls_.emplace(number, Call{request.id, tool, false, nullptr});
  return start(number, std::move(invocation).value());
}

Start Server::start(uint64_t call, Invocation invocation) const {
  if (plan_.state_dir) invocation.words.push_back("--state-dir=" + *plan_.state_dir);
  return {call, std::move(invocation)};
}

std::optional<Action> Server::ended(uint64_t number, const Ended& ended) {
  const auto found = calls_.find(number);
  if (found == calls_.end()) return std::nullopt;
  Call& call = found->second;
  std::optional<Action> next;
  if (!call.taken_back) {
    next = call.tool == kWhoAmI
               ? tell_session(number, call, ended)
               : Say{result_line(call.id, result_of(text_of(call.tool, ended), ended.code != 0))};
  }
  if (!next || !std::holds_alternative<Start>(*next)) calls_.erase(found);
  return next;
}

// First finds the session of the run; then, for an agent of a crew, the crew's facts about it.
std::optional<Action> Server::tell_session(uint64_t number, Call& call, const Ended& ended) {
  if (call.own_session.is_null()) {
    if (ended.code != 0) return failed(call.id, text_of(call.tool, ended));
    const Json sessions = base::parse_json(ended.out);
    call.own_session = entry_where(sessions, "run", plan_.run);
    if (!call.own_session.is_object()) {
      call.own_session = Json{{"run", plan_.run}};
    }
    if (base::text_at(call.own_session, "issue").starts_with(kCrewPrefix)) {
      return start(number, {{"crew", "status", "--json"}, ""});
    }
  } else if (Json member = crew_member(ended.out, base::text_at(call.own_session, "key"));
             member.is_object()) {
    call.own_session["agent_of_crew"] = std::move(member);
  }
  return Say{result_line(call.id, result_of(base::json_text(call.own_session), false))};
}

}  // namespace orch::mcp

#include "driver/acp_dialect.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace orch::driver {
namespace {

using agent::DialogRequest;
using agent::Meaning;
using Kind = StreamItem::Kind;

constexpr int kProtocol = 1;
constexpr int kAuthRequired = -32000;  // the protocol's error for a login that is missing
constexpr int kNoSuchMethod = -32601;
constexpr int kUnauthorized = 401;    // the HTTP status that StreamDriver knows the same cause by
constexpr size_t kMostCalls = 1'000;  // open at the same time
constexpr size_t kMostAsked = 100;    // permissions that wait at the same time
constexpr size_t kMostOptions = 20;

std::string text_at(const AgentJson& json, std::string_view way) {
  const std::string* text = text_of(json, way);
  return text == nullptr ? "" : *text;
}

AgentJson value_at(const AgentJson& json, std::string_view way) {
  const AgentJson* value = member_of(json, way);
  return value == nullptr ? AgentJson() : *value;
}

bool is_text_content(const AgentJson& content) { return text_at(content, "/type") == "text"; }

void add_path(std::string path, std::vector<std::string>& paths) {
  const bool known = std::find(paths.begin(), paths.end(), path) != paths.end();
  if (!path.empty() && !known) paths.push_back(std::move(path));
}

// The command of a shell in a tool's input; "" if it is not there as one text.
std::string command_in(const AgentJson& input) {
  for (const char* way : {"/command", "/cmd"}) {
    const AgentJson* command = member_of(input, way);
    if (command == nullptr) continue;
    if (command->is_string()) return command->get<std::string>();
    // ["bash", "-lc", "make test"]
    const bool is_shell = command->is_array() && command->size() == 3 &&
                          (command->at(1) == "-c" || command->at(1) == "-lc");
    if (is_shell && command->at(2).is_string()) return command->at(2).get<std::string>();
  }
  return "";
}

bool has_command(const AgentJson& input) {
  return member_of(input, "/command") != nullptr || member_of(input, "/cmd") != nullptr;
}

// The files of a tool's input, where its locations name none.
std::vector<std::string> paths_in(const AgentJson& input) {
  std::vector<std::string> paths;
  for (const char* way : {"/file_path", "/filePath", "/filepath", "/absolute_path", "/path"}) {
    add_path(text_at(input, way), paths);
  }
  return paths;
}

Meaning meaning_of_kind(std::string_view kind) {
  if (kind == "allow_once") return Meaning::kAllowOnce;
  if (kind == "allow_always") return Meaning::kAllowAlways;
  return kind.starts_with("reject") ? Meaning::kDeny : Meaning::kOther;
}

event::Usage usage_in(const AgentJson& result, std::string_view in, std::string_view out,
                      std::string_view cached) {
  const auto count = [&result](std::string_view way) {
    const AgentJson* number = member_of(result, way);
    return number != nullptr && number->is_number_unsigned() ? number->get<int64_t>() : 0;
  };
  event::Usage usage;
  usage.in = count(in);
  usage.out = count(out);
  usage.cached = count(cached);
  return usage;
}

}  // namespace

AcpDialect::AcpDialect(adapters::AcpSpec spec, std::string cwd)
    : spec_(std::move(spec)), cwd_(std::move(cwd)), lines_(StreamReader::kMaxLineBytes) {}

std::string AcpDialect::ask(Step step, std::string_view method, AgentJson params) {
  step_ = step;
  AgentJson request{{"jsonrpc", "2.0"}, {"id", ++last_id_}, {"method", method}};
  request["params"] = std::move(params);
  return as_json(request) + "\n";
}

std::string AcpDialect::begin(const std::string& conversation, const std::string& text) {
  lines_ = base::LineCutter(StreamReader::kMaxLineBytes);
  reply_.clear();
  calls_.clear();
  asked_.clear();
  session_ = conversation;
  is_new_ = conversation.empty();
  session_told_ = false;
  text_ = text;
  const AgentJson files{{"readTextFile", false}, {"writeTextFile", false}};
  AgentJson params{{"protocolVersion", kProtocol}};
  params["clientCapabilities"] = AgentJson{{"fs", files}, {"terminal", false}};
  params["clientInfo"] = AgentJson{{"name", "orch"}, {"title", "orch"}, {"version", ORCH_VERSION}};
  return ask(Step::kInitialize, "initialize", std::move(params));
}

std::string AcpDialect::message(const std::string& text) {
  text_ = text;
  return prompt_line();
}

std::string AcpDialect::prompt_line() {
  message_id_.clear();
  ends_line_ = true;
  has_acted_ = false;
  AgentJson block{{"type", "text"}, {"text", std::exchange(text_, {})}};
  AgentJson params{{"sessionId", session_}};
  params["prompt"] = AgentJson::array({std::move(block)});
  return ask(Step::kPrompt, "session/prompt", std::move(params));
}

std::vector<StreamItem> AcpDialect::read(std::string_view bytes) {
  Items items;
  lines_.cut(
      bytes, [&](std::string_view line) { on_line(line, items); },
      [&] { items.push_back({.kind = Kind::kNotice, .text = "a line is too long"}); });
  return items;
}

void AcpDialect::on_line(std::string_view line, Items& items) {
  line = base::trim(line);
  if (line.empty()) return;
  const AgentJson message = parse_agent_json(line);
  if (!message.is_object()) {
    constexpr size_t kQuoted = 200;
    items.push_back({.kind = Kind::kNotice, .text = std::string(base::beginning(line, kQuoted))});
    return;
  }
  const bool has_id = message.contains("id") && !message["id"].is_null();
  if (!message.contains("method")) return on_answer(message, items);
  if (has_id) return on_request(message, items);
  if (text_at(message, "/method") == "$/cancel_request") {
    const std::string id = as_json(value_at(message, "/params/requestId"));
    if (asked_.erase(id) > 0) items.push_back({.kind = Kind::kRequestGone, .id = id});
  }
  if (text_at(message, "/method") != "session/update") return;
  const AgentJson* update = member_of(message, "/params/update");
  if (update != nullptr && text_at(message, "/params/sessionId") == session_) {
    on_update(*update, items);
  }
}

void AcpDialect::on_request(const AgentJson& message, Items& items) {
  const bool asks = text_at(message, "/method") == "session/request_permission";
  if (!asks || step_ != Step::kPrompt || asked_.size() >= kMostAsked) {
    AgentJson refusal{{"jsonrpc", "2.0"}, {"id", message["id"]}};
    refusal["error"] = AgentJson{{"code", kNoSuchMethod}, {"message", "orch has no such method"}};
    reply_ += as_json(refusal) + "\n";
    return;
  }
  const AgentJson params = value_at(message, "/params");
  const AgentJson tool_call = value_at(params, "/toolCall");
  Call& call = merge(tool_call);
  tell_call(text_at(tool_call, "/toolCallId"), call, items);
  const std::string id = as_json(message["id"]);
  asked_[id] = asked_of(params, call);
  items.push_back(
      {.kind = Kind::kRequest, .id = id, .name = call.kind, .input = as_json(call.input)});
}

// Takes over what the update says about a use of a tool.
AcpDialect::Call& AcpDialect::merge(const AgentJson& tool_call) {
  if (calls_.size() >= kMostCalls) calls_.clear();
  Call& call = calls_[text_at(tool_call, "/toolCallId")];
  if (std::string kind = text_at(tool_call, "/kind"); !kind.empty()) call.kind = std::move(kind);
  if (call.kind.empty()) call.kind = "other";
  if (std::string title = text_at(tool_call, "/title"); !title.empty()) {
    call.title = std::move(title);
  }
  const AgentJson input = value_at(tool_call, "/rawInput");
  if (input.is_object()) {
    for (const auto& [name, value] : input.items()) call.input[name] = value;
  }
  for (const AgentJson& place : value_at(tool_call, "/locations")) {
    add_path(text_at(place, "/path"), call.paths);
  }
  const std::string status = text_at(tool_call, "/status");
  for (const AgentJson& part : value_at(tool_call, "/content")) {
    add_path(text_at(part, "/path"), call.paths);
    const AgentJson content = value_at(part, "/content");
    if (status != "pending" && is_text_content(content)) call.text = text_at(content, "/text");
  }
  if (std::string output = text_at(tool_call, "/rawOutput/output"); !output.empty()) {
    call.text = std::move(output);
  }
  return call;
}

DialogRequest AcpDialect::request_of(const Call& call, bool title_is_command) {
  using Action = DialogRequest::Action;
  DialogRequest request;
  request.kind = event::Cause::kPermission;
  request.tool = call.kind;
  request.action = Action::kOther;
  request.complete = true;
  request.title = "The agent wants to use " + (call.title.empty() ? call.kind : call.title);
  request.body = call.input.empty() ? call.title : as_json(call.input);
  std::vector<std::string> paths = call.paths.empty() ? paths_in(call.input) : call.paths;
  // Some agents call a shell's `cat` a read: a command is one whatever it is said to be.
  if (call.kind == "execute" || has_command(call.input)) {
    std::string command = command_in(call.input);
    if (command.empty() && title_is_command && !has_command(call.input)) command = call.title;
    request.complete = !command.empty();
    request.action = Action::kCommand;
    request.body = command;
    if (!command.empty()) request.likely = request.possible = {std::move(command)};
  } else if (call.kind == "edit" || call.kind == "delete" || call.kind == "move") {
    if (paths.empty()) return request;
    request.action = Action::kWrite;
    request.paths = std::move(paths);
  } else if (call.kind == "read" || call.kind == "search") {
    request.action = Action::kRead;
    request.reads = std::move(paths);
  }
  return request;
}

// Several options that allow this once are the answers to a question.
AcpDialect::Asked AcpDialect::asked_of(const AgentJson& params, const Call& call) const {
  Asked asked;
  asked.request = request_of(call, spec_.title_is_command);
  const AgentJson options = value_at(params, "/options");
  bool can_deny = false;
  int ways = 0;
  for (const AgentJson& option : options) {
    if (asked.options.size() >= kMostOptions) break;
    const Meaning meaning = meaning_of_kind(text_at(option, "/kind"));
    can_deny = can_deny || meaning == Meaning::kDeny;
    ways += meaning == Meaning::kAllowOnce ? 1 : 0;
    const std::string id = text_at(option, "/optionId"), name = text_at(option, "/name");
    asked.request.options.push_back({name.empty() ? id : name, meaning});
    asked.options.push_back(id);
  }
  if (ways > 1) {
    asked.request.kind = event::Cause::kQuestion;
    for (agent::DialogOption& option : asked.request.options) {
      if (option.meaning != Meaning::kDeny) option.meaning = Meaning::kOther;
    }
  }
  if (!can_deny) {
    asked.request.options.push_back({"No", Meaning::kDeny});
    asked.options.emplace_back();
  }
  return asked;
}

DialogRequest AcpDialect::request(const std::string& tool, const std::string& input) const {
  Call call;
  call.kind = tool;
  if (AgentJson parsed = parse_agent_json(input); parsed.is_object()) {
    call.input = std::move(parsed);
  }
  call.title = text_at(call.input, "/title");
  call.input.erase("title");
  DialogRequest request = request_of(call, true);
  request.options = {{"Yes", Meaning::kAllowOnce}, {"No", Meaning::kDeny}};
  return request;
}

std::vector<DialogRequest> AcpDialect::requests(const StreamItem& item) const {
  const auto found = asked_.find(item.id);
  return {found == asked_.end() ? request(item.name, item.input) : found->second.request};
}

std::string AcpDialect::answer(const OpenRequest& open) {
  const auto found = asked_.find(open.id);
  if (found == asked_.end()) return "";
  const std::vector<size_t>& chosen = open.answers.back();
  const std::string option = chosen.empty() ? "" : found->second.options.at(chosen.front());
  asked_.erase(found);
  AgentJson outcome{{"outcome", option.empty() ? "cancelled" : "selected"}};
  if (!option.empty()) outcome["optionId"] = option;
  AgentJson reply{{"jsonrpc", "2.0"}, {"id", parse_agent_json(open.id)}};
  reply["result"] = AgentJson{{"outcome", std::move(outcome)}};
  return as_json(reply) + "\n";
}

void AcpDialect::on_update(const AgentJson& update, Items& items) {
  if (step_ != Step::kPrompt) return;  // an earlier turn, in a session that is loaded
  const std::string kind = text_at(update, "/sessionUpdate");
  if (kind == "agent_message_chunk") return tell_words(update, items);
  if (kind != "tool_call" && kind != "tool_call_update") return;
  Call& call = merge(update);
  const std::string id = text_at(update, "/toolCallId");
  const std::string status = text_at(update, "/status");
  if (status != "in_progress" && status != "completed" && status != "failed") return;
  tell_call(id, call, items);
  if (status == "in_progress") return;
  items.push_back({.kind = status == "failed" ? Kind::kToolFailed : Kind::kToolEnd,
                   .id = id,
                   .text = call.text});
  calls_.erase(id);
}

void AcpDialect::tell_session(Items& items) {
  if (std::exchange(session_told_, true)) return;
  items.push_back({.kind = Kind::kSession, .id = session_});
}

void AcpDialect::tell_words(const AgentJson& update, Items& items) {
  const AgentJson content = value_at(update, "/content");
  if (!is_text_content(content)) return;
  std::string text = text_at(content, "/text");
  const std::string id = text_at(update, "/messageId");
  if (!message_id_.empty() && id != message_id_ && !ends_line_) text.insert(0, "\n");
  message_id_ = id;
  if (text.empty()) return;
  ends_line_ = text.ends_with('\n');
  has_acted_ = true;
  tell_session(items);
  items.push_back({.kind = Kind::kWords, .text = std::move(text), .delta = true});
}

void AcpDialect::tell_call(const std::string& id, Call& call, Items& items) {
  has_acted_ = true;
  tell_session(items);
  if (std::exchange(call.is_told, true)) return;
  AgentJson input = call.input;
  if (input.empty() || (call.kind == "execute" && command_in(input).empty())) {
    input["title"] = call.title;
  }
  items.push_back({.kind = Kind::kTool, .id = id, .name = call.kind, .input = as_json(input)});
}

void AcpDialect::fail(const std::string& why, Items& items, int code) {
  items.push_back({.kind = Kind::kFailure, .text = why, .code = code});
}

void AcpDialect::on_answer(const AgentJson& message, Items& items) {
  if (value_at(message, "/id") != last_id_) return;
  if (const AgentJson* error = member_of(message, "/error")) return on_error(*error, items);
  const AgentJson result = value_at(message, "/result");
  switch (step_) {
    case Step::kInitialize:
      return on_initialized(result, items);
    case Step::kSession:
      return on_session(result, items);
    case Step::kMode:
      reply_ += prompt_line();
      return;
    case Step::kPrompt:
      return on_turn_end(result, items);
  }
}

void AcpDialect::on_error(const AgentJson& error, Items& items) {
  const AgentJson number = value_at(error, "/code");
  int code = number.is_number_integer() ? number.get<int>() : 0;
  if (code == kAuthRequired) code = kUnauthorized;
  std::string why = text_at(error, "/message");
  for (const char* way : {"/data/details", "/data/message", "/data/errorKind", "/data"}) {
    const std::string more = text_at(error, way);
    if (!more.empty() && why.find(more) == std::string::npos) why += ": " + more;
  }
  if (step_ == Step::kMode) why = "it cannot be brought into the mode " + spec_.asks + ": " + why;
  fail(why, items, code);
}

void AcpDialect::on_initialized(const AgentJson& result, Items& items) {
  const AgentJson version = value_at(result, "/protocolVersion");
  if (version != kProtocol) {
    return fail("it speaks version " + as_json(version) +
                    " of the Agent Client Protocol, and orch version 1",
                items);
  }
  AgentJson params{{"cwd", cwd_}, {"mcpServers", AgentJson::array()}};
  if (is_new_) {
    reply_ += ask(Step::kSession, "session/new", std::move(params));
    return;
  }
  const bool resumes =
      value_at(result, "/agentCapabilities/sessionCapabilities/resume").is_object();
  if (!resumes && value_at(result, "/agentCapabilities/loadSession") != true) {
    return fail("it cannot go on in its session: it has neither session/resume nor session/load",
                items);
  }
  params["sessionId"] = session_;
  reply_ += ask(Step::kSession, resumes ? "session/resume" : "session/load", std::move(params));
}

void AcpDialect::on_session(const AgentJson& result, Items& items) {
  if (is_new_) session_ = text_at(result, "/sessionId");
  if (session_.empty()) return fail("it began no session", items);
  enter_mode(text_at(result, "/modes/currentModeId"), items);
}

void AcpDialect::enter_mode(const std::string& current, Items& items) {
  if (spec_.asks.empty() || current == spec_.asks) {
    reply_ += prompt_line();
    return;
  }
  if (current.empty()) {
    return fail("it does not say in which mode it is, so it may act without asking", items);
  }
  reply_ += ask(Step::kMode, "session/set_mode", {{"sessionId", session_}, {"modeId", spec_.asks}});
}

void AcpDialect::on_turn_end(const AgentJson& result, Items& items) {
  calls_.clear();
  asked_.clear();
  tell_session(items);
  const bool standard = value_at(result, "/usage").is_object();
  StreamItem end{.kind = Kind::kEnd};
  const event::Usage usage = standard ? usage_in(result, "/usage/inputTokens",
                                                 "/usage/outputTokens", "/usage/cachedReadTokens")
                                      : usage_in(result, "/_meta/quota/token_count/input_tokens",
                                                 "/_meta/quota/token_count/output_tokens", "");
  if (usage.in > 0 || usage.out > 0) end.usage = usage;
  const std::string reason = text_at(result, "/stopReason");
  if (reason != "end_turn") {
    end.kind = Kind::kFailure;
    end.text = "the turn ended by " + (reason.empty() ? "no reason" : base::printable(reason));
  } else if (!has_acted_) {
    end.kind = Kind::kFailure;
    end.text = "the turn ended without a word or a tool, as one that failed";
  }
  items.push_back(std::move(end));
}

}  // namespace orch::driver

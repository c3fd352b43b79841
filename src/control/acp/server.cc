#include "acp/server.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "wire/frame.h"

namespace orch::acp {
namespace {

using base::Json;
using base::Result;
using jsonrpc::ErrorCode;
using jsonrpc::Members;
using jsonrpc::text_in;

constexpr auto kNoSuchSession = static_cast<ErrorCode>(-32002);
constexpr std::string_view kAsk = "ask", kAll = "all", kDefault = "default";
// Room for the rest of the frame that brings a message to the session's host.
constexpr size_t kMostMessage = wire::kMaxPayloadBytes - 4096;

// Whether the object has an object at this place: {"session":{"notices":{}}}.
bool declares(const Members& object, std::initializer_list<std::string_view> path) {
  const Members* at = &object;
  for (const std::string_view key : path) {
    const auto found = at->find(key);
    if (found == at->end() || !found->is_object()) return false;
    at = &*found;
  }
  return true;
}

Json mode_json(std::string_view id, std::string_view name, std::string_view about) {
  return Json{{"id", id}, {"name", name}, {"description", about}};
}

Json select_json(std::string_view id, std::string_view name, std::string_view category,
                 const std::string& current, const std::vector<std::string>& values) {
  Json options = Json::array();
  const auto add = [&](const std::string& value) {
    options.push_back(Json{{"value", value}, {"name", value}});
  };
  for (const std::string& value : values) add(value);
  if (std::find(values.begin(), values.end(), current) == values.end()) add(current);
  Json option{{"id", id}, {"name", name}};
  if (!category.empty()) option["category"] = category;
  option["type"] = "select";
  option["currentValue"] = current;
  option["options"] = std::move(options);
  return option;
}

std::string or_default(const std::string& value) {
  return value.empty() ? std::string(kDefault) : value;
}

}  // namespace

void Server::hear(std::string_view line, base::TimeMs now) {
  if (base::trim(line).empty()) return;
  const jsonrpc::Message message = jsonrpc::read_message(line);
  if (const auto* request = std::get_if<jsonrpc::Request>(&message)) return answer(*request, now);
  if (const auto* told = std::get_if<jsonrpc::Notification>(&message)) return heed(*told, now);
  if (const auto* malformed = std::get_if<jsonrpc::Malformed>(&message)) {
    return say(malformed->answer);
  }
  const auto* response = std::get_if<jsonrpc::Response>(&message);
  if (response == nullptr) return;
  for (auto& [id, session] : sessions_) {
    if (session->conversation.on_response(*response, now)) return;
  }
}

void Server::refuse(const Json& id, std::string_view why) {
  say(jsonrpc::error_line(id, ErrorCode::kInvalidParams, why));
}

void Server::answer(const jsonrpc::Request& request, base::TimeMs now) {
  const std::optional<Method> method = method_named(*plan_.protocol, request.method);
  if (!method)
    return say(jsonrpc::error_line(request.id, ErrorCode::kNoSuchMethod, "no such method"));
  if (!is_initialized_ && *method != Method::kInitialize) {
    return say(jsonrpc::error_line(request.id, ErrorCode::kInvalidRequest,
                                   "the connection is not initialized: send initialize first"));
  }
  switch (*method) {
    case Method::kInitialize:
      return initialize(request);
    case Method::kAuthenticate:  // the user has logged in where orch doctor says
      return say(jsonrpc::result_line(request.id, Json::object()));
    case Method::kNew:
    case Method::kLoad:
    case Method::kResume:
      return open(request, *method);
    case Method::kList:
      return list(request);
    case Method::kClose:
      return close(request);
    case Method::kDelete:
      return forget(request);
    case Method::kPrompt:
      return prompt(request, now);
    case Method::kSetMode:
      return set_mode(request);
    case Method::kSetConfigOption:
      return set_config_option(request);
    case Method::kCancel:
    case Method::kCancelRequest:
      return say(jsonrpc::error_line(request.id, ErrorCode::kInvalidRequest,
                                     "this is a notification, without an id"));
  }
}

void Server::heed(const jsonrpc::Notification& notification, base::TimeMs now) {
  const std::optional<Method> method = method_named(*plan_.protocol, notification.method);
  if (method == Method::kCancel) {
    Conversation* found = conversation(text_in(notification.params, "sessionId"));
    if (found != nullptr) found->on_cancel(now);
  }
  if (method != Method::kCancelRequest) return;
  const auto id = notification.params.find("requestId");
  if (id == notification.params.end()) return;
  for (auto& [name, session] : sessions_) {
    session->conversation.on_cancel_request(Json(*id), now);
  }
}

void Server::initialize(const jsonrpc::Request& request) {
  const auto version = request.params.find("protocolVersion");
  if (version == request.params.end() || !version->is_number_integer()) {
    return refuse(request.id, "protocolVersion must be a whole number");
  }
  is_initialized_ = true;
  const auto can = request.params.find("clientCapabilities");
  if (can != request.params.end() && can->is_object()) {
    shows_.notices = declares(*can, {"session", "notices"});
    shows_.questions = declares(*can, {"elicitation", "form"});
  }
  Json empty = Json::object();
  Json capabilities{{"loadSession", true}};
  capabilities["promptCapabilities"] =
      Json{{"image", true}, {"audio", false}, {"embeddedContext", true}};
  capabilities["mcpCapabilities"] = Json{{"http", false}, {"sse", false}};
  capabilities["sessionCapabilities"] = Json{{"list", empty},
                                             {"resume", empty},
                                             {"close", empty},
                                             {"delete", empty},
                                             {"additionalDirectories", empty}};
  Json login{{"id", "orch-doctor"}, {"name", "orch doctor"}};
  login["description"] = "Prints which agents are installed and logged in, and how to log in.";
  login["type"] = "terminal";
  login["args"] = Json::array({"doctor"});
  Json result{{"protocolVersion", plan_.protocol->version}};
  result["agentCapabilities"] = std::move(capabilities);
  result["agentInfo"] = Json{{"name", "orch"}, {"title", "orch"}, {"version", plan_.version}};
  result["authMethods"] = Json::array({std::move(login)});
  say(jsonrpc::result_line(request.id, std::move(result)));
}

Conversation::Plan Server::plan_of(std::string session) const {
  return {.protocol = plan_.protocol,
          .id = std::move(session),
          .run = "",
          .shows = shows_,
          .turn_limit_ms = plan_.turn_limit_ms};
}

void Server::open(const jsonrpc::Request& request, Method method) {
  const std::string cwd = text_in(request.params, "cwd");
  if (!cwd.starts_with('/')) return refuse(request.id, "cwd must be an absolute path");
  if (sessions_.size() + calls_.size() >= kMostSessions + kMostOpening ||
      sessions_.size() >= kMostSessions) {
    return say(jsonrpc::error_line(request.id, ErrorCode::kInternal,
                                   "too many sessions are open; close one of them"));
  }
  Result<SessionOptions> options = session_options_of(request.params);
  if (!options) return refuse(request.id, options.error().text);
  Call call{request.id, Open::How::kNew, method, "", plan_.settings, cwd, *options};
  if (method != Method::kNew) {
    call.how = method == Method::kLoad ? Open::How::kLoad : Open::How::kResume;
    call.session = text_in(request.params, "sessionId");
    if (call.session.empty()) return refuse(request.id, "sessionId must be a text");
    if (sessions_.contains(call.session)) {
      return refuse(request.id, "the session is open already");
    }
    sessions_[call.session] = std::make_unique<Session>(plan_of(call.session), cwd, call.settings);
  }
  Open open{.call = next_call_++,
            .how = call.how,
            .session = call.session,
            .cwd = cwd,
            .settings = call.settings,
            .options = std::move(options).value()};
  calls_.emplace(open.call, std::move(call));
  actions_.emplace_back(std::move(open));
}

void Server::opened(uint64_t number, const base::Result<Opened>& opened) {
  const auto found = calls_.find(number);
  if (found == calls_.end()) return;
  const Call call = std::move(found->second);
  calls_.erase(found);
  if (!opened) {
    sessions_.erase(call.session);
    const bool is_missing = opened.error().code == base::ErrorCode::kNotFound;
    const ErrorCode code = is_missing && call.how != Open::How::kNew ? kNoSuchSession
                           : opened.error().code == base::ErrorCode::kUsage
                               ? ErrorCode::kInvalidParams
                               : ErrorCode::kInternal;
    return say(jsonrpc::error_line(call.request, code, opened.error().text));
  }
  std::unique_ptr<Session>& session = sessions_[opened->session];
  if (!session) {
    session = std::make_unique<Session>(plan_of(opened->session), call.cwd, call.settings);
  }
  session->conversation.set_run(opened->run);
  session->settings = call.settings;
  if (call.how == Open::How::kLoad || call.how == Open::How::kResume) {
    session->settings.agent = opened->agent;  // the one that it had, whatever others begin with
    session->had_turns = opened->had_turns;
  }
  session->options = call.options;
  session->agent = opened->agent;
  session->models = opened->models;
  session->files = opened->files;
  session->is_open = true;
  Json result = Json::object();
  if (call.method == Method::kSetConfigOption) {
    result["configOptions"] = config_options(*session);
  } else if (call.method != Method::kSetMode) {
    if (call.how == Open::How::kNew) result["sessionId"] = opened->session;
    result.update(session_state(*session));
  }
  say(jsonrpc::result_line(call.request, std::move(result)));
}

Server::Session* Server::session_of(const jsonrpc::Request& request) {
  const auto found = sessions_.find(text_in(request.params, "sessionId"));
  if (found != sessions_.end() && found->second->is_open) return found->second.get();
  say(jsonrpc::error_line(request.id, kNoSuchSession, "no session with this sessionId is open"));
  return nullptr;
}

void Server::prompt(const jsonrpc::Request& request, base::TimeMs now) {
  Session* session = session_of(request);
  if (session == nullptr) return;
  const auto blocks = request.params.find("prompt");
  if (blocks == request.params.end()) return refuse(request.id, "prompt is missing");
  const std::string name = "prompt-" + std::to_string(session->prompts + 1);
  base::Result<Prompt> prompt = prompt_of(*blocks, session->files, name);
  if (!prompt) return refuse(request.id, prompt.error().text);
  if (prompt->text.size() > kMostMessage) {
    return refuse(request.id,
                  "the prompt is too long: at most " + std::to_string(kMostMessage >> 10) + " KB");
  }
  if (!prompt->files.empty()) {
    ++session->prompts;
    actions_.emplace_back(Save{std::move(prompt->files)});
  }
  session->conversation.on_prompt(request.id, std::move(prompt->text), now);
}

void Server::close(const jsonrpc::Request& request) {
  Session* session = session_of(request);
  if (session == nullptr) return;
  session->closers.push_back(request.id);
  if (session->closers.size() > 1) return;
  actions_.emplace_back(Close{text_in(request.params, "sessionId")});
}

void Server::closed(const std::string& name) {
  const auto found = sessions_.find(name);
  if (found == sessions_.end()) return;
  for (const Json& request : found->second->closers) {
    say(jsonrpc::result_line(request, Json::object()));
  }
  // A prompt that was at work has been answered: the session's end was reported first.
  for (Work& work : found->second->conversation.take_work()) {
    if (auto* told = std::get_if<Tell>(&work)) actions_.emplace_back(std::move(*told));
  }
  sessions_.erase(found);
}

void Server::forget(const jsonrpc::Request& request) {
  const std::string session = text_in(request.params, "sessionId");
  if (session.empty()) return refuse(request.id, "sessionId must be a text");
  if (sessions_.contains(session)) return refuse(request.id, "the session is open: close it first");
  Call call{.request = request.id, .method = Method::kDelete, .session = session};
  actions_.emplace_back(Forget{next_call_, session});
  calls_.emplace(next_call_++, std::move(call));
}

void Server::forgotten(uint64_t number, const base::Status& done) {
  const auto found = calls_.find(number);
  if (found == calls_.end()) return;
  const Json request = found->second.request;
  calls_.erase(found);
  if (done) return say(jsonrpc::result_line(request, Json::object()));
  const bool is_missing = done.error().code == base::ErrorCode::kNotFound;
  say(jsonrpc::error_line(request, is_missing ? kNoSuchSession : ErrorCode::kInternal,
                          done.error().text));
}

void Server::list(const jsonrpc::Request& request) {
  const std::string cwd = text_in(request.params, "cwd");
  if (!cwd.empty() && !cwd.starts_with('/')) {
    return refuse(request.id, "cwd must be an absolute path");
  }
  Call call{.request = request.id, .method = Method::kList};
  actions_.emplace_back(List{next_call_, cwd});
  calls_.emplace(next_call_++, std::move(call));
}

void Server::listed(uint64_t number, const base::Result<std::vector<Listed>>& sessions) {
  const auto found = calls_.find(number);
  if (found == calls_.end()) return;
  const Json request = found->second.request;
  calls_.erase(found);
  if (!sessions) {
    return say(jsonrpc::error_line(request, ErrorCode::kInternal, sessions.error().text));
  }
  Json list = Json::array();
  for (const Listed& session : *sessions) {
    Json entry{{"sessionId", session.session}, {"cwd", session.cwd}};
    if (!session.title.empty()) entry["title"] = base::printable(session.title);
    if (!session.updated.empty()) entry["updatedAt"] = session.updated;
    list.push_back(std::move(entry));
  }
  say(jsonrpc::result_line(request, Json{{"sessions", std::move(list)}}));
}

bool Server::is_mode(const std::string& mode) const {
  return mode == kAsk || mode == kAll || (!plan_.policy.empty() && mode == plan_.policy);
}

void Server::set_mode(const jsonrpc::Request& request) {
  Session* session = session_of(request);
  if (session == nullptr) return;
  const std::string mode = text_in(request.params, "modeId");
  if (!is_mode(mode)) return refuse(request.id, "no such mode; session/new lists them");
  Settings settings = session->settings;
  settings.mode = mode;
  start_again(request, Method::kSetMode, *session, std::move(settings));
}

void Server::set_config_option(const jsonrpc::Request& request) {
  Session* session = session_of(request);
  if (session == nullptr) return;
  const std::string option = text_in(request.params, "configId");
  const std::string value = text_in(request.params, "value");
  if (value.empty()) return refuse(request.id, "value must be a text");
  if (value.starts_with('-')) return refuse(request.id, "value begins like an option");
  Settings settings = session->settings;
  const std::string chosen = value == kDefault ? "" : value;
  if (option == "model") {
    settings.model = chosen;
  } else if (option == "effort") {
    settings.effort = chosen;
  } else if (option == "agent") {
    const bool known =
        std::find(plan_.agents.begin(), plan_.agents.end(), value) != plan_.agents.end();
    if (!known) return refuse(request.id, "no such agent; session/new lists them");
    if (value != session->agent && (session->had_turns || session->conversation.had_turns())) {
      return refuse(request.id, "another agent cannot go on with this conversation");
    }
    settings.agent = value;
  } else {
    return refuse(request.id, "no such option; session/new lists them");
  }
  start_again(request, Method::kSetConfigOption, *session, std::move(settings));
}

void Server::start_again(const jsonrpc::Request& request, Method method, Session& session,
                         Settings settings) {
  if (session.conversation.is_at_work()) {
    return say(jsonrpc::error_line(request.id, ErrorCode::kInvalidRequest,
                                   "the agent has to start anew for this: wait until its turn is "
                                   "over, or cancel it"));
  }
  const std::string name = text_in(request.params, "sessionId");
  Call call{request.id, Open::How::kAgain, method, name, settings, session.cwd, session.options};
  Open open{.call = next_call_++,
            .how = Open::How::kAgain,
            .session = name,
            .cwd = session.cwd,
            .settings = std::move(settings),
            .options = session.options};
  session.is_open = false;
  calls_.emplace(open.call, std::move(call));
  actions_.emplace_back(std::move(open));
}

Json Server::modes(const Session& session) const {
  Json available = Json::array();
  available.push_back(mode_json(kAsk, "Ask", "The agent asks, and you or orch answer decides."));
  if (!plan_.policy.empty()) {
    available.push_back(
        mode_json(plan_.policy, "Policy", "A file's rules decide, and the rest asks you."));
  }
  available.push_back(mode_json(
      kAll, "All", "orch allows what its denylist does not name, and a fence shuts the agent in."));
  return Json{{"currentModeId", session.settings.mode}, {"availableModes", std::move(available)}};
}

Json Server::config_options(const Session& session) const {
  Json options = Json::array();
  options.push_back(select_json("agent", "Agent", "", or_default(session.agent), plan_.agents));
  std::vector<std::string> models = session.models;
  models.insert(models.begin(), std::string(kDefault));
  options.push_back(
      select_json("model", "Model", "model", or_default(session.settings.model), models));
  options.push_back(select_json("effort", "Effort", "thought_level",
                                or_default(session.settings.effort),
                                {std::string(kDefault), "low", "medium", "high"}));
  return options;
}

Json Server::session_state(const Session& session) const {
  Json state;
  state["modes"] = modes(session);
  state["configOptions"] = config_options(session);
  return state;
}

Conversation* Server::conversation(const std::string& session) {
  const auto found = sessions_.find(session);
  return found == sessions_.end() ? nullptr : &found->second->conversation;
}

std::vector<std::string> Server::sessions() const {
  std::vector<std::string> names;
  for (const auto& [name, session] : sessions_) names.push_back(name);
  return names;
}

base::TimeMs Server::next_deadline() const {
  base::TimeMs next = base::kNever;
  for (const auto& [name, session] : sessions_) {
    next = std::min(next, session->conversation.next_deadline());
  }
  return next;
}

void Server::on_timer(base::TimeMs now) {
  for (auto& [name, session] : sessions_) {
    if (session->conversation.next_deadline() <= now) session->conversation.on_timer(now);
  }
}

std::vector<Action> Server::take_actions() {
  std::vector<Action> actions = std::exchange(actions_, {});
  for (auto& [name, session] : sessions_) {
    for (Work& work : session->conversation.take_work()) {
      if (auto* told = std::get_if<Tell>(&work)) {
        actions.emplace_back(std::move(*told));
      } else {
        actions.emplace_back(SessionWork{name, std::move(work)});
      }
    }
  }
  return actions;
}

}  // namespace orch::acp

#include "ci/trajectory.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "store/time_text.h"

namespace orch::ci {
namespace {

using base::Json;
using event::Speaker;

constexpr std::string_view kVersion = "ATIF-v1.7";

Json metrics_of(const event::Usage& usage) {
  Json metrics{{"prompt_tokens", usage.in}, {"completion_tokens", usage.out}};
  metrics["cached_tokens"] = usage.cached;
  if (usage.cost_usd) metrics["cost_usd"] = *usage.cost_usd;
  return metrics;
}

// An object, as the format demands of a call's arguments.
Json arguments_of(std::string_view input) {
  Json arguments = base::parse_json(input);
  if (arguments.is_object()) return arguments;
  return input.empty() ? Json::object() : Json{{"text", input}};
}

class Steps {
 public:
  explicit Steps(std::optional<store::TimePoint> started) : started_(started) {}

  void take(const event::Record& record) {
    ms_ = record.ms;
    std::visit([this](const auto& event) { on(event); }, record.event);
  }

  Json all() {
    close();
    Json list = Json::array();
    for (Json& step : steps_) {
      step["step_id"] = list.size() + 1;
      list.push_back(std::move(step));
    }
    return list;
  }
  bool empty() const { return steps_.empty() && source_.empty(); }
  void say(std::string_view source, std::string_view text) {
    begin(source);
    message_ = text;
    close();
  }

 private:
  void on(const event::Output& line) {
    switch (line.speaker) {
      case Speaker::kAgent:
        if (source_ != "agent" || (has_tools() && !base::trim(line.text).empty())) begin("agent");
        return add_line(message_, line);
      case Speaker::kUser:
        if (source_ != "user") begin("user");
        return add_line(message_, line);
      case Speaker::kTool:
        if (!tools_as_data_) on_screen_tool(line);
        return;
      case Speaker::kNotice:
      case Speaker::kChrome:
        return;
    }
  }
  void on(const event::Tool& tool) {
    switch (tool.phase) {
      case event::ToolPhase::kDecided:
        return;
      case event::ToolPhase::kBegan:
        tools_as_data_ = true;
        if (source_ != "agent") begin("agent");
        add_call(tool.id, tool.name, arguments_of(tool.input));
        return;
      case event::ToolPhase::kEnded:
        return observe(tool.id, tool.text);
    }
  }
  void on(const event::Usage& usage) {
    if (source_ == "agent") return event::add(usage_, usage);
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      if (step->at("source") != "agent") continue;
      event::Usage sum = usage;
      if (step->contains("metrics")) event::add(sum, usage_in(step->at("metrics")));
      (*step)["metrics"] = metrics_of(sum);
      return;
    }
    event::add(early_, usage);
  }
  void on(const event::Gate& gate) {
    if (!gate.ended) return;
    begin("system");
    message_ = "gate " + std::to_string(gate.n) + ": " + gate.command + ": exit " +
               std::to_string(gate.code) + (gate.timed_out ? ", out of time" : "");
    if (!gate.output.empty()) results_.push_back(Json{{"content", gate.output}});
    close();
  }
  void on(const event::SessionStart&) {}
  void on(const event::StatusChange&) {}
  void on(const event::Message&) {}
  void on(const event::Dialog&) {}
  void on(const event::Turn& turn) {
    if (turn.ended) screen_call_.clear();
  }
  void on(const event::Exit&) {}

  bool has_tools() const { return !calls_.empty(); }

  static event::Usage usage_in(const Json& metrics) {
    event::Usage usage;
    usage.in = metrics.at("prompt_tokens");
    usage.out = metrics.at("completion_tokens");
    usage.cached = metrics.at("cached_tokens");
    if (metrics.contains("cost_usd")) usage.cost_usd = metrics.at("cost_usd").get<double>();
    return usage;
  }

  static void add_line(std::string& text, const event::Output& line) {
    if (!text.empty()) text += line.continues ? " " : "\n";
    if (!text.empty() || !line.text.empty()) text += line.text;
  }

  void on_screen_tool(const event::Output& line) {
    const std::string_view text = base::trim(line.text);
    if (text.empty()) return screen_call_.clear();
    if (source_ != "agent") begin("agent");
    if (!screen_call_.empty()) return observe(screen_call_, line.text);
    screen_call_ = "screen-" + std::to_string(++screen_calls_);
    const size_t bracket = text.find('(');
    add_call(screen_call_, "tool", Json{{"text", text.substr(0, bracket == 0 ? 0 : text.size())}});
  }

  void add_call(const std::string& id, const std::string& name, Json arguments) {
    Json call{{"tool_call_id", id}, {"function_name", name.empty() ? "tool" : name}};
    call["arguments"] = std::move(arguments);
    calls_.push_back(std::move(call));
  }

  // What a tool gave belongs into the step of its call; of a later step it is left out.
  void observe(const std::string& id, const std::string& text) {
    const bool is_here = std::any_of(calls_.begin(), calls_.end(), [&](const Json& call) {
      return call.at("tool_call_id") == id;
    });
    if (!is_here) return;
    for (Json& result : results_) {
      if (result.at("source_call_id") != id) continue;
      result["content"] = result.at("content").get<std::string>() + "\n" + text;
      return;
    }
    results_.push_back(Json{{"source_call_id", id}, {"content", text}});
  }

  void begin(std::string_view source) {
    close();
    source_ = source;
    since_ms_ = ms_;
  }

  void close() {
    if (source_.empty()) return;
    Json step{{"step_id", 0}};
    if (started_) {
      step["timestamp"] = store::rfc3339_utc(*started_ + std::chrono::milliseconds(since_ms_));
    }
    step["source"] = source_;
    while (message_.ends_with('\n')) message_.pop_back();
    step["message"] = message_;
    if (!calls_.empty()) step["tool_calls"] = calls_;
    if (!results_.empty()) step["observation"] = Json{{"results", results_}};
    if (source_ == "agent") {
      event::add(usage_, early_);
      early_ = {};
      if (event::tokens(usage_) > 0) step["metrics"] = metrics_of(usage_);
      usage_ = {};
    }
    steps_.push_back(std::move(step));
    source_.clear();
    message_.clear();
    calls_ = Json::array();
    results_ = Json::array();
    screen_call_.clear();
  }

  std::optional<store::TimePoint> started_;
  std::vector<Json> steps_;
  int64_t ms_ = 0, since_ms_ = 0;
  std::string source_;  // of the step that is being made; "": none
  std::string message_;
  Json calls_ = Json::array(), results_ = Json::array();
  event::Usage usage_, early_;  // of this step; and reported before any step of the agent's
  bool tools_as_data_ = false;
  std::string screen_call_;  // the tool whose rows come now; ""
  int screen_calls_ = 0;
};

}  // namespace

std::string trace_id_of(std::string_view traceparent) {
  constexpr size_t kStart = 3, kLength = 32;
  if (traceparent.size() < kStart + kLength || traceparent[2] != '-') return "";
  const std::string_view id = traceparent.substr(kStart, kLength);
  const bool is_hex = id.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return is_hex && id.find_first_not_of('0') != std::string_view::npos ? std::string(id) : "";
}

std::string trajectory_of(const store::RunRecord& record, const store::RunResult& result,
                          std::span<const event::Record> events, std::string_view trace_id) {
  Steps steps(store::parse_rfc3339_utc(result.started));
  for (const event::Record& one : events) steps.take(one);
  if (steps.empty()) steps.say("system", std::string(event::name(result.reason)));
  Json agent{{"name", record.agent}};
  agent["version"] = record.agent_version.empty() ? "unknown" : record.agent_version;
  if (record.request && !record.request->model.empty()) {
    agent["model_name"] = record.request->model;
  }
  Json trajectory{{"schema_version", kVersion}, {"session_id", result.run}};
  trajectory["agent"] = std::move(agent);
  trajectory["steps"] = steps.all();
  if (result.usage) {
    Json metrics{{"total_prompt_tokens", result.usage->in},
                 {"total_completion_tokens", result.usage->out},
                 {"total_cached_tokens", result.usage->cached}};
    if (result.usage->cost_usd) metrics["total_cost_usd"] = *result.usage->cost_usd;
    trajectory["final_metrics"] = std::move(metrics);
  }
  Json extra{{"reason", event::name(result.reason)}, {"code", result.code}};
  if (!trace_id.empty()) extra["trace_id"] = trace_id;
  trajectory["extra"] = std::move(extra);
  return base::json_text(trajectory);
}

}  // namespace orch::ci

#include "store/run_record.h"

#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace orch::store {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<RunStatus, std::string_view>, 5> kStatuses{{
    {RunStatus::kStarting, "starting"},
    {RunStatus::kRunning, "running"},
    {RunStatus::kCompleted, "completed"},
    {RunStatus::kFailed, "failed"},
    {RunStatus::kCancelled, "cancelled"},
}};

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
Json or_null(std::string_view text) { return text.empty() ? Json(nullptr) : Json(text); }

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Reads the members of one JSON object and keeps the first error. Strings of which "" means unknown
// and optionals may be null or missing.
class Fields {
 public:
  Fields(std::string_view what, std::string_view text)
      : what_(what), json_(Json::parse(text, nullptr, false)) {
    if (!json_.is_object()) fail("not a JSON object");
  }

  template <typename T>
  void required(const char* key, T& out) {
    const Json* value = present(key);
    if (value == nullptr) return wrong(key, "there");
    read(key, *value, out);
  }

  void nullable(const char* key, std::string& out) {
    const Json* value = present(key);
    if (value != nullptr) read(key, *value, out);
  }
  template <typename T>
  void nullable(const char* key, std::optional<T>& out) {
    const Json* value = present(key);
    if (value != nullptr) read(key, *value, out.emplace());
  }

  // A word that `named` knows.
  template <typename Enum>
  void word(const char* key, std::optional<Enum> (*named)(std::string_view), Enum& out) {
    std::string text;
    required(key, text);
    choose(key, named, text, out);
  }
  template <typename Enum>
  void nullable_word(const char* key, std::optional<Enum> (*named)(std::string_view), Enum& out) {
    std::string text;
    nullable(key, text);
    choose(key, named, text, out);
  }

  template <typename Record>
  base::Result<Record> finish(Record record) && {
    if (error_) return *std::move(error_);
    return record;
  }

 private:
  void fail(std::string_view text) {
    if (!error_) error_ = base::usage_error(what_ + ": " + std::string(text));
  }
  void wrong(const char* key, std::string_view expected) {
    fail(std::string("field \"") + key + "\" is not " + std::string(expected));
  }

  // nullptr when it is missing or null.
  const Json* present(const char* key) const {
    if (error_) return nullptr;
    const auto found = json_.find(key);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }

  void read(const char* key, const Json& value, std::string& out) {
    if (!value.is_string()) return wrong(key, "a string");
    out = value.get<std::string>();
  }
  void read(const char* key, const Json& value, int64_t& out) {
    const bool fits = value.is_number_integer() &&
                      (!value.is_number_unsigned() ||
                       value.get<uint64_t>() <= uint64_t{std::numeric_limits<int64_t>::max()});
    if (!fits) return wrong(key, "a whole number");
    out = value.get<int64_t>();
  }
  void read(const char* key, const Json& value, int& out) {
    int64_t wide = 0;
    read(key, value, wide);
    if (!std::in_range<int>(wide)) return wrong(key, "a number of this size");
    out = static_cast<int>(wide);
  }

  void read(const char* key, const Json& value, std::vector<std::string>& out) {
    if (!value.is_array()) return wrong(key, "a list of strings");
    for (const Json& item : value) read(key, item, out.emplace_back());
  }

  template <typename Enum>
  void choose(const char* key, std::optional<Enum> (*named)(std::string_view),
              const std::string& text, Enum& out) {
    if (error_) return;
    const std::optional<Enum> value = named(text);
    if (!value) return wrong(key, "a known word");
    out = *value;
  }

  std::string what_;
  Json json_;
  std::optional<base::Error> error_;
};

}  // namespace

std::string_view name(RunStatus status) {
  for (const auto& [value, text] : kStatuses) {
    if (value == status) return text;
  }
  return {};
}

std::optional<RunStatus> run_status_named(std::string_view name) {
  for (const auto& [value, text] : kStatuses) {
    if (text == name) return value;
  }
  return std::nullopt;
}

std::string to_json(const RunRecord& record) {
  Json json;
  json["id"] = record.id;
  json["issue"] = record.issue;
  json["session"] = record.session;
  json["agent"] = record.agent;
  json["agent_version"] = or_null(record.agent_version);
  json["argv"] = record.argv;
  json["cwd"] = record.cwd;
  json["repository"] = record.repository;
  json["manager"] = record.manager;
  json["manager_reason"] = record.manager_reason;
  json["parent"] = or_null(record.parent);
  json["status"] = name(record.status);
  json["started"] = record.started;
  json["ended"] = or_null(record.ended);
  return dump(json);
}

std::string to_json(const RunResult& result) {
  Json json;
  json["run"] = result.run;
  json["session"] = result.session;
  json["issue"] = result.issue;
  json["agent"] = result.agent;
  json["reason"] = event::name(result.reason);
  json["code"] = result.code;
  json["agent_exit_code"] = or_null(result.agent_exit_code);
  json["agent_signal"] = or_null(result.agent_signal);
  json["status_at_end"] = event::name(result.status_at_end);
  json["cause"] = or_null(event::name(result.cause));
  json["detail"] = result.detail;
  json["turns"] = result.turns;
  json["messages_sent"] = result.messages_sent;
  json["started"] = result.started;
  json["ended"] = result.ended;
  json["duration_ms"] = result.duration_ms;
  json["retry_after"] = or_null(result.retry_after_s);
  json["recording"] = or_null(result.recording);
  json["invalid_bytes"] = result.invalid_bytes;
  return dump(json);
}

base::Result<RunRecord> run_record_from_json(std::string_view text) {
  Fields fields("run record", text);
  RunRecord record;
  fields.required("id", record.id);
  fields.required("issue", record.issue);
  fields.required("session", record.session);
  fields.required("agent", record.agent);
  fields.nullable("agent_version", record.agent_version);
  fields.required("argv", record.argv);
  fields.required("cwd", record.cwd);
  fields.required("repository", record.repository);
  fields.required("manager", record.manager);
  fields.required("manager_reason", record.manager_reason);
  fields.nullable("parent", record.parent);
  fields.word("status", run_status_named, record.status);
  fields.required("started", record.started);
  fields.nullable("ended", record.ended);
  return std::move(fields).finish(std::move(record));
}

base::Result<RunResult> run_result_from_json(std::string_view text) {
  Fields fields("run result", text);
  RunResult result;
  fields.required("run", result.run);
  fields.required("session", result.session);
  fields.required("issue", result.issue);
  fields.required("agent", result.agent);
  fields.word("reason", event::exit_reason_named, result.reason);
  fields.required("code", result.code);
  fields.nullable("agent_exit_code", result.agent_exit_code);
  fields.nullable("agent_signal", result.agent_signal);
  fields.word("status_at_end", event::status_named, result.status_at_end);
  fields.nullable_word("cause", event::cause_named, result.cause);
  fields.required("detail", result.detail);
  fields.required("turns", result.turns);
  fields.required("messages_sent", result.messages_sent);
  fields.required("started", result.started);
  fields.required("ended", result.ended);
  fields.required("duration_ms", result.duration_ms);
  fields.nullable("retry_after", result.retry_after_s);
  fields.nullable("recording", result.recording);
  fields.required("invalid_bytes", result.invalid_bytes);
  return std::move(fields).finish(std::move(result));
}

}  // namespace orch::store

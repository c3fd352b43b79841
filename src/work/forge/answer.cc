#include "forge/answer.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"

namespace orch::forge {
namespace {

using base::Json;
using base::member;
using base::text_at;

constexpr int kNoLogin = 4;  // gh's exit code when no host has a login
constexpr size_t kMostReason = 300;

std::string first_line(std::string_view text) {
  text = base::trim(text);
  return base::printable(base::beginning(text.substr(0, text.find('\n')), kMostReason));
}

std::string header(const Answer& answer, const char* name) {
  const auto found = answer.headers.find(name);
  return found == answer.headers.end() ? "" : found->second;
}

base::Error later(std::string text) { return {base::ErrorCode::kSystem, std::move(text)}; }

// "; try again at ..." for a limit, as far as the server says so.
std::string when_again(const Answer& answer) {
  const std::string seconds = header(answer, "retry-after");
  if (!seconds.empty()) return "; try again in " + base::printable(seconds) + " s";
  const std::string reset = header(answer, "x-ratelimit-reset");
  return reset.empty() ? ""
                       : "; it ends at " + base::printable(reset) + " (date -d @" +
                             base::printable(reset) + ")";
}

bool is_limit(const Answer& answer, std::string_view message) {
  const std::string text = base::lower(message);
  return answer.status == 429 || text.find("rate limit") != std::string::npos ||
         text.find("already exceeded") != std::string::npos;
}

base::Error no_answer(const Answer& answer, std::string_view host) {
  const std::string login = answer.program + " auth login";
  const std::string said = answer.said.empty() ? answer.program + " says nothing" : answer.said;
  if (answer.code == kNoLogin || said.find(login) != std::string::npos) {
    return base::usage_error(answer.program + " has no login for " + std::string(host) + ": " +
                             login + " --hostname " + std::string(host));
  }
  return later(std::string(host) + " does not answer: " + said);
}

base::Error refused(const Answer& answer, std::string_view host, const std::string& message) {
  const std::string at = std::string(host) + ": ";
  if (is_limit(answer, message)) return later(at + message + when_again(answer));
  if (answer.status == 401) {
    return base::usage_error(at + "the login is not accepted (" + message + "): " + answer.program +
                             " auth login --hostname " + std::string(host));
  }
  if (answer.status >= 500) return later(at + "HTTP " + std::to_string(answer.status));
  return base::usage_error(at + message + " (HTTP " + std::to_string(answer.status) + ")");
}

}  // namespace

Answer read_answer(std::string_view output, std::string_view errors, int code) {
  Answer answer;
  answer.code = code;
  answer.said = first_line(errors);
  if (!output.starts_with("HTTP/")) {
    answer.body = output;
    return answer;
  }
  size_t line = 0;
  while (!output.empty()) {
    const std::string_view text = base::trim(base::take_until(output, '\n'));
    if (text.empty()) break;
    if (line++ == 0) {
      const size_t blank = std::min(text.find(' '), text.size());
      answer.status = std::atoi(std::string(text.substr(blank)).c_str());
    } else if (const size_t colon = text.find(':'); colon != std::string_view::npos) {
      answer.headers[base::lower(text.substr(0, colon))] = base::trim(text.substr(colon + 1));
    }
  }
  answer.body = output;
  return answer;
}

bool flag_of(const Json& object, const char* key) {
  const Json& value = member(object, key);
  return value.is_boolean() && value.get<bool>();
}

int64_t number_of(const Json& object, const char* key) {
  const Json& value = member(object, key);
  return value.is_number_integer() ? value.get<int64_t>() : 0;
}

base::Result<Json> json_of(const Answer& answer, std::string_view host) {
  if (answer.status == 0) return no_answer(answer, host);
  Json json = base::parse_json(answer.body);
  const bool is_good = answer.status >= 200 && answer.status < 300;
  if (!json.is_object() && !json.is_array()) {
    if (!is_good) return refused(answer, host, "no reason");
    return later(std::string(host) +
                 " answers with something that is not JSON, as a proxy or a "
                 "login page does: " +
                 first_line(answer.body));
  }
  if (is_good) return json;
  // GitLab also says a list of messages, or "error".
  const Json& said = member(json, "message");
  std::string message = first_line(text_at(json, said.is_null() ? "error" : "message"));
  if (said.is_array() && !said.empty() && said.front().is_string()) {
    message = first_line(said.front().get<std::string>());
  }
  const Json& errors = member(json, "errors");
  if (errors.is_array() && !errors.empty()) {
    const std::string more = first_line(text_at(errors.front(), "message"));
    if (!more.empty()) message += ": " + more;
  }
  return refused(answer, host, message.empty() ? "no reason" : message);
}

base::Result<Json> data_of(const Answer& answer, std::string_view host) {
  base::Result<Json> json = json_of(answer, host);
  if (!json) return json;
  const Json& errors = member(*json, "errors");
  if (errors.is_array() && !errors.empty()) {
    const std::string message = first_line(text_at(errors.front(), "message"));
    const std::string type = text_at(errors.front(), "type");
    if (type == "RATE_LIMITED" || is_limit(answer, message)) {
      return later(std::string(host) + ": " + message + when_again(answer));
    }
    if (type == "NOT_FOUND" || type == "FORBIDDEN") {
      return base::usage_error(std::string(host) + ": " + message);
    }
    return later(std::string(host) + ": " +
                 (message.empty() ? "an error without a reason" : message));
  }
  const Json& data = member(*json, "data");
  if (!data.is_object()) return later(std::string(host) + " answers without data");
  return data;
}

}  // namespace orch::forge

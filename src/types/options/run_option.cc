#include "options/run_option.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <type_traits>

#include "base/duration.h"
#include "base/text.h"
#include "options/terminal_size.h"

namespace orch::options {
namespace {

using base::Status;
using base::usage_error;

bool is_word(const RunOption& option, std::string_view value, Also command) {
  const std::vector<std::string_view> words = base::split_at_blanks(words_in(option, command));
  return std::find(words.begin(), words.end(), value) != words.end();
}

// "write complete, idle or exit"
std::string choice_text(const RunOption& option, Also command) {
  const std::vector<std::string_view> words = base::split_at_blanks(words_in(option, command));
  std::string text = "write ";
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 < words.size() ? ", " : " or ";
    text += words[i];
  }
  return text;
}

Status check_text(const RunOption& option, const std::string& value, Also command) {
  if (option.form == Form::kDuration && is_word(option, value, command)) return base::Ok{};
  switch (option.form) {
    case Form::kText:
      return base::Ok{};
    case Form::kOneOf:
      return is_word(option, value, command) ? Status(base::Ok{})
                                             : usage_error(choice_text(option, command));
    case Form::kDuration:
      if (const auto duration = base::parse_duration(value); !duration) return duration.error();
      return base::Ok{};
    case Form::kBytes:
      return parse_bytes(value) ? Status(base::Ok{})
                                : usage_error("write a size, like 64K, 256M or 2G");
    case Form::kSize: {
      const auto size = parse_terminal_size(value);
      return size ? Status(base::Ok{}) : Status(size.error());
    }
  }
  return base::Ok{};
}

Status check_number(const RunOption& option, int value) {
  if (value >= option.least) return base::Ok{};
  return usage_error("must be at least " + std::to_string(option.least));
}

constexpr bool clears(const RunOption& option) { return option.name.starts_with("--no-"); }

}  // namespace

std::string_view title(Group group) {
  switch (group) {
    case Group::kTask:
      return "What to do";
    case Group::kAgent:
      return "The agent";
    case Group::kEnd:
      return "When it ends";
    case Group::kChecks:
      return "Gates";
    case Group::kRights:
      return "What it may do";
    case Group::kSandbox:
      return "Where it is shut in";
    case Group::kSession:
      return "Where it works";
    case Group::kOutput:
      return "Output";
    case Group::kRecord:
      return "Records";
  }
  return "";
}

const RunOption* find_run_option(std::string_view name) {
  const auto found = std::ranges::find_if(
      run_options(), [name](const RunOption& option) { return long_name(option) == name; });
  return found == run_options().end() ? nullptr : &*found;
}

std::string_view long_name(const RunOption& option) {
  return option.name.substr(option.name.find("--"));
}

std::string_view config_name(const RunOption& option) {
  return long_name(option).substr(clears(option) ? std::string_view("--no-").size()
                                                 : std::string_view("--").size());
}

bool stands_in(const RunOption& option, Also command) {
  return option.also == command || (option.also == Also::kBoth && command != Also::kNone);
}

std::string_view help_in(const RunOption& option, Also command) {
  return command == Also::kCrew && !option.crew_help.empty() ? option.crew_help : option.help;
}

std::string_view words_in(const RunOption& option, Also command) {
  return command == Also::kCrew && !option.crew_words.empty() ? option.crew_words : option.words;
}

std::string value_text(const RunOption& option, const RunRequest& request) {
  return std::visit(
      [&request](auto member) -> std::string {
        const auto& value = request.*member;
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::string>) return value;
        if constexpr (std::is_same_v<Value, bool>) return value ? "true" : "false";
        if constexpr (std::is_same_v<Value, int>) return std::to_string(value);
        if constexpr (std::is_same_v<Value, std::optional<std::string>>) return value.value_or("");
        if constexpr (std::is_same_v<Value, std::optional<int>>) {
          return value ? std::to_string(*value) : "";
        }
        return "";
      },
      option.member);
}

Status set_value(const RunOption& option, const std::string& value, RunRequest& request) {
  return std::visit(
      [&](auto member) -> Status {
        using Value = std::decay_t<decltype(request.*member)>;
        if constexpr (std::is_same_v<Value, bool>) {
          if (value != "true" && value != "false") return usage_error("write true or false");
          request.*member = value == "true";
        } else if constexpr (std::is_same_v<Value, int> ||
                             std::is_same_v<Value, std::optional<int>>) {
          if (value == value_text(option, RunRequest())) return base::Ok{};
          int number = 0;
          const char* end = value.data() + value.size();
          const auto [rest, failure] = std::from_chars(value.data(), end, number);
          if (failure != std::errc() || rest != end) return usage_error("write a number");
          if (Status s = check_number(option, number); !s) return s;
          request.*member = number;
        } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
          if (!value.empty()) (request.*member).push_back(value);
        } else {
          const bool is_default = value == value_text(option, RunRequest());
          if (Status s = is_default ? base::Ok{} : check_text(option, value, Also::kNone); !s)
            return s;
          request.*member = value;
        }
        return base::Ok{};
      },
      option.member);
}

bool is_stricter(const RunOption& option, std::string_view value, std::string_view than) {
  if (std::holds_alternative<bool RunRequest::*>(option.member)) {
    return value == "true" && than == "false";
  }
  if (option.form != Form::kDuration) return false;
  const auto duration = base::parse_duration(value), limit = base::parse_duration(than);
  return duration && (!limit || *duration < *limit);
}

void copy_value(const RunOption& option, const RunRequest& from, RunRequest& to) {
  std::visit([&](auto member) { to.*member = from.*member; }, option.member);
}

std::vector<std::string> command_words(const RunRequest& request,
                                       const std::set<std::string>& given,
                                       std::span<const std::string_view> without) {
  const RunRequest defaults;
  std::vector<std::string> words;
  for (const RunOption& option : run_options()) {
    const std::string name(long_name(option));
    if (std::ranges::find(without, name) != without.end()) continue;
    std::visit(
        [&](auto member) {
          const auto& value = request.*member;
          using Value = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
            for (const std::string& each : value) words.push_back(name + "=" + each);
          } else if constexpr (std::is_same_v<Value, bool>) {
            if (value != defaults.*member) words.push_back(name);
          } else if (value != defaults.*member || given.contains(name)) {
            words.push_back(name + "=" + value_text(option, request));
          }
        },
        option.member);
  }
  return words;
}

Status check_values(const RunRequest& request, Also command) {
  const RunRequest defaults;
  for (const RunOption& option : run_options()) {
    const Status checked = std::visit(
        [&](auto member) -> Status {
          const auto& value = request.*member;
          using Value = std::decay_t<decltype(value)>;
          if (value == defaults.*member) return base::Ok{};
          if constexpr (std::is_same_v<Value, std::string>) {
            return check_text(option, value, command);
          }
          if constexpr (std::is_same_v<Value, int>) return check_number(option, value);
          if constexpr (std::is_same_v<Value, std::optional<int>>) {
            return check_number(option, value.value_or(option.least));
          }
          return base::Ok{};
        },
        option.member);
    if (checked) continue;
    const bool is_number = !std::holds_alternative<std::string RunRequest::*>(option.member);
    return usage_error(std::string(long_name(option)) +
                       (is_number ? " " : " " + value_text(option, request) + ": ") +
                       checked.error().text);
  }
  return base::Ok{};
}

base::Result<int64_t> parse_bytes(std::string_view text) {
  constexpr std::string_view kUnits = "KMG";
  const base::Error error =
      usage_error("\"" + std::string(text) + "\" is not a size; write 64K, 256M or 2G");
  int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  if (failure != std::errc() || number <= 0 || unit.size() > 1) return error;
  if (unit.empty()) return number;
  const size_t power = kUnits.find(unit.front());
  if (power == std::string_view::npos) return error;
  const int64_t factor = int64_t{1} << (10 * (power + 1));
  if (number > std::numeric_limits<int64_t>::max() / factor) return error;
  return number * factor;
}

}  // namespace orch::options

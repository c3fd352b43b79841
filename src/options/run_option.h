#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "options/run_request.h"

namespace orch::options {

// The heading that an option stands under in a help text, in the order of that text.
enum class Group : uint8_t { kAgent, kEnd, kChecks, kRights, kSandbox, kSession, kOutput, kRecord };
std::string_view title(Group group);

// What the value of an option has to look like.
enum class Form : uint8_t {
  kText,      // anything
  kOneOf,     // one of the option's words
  kDuration,  // 90s, 10m; or one of the option's words
  kBytes,     // 64K, 256M
  kSize,      // COLSxROWS
};

// Who may set a default for an option, beside the command line of a run.
enum class Config : uint8_t {
  kNobody,
  kTrusted,  // configuration files and the environment; of a repository only a trusted file
  kAnyone,   // also a repository's file that nobody has looked at: the option can neither run nor
             // allow anything that would not be without it
};

// Commands other than `orch run` that have the option, too.
enum class Also : uint8_t { kNone, kAgain /* retry and continue */, kCrew /* crew up */, kBoth };

// One option of `orch run`: everything that is said of it is said here. The command line, the
// configuration, the record of a run and its replay, and the completion of words are made from it.
struct RunOption {
  // The member of RunRequest that has the value. A bool is set by the option, or cleared by one
  // whose name begins with --no-. A list takes one value each time that the option is given.
  using Member = std::variant<std::string RunRequest::*, std::optional<std::string> RunRequest::*,
                              int RunRequest::*, std::optional<int> RunRequest::*,
                              bool RunRequest::*, std::vector<std::string> RunRequest::*>;

  std::string_view name;  // "--timeout"; with its letter "-d,--detach"
  Group group = Group::kAgent;
  Member member;
  std::string_view help;
  Form form = Form::kText;
  // The words that are offered to complete a value, between blanks; {files} and {agents} stand for
  // the names of such.
  std::string_view words{};
  int least = 0;  // of a number
  const char* record =
      nullptr;  // its field in run.json; nullptr: it says nothing of the run itself
  Config config = Config::kNobody;
  Also also = Also::kNone;
};

// All of them, in the order of the help text.
std::span<const RunOption> run_options();
const RunOption* find_run_option(std::string_view name);  // "--timeout"; nullptr: there is none

std::string_view long_name(const RunOption& option);    // "--detach"
std::string_view config_name(const RunOption& option);  // "detach"; "bell" of --no-bell
bool stands_in(const RunOption& option, Also command);

// A value as one writes it: "true" and "false" of a bool, "" of what was not given. A list has
// none.
std::string value_text(const RunOption& option, const RunRequest& request);
// Sets an option to a value that is written so. An error says what to write instead, without naming
// the option.
base::Status set_value(const RunOption& option, const std::string& value, RunRequest& request);
void copy_value(const RunOption& option, const RunRequest& from, RunRequest& to);

// Whether every value has its form. An error names the option.
base::Status check_values(const RunRequest& request);

// "64K", "256M", "2G": bytes, from 1 on.
base::Result<int64_t> parse_bytes(std::string_view text);

// What run.json has of a request, and what is read of it there; see base/json_writer.h. The paths
// are told as store/path_text.h says. In a record `env` has the names of variables alone.
inline constexpr auto kRunRequestFields = [](auto& in, auto& request) {
  in.sparse("task", request.prompt);
  for (const RunOption& option : run_options()) {
    if (option.record == nullptr) continue;
    std::visit(
        [&](auto member) {
          using Value = std::decay_t<decltype(request.*member)>;
          if constexpr (std::is_arithmetic_v<Value>) {
            in.optional(option.record, request.*member);
          } else {
            in.sparse(option.record, request.*member);
          }
        },
        option.member);
  }
  in.sparse("command", request.command);
  in.sparse("folder", request.folder);
  in.sparse("resume", request.resume);
  in.optional("masked", request.masked);
};

}  // namespace orch::options

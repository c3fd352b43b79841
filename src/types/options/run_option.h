#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "options/run_request.h"

namespace orch::options {

// The headings of options in a help text, in their order there.
enum class Group : uint8_t {
  kTask,
  kAgent,
  kEnd,
  kChecks,
  kRights,
  kSandbox,
  kSession,
  kOutput,
  kRecord
};
std::string_view title(Group group);

// The form of an option's value.
enum class Form : uint8_t {
  kText,      // anything
  kOneOf,     // one of the option's words
  kDuration,  // 90s, 10m; or a word that the option lists
  kBytes,     // 64K, 256M
  kSize,      // COLSxROWS
};

// The places where a default for an option can be set.
enum class Config : uint8_t {
  kNobody,    // nowhere
  kTrusted,   // configuration files and the environment; a repository's file only if it is trusted
  kStricter,  // also in a repository's file that is not trusted, if that is stricter (is_stricter)
  kAnyone,    // also in a repository's file that is not trusted: it affects only what the user sees
};

// The commands other than `orch run` that have the option.
enum class Also : uint8_t { kNone, kAgain /* retry and continue */, kCrew /* crew up */, kBoth };

// One option of `orch run`, with its whole description. The command line, the configuration, the
// record of a run, its repetition (orch retry) and the completion of words are made of these.
struct RunOption {
  // The member of RunRequest that holds the value. A bool is set by the option, or cleared if the
  // option's name begins with --no-. A list gets one value each time that the option is given.
  using Member = std::variant<std::string RunRequest::*, std::optional<std::string> RunRequest::*,
                              int RunRequest::*, std::optional<int> RunRequest::*,
                              bool RunRequest::*, std::vector<std::string> RunRequest::*>;

  std::string_view name;  // "--timeout"; with a short form "-d,--detach"
  Group group = Group::kAgent;
  Member member;
  std::string_view help;
  std::string_view value{};  // a help text's name for the value; "": its words, or after its form
  Form form = Form::kText;
  // The words that complete a value, separated by blanks; {files} and {agents} stand for the names
  // of files and agents.
  std::string_view words{};
  int least = 0;  // the least number that is allowed
  // Its field in run.json; nullptr: not recorded, because it says nothing about the run itself.
  const char* record = nullptr;
  Config config = Config::kNobody;
  Also also = Also::kNone;
  // The text in `orch crew up --help` instead of `help`, and the words that a crew takes, if these
  // are fewer; "": the same as for `orch run`.
  std::string_view crew_help{};
  std::string_view crew_words{};
  bool common = false;  // one of the few usual ones, which the short help shows
};

// All options, in the order of the help text.
std::span<const RunOption> run_options();
const RunOption* find_run_option(std::string_view name);  // for "--timeout"; nullptr if unknown

std::string_view long_name(const RunOption& option);    // "--detach"
std::string_view config_name(const RunOption& option);  // "detach"; for --no-bell "bell"
bool stands_in(const RunOption& option, Also command);
// Its help text and its words in the commands of `command`; kNone is `orch run`.
std::string_view help_in(const RunOption& option, Also command);
std::string_view words_in(const RunOption& option, Also command);

// The value as the user would write it: "true" or "false" for a bool, "" if it was not given.
// Always "" for a list.
std::string value_text(const RunOption& option, const RunRequest& request);
// Sets an option to a value of that form. An error says what to write instead, without the name of
// the option.
base::Status set_value(const RunOption& option, const std::string& value, RunRequest& request);
// Whether `value` is stricter than `than`: a shorter duration, or a switch that is on instead of
// off. False for other forms, and for a value that is wrong. "" is the longest duration.
bool is_stricter(const RunOption& option, std::string_view value, std::string_view than);
void copy_value(const RunOption& option, const RunRequest& from, RunRequest& to);

// The command line that gives the request its values: a word for each option with another value
// than the default, or whose long name is in `given`, but for the names in `without`.
std::vector<std::string> command_words(const RunRequest& request,
                                       const std::set<std::string>& given,
                                       std::span<const std::string_view> without = {});

// Checks the form of every value that was given to `command`. An error names the option.
base::Status check_values(const RunRequest& request, Also command = Also::kNone);

// Parses a number of bytes, at least 1: "64K", "256M", "2G".
base::Result<int64_t> parse_bytes(std::string_view text);

// The fields of a request in run.json, for reading and writing; see base/json_writer.h. Paths are
// written as store/path_text.h says. In a record `env` has only the names of variables.
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

#include "report/junit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "report/html.h"

namespace orch::report {
namespace {

struct Case {
  std::string name;
  int64_t ms = 0;
  int code = 0;
  std::string kind;     // of what is wrong: "gate_failed"
  std::string message;  // one line
  std::string output;
};

constexpr size_t kMostCases = 1000, kMostOutput = 64 << 10, kMostName = 500;

// XML 1.0 has no place for U+FFFE and U+FFFF; all else that it refuses is replaced by escaped().
std::string in_xml(std::string_view text, size_t max_bytes) {
  std::string out = escaped(text, max_bytes);
  for (const std::string_view refused : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    for (size_t at = 0; (at = out.find(refused, at)) != std::string::npos;) {
      out.replace(at, refused.size(), "\xEF\xBF\xBD");
    }
  }
  return out;
}

std::string one_line(std::string_view text) {
  std::string out(text);
  std::ranges::replace(out, '\n', ' ');
  return out;
}

template <typename T>
T member(const base::Json& record, const char* name, T otherwise) {
  const auto found = record.find(name);
  if (found == record.end()) return otherwise;
  if constexpr (std::is_same_v<T, std::string>) {
    return found->is_string() ? found->get<std::string>() : otherwise;
  } else {
    return found->is_number_integer() ? found->get<T>() : otherwise;
  }
}

// "gate": a command that was run to see whether the work is good.
std::optional<Case> gate_of(std::string_view line) {
  constexpr size_t kMostLine = 1 << 20;
  if (line.size() > kMostLine || line.find("\"gate\"") == std::string_view::npos)
    return std::nullopt;
  const base::Json record = base::Json::parse(line, nullptr, false);
  if (!record.is_object() || member<std::string>(record, "event", "") != "gate")
    return std::nullopt;
  if (member<std::string>(record, "phase", "ended") != "ended") return std::nullopt;
  Case gate;
  gate.name = member<std::string>(record, "command", "gate");
  gate.ms = member<int64_t>(record, "duration_ms", 0);
  gate.code = member<int>(record, "code", 0);
  gate.kind = "gate_failed";
  gate.message = "exit code " + std::to_string(gate.code);
  gate.output = member<std::string>(record, "output", "");
  return gate;
}

// What is no verdict on the agent's work.
bool is_error(std::string_view reason) {
  constexpr std::array<std::string_view, 5> kErrors{"not_started", "internal", "usage", "not_found",
                                                    "not_executable"};
  return std::ranges::find(kErrors, reason) != kErrors.end();
}

std::string case_of(const Case& one, std::string_view suite) {
  std::string xml = fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n",
                                in_xml(suite, kMostName), in_xml(one_line(one.name), kMostName),
                                static_cast<double>(one.ms) / 1000);
  if (one.code != 0) {
    xml += fmt::format("    <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n",
                       is_error(one.kind) ? "error" : "failure", in_xml(one.kind, kMostName),
                       in_xml(one_line(one.message), kMostName), in_xml(one.output, kMostOutput));
  } else if (!one.output.empty()) {
    xml += "    <system-out>" + in_xml(one.output, kMostOutput) + "</system-out>\n";
  }
  return xml + "  </testcase>\n";
}

}  // namespace

std::string junit_of(const JunitRun& run) {
  std::vector<Case> cases{{"run", run.duration_ms, run.code, run.reason,
                           run.reason + (run.detail.empty() ? "" : ": " + run.detail), run.detail}};
  for (const std::string_view line : base::split_lines(run.events)) {
    if (cases.size() == kMostCases) break;
    if (std::optional<Case> gate = gate_of(line)) cases.push_back(*std::move(gate));
  }
  const auto wrong = [&](bool errors) {
    return std::ranges::count_if(
        cases, [&](const Case& one) { return one.code != 0 && is_error(one.kind) == errors; });
  };
  std::string xml = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\" "
      "time=\"{:.3f}\"{}>\n",
      in_xml(run.name, kMostName), cases.size(), wrong(false), wrong(true),
      static_cast<double>(run.duration_ms) / 1000,
      run.started.empty() ? "" : " timestamp=\"" + in_xml(run.started, kMostName) + "\"");
  for (const Case& one : cases) xml += case_of(one, run.name);
  return xml + "</testsuite>\n";
}

}  // namespace orch::report

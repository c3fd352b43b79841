#include "report/junit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"
#include "event/event.h"
#include "report/html.h"

namespace orch::report {
namespace {

struct Case {
  std::string name;
  int64_t ms = 0;
  bool wrong = false;
  std::string kind;     // of the failure: "gate_failed"
  std::string message;  // one line
  std::string output;
};

constexpr size_t kMostGates = 1000, kMostOutput = 64 << 10, kMostName = 500;

std::string one_line(std::string_view text) {
  std::string out(text);
  std::ranges::replace(out, '\n', ' ');
  return out;
}

// A gate that has ended, from its line in events.jsonl: a command that checked the work.
std::optional<Case> gate_of(std::string_view line) {
  constexpr size_t kMostLine = 1 << 20;
  if (line.size() > kMostLine || line.find("\"gate\"") == std::string_view::npos)
    return std::nullopt;
  const std::optional<event::Record> record = event::parse_record(line);
  const auto* gate = record ? std::get_if<event::Gate>(&record->event) : nullptr;
  if (gate == nullptr || !gate->ended) return std::nullopt;
  return Case{.name = gate->command,
              .ms = gate->ms,
              .wrong = gate->code != 0 || gate->timed_out,
              .kind = "gate_failed",
              .message = gate->timed_out ? "killed at its time limit"
                                         : "exit code " + std::to_string(gate->code),
              .output = gate->output};
}

// The agent may fix a gate's findings, and the gate runs again: its last run counts.
void take_gate(Case gate, std::vector<Case>& gates) {
  const auto before = std::ranges::find(gates, gate.name, &Case::name);
  if (before != gates.end()) {
    *before = std::move(gate);
  } else if (gates.size() < kMostGates) {
    gates.push_back(std::move(gate));
  }
}

// Whether this reason says nothing about the agent's work.
bool is_error(std::string_view reason) {
  constexpr std::array<std::string_view, 5> kErrors{"not_started", "internal", "usage", "not_found",
                                                    "not_executable"};
  return std::ranges::find(kErrors, reason) != kErrors.end();
}

std::string case_of(const Case& one, std::string_view suite) {
  std::string xml = fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n",
                                escaped(suite, kMostName), escaped(one_line(one.name), kMostName),
                                static_cast<double>(one.ms) / 1000);
  if (one.wrong) {
    xml += fmt::format("    <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n",
                       is_error(one.kind) ? "error" : "failure", escaped(one.kind, kMostName),
                       escaped(one_line(one.message), kMostName), escaped(one.output, kMostOutput));
  } else if (!one.output.empty()) {
    xml += "    <system-out>" + escaped(one.output, kMostOutput) + "</system-out>\n";
  }
  return xml + "  </testcase>\n";
}

}  // namespace

std::string junit_of(const JunitRun& run) {
  std::vector<Case> cases;
  for (const std::string_view line : base::split_lines(run.events)) {
    if (std::optional<Case> gate = gate_of(line)) take_gate(*std::move(gate), cases);
  }
  cases.insert(cases.begin(),
               Case{"run", run.duration_ms, run.code != 0, run.reason,
                    run.reason + (run.detail.empty() ? "" : ": " + run.detail), run.detail});
  const auto wrong = [&](bool errors) {
    return std::ranges::count_if(
        cases, [&](const Case& one) { return one.wrong && is_error(one.kind) == errors; });
  };
  std::string xml = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\" "
      "time=\"{:.3f}\"{}>\n",
      escaped(run.name, kMostName), cases.size(), wrong(false), wrong(true),
      static_cast<double>(run.duration_ms) / 1000,
      run.started.empty() ? "" : " timestamp=\"" + escaped(run.started, kMostName) + "\"");
  for (const Case& one : cases) xml += case_of(one, run.name);
  return xml + "</testsuite>\n";
}

}  // namespace orch::report

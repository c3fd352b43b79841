#include "demo/command_line.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/uuid.h"
#include "fmt/core.h"

namespace orch::demo {
namespace {

constexpr std::array<std::string_view, 9> kOptions{"scenario", "seed",    "speed",  "lines", "lag",
                                                   "log",      "session", "resume", "memory"};

std::string variable_of(std::string_view option) {
  std::string name = "ORCH_DEMO_";
  for (const char c : option) name += static_cast<char>(c - 'a' + 'A');
  return name;
}

template <typename Number>
bool read_number(const std::string& text, Number* out) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stopped != end || !(number >= 0)) return false;
  *out = number;
  return true;
}

base::Status set_option(CommandLine& line, std::string_view option, const std::string& value) {
  bool good = true;
  if (option == "scenario") {
    line.scenario = scenario_named(value);
    good = line.scenario != nullptr;
  } else if (option == "seed") {
    good = read_number(value, &line.pace.seed);
  } else if (option == "speed") {
    good = read_number(value, &line.pace.speed) && line.pace.speed <= 1000;
  } else if (option == "lines") {
    good = read_number(value, &line.pace.lines) && line.pace.lines <= 1'000'000;
  } else if (option == "lag") {
    good = read_number(value, &line.lag_ms) && line.lag_ms <= 60'000;
  } else if (option == "log") {
    line.log = value;
  } else if (option == "memory") {
    line.memory = value;
  } else {
    good = base::is_uuid(value);
    line.session = value;
    line.resumes = option == "resume";
  }
  if (good) return base::Ok{};
  return base::usage_error(fmt::format("demo-agent: no {} '{}' (see --help)", option, value));
}

}  // namespace

base::Result<CommandLine> parse_command_line(std::span<const std::string> args,
                                             const Environment& environment) {
  CommandLine line;
  line.scenario = scenario_named("default");
  if (const auto home = environment("HOME")) line.memory = *home + "/.cache/orch-demo";
  for (const std::string_view option : kOptions) {
    const std::optional<std::string> value = environment(variable_of(option));
    if (!value) continue;
    if (auto set = set_option(line, option, *value); !set) return set.error();
  }
  for (size_t i = 0; i < args.size(); i += 2) {
    if (args[i] == "--help") {
      line.scenario = nullptr;
      return line;
    }
    const std::string option = args[i].starts_with("--") ? args[i].substr(2) : "";
    if (std::find(kOptions.begin(), kOptions.end(), option) == kOptions.end()) {
      return base::usage_error(fmt::format("demo-agent: unknown argument '{}'", args[i]));
    }
    if (i + 1 == args.size()) {
      return base::usage_error(fmt::format("demo-agent: {} needs a value", args[i]));
    }
    if (auto set = set_option(line, option, args[i + 1]); !set) return set.error();
  }
  return line;
}

std::string help_text() {
  std::string text =
      "demo-agent [--scenario NAME] [--seed N] [--speed F] [--lines N] [--lag MS] [--log FILE]\n"
      "           [--session UUID | --resume UUID] [--memory FOLDER]\n\n";
  for (const Scenario& scenario : scenarios()) {
    text += fmt::format("  {:<16} {}\n", scenario.name, scenario.about);
  }
  return text;
}

}  // namespace orch::demo

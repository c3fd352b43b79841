#include "cli/run_option_words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <type_traits>
#include <variant>

namespace orch::cli {
namespace {

using options::RunOption;
using options::RunRequest;

constexpr std::string_view kJson = "--json";

CLI::Option* add_option(CLI::App& command, const RunOption& option, options::Also which,
                        RunRequest& request) {
  const std::string name(option.name), help(help_in(option, which));
  return std::visit(
      [&](auto member) -> CLI::Option* {
        auto& value = request.*member;
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, bool>) {
          return command.add_flag_callback(
              name, [&value, set = !value] { value = set; }, help);
        } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
          return command.add_option(name, value, help)->allow_extra_args(false);
        } else {
          CLI::Option* added = command.add_option(name, value, help);
          if constexpr (std::is_same_v<Value, std::string>) {
            if (!value.empty()) added->capture_default_str();
          }
          if constexpr (std::is_same_v<Value, int>) {
            if (value > 0) added->capture_default_str();
          }
          return added;
        }
      },
      option.member);
}

}  // namespace

void add_run_options(NewCommand& command, options::Also which, RunRequest& request,
                     std::span<const std::string_view> without) {
  for (const RunOption& option : options::run_options()) {
    if (std::find(without.begin(), without.end(), long_name(option)) != without.end()) continue;
    if (which != options::Also::kNone && !stands_in(option, which)) continue;
    CLI::Option* added = add_option(command.app(), option, which, request);
    if (which == options::Also::kNone) added->group(std::string(title(option.group)));
  }
}

void add_json_flag(NewCommand& command, options::RunRequest& request) {
  command.app().add_flag_callback(
      std::string(kJson), [&request] { request.output = "json"; }, "the same as --output json");
}

void hide_unusual_options(NewCommand& command) {
  for (const RunOption& option : options::run_options()) {
    CLI::Option* added = command.app().get_option_no_throw(std::string(long_name(option)));
    if (added != nullptr && !option.common) added->group("");
  }
}

std::vector<std::string> given_words(const CLI::App& command,
                                     std::span<const std::string_view> without) {
  std::vector<std::string> words;
  for (const RunOption& option : options::run_options()) {
    const std::string name(long_name(option));
    if (std::find(without.begin(), without.end(), name) != without.end()) continue;
    const CLI::Option* given = command.get_option_no_throw(name);
    if (given == nullptr || given->count() == 0) continue;
    if (std::holds_alternative<bool RunRequest::*>(option.member)) {
      words.push_back(name);
      continue;
    }
    for (const std::string& value : given->results()) words.push_back(name + "=" + value);
  }
  return words;
}

std::set<std::string> given_options(const CLI::App& command) {
  std::set<std::string> given;
  for (const RunOption& option : options::run_options()) {
    const std::string name(long_name(option));
    const CLI::Option* added = command.get_option_no_throw(name);
    if (added != nullptr && added->count() > 0) given.insert(name);
  }
  return given;
}

std::vector<std::string> words_after_prompt(const CLI::App& command,
                                            const std::vector<std::string>& issues) {
  std::vector<std::string> after;
  size_t issue = 0;
  bool is_after = false;
  for (const CLI::Option* option : command.parse_order()) {
    if (option->get_name(true) == "issue") {
      if (is_after && issue < issues.size()) after.push_back(issues[issue]);
      ++issue;
    } else {
      is_after = option->check_lname("prompt");
    }
  }
  return after;
}

ui::ColorChoice color_choice(std::string_view word) {
  if (word == "always") return ui::ColorChoice::kAlways;
  return word == "never" ? ui::ColorChoice::kNever : ui::ColorChoice::kAuto;
}

}  // namespace orch::cli

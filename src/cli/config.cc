#include "cli/config.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/duration.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/paths.h"
#include "cli/repository.h"
#include "manager/choice.h"

namespace orch::cli {
namespace {

using base::Json;
using base::Status;
using base::usage_error;

constexpr size_t kMaxFile = size_t{64} << 10;

Status one_of(const std::string& value, std::initializer_list<std::string_view> words) {
  if (std::find(words.begin(), words.end(), value) != words.end()) return base::Ok{};
  std::string text = "write ";
  for (const std::string_view word : words) {
    text += (text.ends_with(' ') ? "" : ", ") + std::string(word);
  }
  return usage_error(text);
}

template <std::string RunOptions::*Member>
Status take(const std::string& value, RunOptions& options) {
  options.*Member = value;
  return base::Ok{};
}

template <std::string RunOptions::*Member>
Status take_duration(const std::string& value, RunOptions& options) {
  if (value.empty()) return base::Ok{};
  if (const auto duration = base::parse_duration(value); !duration) return duration.error();
  return take<Member>(value, options);
}

Status take_manager(const std::string& value, RunOptions& options) {
  if (!manager::wish_named(value)) return one_of(value, {"auto", "native", "tmux", "zellij"});
  return take<&RunOptions::session_manager>(value, options);
}

Status take_size(const std::string& value, RunOptions& options) {
  if (value.empty()) return base::Ok{};
  if (const auto size = parse_size(value); !size) return size.error();
  return take<&RunOptions::size>(value, options);
}

Status take_on_limit(const std::string& value, RunOptions& options) {
  if (Status s = one_of(value, {"exit", "wait"}); !s) return s;
  return take<&RunOptions::on_limit>(value, options);
}

Status take_bell(const std::string& value, RunOptions& options) {
  if (Status s = one_of(value, {"true", "false"}); !s) return s;
  options.no_bell = value == "false";
  return base::Ok{};
}

Status take_color(const std::string& value, RunOptions& options) {
  if (Status s = one_of(value, {"auto", "always", "never"}); !s) return s;
  using ui::ColorChoice;
  options.color = value == "auto"     ? ColorChoice::kAuto
                  : value == "always" ? ColorChoice::kAlways
                                      : ColorChoice::kNever;
  return base::Ok{};
}

// Which agent runs, and which of its dialogs are answered, is not for a stranger to say.
constexpr std::array<ConfigKey, 10> kKeys{{
    {"session-manager", "native", true, "--session-manager", take_manager},
    {"agent", "", false, "--agent", take<&RunOptions::agent>},
    {"approve", "none", false, "--approve", take<&RunOptions::approve>},
    {"size", "", true, "--size", take_size},
    {"timeout", "", true, "--timeout", take_duration<&RunOptions::timeout>},
    {"idle-timeout", "", true, "--idle-timeout", take_duration<&RunOptions::idle_timeout>},
    {"on-limit", "exit", true, "--on-limit", take_on_limit},
    {"keep", "", true, "--keep", take_duration<&RunOptions::keep>},
    {"color", "auto", true, "--color", take_color},
    {"bell", "true", true, "--no-bell", take_bell},
}};

std::string variable_of(const ConfigKey& key) {
  std::string variable = "ORCH_";
  for (const char c : key.name) variable += c == '-' ? '_' : static_cast<char>(c - 'a' + 'A');
  return variable;
}

Setting& setting_of(Config& config, std::string_view key) {
  return *std::find_if(config.settings.begin(), config.settings.end(),
                       [key](const Setting& it) { return it.key->name == key; });
}

// Text as it is, true and false as words; nothing for what is neither.
std::optional<std::string> value_in(const Json& json) {
  if (json.is_boolean()) return json.get<bool>() ? "true" : "false";
  if (json.is_string()) return json.get<std::string>();
  return std::nullopt;
}

Status set(const std::string& value, Origin origin, const std::string& place, Setting& setting) {
  RunOptions nowhere;
  if (Status s = setting.key->apply(value, nowhere); !s) {
    return usage_error(place + ": " + std::string(setting.key->name) + ": " + s.error().text);
  }
  setting = {setting.key, value, origin, place};
  return base::Ok{};
}

void add_left_out(const std::string& file, const std::vector<std::string>& keys, Config& config) {
  if (keys.empty()) return;
  std::string line = file + " is not trusted, so this of it is left out:";
  for (const std::string& key : keys) line += " " + key;
  config.notes.push_back(line + "; look at it with: orch trust .orch/config.json");
}

}  // namespace

std::string_view name(Origin origin) {
  switch (origin) {
    case Origin::kDefault:
      return "default";
    case Origin::kUser:
      return "user";
    case Origin::kRepository:
      return "repository";
    case Origin::kEnvironment:
      return "environment";
  }
  return "";
}

std::span<const ConfigKey> config_keys() { return kKeys; }

Config built_in_config() {
  Config config;
  config.settings.reserve(kKeys.size());
  for (const ConfigKey& key : kKeys) {
    config.settings.push_back({&key, std::string(key.built_in), Origin::kDefault, ""});
  }
  return config;
}

Status read_config(std::string_view text, const std::string& file, Origin origin, Trusted trusted,
                   Config& config) {
  const Json json = text.size() > kMaxFile ? Json() : Json::parse(text, nullptr, false);
  if (!json.is_object()) return usage_error(file + ": is no JSON object of up to 64 KB");
  std::vector<std::string> left_out;
  for (const auto& [key, value] : json.items()) {
    const auto known = std::find_if(kKeys.begin(), kKeys.end(),
                                    [&key = key](const ConfigKey& it) { return it.name == key; });
    if (known == kKeys.end()) {
      config.notes.push_back(file + ": " + key + ": no such key; see orch config");
      continue;
    }
    if (trusted == Trusted::kNo && !known->harmless) {
      left_out.push_back(key);
      continue;
    }
    const std::optional<std::string> word = value_in(value);
    if (!word) return usage_error(file + ": " + key + ": write a text, true or false");
    if (Status s = set(*word, origin, file, setting_of(config, key)); !s) return s;
  }
  add_left_out(file, left_out, config);
  return base::Ok{};
}

base::Result<Config> load_config(const std::string& repository) {
  Config config = built_in_config();
  const std::string own = user_config();
  if (!regular_file(own).empty()) {
    const auto text = read_own_text(own);
    if (!text) return text.error();
    if (Status s = read_config(*text, own, Origin::kUser, Trusted::kYes, config); !s) {
      return s.error();
    }
  }
  const std::string relative = ".orch/config.json";
  const auto brought = read_brought(repository, relative);
  if (brought) {
    const Trusted trusted = read_trusted(repository, relative).ok() ? Trusted::kYes : Trusted::kNo;
    if (Status s = read_config(*brought, repository + "/" + relative, Origin::kRepository, trusted,
                               config);
        !s) {
      return s.error();
    }
  } else if (brought.error().code != base::ErrorCode::kNotFound) {
    config.notes.push_back(brought.error().text);
  }
  for (Setting& setting : config.settings) {
    const std::string variable = variable_of(*setting.key);
    const std::string value = environment(variable.c_str());
    if (value.empty()) continue;
    if (Status s = set(value, Origin::kEnvironment, "$" + variable, setting); !s) return s.error();
  }
  return config;
}

void apply(const Config& config, const std::set<std::string>& given, RunOptions& options) {
  for (const Setting& setting : config.settings) {
    if (given.contains(std::string(setting.key->option))) continue;
    if (setting.origin == Origin::kDefault) continue;
    (void)setting.key->apply(setting.value, options);  // it was looked at when it was read
  }
}

}  // namespace orch::cli

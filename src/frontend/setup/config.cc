#include "setup/config.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/json.h"
#include "base/name.h"
#include "base/text.h"
#include "setup/paths.h"
#include "setup/repository.h"
#include "store/output.h"

namespace orch::setup {
namespace {

using base::Json;
using base::Result;
using base::Status;
using base::usage_error;
using options::RunOption;

constexpr size_t kMaxFile = size_t{64} << 10;

std::string variable_of(const RunOption& option) {
  std::string variable = "ORCH_";
  for (const char c : options::config_name(option))
    variable += c == '-' ? '_' : static_cast<char>(c - 'a' + 'A');
  return variable;
}

std::vector<Setting>::iterator setting_of(Config& config, std::string_view key) {
  return std::find_if(config.settings.begin(), config.settings.end(),
                      [key](const Setting& it) { return options::config_name(*it.option) == key; });
}

// The text of a value: a string as it is, true, false and whole numbers as written; nullopt for
// other types.
std::optional<std::string> value_in(const Json& json) {
  if (json.is_boolean()) return json.get<bool>() ? "true" : "false";
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_integer()) return std::to_string(json.get<int64_t>());
  return std::nullopt;
}

Status set(const std::string& value, Origin origin, const std::string& place, Setting& setting) {
  options::RunRequest nowhere;
  if (Status s = options::set_value(*setting.option, value, nowhere); !s) {
    return usage_error(place + ": " + std::string(options::config_name(*setting.option)) + ": " +
                       s.error().text);
  }
  setting = {setting.option, value, origin, place};
  return base::Ok{};
}

// Whether a file that is not trusted may change the setting to this value.
bool anyone_may_set(const Setting& setting, const std::string& value) {
  switch (setting.option->config) {
    case options::Config::kNobody:
    case options::Config::kTrusted:
      return false;
    case options::Config::kStricter:
      return value == setting.value || options::is_stricter(*setting.option, value, setting.value);
    case options::Config::kAnyone:
      return true;
  }
  return false;
}

void add_left_out(const std::string& file, Origin origin, const std::vector<std::string>& keys,
                  Config& config) {
  if (keys.empty()) return;
  const bool is_own = origin == Origin::kUser;
  std::string line = is_own ? why_not_own(file) : file + " is not trusted";
  line += ", so this of it is left out:";
  for (const std::string& key : keys) line += " " + key;
  config.notes.push_back(
      line + (is_own ? "; keep it elsewhere" : "; look at it with: orch trust .orch/config.json"));
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

std::vector<const RunOption*> config_keys() {
  std::vector<const RunOption*> keys;
  for (const RunOption& option : options::run_options()) {
    if (option.config != options::Config::kNobody) keys.push_back(&option);
  }
  return keys;
}

Config built_in_config() {
  Config config;
  for (const RunOption* option : config_keys()) {
    config.settings.push_back(
        {option, options::value_text(*option, options::RunRequest()), Origin::kDefault, ""});
  }
  return config;
}

Status read_config(std::string_view text, const std::string& file, Origin origin, Trusted trusted,
                   Config& config) {
  const Json json = text.size() > kMaxFile ? Json() : base::parse_json(text);
  if (!json.is_object()) return usage_error(file + ": is no JSON object of up to 64 KB");
  std::vector<std::string> left_out;
  for (const auto& [key, value] : json.items()) {
    const auto setting = setting_of(config, key);
    if (setting == config.settings.end()) {
      std::vector<std::string_view> known;
      for (const Setting& it : config.settings) known.push_back(options::config_name(*it.option));
      config.notes.push_back(file + ": " + key + ": no such key; see orch config" +
                             base::did_you_mean(key, known));
      continue;
    }
    const std::optional<std::string> word = value_in(value);
    if (trusted == Trusted::kNo && !anyone_may_set(*setting, word.value_or(""))) {
      left_out.push_back(key);
      continue;
    }
    if (!word)
      return usage_error(file + ": " + key + ": write a text, a whole number, true or false");
    if (Status s = set(*word, origin, file, *setting); !s) return s;
  }
  add_left_out(file, origin, left_out, config);
  return base::Ok{};
}

std::string config_schema() {
  base::Json properties;
  for (const RunOption* option : config_keys()) {
    base::Json value;
    value["description"] = std::string(option->help);
    const bool is_switch = std::holds_alternative<bool options::RunRequest::*>(option->member);
    if (is_switch) {
      value["type"] = "boolean";
      value["default"] = options::value_text(*option, options::RunRequest()) == "true";
    } else if (option->form == options::Form::kOneOf) {
      for (const std::string_view word : base::split_at_blanks(option->words)) {
        value["enum"].push_back(std::string(word));
      }
    } else {
      value["type"] = "string";
    }
    properties[std::string(options::config_name(*option))] = std::move(value);
  }
  base::Json schema;
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "orch's configuration";
  schema["description"] =
      "$XDG_CONFIG_HOME/orch/config.json or .orch/config.json of a repository: what holds for "
      "orch run when no option says otherwise.";
  schema["type"] = "object";
  schema["additionalProperties"] = false;
  schema["properties"] = std::move(properties);
  return base::json_text(schema);
}

base::Result<Config> load_config(const std::string& repository) {
  Config config = built_in_config();
  const std::string own = user_config();
  if (may_be_there(own)) {
    const auto text = read_own_text(own);
    if (!text) return text.error();
    const Trusted trusted = why_not_own(own).empty() ? Trusted::kYes : Trusted::kNo;
    if (Status s = read_config(*text, own, Origin::kUser, trusted, config); !s) {
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
    const std::string variable = variable_of(*setting.option);
    const std::string value = environment(variable.c_str());
    if (value.empty()) continue;
    if (Status s = set(value, Origin::kEnvironment, "$" + variable, setting); !s) return s.error();
  }
  return config;
}

Result<std::string> change_own_config(const std::string& key,
                                      const std::optional<std::string>& value) {
  const std::string file = user_config();
  Config known = built_in_config();
  const auto setting = setting_of(known, key);
  if (setting == known.settings.end()) {
    std::vector<std::string_view> keys;
    for (const Setting& it : known.settings) keys.push_back(options::config_name(*it.option));
    return usage_error(key + ": no such key; see orch config" + base::did_you_mean(key, keys));
  }
  if (value) {
    if (Status s = set(*value, Origin::kUser, file, *setting); !s) return s.error();
  }
  Json json = Json::object();
  // A link whose target is missing is written through.
  if (std::error_code failure;
      std::filesystem::status(file, failure).type() != std::filesystem::file_type::not_found) {
    const Result<std::string> text = read_own_text(file);
    if (!text) return text.error();
    json = base::parse_json(*text);
    if (!json.is_object()) return usage_error(file + ": is not a JSON object");
  }
  const bool is_flag = value == "true" || value == "false";
  if (!value) {
    json.erase(key);
  } else if (is_flag) {
    json[key] = *value == "true";
  } else {
    json[key] = *value;
  }
  std::error_code failure;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), failure);
  // The folder of a link's target is another one.
  const std::string folder =
      std::filesystem::weakly_canonical(file, failure).parent_path().string();
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    return usage_error("cannot write to " + base::printable(folder) + ": " +
                       std::generic_category().message(errno) +
                       "; make it writable, or name another folder in XDG_CONFIG_HOME");
  }
  if (Status s = store::write_output(file, base::json_text(json)); !s) return s.error();
  return file;
}

void apply(const Config& config, const std::set<std::string>& given, options::RunRequest& request) {
  for (const Setting& setting : config.settings) {
    if (given.contains(std::string(options::long_name(*setting.option)))) continue;
    if (setting.origin == Origin::kDefault) continue;
    (void)options::set_value(*setting.option, setting.value, request);  // it was checked when read
  }
}

}  // namespace orch::setup

#include "setup/config.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "base/author.h"
#include "base/json.h"
#include "fence/work_places.h"
#include "scene.h"
#include "setup/own_programs.h"

using namespace orch;
using namespace orch::setup;

namespace {

std::string value_of(const Config& config, std::string_view key) {
  for (const Setting& setting : config.settings) {
    if (options::config_name(*setting.option) == key)
      return setting.value + " " + std::string(name(setting.origin));
  }
  return "no such key";
}

base::Status read(Config& config, std::string_view text, Trusted trusted = Trusted::kYes) {
  const Origin origin = trusted == Trusted::kYes ? Origin::kUser : Origin::kRepository;
  return read_config(text, "/x/config.json", origin, trusted, config);
}

}  // namespace

TEST_CASE("every key has a built-in value that holds") {
  const Config config = built_in_config();
  REQUIRE(config.settings.size() == config_keys().size());
  for (const Setting& setting : config.settings) {
    INFO(options::config_name(*setting.option));
    options::RunRequest request;
    CHECK(options::set_value(*setting.option, setting.value, request).ok());
    CHECK(request == options::RunRequest());
    CHECK(setting.origin == Origin::kDefault);
  }
  CHECK(value_of(config, "session-manager") == "native default");
}

TEST_CASE("a configuration sets what it names, and options go before it") {
  Config config = built_in_config();
  REQUIRE(read(config, R"({"session-manager": "tmux", "size": "100x30", "bell": false,
                           "timeout": "2h"})"));
  CHECK(value_of(config, "session-manager") == "tmux user");
  CHECK(value_of(config, "agent") == " default");
  options::RunRequest request;
  request.size = "80x24";
  apply(config, {"--size"}, request);
  CHECK(request.size == "80x24");
  CHECK(request.session_manager == "tmux");
  CHECK(!request.bell);
  CHECK(request.timeout == "2h");
  CHECK(request.approve == "none");
}

TEST_CASE("a wrong value is an error that names file and key") {
  for (const char* text :
       {R"({"size": "big"})", R"({"session-manager": "screen"})", R"({"timeout": "soon"})",
        R"({"bell": "loud"})", R"({"keep": 3})", R"({"color": []})", R"({"on-limit": "cry"})"}) {
    INFO(text);
    Config config = built_in_config();
    const base::Status status = read(config, text);
    REQUIRE_FALSE(status.ok());
    const std::string key = std::string(text).substr(2, std::string(text).find(':') - 3);
    CHECK(status.error().text.starts_with("/x/config.json: " + key + ": "));
  }
  for (const char* text : {"", "[]", "{", "nonsense"}) {
    Config config = built_in_config();
    const base::Status status = read(config, text);
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().text.starts_with("/x/config.json: "));
  }
}

TEST_CASE("an unknown key is one line that names file and key") {
  Config config = built_in_config();
  REQUIRE(read(config, R"({"sesion-manager": "tmux", "keep": "2d"})"));
  CHECK(config.notes.size() == 1);
  CHECK(config.notes[0].starts_with("/x/config.json: sesion-manager: "));
  CHECK(value_of(config, "keep") == "2d user");
}

TEST_CASE("a repository that is not trusted sets only what affects the display") {
  const char* text = R"({"agent": "codex", "approve": "all", "keep": "2d", "size": "90x30",
                         "session-manager": "tmux", "on-limit": "wait", "shared-folder": true})";
  Config stranger = built_in_config();
  REQUIRE(read(stranger, text, Trusted::kNo));
  CHECK(value_of(stranger, "agent") == " default");
  CHECK(value_of(stranger, "approve") == "none default");
  CHECK(value_of(stranger, "keep") == " default");
  CHECK(value_of(stranger, "session-manager") == "native default");
  CHECK(value_of(stranger, "size") == "90x30 repository");
  REQUIRE(stranger.notes.size() == 1);
  CHECK(stranger.notes[0].find(
            "left out: agent approve keep session-manager on-limit shared-folder;") !=
        std::string::npos);
  Config known = built_in_config();
  REQUIRE(read(known, text));
  CHECK(value_of(known, "approve") == "all user");
  CHECK(known.notes.empty());
}

TEST_CASE("a repository that is not trusted makes a run stricter, and never less strict") {
  const char* own = R"({"timeout": "1h", "idle-timeout": "5m", "check-calls": true})";
  Config config = built_in_config();
  REQUIRE(read(config, own));
  REQUIRE(read(config, R"({"timeout": "999h", "idle-timeout": "6m", "check-calls": false})",
               Trusted::kNo));
  CHECK(value_of(config, "timeout") == "1h user");
  CHECK(value_of(config, "idle-timeout") == "5m user");
  CHECK(value_of(config, "check-calls") == "true user");
  REQUIRE(config.notes.size() == 1);
  CHECK(config.notes[0].find("left out: timeout idle-timeout check-calls;") != std::string::npos);
  REQUIRE(read(config, R"({"timeout": "59m", "idle-timeout": "90s"})", Trusted::kNo));
  CHECK(value_of(config, "timeout") == "59m repository");
  CHECK(value_of(config, "idle-timeout") == "90s repository");
  for (const char* wrong : {R"({"timeout": ""})", R"({"timeout": "0s"})", R"({"timeout": "x"})"}) {
    REQUIRE(read(config, wrong, Trusted::kNo));
    CHECK(value_of(config, "timeout") == "59m repository");
  }
  Config empty = built_in_config();
  REQUIRE(read(empty, own, Trusted::kNo));
  CHECK(value_of(empty, "timeout") == "1h repository");
  CHECK(value_of(empty, "check-calls") == "true repository");
  CHECK(empty.notes.empty());
}

TEST_CASE("of the user's own configuration only limits count where an agent has worked") {
  Scene scene;
  scene.set("XDG_STATE_HOME", scene.file("state"));
  guard_own_programs();
  scene.write("dotfiles/orch/config.json",
              R"({"agent": "demo", "approve": "all", "timeout": "1h", "check-calls": true})");
  std::filesystem::create_directories(scene.file("home/.config"));
  std::filesystem::create_directory_symlink(scene.file("dotfiles/orch"),
                                            scene.file("home/.config/orch"));
  const base::Result<Config> before = load_config(scene.repository());
  REQUIRE(before);
  CHECK(value_of(*before, "approve") == "all user");
  REQUIRE(fence::WorkPlaces(scene.file("state/orch")).remember(scene.file("dotfiles")));
  const base::Result<Config> after = load_config(scene.repository());
  REQUIRE(after);
  CHECK(value_of(*after, "agent") == " default");
  CHECK(value_of(*after, "approve") == "none default");
  CHECK(value_of(*after, "timeout") == "1h user");
  CHECK(value_of(*after, "check-calls") == "true user");
  CHECK(after->notes ==
        std::vector<std::string>{
            scene.file("home/.config/orch/config.json") + " lies in " + scene.file("dotfiles") +
            ", where agents have worked, so this of it is left out: agent approve; "
            "keep it elsewhere"});
  base::know_nothing();
}

TEST_CASE("the schema of a configuration file has every key, and no other is allowed") {
  const base::Json schema = base::Json::parse(config_schema());
  CHECK(schema.at("additionalProperties") == false);
  const base::Json& properties = schema.at("properties");
  CHECK(properties.size() == config_keys().size());
  for (const options::RunOption* option : config_keys()) {
    CHECK(properties.contains(std::string(options::config_name(*option))));
  }
  CHECK(properties.at("bell").at("type") == "boolean");
  CHECK(properties.at("bell").at("default") == true);
  CHECK(properties.at("session-manager").at("enum").size() == 4);
}

TEST_CASE("the user's own configuration is written through the user's own link") {
  Scene scene;
  scene.set("XDG_CONFIG_HOME", scene.file("config"));
  base::know_nothing();
  const std::string target = scene.write("dotfiles/c.json", "{\"agent\": \"demo\"}");
  std::filesystem::create_directories(scene.file("config/orch"));
  const std::string file = scene.file("config/orch/config.json");
  std::filesystem::create_symlink(target, file);
  SECTION("to a file") {}
  SECTION("to a place without one") { std::filesystem::remove(target); }
  SECTION("but not through another's") {
    base::know_folder_of_agents(scene.file("config"));
    const auto refused = change_own_config("timeout", "2h");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == base::ErrorCode::kUsage);
    CHECK(refused.error().text.find("is a link") != std::string::npos);
    base::know_nothing();
    return;
  }
  REQUIRE(change_own_config("timeout", "2h"));
  CHECK(std::filesystem::is_symlink(file));
  const auto config = load_config(scene.repository());
  REQUIRE(config);
  CHECK(value_of(*config, "timeout") == "2h user");
  CHECK(std::filesystem::is_regular_file(target));
}

TEST_CASE("a configuration that cannot be read or written is refused, with its name") {
  Scene scene;
  scene.set("XDG_CONFIG_HOME", scene.file("config"));
  const std::string file = scene.file("config/orch/config.json");
  std::filesystem::create_directories(scene.file("config/orch"));
  SECTION("a folder") { std::filesystem::create_directory(file); }
  SECTION("a pipe") { REQUIRE(::mkfifo(file.c_str(), 0600) == 0); }
  SECTION("a link to nothing") { std::filesystem::create_symlink("nowhere", file); }
  const auto config = load_config(scene.repository());
  REQUIRE_FALSE(config);
  CHECK(config.error().code == base::ErrorCode::kUsage);
  CHECK(config.error().text.find(file) != std::string::npos);
}

TEST_CASE("a folder of the configuration that cannot be written to is named, with a remedy") {
  Scene scene;
  std::string folder = scene.file("config/orch");
  scene.set("XDG_CONFIG_HOME", scene.file("config"));
  if (::geteuid() == 0) {  // root may write to every folder, but not below a file
    scene.write("config", "");
    folder = scene.file("config");
  } else {
    std::filesystem::create_directories(folder);
    std::filesystem::permissions(folder, std::filesystem::perms::owner_read);
  }
  const auto changed = change_own_config("timeout", "2h");
  REQUIRE_FALSE(changed);
  CHECK(changed.error().code == base::ErrorCode::kUsage);
  CHECK(changed.error().text.find(folder) != std::string::npos);
  CHECK(changed.error().text.find("XDG_CONFIG_HOME") != std::string::npos);
}

#include "scene.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;

namespace {

void assign(const std::string& variable, const std::optional<std::string>& value) {
  if (value) {
    ::setenv(variable.c_str(), value->c_str(), 1);
  } else {
    ::unsetenv(variable.c_str());
  }
}

}  // namespace

Scene::Scene() : path_((fs::temp_directory_path() / "orch-cli-XXXXXX").string()) {
  REQUIRE(::mkdtemp(path_.data()) != nullptr);
  path_ = fs::canonical(path_).string();
  for (const char* folder : {"repository/.git", "home", "bin"})
    fs::create_directories(file(folder));
  set("HOME", file("home"));
  set("PATH", file("bin"));
  for (const char* name :
       {"ORCH_STATE_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"}) {
    set(name, {});
  }
}

Scene::~Scene() {
  for (const auto& [variable, value] : before_) assign(variable, value);
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string Scene::write(std::string_view name, std::string_view text) const {
  const std::string path = file(name);
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream out(path, std::ios::binary);
  out << text;
  REQUIRE(out.flush());
  return path;
}

std::string Scene::write_program(std::string_view name) const {
  const std::string path = write(name, "#!/bin/sh\n");
  REQUIRE(::chmod(path.c_str(), 0755) == 0);
  return path;
}

void Scene::set(const std::string& variable, const std::optional<std::string>& value) {
  const char* old = std::getenv(variable.c_str());
  before_.try_emplace(variable, old == nullptr ? std::nullopt : std::optional<std::string>(old));
  assign(variable, value);
}

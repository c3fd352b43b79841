#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

// A folder of one test with a repository and a home in it, and an environment that names nothing
// else. Removed, and the environment restored, at its end.
class Scene {
 public:
  Scene();
  ~Scene();
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  std::string repository() const { return file("repository"); }
  // Writes a file, with the folders above it; returns its path.
  std::string write(std::string_view name, std::string_view text) const;
  std::string write_program(std::string_view name) const;  // one that can be executed
  void set(const std::string& variable, const std::optional<std::string>& value);

 private:
  std::string path_;
  std::map<std::string, std::optional<std::string>> before_;  // the environment
};

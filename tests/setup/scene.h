#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

// The folder of one test, with a repository and a home, and an environment that refers to nothing
// else. The destructor removes it and restores the environment.
class Scene {
 public:
  Scene();
  ~Scene();
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  std::string repository() const { return file("repository"); }
  // Writes a file, and creates the folders above it; returns its path.
  std::string write(std::string_view name, std::string_view text) const;
  std::string write_program(std::string_view name) const;  // writes an executable
  void set(const std::string& variable, const std::optional<std::string>& value);

 private:
  std::string path_;
  // The variables' values before the test.
  std::map<std::string, std::optional<std::string>> before_;
};

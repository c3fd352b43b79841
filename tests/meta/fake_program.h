#pragma once

#include <stdlib.h>  // mkdtemp
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace orch::meta {

// A folder with scripts as programs, which comes first on the PATH, before /usr/bin and /bin.
class FakePrograms {
 public:
  FakePrograms() {
    std::string path = "/tmp/orch-fakes-XXXXXX";
    REQUIRE(::mkdtemp(path.data()) != nullptr);
    folder_ = path;
    std::filesystem::create_directory(folder_ + "/work");
  }
  ~FakePrograms() { std::filesystem::remove_all(folder_); }
  FakePrograms(const FakePrograms&) = delete;
  FakePrograms& operator=(const FakePrograms&) = delete;

  void add(const std::string& name, const std::string& body) const {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << "#!/bin/sh\n" << body;
    REQUIRE(::chmod(path.c_str(), 0755) == 0);
  }
  std::string file(const std::string& name) const { return folder_ + "/" + name; }
  std::string text(const std::string& name) const {
    std::ifstream in(file(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string work() const { return folder_ + "/work"; }
  std::map<std::string, std::string> variables() const {
    return {{"PATH", folder_ + ":/usr/bin:/bin"}, {"HOME", folder_}, {"HERE", folder_}};
  }

 private:
  std::string folder_;
};

}  // namespace orch::meta

#include "pty/program.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/fd.h"
#include "recorder.h"

using orch::base::ErrorCode;
using orch::pty::errno_text;
using orch::pty::exec_error;
using orch::pty::find_program;
namespace fs = std::filesystem;

namespace {

// A folder with good/tool (executable), plain/tool (not executable) and dirs/tool/ (a folder).
class Programs {
 public:
  Programs() {
    std::string name = (fs::temp_directory_path() / "orch-test-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    root = name;
    write("good/tool", "#!/bin/sh\n", 0755);
    write("plain/tool", "#!/bin/sh\n", 0644);
    fs::create_directories(root / "dirs/tool");
  }
  ~Programs() { fs::remove_all(root); }

  void write(const std::string& file, const std::string& content, mode_t mode) const {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << content;
    REQUIRE(::chmod((root / file).c_str(), mode) == 0);
  }
  std::string at(const std::string& file) const { return (root / file).string(); }

  fs::path root;
};

}  // namespace

TEST_CASE("a bare name is looked for along the path, past what cannot be executed") {
  const Programs programs;
  const std::string path =
      programs.at("none") + ":" + programs.at("plain") + ":" + programs.at("dirs");
  CHECK(find_program("tool", path + ":" + programs.at("good")).value() == programs.at("good/tool"));
  const auto denied = find_program("tool", path);
  REQUIRE_FALSE(denied);
  CHECK(denied.error().code == ErrorCode::kNotExecutable);
  CHECK(denied.error().text == "tool: " + errno_text(EACCES));
  const auto absent = find_program("tool", programs.at("none") + ":" + programs.at("dirs"));
  REQUIRE_FALSE(absent);
  CHECK(absent.error().code == ErrorCode::kNotFound);
  CHECK(absent.error().text == "tool: " + errno_text(ENOENT));
}

TEST_CASE("a name with a slash is not looked for") {
  const Programs programs;
  CHECK(find_program(programs.at("good/tool"), "").value() == programs.at("good/tool"));
  const auto folder = find_program(programs.at("dirs/tool"), "/bin");
  REQUIRE_FALSE(folder);
  CHECK(folder.error().code == ErrorCode::kNotExecutable);
  CHECK(folder.error().text == programs.at("dirs/tool") + ": " + errno_text(EISDIR));
  const auto absent = find_program("/bin/no/such/thing", "/bin");
  REQUIRE_FALSE(absent);
  CHECK(absent.error().code == ErrorCode::kNotFound);
}

TEST_CASE("relative names and empty path entries start from the directory given") {
  const Programs programs;
  const orch::base::Fd good(::open(programs.at("good").c_str(), O_PATH | O_CLOEXEC));
  const orch::base::Fd root(::open(programs.root.c_str(), O_PATH | O_CLOEXEC));
  CHECK(find_program("./tool", "", good.get()).value() == "./tool");
  CHECK(find_program("tool", "/bin:", good.get()).value() == "./tool");
  CHECK(find_program("tool", "plain:good", root.get()).value() == "good/tool");
  CHECK_FALSE(find_program("tool", "/bin", good.get()));
}

TEST_CASE("names that can be no file are not found") {
  CHECK(find_program("", "/bin").error().code == ErrorCode::kNotFound);
  CHECK(find_program(std::string(5000, 'x'), "/bin").error().code == ErrorCode::kNotFound);
  CHECK(find_program("\033[2Jx", "/bin").error().text == "\xEF\xBF\xBD[2Jx: " + errno_text(ENOENT));
}

TEST_CASE("an exec that misses the interpreter of a script names it") {
  const Programs programs;
  programs.write("script", "#! /no/such/python -u\n", 0755);
  programs.write("dos", "#!/bin/sh\r\n", 0755);
  programs.write("binary",
                 "\x7f"
                 "ELF",
                 0755);
  const auto error = [&](const std::string& file, int errno_value) {
    return exec_error("tool", programs.at(file), AT_FDCWD, errno_value);
  };
  CHECK(error("script", ENOENT).code == ErrorCode::kNotFound);
  CHECK(error("script", ENOENT).text == "tool: interpreter /no/such/python: " + errno_text(ENOENT));
  CHECK(error("dos", ENOENT).text ==
        "tool: interpreter /bin/sh\xEF\xBF\xBD: " + errno_text(ENOENT));
  CHECK(error("binary", ENOENT).text == "tool: its interpreter or loader: " + errno_text(ENOENT));
  CHECK(error("absent", ENOENT).text == "tool: " + errno_text(ENOENT));
  CHECK(error("script", ENOEXEC).code == ErrorCode::kNotExecutable);
  CHECK(error("script", E2BIG).code == ErrorCode::kSystem);
}

#include "sandbox/program_files.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

namespace orch::sandbox {
namespace {

namespace fs = std::filesystem;

// As a container would have it: the files at their places below a folder.
TEST_CASE("this program runs with its libraries alone, wherever they are put") {
  const ProgramFiles files = own_program_files();
  std::string root = (fs::temp_directory_path() / "orch-files-XXXXXX").string();
  REQUIRE(::mkdtemp(root.data()) != nullptr);
  for (const Mount& mount : files.mounts) {
    INFO(mount.source);
    CHECK(mount.read_only);
    CHECK(mount.target.starts_with(kProgramFolder));
    CHECK(fs::is_regular_file(fs::symlink_status(mount.source)));
    fs::create_directories(fs::path(root + mount.target).parent_path());
    fs::create_symlink(mount.source, root + mount.target);
  }
  std::string command = "env -i";
  for (const std::string& word : files.words) {
    command += " '" + (word.starts_with('/') ? root + word : word) + "'";
  }
  // NOLINTNEXTLINE(cert-env33-c,concurrency-mt-unsafe)
  CHECK(std::system((command + " --help > /dev/null").c_str()) == 0);
  fs::remove_all(root);
}

}  // namespace
}  // namespace orch::sandbox

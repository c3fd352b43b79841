#include "store/crew_folder.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <string>

#include "base/text.h"
#include "scratch.h"

using namespace orch::store;
using Missing = CrewFolder::Missing;

namespace fs = std::filesystem;

namespace {

constexpr size_t kMost = size_t{8} << 20;

CrewFolder folder_in(const std::string& project) {
  auto folder = CrewFolder::open(project, Missing::kIsCreated);
  REQUIRE(folder);
  return std::move(folder).value();
}

}  // namespace

TEST_CASE("two writers to one inbox lose nothing and tear nothing") {
  constexpr int kWriters = 2, kEntries = 1000;
  const ScratchFolder scratch;
  const CrewFolder folder = folder_in(scratch.path());
  pid_t children[kWriters];
  for (int writer = 0; writer < kWriters; ++writer) {
    children[writer] = ::fork();
    if (children[writer] != 0) continue;
    const auto own = CrewFolder::open(scratch.path(), Missing::kIsError);
    bool good = static_cast<bool>(own);
    for (int i = 0; good && i < kEntries; ++i) {
      const std::string text = "w" + std::to_string(writer) + "-" + std::to_string(i);
      good = static_cast<bool>(
          own->append_to_inbox("a", "## " + text + "\n\n> " + text + "\n\n", kMost, 60'000));
    }
    ::_exit(good ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  const auto inbox = folder.read_inbox("a");
  REQUIRE(inbox);
  const auto lines = orch::base::split_lines(*inbox);
  REQUIRE(lines.size() == size_t{4} * kWriters * kEntries);
  std::set<std::string> entries;
  for (size_t i = 0; i < lines.size(); i += 4) {
    CHECK(lines[i].substr(2) == lines[i + 2].substr(1));
    entries.emplace(lines[i]);
  }
  CHECK(entries.size() == size_t{kWriters} * kEntries);
  for (const auto& entry : fs::directory_iterator(scratch.path() + "/.crew/inbox")) {
    const std::string name = entry.path().filename();
    CHECK((name == "a.md" || name == ".a.lock"));
  }
}

TEST_CASE("mail for which there is no room leaves the mail before it, and nothing else") {
  const ScratchFolder scratch;
  const CrewFolder folder = folder_in(scratch.path());
  const std::string before(3000, 'a');
  REQUIRE(folder.append_to_inbox("a", before, kMost, 10));
  REQUIRE(folder.write_state("{}"));
  {
    const FileSizeLimit full(4096);
    CHECK_FALSE(folder.append_to_inbox("a", before, kMost, 10));
    CHECK_FALSE(folder.write_state(std::string(5000, ' ')));
  }
  CHECK(*folder.read_inbox("a") == before);
  CHECK(*folder.read_state() == "{}");
  for (const auto& entry : fs::recursive_directory_iterator(scratch.path())) {
    const std::string name = entry.path().filename();
    CHECK_FALSE((name.starts_with(".a.md.") || name.starts_with(".state.json.")));
  }
  CHECK(folder.append_to_inbox("a", before, kMost, 10));
}

TEST_CASE("what is not a file in the folder is neither read nor written") {
  const ScratchFolder scratch;
  const CrewFolder folder = folder_in(scratch.path());
  const std::string inbox = scratch.path() + "/.crew/inbox/a.md";
  fs::create_symlink("/etc/hostname", inbox);
  CHECK_FALSE(folder.read_inbox("a"));
  CHECK_FALSE(folder.append_to_inbox("a", "x", kMost, 10));
  fs::remove(inbox);
  REQUIRE(::mkfifo(inbox.c_str(), 0600) == 0);
  CHECK_FALSE(folder.read_inbox("a"));
  CHECK_FALSE(folder.append_to_inbox("a", "x", kMost, 10));
  fs::remove(inbox);
  CHECK_FALSE(folder.append_to_inbox("../a", "x", kMost, 10));
  CHECK_FALSE(folder.append_to_inbox("", "x", kMost, 10));
  CHECK(folder.append_to_inbox("a", "x", kMost, 10));
  CHECK_FALSE(folder.append_to_inbox("a", "xx", 2, 10));
  CHECK(*folder.read_inbox("a") == "x");
}

TEST_CASE("a crew's state can be read without the folder of its inboxes") {
  const ScratchFolder scratch;
  REQUIRE(folder_in(scratch.path()).write_state("{}"));
  fs::remove_all(scratch.path() + "/.crew/inbox");
  const auto folder = CrewFolder::open(scratch.path(), Missing::kIsError);
  REQUIRE(folder);
  CHECK(*folder->read_state() == "{}");
  CHECK(*folder->read_inbox("a") == "");
}

TEST_CASE("a folder that is a link, or none, is an error") {
  const ScratchFolder scratch;
  const auto none = CrewFolder::open(scratch.path(), Missing::kIsError);
  REQUIRE_FALSE(none);
  CHECK(none.error().code == orch::base::ErrorCode::kNotFound);
  fs::create_directories(scratch.path() + "/elsewhere/inbox");
  fs::create_symlink("elsewhere", scratch.path() + "/.crew");
  CHECK_FALSE(CrewFolder::open(scratch.path(), Missing::kIsCreated));
}

TEST_CASE("one at a time has the lock, and the state is read as it was written") {
  const ScratchFolder scratch;
  const CrewFolder folder = folder_in(scratch.path());
  CHECK(*folder.read_state() == std::nullopt);
  REQUIRE(folder.write_state("{}"));
  CHECK(*folder.read_state() == "{}");
  {
    const auto lock = folder.lock();
    REQUIRE(lock);
    CHECK_FALSE(folder.lock());
  }
  CHECK(folder.lock());
}

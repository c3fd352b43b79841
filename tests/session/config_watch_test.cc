// Which changes count in the files that an agent could write, and that nothing in their places can
// block the comparison.
#include "session/config_watch.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "watched_folder.h"

using orch::session::ConfigWatch;

namespace {

namespace fs = std::filesystem;

using Names = std::vector<std::string>;

ConfigWatch watch_of(const std::string& path) { return ConfigWatch({{{path, {}, ""}, path}}); }

}  // namespace

TEST_CASE("what is not a file and no folder is told, and nobody waits for it") {
  const WatchedFolder folder;
  const std::string there = folder / "settings";
  const ConfigWatch missing = watch_of(there);
  REQUIRE(::mkfifo(there.c_str(), 0600) == 0);
  CHECK(missing.changed() == Names{there});
  const ConfigWatch pipe = watch_of(there);
  CHECK(pipe.changed().empty());
  fs::remove(there);
  CHECK(pipe.changed() == Names{there});
  fs::create_symlink("/dev/zero", there);
  CHECK(missing.changed() == Names{there});
  fs::remove(there);
  fs::create_directory(there);
  CHECK(missing.changed().empty());
  REQUIRE(::mkfifo((there + "/tasks.json").c_str(), 0600) == 0);
  CHECK(missing.changed() == Names{there});
}

TEST_CASE("in a watched folder a file counts by its content, its links and who may execute it") {
  const WatchedFolder folder;
  folder.write("hooks/pre-commit", "one");
  folder.write("script", "one");
  fs::create_symlink(folder / "script", folder / "hooks/post-commit");
  const auto tells = [&folder](const auto& change) {
    const ConfigWatch watch = watch_of(folder / "hooks");
    CHECK(watch.changed().empty());
    change();
    return watch.changed().size() == 1;
  };
  CHECK(tells([&] { folder.write("hooks/pre-commit", "two"); }));
  CHECK(tells([&] { folder.write("script", "two"); }));
  CHECK(tells([&] { fs::permissions(folder / "hooks/pre-commit", fs::perms::owner_all); }));
  CHECK(tells([&] { fs::rename(folder / "hooks/pre-commit", folder / "hooks/pre-push"); }));
  CHECK(tells([&] { fs::rename(folder / "hooks", folder / "moved"); }));
  CHECK(tells([&] { fs::create_directory_symlink(folder / "moved", folder / "hooks"); }));
  if (::geteuid() == 0) return;  // root may read everything
  CHECK(tells([&] { fs::permissions(folder / "moved", fs::perms::none); }));
  fs::permissions(folder / "moved", fs::perms::owner_all);
}

TEST_CASE("a file that is too large to be read counts by what the kernel notes of it") {
  const WatchedFolder folder;
  const std::string large = folder.write("settings", std::string(5 << 20, 'x'));
  const ConfigWatch watch = watch_of(large);
  CHECK(watch.changed().empty());
  std::fstream(large, std::ios::in | std::ios::out) << "y";
  CHECK(watch.changed() == Names{large});
}

TEST_CASE("of a settings file some members count, and all of it if its JSON cannot be read") {
  const WatchedFolder folder;
  const std::string settings = folder.write("settings", "{}");
  const auto watch = [&settings] { return ConfigWatch({{{settings, {"hooks"}, ""}, settings}}); };
  const auto tells = [&](const std::string& text) {
    const ConfigWatch before = watch();
    folder.write("settings", text);
    return !before.changed().empty();
  };
  CHECK_FALSE(tells(R"({"theme": "dark"})"));
  CHECK(tells(R"({"theme": "dark", "hooks": {"a": "b"}})"));
  CHECK_FALSE(tells(R"({"hooks": {"a":"b"}, /* only */ "theme": 1})"));
  CHECK(tells("{\"hooks\":" + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "}"));
  CHECK(tells(R"({"theme": "dark"})"));
  std::string many;  // in a time that does not grow by their square
  for (int i = 0; i < 200'000; ++i) many += ",\"" + std::to_string(i) + "\":0";
  CHECK_FALSE(tells("{" + many.substr(1) + "}"));
}

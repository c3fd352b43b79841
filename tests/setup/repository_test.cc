#include "setup/repository.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "base/author.h"
#include "fence/work_places.h"
#include "scene.h"
#include "setup/own_programs.h"

using namespace orch::setup;
using orch::store::Standing;
using orch::store::TrustedFiles;

namespace {

void trust(const Scene& scene, const std::string& name, const std::string& content) {
  REQUIRE(TrustedFiles::update(trust_list(), [&](TrustedFiles& files) {
    files.trust(scene.repository() + "/" + name, content, "");
  }));
}

UserManifests manifests_of(const Scene& scene) {
  auto manifests = user_manifests(scene.repository());
  REQUIRE(manifests);
  return std::move(manifests).value();
}

std::string texts_of(const Scene& scene) {
  std::string all;
  for (const auto& file : manifests_of(scene).files) all += file.text;
  return all;
}

}  // namespace

TEST_CASE("the user's manifests come before the repository's trusted ones, each folder in order") {
  Scene scene;
  scene.write("repository/.orch/adapters/c.json", "c");
  scene.write("home/.config/orch/adapters/b.json", "b");
  scene.write("home/.config/orch/adapters/a.json", "a");
  scene.write("home/.config/orch/adapters/notes.txt", "no manifest");
  trust(scene, ".orch/adapters/c.json", "c");
  CHECK(texts_of(scene) == "abc");
  scene.write("config/orch/adapters/z.json", "z");
  scene.set("XDG_CONFIG_HOME", scene.file("config"));
  CHECK(texts_of(scene) == "z");
  trust(scene, ".orch/adapters/c.json", "c");
  CHECK(texts_of(scene) == "zc");
}

TEST_CASE("a manifest that is not trusted, or changed since, is left out and named in one line") {
  const Scene scene;
  CHECK(left_out_line(manifests_of(scene)).empty());
  scene.write("repository/.orch/adapters/claude.json", "one");
  CHECK(texts_of(scene).empty());
  CHECK(left_out_line(manifests_of(scene)) ==
        ".orch/adapters/claude.json is not trusted and was left out; see: orch trust");
  trust(scene, ".orch/adapters/claude.json", "one");
  CHECK(texts_of(scene) == "one");
  CHECK(left_out_line(manifests_of(scene)).empty());
  scene.write("repository/.orch/adapters/claude.json", "two");
  CHECK(texts_of(scene).empty());
  CHECK(manifests_of(scene).left_out.front().standing == Standing::kChanged);
  for (const char* name : {"b", "d", "e", "f"}) {
    scene.write("repository/.orch/adapters/" + std::string(name) + ".json", "x");
  }
  CHECK(left_out_line(manifests_of(scene)) ==
        ".orch/adapters/b.json, .orch/adapters/claude.json, .orch/adapters/d.json and 2 more are "
        "not trusted and were left out; see: orch trust");
}

TEST_CASE("a link among the manifests is left out, whatever it points to") {
  const Scene scene;
  scene.write("repository/real.json", "one");
  scene.write("repository/.orch/adapters/x", "");
  std::filesystem::create_symlink(scene.repository() + "/real.json",
                                  scene.repository() + "/.orch/adapters/link.json");
  trust(scene, ".orch/adapters/link.json", "one");
  trust(scene, "real.json", "one");
  CHECK(texts_of(scene).empty());
  CHECK(left_out_line(manifests_of(scene)).find("symbolic link") != std::string::npos);
}

TEST_CASE("what a repository brings is all of its .orch but the issues") {
  const Scene scene;
  for (const char* name : {"adapters/a.json", "policies/p.json", "issues/7.md", "run.sh"}) {
    scene.write("repository/.orch/" + std::string(name), "x");
  }
  std::string names;
  for (const BroughtFile& file : files_brought(scene.repository(), "", {})) {
    names += file.relative + " ";
  }
  CHECK(names == ".orch/adapters/a.json .orch/policies/p.json .orch/run.sh ");
}

TEST_CASE("a path is inside a repository by its name and by what it names") {
  const Scene scene;
  const std::string inside = scene.write("repository/policy.json", "{}");
  const std::string outside = scene.write("policy.json", "{}");
  const std::string own = scene.write("home/.config/orch/policy.json", "{}");
  std::filesystem::create_symlink(inside, scene.file("in-link"));
  std::filesystem::create_symlink(outside, scene.file("repository/out-link"));
  std::filesystem::create_directory_symlink(scene.repository(), scene.file("folder-link"));
  const auto way = [&scene](const std::string& path) {
    return way_inside(scene.repository(), path).value_or("outside");
  };
  CHECK(way(inside) == "policy.json");
  CHECK(way(outside) == "outside");
  CHECK(way(scene.file("repository/../repository/policy.json")) == "policy.json");
  CHECK(way(scene.file("in-link")) == "policy.json");
  CHECK(way(scene.file("repository/out-link")) == "out-link");
  CHECK(way(scene.file("folder-link/policy.json")) == "policy.json");
  CHECK(way(scene.file("folder-link/out-link")) == "out-link");
  CHECK(way_inside(scene.file("home"), own) == std::nullopt);
}

TEST_CASE("a file that must be trusted is read once it is, and as it was trusted") {
  const Scene scene;
  scene.write("repository/policy.json", "{}");
  const auto refused = read_trusted(scene.repository(), "policy.json");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().text ==
        "policy.json is in this repository and is not trusted; look at it with: orch trust "
        "policy.json");
  trust(scene, "policy.json", "{}");
  CHECK(*read_trusted(scene.repository(), "policy.json") == "{}");
  scene.write("repository/policy.json", R"({"default":"all"})");
  CHECK_FALSE(read_trusted(scene.repository(), "policy.json"));
}

TEST_CASE("manifests, rules and the list of trust are not the user's where an agent has worked") {
  Scene scene;
  scene.set("XDG_STATE_HOME", scene.file("state"));
  guard_own_programs();
  scene.write("dotfiles/orch/adapters/own.json", "own");
  scene.write("dotfiles/orch/rules.json", "{}");
  scene.write("repository/policy.json", "{}");
  std::filesystem::create_directories(scene.file("home/.config"));
  std::filesystem::create_directory_symlink(scene.file("dotfiles/orch"),
                                            scene.file("home/.config/orch"));
  const std::string rules = scene.file("home/.config/orch/rules.json");
  trust(scene, "policy.json", "{}");
  CHECK(texts_of(scene) == "own");
  CHECK(is_in_config(rules));
  CHECK(read_rules(scene.repository(), rules));
  CHECK(read_rules(scene.repository(), scene.file("repository/policy.json")));

  REQUIRE(orch::fence::WorkPlaces(scene.file("state/orch")).remember(scene.file("dotfiles")));
  CHECK(texts_of(scene).empty());
  CHECK(left_out_line(manifests_of(scene)) == scene.file("home/.config/orch/adapters/own.json") +
                                                  " lies in " + scene.file("dotfiles") +
                                                  ", where agents have worked; it was left out");
  CHECK_FALSE(is_in_config(rules));
  CHECK_FALSE(read_rules(scene.repository(), rules));
  CHECK_FALSE(read_rules(scene.repository(), scene.file("repository/policy.json")));
  orch::base::know_nothing();
}

TEST_CASE("a file of rules with a second name has to be trusted") {
  const Scene scene;
  const std::string rules = scene.write("rules.json", "{}");
  CHECK(read_rules(scene.repository(), rules));
  std::filesystem::create_hard_link(rules, scene.file("second.json"));
  const auto refused = read_rules(scene.repository(), rules);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().text == rules +
                                    " has a second name (a hard link), and is not trusted; look at "
                                    "it with: orch trust " +
                                    rules);
}

// Keys are protected by their places: also those that appear, or are replaced, while an agent runs.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <map>

#include "base/fd.h"
#include "fence/namespaces.h"
#include "fence/places.h"
#include "fence/secrets.h"
#include "fenced.h"
#include "skipped.h"

namespace fs = std::filesystem;
using namespace orch::fence;

namespace {

bool closes(const SecretPlaces& places, const std::string& path) {
  const auto holds = [&path](const std::string& place) { return is_within(path, place); };
  return std::any_of(places.closed.begin(), places.closed.end(), holds) &&
         std::none_of(places.open.begin(), places.open.end(), holds);
}

SecretPlaces of(const Yard& yard, std::map<std::string, std::string, std::less<>> variables = {}) {
  return secret_places({yard.path("home")},
                       [variables](std::string_view name) {
                         const auto found = variables.find(name);
                         return found == variables.end() ? std::string() : found->second;
                       },
                       {yard.path("home"), yard.path("work")});
}

// Makes a change while an agent runs inside of `plan`; returns 0 if the agent can read `path` then,
// and another code if not.
int while_it_runs(const Plan& plan, const std::function<void()>& change, const std::string& path) {
  std::array<int, 2> begun{}, changed{};
  REQUIRE(::pipe2(begun.data(), 0) == 0);
  REQUIRE(::pipe2(changed.data(), 0) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string script = "echo x >&" + std::to_string(begun[1]) + "; read x <&" +
                               std::to_string(changed[0]) + "; cat " + path + " >/dev/null 2>&1";
    if (plan.layers.namespaces && !plan.layers.landlock) {
      const auto words = in_namespaces(plan, {"/bin/sh", "-c", script});
      std::vector<char*> argv;
      for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
      argv.push_back(nullptr);
      ::execv(argv[0], argv.data());
      ::_exit(255);
    }
    if (!enter(plan)) ::_exit(255);
    ::execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
    ::_exit(255);
  }
  char byte = 0;
  REQUIRE(::read(begun[0], &byte, 1) == 1);
  change();
  REQUIRE(::write(changed[1], "\n", 1) == 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  for (const int fd : {begun[0], begun[1], changed[0], changed[1]}) ::close(fd);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct Change {
  const char* what;
  std::function<void(const Yard&)> before, during;
  const char* path;  // below the home; the agent tries to read it
};

void replace(const Yard& yard, const std::string& name) {
  yard.write("home/" + name + ".new", "another key");
  fs::rename(yard.path("home/" + name + ".new"), yard.path("home/" + name));
}

const std::array<Change, 8> kChanges{{
    {"a new key of ssh", [](const Yard& yard) { yard.write("home/.ssh/config", "Host *"); },
     [](const Yard& yard) { yard.write("home/.ssh/id_new", "key"); }, ".ssh/id_new"},
    {"credentials that are replaced",
     [](const Yard& yard) { yard.write("home/.aws/credentials", "key"); },
     [](const Yard& yard) { replace(yard, ".aws/credentials"); }, ".aws/credentials"},
    {"a file in the home that is replaced",
     [](const Yard& yard) { yard.write("home/.netrc", "a"); },
     [](const Yard& yard) { replace(yard, ".netrc"); }, ".netrc"},
    {"a file in the home that appears", [](const Yard&) {},
     [](const Yard& yard) { yard.write("home/.pypirc", "a"); }, ".pypirc"},
    {"a folder that appears", [](const Yard&) {},
     [](const Yard& yard) { yard.write("home/.kube/config", "a"); }, ".kube/config"},
    {"a folder below one that is there", [](const Yard& yard) { yard.write("home/.config/x", ""); },
     [](const Yard& yard) { yard.write("home/.config/gh/hosts.yml", "a"); },
     ".config/gh/hosts.yml"},
    {"a folder that is put in the place of another",
     [](const Yard& yard) { yard.write("home/.docker/config.json", "a"); },
     [](const Yard& yard) {
       fs::rename(yard.path("home/.docker"), yard.path("home/.docker.old"));
       yard.write("home/.docker/config.json", "b");
     },
     ".docker/config.json"},
    {"a file beside what is needed", [](const Yard& yard) { yard.write("home/.cargo/bin/x", ""); },
     [](const Yard& yard) { yard.write("home/.cargo/credentials.toml", "a"); },
     ".cargo/credentials.toml"},
}};

}  // namespace

TEST_CASE("settings that are a pipe, or too long to be searched for tokens, keep nobody waiting") {
  const Yard yard;
  yard.write("home/.npmrc", "");
  fs::remove(yard.path("home/.npmrc"));
  REQUIRE(::mkfifo(yard.path("home/.npmrc").c_str(), 0600) == 0);
  yard.write("home/.yarnrc", "registry=x");
  fs::resize_file(yard.path("home/.yarnrc"), uintmax_t{10} << 30);
  const SecretPlaces places = of(yard);
  CHECK_FALSE(closes(places, yard.path("home/.npmrc")));
  CHECK(closes(places, yard.path("home/.yarnrc")));
}

TEST_CASE("places of keys are closed whether or not anything is there", "[layer]") {
  const Yard yard;
  yard.write("home/.ssh/id_ed25519.pub", "");
  yard.write("home/.ssh/known_hosts", "");
  yard.write("home/.ssh/id_ed25519", "");
  const SecretPlaces places = of(yard);
  for (const char* secret :
       {".ssh/id_ed25519", ".ssh/new", ".aws/config", ".kube/cache/x", ".config/gh/hosts.yml",
        ".netrc", ".gnupg/pubring.kbx", ".docker/config.json", ".codex/auth.json"}) {
    INFO(secret);
    CHECK(closes(places, yard.path("home/" + std::string(secret))));
  }
  for (const char* open : {".ssh/id_ed25519.pub", ".ssh/known_hosts", ".gitconfig", ".cargo/bin",
                           ".config/git/config", "project"}) {
    INFO(open);
    CHECK_FALSE(closes(places, yard.path("home/" + std::string(open))));
  }
}

TEST_CASE("a variable that moves a place moves what is closed") {
  const Yard yard;
  const std::string moved = yard.path("out");
  const SecretPlaces places = of(yard, {{"AWS_SHARED_CREDENTIALS_FILE", moved + "/aws"},
                                        {"KUBECONFIG", moved + "/k1:" + moved + "/k2"},
                                        {"GNUPGHOME", moved + "/gnupg"},
                                        {"XDG_CONFIG_HOME", moved + "/config"},
                                        {"CARGO_HOME", moved + "/cargo"},
                                        {"DOCKER_CONFIG", yard.path("home")},  // contains the home
                                        {"NETRC", "relative"}});
  for (const char* secret : {"aws", "k1", "k2", "gnupg/secring.gpg", "config/gh/hosts.yml",
                             "config/gcloud/x", "cargo/credentials.toml"}) {
    INFO(secret);
    CHECK(closes(places, moved + "/" + secret));
  }
  CHECK_FALSE(closes(places, moved + "/cargo/bin/x"));
  CHECK_FALSE(closes(places, moved + "/config/git/config"));
  CHECK_FALSE(closes(places, yard.path("home/project")));
}

TEST_CASE("a variable may move a place by the home, or by the present folder") {
  const Yard yard;
  yard.write("home/npm/rc", "//registry/:_authToken=x");
  const std::string way = fs::relative(yard.path("out")).string();
  const SecretPlaces places = of(yard, {{"AWS_SHARED_CREDENTIALS_FILE", "~/aws"},
                                        {"KUBECONFIG", way + "/k1:~/k2:" + way + "/../out/k3"},
                                        {"CARGO_HOME", way + "/cargo"},
                                        {"CODEX_HOME", "~/codex"},
                                        {"XDG_CONFIG_HOME", way + "/config"},
                                        {"XDG_DATA_HOME", "~/data"},
                                        {"NPM_CONFIG_USERCONFIG", "~/npm/rc"},
                                        {"DOCKER_CONFIG", "~"},  // the home, which the agent needs
                                        {"NETRC", R"({"key": "in-itself"})"}});
  for (const char* secret :
       {"home/aws", "out/k1", "home/k2", "out/k3", "out/cargo/credentials", "home/codex/auth.json",
        "out/config/gh/hosts.yml", "home/data/keyrings/x", "home/npm/rc"}) {
    INFO(secret);
    CHECK(closes(places, yard.path(secret)));
  }
  for (const char* open : {"home/project", "out/cargo/bin/x", "home/codex/config.toml"}) {
    INFO(open);
    CHECK_FALSE(closes(places, yard.path(open)));
  }
  for (const std::string& place : places.closed) CHECK(place.find('{') == std::string::npos);
}

TEST_CASE("a place that a variable names within another is closed as a part of it") {
  const Yard yard;
  yard.write("home/.ssh/config", "token");
  const SecretPlaces plain = of(yard);
  CHECK_FALSE(closes(plain, yard.path("home/.ssh/config")));
  const SecretPlaces places =
      of(yard, {{"KUBECONFIG", yard.path("home/.kube/config")},
                {"AWS_SHARED_CREDENTIALS_FILE", yard.path("home/.aws/credentials")},
                {"PGPASSFILE", yard.path("home/.ssh/config")}});
  CHECK(places.closed == plain.closed);
  CHECK(closes(places, yard.path("home/.ssh/config")));
}

TEST_CASE("devices are no place of keys, whatever a variable says") {
  const Yard yard;
  CHECK(of(yard, {{"AWS_CONFIG_FILE", "/dev/null"},
                  {"KUBECONFIG", "/proc/self/fd/0:/dev/stdin"},
                  {"NETRC", "/dev/null"}}) == of(yard));
}

TEST_CASE("a place that is a link is closed at both of its ends") {
  const Yard yard;
  yard.write("out/aws/credentials", "key");
  fs::create_directory_symlink(yard.path("out/aws"), yard.path("home/.aws"));
  const SecretPlaces places = of(yard);
  CHECK(closes(places, yard.path("out/aws/credentials")));
  CHECK(closes(places, yard.path("home/.aws/credentials")));
}

TEST_CASE("namespaces are entered though places are links, and close what these lead to") {
  const auto bubblewrap = find_bubblewrap();
  if (!bubblewrap) return orch::say_skipped("no namespaces here: " + bubblewrap.error().text);
  const Yard yard;
  yard.write("out/aws/credentials", "key");
  yard.write("out/netrc", "key");
  fs::create_directory_symlink(yard.path("out/aws"), yard.path("home/.aws"));
  fs::create_symlink("../out/netrc", yard.path("home/.netrc"));
  fs::create_symlink("nowhere", yard.path("home/.pypirc"));
  yard.write("home/.gitconfig", "[user]");
  yard.write("home/.kube/passwords", "key");  // closed as a part of another place
  for (const int landlock : {0, 1}) {
    INFO("Landlock " << landlock);
    Offer offer;
    offer.bubblewrap = *bubblewrap;
    offer.landlock = landlock;  // it changes the mounts; it is not entered here
    Request request = yard.request();
    request.variables = [&yard](std::string_view name) {
      return name == "PGPASSFILE" ? yard.path("home/.kube/passwords") : "";
    };
    const Plan plan = make_plan(offer, request).value();
    const auto code_of_cat = [&](const std::string& path) {
      return exit_code(in_namespaces(plan, {"/bin/cat", yard.path(path)}));
    };
    CHECK(code_of_cat("home/.gitconfig") == 0);
    for (const char* path : {"home/.aws/credentials", "home/.netrc", "out/aws/credentials",
                             "out/netrc", "home/.pypirc", "home/.kube/passwords"}) {
      INFO(path);
      CHECK(code_of_cat(path) == 1);
    }
  }
}

TEST_CASE("a place of keys in the work directory keeps nobody from working there") {
  const auto bubblewrap = find_bubblewrap();
  if (!bubblewrap) return orch::say_skipped("no namespaces here: " + bubblewrap.error().text);
  const Yard yard;
  yard.write("work/deep/key", "key");
  Offer offer;
  offer.bubblewrap = *bubblewrap;
  Request request = yard.request();
  request.variables = [&yard](std::string_view name) {
    if (name == "KUBECONFIG") return yard.path("work/k") + ":" + yard.path("work/deep/key");
    return std::string();
  };
  const Plan plan = make_plan(offer, request).value();
  const auto code_of = [&plan](const std::string& script) {
    return exit_code(in_namespaces(plan, {"/bin/sh", "-c", script}));
  };
  CHECK(code_of("echo x > new && echo x > deep/new") == 0);
  CHECK(code_of("cat deep/key 2>/dev/null") == 1);
}

TEST_CASE("what a person names is opened, and no more") {
  const Yard yard;
  SecretPlaces places = of(yard);
  open_up(places,
          {yard.path("home/.aws/config"), yard.path("home/.netrc"), yard.path("home/.kube")});
  CHECK_FALSE(closes(places, yard.path("home/.aws/config")));
  CHECK(closes(places, yard.path("home/.aws/credentials")));
  CHECK_FALSE(closes(places, yard.path("home/.netrc")));
  CHECK_FALSE(closes(places, yard.path("home/.kube/config")));
}

TEST_CASE("what appears in a secret's place, or replaces it, is as secret: Landlock") {
  for (const Change& change : kChanges) {
    INFO(change.what);
    const Yard yard;
    change.before(yard);
    const Plan plan = yard.plan();
    if (!plan.layers.landlock) return orch::say_skipped("no Landlock here");
    const std::string path = yard.path("home/" + std::string(change.path));
    CHECK(while_it_runs(
              plan, [&] { change.during(yard); }, path) == 1);
    CHECK_FALSE(text_of(path).empty());  // the file exists
  }
}

TEST_CASE("what appears in a secret's place, or replaces it, is as secret: namespaces alone") {
  const auto bubblewrap = find_bubblewrap();
  if (!bubblewrap) return orch::say_skipped("no namespaces here: " + bubblewrap.error().text);
  for (const Change& change : kChanges) {
    INFO(change.what);
    const Yard yard;
    yard.write("home/.gitconfig", "[user]");
    fs::create_symlink(".gitconfig", yard.path("home/link"));
    change.before(yard);
    Offer offer;
    offer.bubblewrap = *bubblewrap;
    const Plan plan = make_plan(offer, yard.request()).value();
    const std::string path = yard.path("home/" + std::string(change.path));
    CHECK(while_it_runs(
              plan, [&] { change.during(yard); }, path) == 1);
    CHECK_FALSE(text_of(path).empty());
    // What is beside it is unchanged, links too.
    CHECK(while_it_runs(
              plan, [] {}, yard.path("home/link")) == 0);
  }
}

TEST_CASE("what a key of ssh is a link to is closed as well, what a public file is one to is not") {
  const Yard yard;
  yard.write("home/keys/main", "key");
  yard.write("home/dots/ssh", "Host *");
  fs::create_directory(yard.path("home/.ssh"));
  fs::create_symlink("../keys/main", yard.path("home/.ssh/id_linked"));
  fs::create_symlink("../dots/ssh", yard.path("home/.ssh/config"));
  const SecretPlaces places = of(yard);
  CHECK(closes(places, yard.path("home/keys/main")));
  CHECK_FALSE(closes(places, yard.path("home/dots/ssh")));
}

// The home of a fenced agent is empty but for a list. Each is tried with Landlock alone and with
// the namespaces alone.
#include "fence/home.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "fence/namespaces.h"
#include "fence/places.h"
#include "fence/toolchains.h"
#include "fence/work_places.h"
#include "fenced.h"
#include "skipped.h"

namespace fs = std::filesystem;
using namespace orch::fence;

namespace {

using Values = std::map<std::string, std::string, std::less<>>;

Variables variables_of(Values values) {
  return [values = std::move(values)](std::string_view name) {
    const auto found = values.find(name);
    return found == values.end() ? std::string() : found->second;
  };
}

Request request_of(const Yard& yard, Values values = {}) {
  Request request = yard.request();
  request.empties_homes = true;
  request.variables = variables_of(values);
  request.persons_variables = variables_of(std::move(values));
  return request;
}

// Whether a file can be read, with each layer alone. Layers that this machine lacks are left out.
class Fences {
 public:
  explicit Fences(Request request) {
    const Offer here = find_offer();
    if (here.landlock > 0) {
      Offer offer = here;
      offer.bubblewrap.clear();
      landlock_ = make_plan(offer, request).value();
    }
    if (!here.bubblewrap.empty()) {
      Offer offer;
      offer.bubblewrap = here.bubblewrap;
      namespaces_ = make_plan(offer, request).value();
    }
    if (!landlock_ && !namespaces_) orch::say_skipped("no fence here");
  }

  bool any() const { return landlock_ || namespaces_; }
  // "landlock", "namespaces", both or neither, of those that this machine has.
  std::string readers(const std::string& path) const {
    std::string who;
    const std::vector<std::string> words{"/bin/sh", "-c", "cat \"$0\" > /dev/null 2>&1", path};
    if (landlock_ && inside(*landlock_, [&] { return exit_code(words); }) == 0) who += "landlock ";
    if (namespaces_ && exit_code(in_namespaces(*namespaces_, words)) == 0) who += "namespaces ";
    return who;
  }
  std::string all() const {
    return std::string(landlock_ ? "landlock " : "") + (namespaces_ ? "namespaces " : "");
  }

 private:
  std::optional<Plan> landlock_, namespaces_;
};

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

}  // namespace

TEST_CASE("other runs' records are not seen, wherever the state directory is", "[layer]") {
  const Yard yard;
  Request request = request_of(yard);
  const std::string other = yard.write("srv/state/runs/other/transcript.txt", "words");
  const std::string place = yard.write("srv/state/places/0a.json", "{}");
  const std::string own = yard.write("srv/state/runs/own/run.json", "{}");
  const std::string beside = yard.write("srv/data", "data");
  request.guarded.state_dir = yard.path("srv/state");
  request.shown = {yard.path("srv/state/runs/own")};
  const Fences fences(request);
  CHECK(fences.readers(other).empty());
  CHECK(fences.readers(place).empty());
  CHECK(fences.readers(own) == fences.all());
  CHECK(fences.readers(beside) == fences.all());
}

TEST_CASE("what nobody needs is not seen of a home, whatever its name is", "[layer]") {
  const Yard yard;
  const std::vector<std::string> names{".bash_history",
                                       ".copilot/config.json",
                                       ".config/cursor/auth.json",
                                       "Passwords.kdbx",
                                       ".config/pip/pip.conf",
                                       ".pip/pip.conf",
                                       ".nuget/NuGet/NuGet.Config",
                                       ".Xauthority",
                                       ".config/whatever/token",
                                       ".local/share/whatever/token",
                                       ".cache/whatever/token",
                                       "notes.txt",
                                       "Documents/taxes.pdf",
                                       ".bashrc",
                                       ".zsh_history",
                                       ".claude/settings.json",
                                       ".new-tool/auth",
                                       ".local/state/x/log",
                                       "projects/other/.env",
                                       ".yarnrc.yml",
                                       ".cargo/config.toml",
                                       ".wgetrc"};
  for (const std::string& name : names)
    yard.write("home/" + name, "user = me\npassword-of-it x1\n");
  const Fences fences(request_of(yard));
  for (const std::string& name : names) {
    INFO(name);
    CHECK(fences.readers(yard.path("home/" + name)).empty());
  }
}

TEST_CASE("of each toolchain the tools are seen, and its credentials are not", "[layer]") {
  const Yard yard;
  std::vector<std::string> tools, tokens;
  for (const Toolchain& chain : toolchains()) {
    const std::string folder = "home/" + std::string(chain.folder);
    const std::vector<std::string> parts = words_of(chain.parts);
    for (const std::string& part : parts) {
      tools.push_back(yard.write(folder + "/" + part + "/tool", "tool"));
    }
    if (parts.empty()) tools.push_back(yard.write(folder + "/bin/tool", "tool"));
    for (const std::string& name : words_of(chain.credentials)) {
      tokens.push_back(yard.write(folder + "/" + name, "token"));
    }
    if (!parts.empty()) tokens.push_back(yard.write(folder + "/something-else", "token"));
  }
  const Fences fences(request_of(yard));
  for (const std::string& tool : tools) {
    INFO(tool);
    CHECK(fences.readers(tool) == fences.all());
  }
  for (const std::string& token : tokens) {
    INFO(token);
    CHECK(fences.readers(token).empty());
  }
  CHECK(tools.size() > 100);
  CHECK(tokens.size() > 60);
}

TEST_CASE("a toolchain is seen where a person's variable says it is", "[layer]") {
  const Yard yard;
  const std::string crate = yard.write("home/elsewhere/rust/bin/x", "tool");
  const std::string token = yard.write("home/elsewhere/rust/credentials.toml", "token");
  const std::string python = yard.write("home/elsewhere/cache/pip/x", "wheel");
  const std::string java = yard.write("home/elsewhere/jdk/lib/x", "jar");
  const std::string other = yard.write("home/elsewhere/notes", "notes");
  const Fences fences(request_of(yard, {{"CARGO_HOME", yard.path("home/elsewhere/rust")},
                                        {"XDG_CACHE_HOME", yard.path("home/elsewhere/cache")},
                                        {"JAVA_HOME", yard.path("home/elsewhere/jdk")},
                                        {"PYTHONPATH", yard.path("home")}}));
  for (const std::string& path : {crate, python, java}) {
    INFO(path);
    CHECK(fences.readers(path) == fences.all());
  }
  CHECK(fences.readers(token).empty());
  CHECK(fences.readers(other).empty());
}

TEST_CASE("programs are seen with what they need beside them", "[layer]") {
  const Yard yard;
  yard.write("home/notes", "notes");
  const std::string library = yard.write("home/tools/node/lib/node_modules/npm/x.js", "x");
  yard.write("home/tools/node/bin/node", "x");
  const std::string package = yard.write("home/modules/node_modules/agent/cli.js", "x");
  const std::string sibling = yard.write("home/modules/node_modules/other/index.js", "x");
  fs::create_directories(yard.path("home/.local/bin"));
  fs::create_symlink("../../modules/node_modules/agent/cli.js", yard.path("home/.local/bin/agent"));
  const std::string secret = yard.write("home/modules/secret", "x");
  const std::string project = yard.write("home/project/bin/run", "x");
  const std::string beside = yard.write("home/project/.env", "x");
  const Fences fences(
      request_of(yard, {{"PATH", "/usr/bin:" + yard.path("home/tools/node/bin") + ":" +
                                     yard.path("home/project/bin") + ":relative"}}));
  for (const std::string& path :
       {library, package, sibling, project, yard.path("home/.local/bin/agent")}) {
    INFO(path);
    CHECK(fences.readers(path) == fences.all());
  }
  for (const std::string& path : {secret, beside, yard.path("home/notes")}) {
    INFO(path);
    CHECK(fences.readers(path).empty());
  }
}

TEST_CASE("no link or program that an agent may have put there shows anything", "[layer]") {
  const Yard yard;
  const std::string notes = yard.write("home/notes", "notes");
  const std::string tool = yard.write("home/private/bin/tool", "x");
  fs::create_directories(yard.path("home/project/bin"));
  fs::create_symlink("../../notes", yard.path("home/project/bin/x"));
  fs::create_directory_symlink("../private", yard.path("home/project/.venv"));
  const std::string program =
      yard.write("home/project/agent", "#!" + yard.path("home/private/bin/tool") + "\n");
  Request request = request_of(yard, {{"PATH", yard.path("home/project/bin")},
                                      {"VIRTUAL_ENV", yard.path("home/project/.venv")}});
  request.programs = {program};
  request.followed = {yard.path("home/project/bin")};
  CHECK(Fences(request).readers(notes) == Fences(request).all());  // where no agent has written
  CHECK(Fences(request).readers(tool) == Fences(request).all());
  REQUIRE(WorkPlaces(yard.path("state")).remember(yard.path("home/project")));
  CHECK(Fences(request).readers(notes).empty());
  CHECK(Fences(request).readers(tool).empty());
}

TEST_CASE(
    "what a person names in a home is seen, through its links, and a whole home without keys") {
  const Yard yard;
  const std::string dots = yard.write("home/dots/claude/CLAUDE.md", "x");
  yard.write("home/dots/claude/other", "x");
  fs::create_symlink("dots/claude", yard.path("home/.claude"));
  const std::string skill = yard.write("home/skills/one", "x");
  fs::create_symlink("../../skills", yard.path("home/dots/claude/skills"));
  const std::string notes = yard.write("home/notes", "x");
  const std::string key = yard.write("home/.ssh/id_rsa", "x");
  const std::string known = yard.write("home/.ssh/known_hosts", "x");
  Request request = request_of(yard);
  request.followed = {yard.path("home/.claude")};
  const Fences fences(request);
  for (const std::string& path : {dots, skill, yard.path("home/.claude/CLAUDE.md"),
                                  yard.path("home/.claude/skills/one"), known}) {
    INFO(path);
    CHECK(fences.readers(path) == fences.all());
  }
  CHECK(fences.readers(notes).empty());
  CHECK(fences.readers(key).empty());

  request.readable = {notes};
  const Fences with_notes(request);
  CHECK(with_notes.readers(notes) == with_notes.all());
  CHECK(with_notes.readers(key).empty());
  request.readable = {yard.path("home")};
  const Fences whole(request);
  CHECK(whole.readers(notes) == whole.all());
  CHECK(whole.readers(key).empty());
}

TEST_CASE("a work directory in the home is seen and written, and no more of the home is",
          "[layer]") {
  const Yard yard;
  const std::string inner = yard.write("home/projects/mine/file", "x");
  const std::string other = yard.write("home/projects/other/file", "x");
  Request request = request_of(yard);
  request.work_dir = yard.path("home/projects/mine");
  const Fences fences(request);
  CHECK(fences.readers(inner) == fences.all());
  CHECK(fences.readers(other).empty());
  const auto bubblewrap = find_bubblewrap();
  if (!bubblewrap) return;
  Offer offer;
  offer.bubblewrap = *bubblewrap;
  const Plan plan = make_plan(offer, request).value();
  const auto code_of = [&plan](const std::string& script) {
    return exit_code(in_namespaces(plan, {"/bin/sh", "-c", "{ " + script + "; } 2> /dev/null"}));
  };
  CHECK(code_of("echo x > new") == 0);
  CHECK(code_of("echo x > ../../new") != 0);
  CHECK(code_of("mkdir " + yard.path("home/.new")) != 0);
  CHECK(code_of("test \"$(ls -A " + yard.path("home") + ")\" = projects") == 0);
}

TEST_CASE("what appears in a home while the agent runs is not seen either", "[layer]") {
  const Yard yard;
  yard.write("home/.cargo/bin/x", "tool");
  const auto bubblewrap = find_bubblewrap();
  if (!bubblewrap) return orch::say_skipped("no namespaces here: " + bubblewrap.error().text);
  Offer offer;
  offer.bubblewrap = *bubblewrap;
  const Plan plan = make_plan(offer, request_of(yard)).value();
  yard.write("home/later", "x");
  yard.write("home/.cargo/later", "x");
  for (const char* name : {"home/later", "home/.cargo/later"}) {
    CHECK(exit_code(in_namespaces(plan, {"/bin/cat", yard.path(name)})) != 0);
  }
}

TEST_CASE("settings are plain only where nothing in them can be a key") {
  for (const char* plain :
       {"", "registry=https://registry/\n", "[global]\nindex-url = https://mirror/simple\n",
        "3.11.4\n", "nodejs 20.1.0\n", "# a mirror\nfund=false\n", "max_size = 5.0G\n"}) {
    INFO(plain);
    CHECK(is_plain(plain));
  }
  for (const char* secret :
       {"//registry/:_authToken=x\n", "index-url = https://me:x@mirror/simple\n", "token=x\n",
        "planted\n", "npmAuthToken: x\n", "a = ghp_abcdefABCDEF0123456789\n", "user password\n",
        "# token x\n", "{\"a\": 1}\n", "<settings/>\n", "cookie = a\n"}) {
    INFO(secret);
    CHECK_FALSE(is_plain(secret));
  }
}

TEST_CASE("homes of the system's accounts are not emptied, for every program needs what is there") {
  const Yard yard;
  for (const char* home : {"/", "/usr/sbin", "/bin", "/var/lib", "/nonexistent", "/home"}) {
    HomeRequest request;
    request.homes = {home};
    request.variables = variables_of({});
    INFO(home);
    CHECK(view_of_homes(request, {}).emptied.empty());
  }
}

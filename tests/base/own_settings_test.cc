// orch's own helper programs obey no settings that an agent may have written.
#include "base/own_settings.h"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "base/author.h"

namespace fs = std::filesystem;
using namespace orch::base;

namespace {

// A home, and a folder "project" where agents write.
class House {
 public:
  House() {
    std::string made = (fs::current_path() / "house-XXXXXX").string();
    path_ = fs::canonical(::mkdtemp(made.data())).string();
    fs::create_directories(path("project"));
    fs::create_directories(path("home/.kube"));
    std::ofstream(path("project/config")) << "users: []\n";
    before_ = ::getenv("HOME");
    ::setenv("HOME", path("home").c_str(), 1);
    know_folder_of_agents(path("project"));
  }
  ~House() {
    know_nothing();
    ::setenv("HOME", before_.c_str(), 1);
    fs::remove_all(path_);
  }
  House(const House&) = delete;
  House& operator=(const House&) = delete;
  std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_, before_;
};

std::string refusal() {
  const Status checked = check_settings_at_home({".kube/config", ".kube/kuberc"});
  return checked ? "" : checked.error().text;
}

}  // namespace

TEST_CASE("settings in the home count unless they, or their folder, are a link to an agent's") {
  const House house;
  CHECK(refusal().empty());
  std::ofstream(house.path("home/.kube/config")) << "users: []\n";
  CHECK(refusal().empty());
  fs::create_symlink(house.path("project/config"), house.path("home/.kube/kuberc"));
  CHECK(refusal().starts_with("~/.kube/kuberc: " + house.path("home/.kube/kuberc") + " lies in " +
                              house.path("project") + ", where agents may write"));
  fs::remove_all(house.path("home/.kube"));
  fs::create_directory_symlink(house.path("project"), house.path("home/.kube"));
  CHECK(refusal().starts_with("~/.kube/config: "));
}

TEST_CASE("settings with a second name are refused, because that may lie where agents write") {
  const House house;
  fs::create_hard_link(house.path("project/config"), house.path("home/.kube/config"));
  CHECK(refusal().find("has a second name (a hard link)") != std::string::npos);
  ::setenv("KUBECONFIG", house.path("home/.kube/config").c_str(), 1);
  CHECK_FALSE(check_settings_variables({"KUBECONFIG"}));
  fs::remove(house.path("project/config"));
  CHECK(check_settings_variables({"KUBECONFIG"}));
  ::unsetenv("KUBECONFIG");
  CHECK(refusal().empty());
}

#include "fenced.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "fence/places.h"

namespace fs = std::filesystem;
using namespace orch::fence;

Yard::Yard() {
  const fs::path here = fs::current_path();
  const bool hidden = is_within(here.string(), "/tmp");  // the namespaces have another /tmp
  std::string made = ((hidden ? fs::path("/var/tmp") : here) / "fence-XXXXXX").string();
  if (::mkdtemp(made.data()) == nullptr) throw std::runtime_error("mkdtemp");
  path_ = fs::canonical(made).string();
  for (const char* folder : {"out", "home", "work", "scratch"}) fs::create_directory(path(folder));
}

Yard::~Yard() {
  std::error_code failure;
  fs::remove_all(path_, failure);
}

std::string Yard::write(std::string_view name, std::string_view text) const {
  const std::string file = path(name);
  fs::create_directories(fs::path(file).parent_path());
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

Request Yard::request() const {
  Request request;
  request.work_dir = path("work");
  request.guarded = {{path("home")}, path("state"), {}};
  request.variables = [](std::string_view) { return std::string(); };
  request.scratch = path("scratch");
  return request;
}

Plan Yard::plan(Network network) const {
  Offer offer = find_offer();
  offer.bubblewrap.clear();
  Request wanted = request();
  wanted.network = std::move(network);
  return make_plan(offer, wanted).value();
}

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

int inside(const Plan& plan, const std::function<int()>& action) {
  constexpr int kNotShutIn = 255;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(enter(plan) ? action() : kNotShutIn);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : kNotShutIn;
}

int error_inside(const Plan& plan, const std::function<long()>& call) {
  return inside(plan, [&call] { return call() == -1 ? errno : 0; });
}

int exit_code(const std::vector<std::string>& words) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(255);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

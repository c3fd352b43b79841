#include "forge_folder.h"

#include <unistd.h>

#include <catch2/catch.hpp>

#include "skipped.h"

namespace orch::e2e {

ForgeFolder::ForgeFolder(const Workspace& workspace)
    : workspace_(workspace), path_(workspace.file("forge")) {
  make_repository(workspace);
  Launch launch = workspace.orch({});
  launch.argv = {FORGE, "serve", path_};
  server_ = std::make_unique<Program>(launch);
  server_->wait_for_output("ready");
  tell({{{"do", "repository"}, {"name", "o/r"}}});
  workspace.write("home/.config/gh/config.yml", "http_unix_socket: " + path_ + "/api.sock\n");
  workspace.write("home/.config/gh/hosts.yml",
                  "forge.test:\n    user: me\n    oauth_token: good\n    git_protocol: https\n");
  workspace.write("home/.gitconfig",
                  "[url \"http://x-access-token:good@127.0.0.1:" + content_of(path_ + "/port") +
                      "/\"]\n\tinsteadOf = https://forge.test/\n");
  shell_output(workspace,
               "git remote add origin https://forge.test/o/r.git; git push -q " + git() + " main");
}

std::vector<Json> ForgeFolder::tell(const std::vector<Json>& steps) const {
  Launch launch = workspace_.orch({});
  launch.argv = {FORGE, "tell", path_};
  for (const Json& step : steps) launch.argv.push_back(step.dump());
  const Outcome outcome = Program(launch).finish();
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return json_lines(outcome.out);
}

std::vector<std::string> ForgeFolder::requests() const {
  return tell({{{"do", "requests"}}}).front().get<std::vector<std::string>>();
}

std::vector<Json> ForgeFolder::pulls() const {
  return tell({{{"do", "pulls"}}}).front().get<std::vector<Json>>();
}

std::string ForgeFolder::branch(const std::string& name) const {
  const std::string line = shell_output(
      workspace_, "git -C " + git() + " rev-parse -q --verify refs/heads/" + name + " || true");
  return line.substr(0, line.find('\n'));
}

Launch ForgeFolder::with_login(Launch launch) const { return launch; }

Outcome ForgeFolder::orch(Words words) const {
  return Program(with_login(workspace_.orch(std::move(words)))).finish();
}

Outcome ForgeFolder::work(const std::string& script, Words words, const std::string& issue) const {
  words.insert(words.end(), {"--verify", script});
  return Program(with_login(workspace_.demo("default", std::move(words), issue))).finish();
}

void check_said(const Outcome& outcome, int code, const std::string& said) {
  INFO(outcome.out << outcome.err);
  CHECK(outcome.code == code);
  CHECK((holds(outcome.out, said) || holds(outcome.err, said)));
}

bool has_gh() {
  static const bool is_there = [] {
    const Workspace workspace;
    Launch probe = workspace.orch({});
    probe.argv = {"/bin/sh", "-c", "command -v gh"};
    return Program(probe).finish().code == 0;
  }();
  if (!is_there) say_skipped("there is no gh (script/bootstrap --test)");
  return is_there;
}

}  // namespace orch::e2e

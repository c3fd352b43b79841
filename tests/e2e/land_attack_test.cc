// orch land against agents that leave traps, against others who push at the same time, and against
// its own death at any moment.
#include <signal.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "forge_folder.h"
#include "workspace.h"

using namespace orch::e2e;

namespace {

namespace fs = std::filesystem;

constexpr const char* kMend = "echo mended > fix.txt";

void begin(const ForgeFolder& forge, Words words = {}) {
  forge.tell({{{"do", "issue"}, {"number", 42}, {"title", "The bug"}, {"body", "It breaks."}}});
  check_said(forge.work(kMend, std::move(words)), 0, "complete");
}

// A program that leaves a mark when it runs.
std::string spy(const Workspace& workspace) {
  const std::string path =
      workspace.write("spy", "#!/bin/sh\necho \"$0 $*\" >> " + workspace.file("spied") + "\n");
  fs::permissions(path, fs::perms::owner_all);
  return path;
}

// Programs that git runs in a repository with these files and settings: what an agent may leave.
void plant(const Workspace& workspace, const std::string& program) {
  const std::string script = R"(
    spy=)" + program + R"(
    for hook in applypatch-msg commit-msg fsmonitor-watchman post-checkout post-commit post-index-change \
        post-merge post-rewrite pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase \
        prepare-commit-msg reference-transaction sendemail-validate; do
      ln -sf $spy .git/hooks/$hook
    done
    mkdir -p more; cp -P .git/hooks/* more/
    git config core.hooksPath "$PWD/more"
    for key in core.fsmonitor core.sshCommand core.gitProxy core.askPass core.editor core.pager \
        core.alternateRefsCommand credential.helper diff.external sequence.editor gpg.program \
        gpg.ssh.program interactive.diffFilter filter.x.clean filter.x.smudge filter.x.process \
        merge.x.driver diff.x.command diff.x.textconv uploadpack.packObjectsHook \
        remote.origin.receivepack remote.origin.uploadpack; do
      git config $key $spy
    done
    for alias in add commit push fetch merge rebase status update-ref ls-remote; do
      git config alias.$alias "!$spy"
    done
    git config commit.gpgSign true
    git config tag.gpgSign true
    git config filter.x.required true
    git config url.ext::$spy.insteadOf https://forge.test/
    git config submodule.n.update "!$spy"
    echo '* filter=x merge=x diff=x' > .git/info/attributes
    echo '* filter=x merge=x diff=x' > "$WORKTREE/.gitattributes"
    printf '[submodule "n"]\n\tpath = n\n\turl = ext::%s\n\tupdate = !%s\n' $spy $spy > "$WORKTREE/.gitmodules"
    cp $spy "$WORKTREE/git"; cp $spy "$WORKTREE/gh")";
  Launch launch = workspace.orch({});
  launch.argv = {"/bin/sh", "-ec", script};
  launch.env.push_back("WORKTREE=" + worktree(workspace, "42"));
  const Outcome outcome = Program(launch).finish();
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
}

}  // namespace

TEST_CASE("nothing that an agent left runs when its work lands") {
  if (!has_gh()) return;
  const Workspace workspace;
  const ForgeFolder forge(workspace);
  begin(forge);
  const std::string mode = GENERATE("--pr", "--merge");
  // The base moves in the same file, so that the rebase is a merge of two contents.
  shell_output(workspace, "echo two >> sub/two.c; git commit -qam two; git push -q " + forge.git() +
                              " main; "
                              "sed -i 1izero " +
                              worktree(workspace, "42") + "/main.c");
  const std::string program = spy(workspace);
  plant(workspace, program);
  fs::remove(workspace.file("spied"));
  const Outcome landed = forge.orch({"land", "42", mode});
  INFO(landed.err);
  CHECK(landed.code == 0);
  CHECK((fs::exists(workspace.file("spied")) ? content_of(workspace.file("spied")) : "") == "");
  // They are no blanks: git itself runs them.
  shell_output(workspace, "git commit --allow-empty -m x || true; git fetch || true");
  CHECK(fs::exists(workspace.file("spied")));
}

TEST_CASE("the gates of a landing have no login") {
  if (!has_gh()) return;
  const Workspace workspace;
  const ForgeFolder forge(workspace);
  begin(forge, {"--verify", "env"});
  Launch launch = workspace.orch({"land", "42"});
  for (const char* name : {"GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITLAB_TOKEN"}) {
    launch.env.push_back(std::string(name) + "=good");
  }
  launch.env.emplace_back("SSH_AUTH_SOCK=/nowhere/agent");
  check_said(Program(launch).finish(), 0, "opened");
  std::string log;
  for (const std::string& run : names_in(workspace.state() + "/runs")) {
    if (holds(run, "-42-gates-"))
      log = content_of(workspace.state() + "/runs/" + run + "/gates/1.log");
  }
  INFO(log);
  CHECK(holds(log, "PATH="));
  CHECK_FALSE(holds(log, "TOKEN="));
  CHECK_FALSE(holds(log, "SSH_AUTH_SOCK="));
}

TEST_CASE("the push goes where the remote was before the agent began") {
  if (!has_gh()) return;
  const Workspace workspace;
  const ForgeFolder forge(workspace);
  begin(forge);
  shell_output(workspace,
               "git init -q --bare ../elsewhere.git; "
               "git remote set-url origin \"$PWD/../elsewhere.git\"; "
               "git config remote.origin.pushurl \"$PWD/../elsewhere.git\"");
  check_said(forge.orch({"land", "42"}), 0, "opened");
  CHECK(forge.branch("orch/42") != "");
  CHECK(shell_output(workspace, "git -C ../elsewhere.git for-each-ref") == "");
}

TEST_CASE("commits of others on the branch are never replaced") {
  if (!has_gh()) return;
  const Workspace workspace;
  const ForgeFolder forge(workspace);
  begin(forge);
  check_said(forge.orch({"land", "42"}), 0, "opened");
  shell_output(workspace, "git clone -q -b orch/42 " + forge.git() +
                              " ../other; cd ../other; git config user.email o@b; git config "
                              "user.name o; echo o > o; git add o; git commit -qm other");
  const std::string theirs =
      shell_output(workspace, "git -C ../other rev-parse HEAD").substr(0, 40);
  shell_output(workspace, "echo again > " + worktree(workspace, "42") + "/again");
  SECTION("that were there before") {
    shell_output(workspace, "git -C ../other push -q");
    check_said(forge.orch({"land", "42"}), 10, "somebody pushed " + theirs.substr(0, 12));
  }
  SECTION("that come between the look and the push") {
    // It is what a bare --force-with-lease would overwrite.
    shell_output(workspace, "git -C ../other push -q origin HEAD:refs/heads/theirs");
    forge.tell({{{"do", "fault"},
                 {"on", "service=git-receive-pack"},
                 {"then", {{"do", "move"}, {"branch", "orch/42"}, {"to", theirs}}}}});
    check_said(forge.orch({"land", "42"}), 75, "stale info");
    check_said(forge.orch({"land", "42"}), 10, "somebody pushed " + theirs.substr(0, 12));
  }
  CHECK(forge.branch("orch/42") == theirs);
  CHECK(content_of(worktree(workspace, "42") + "/again") == "again\n");
}

TEST_CASE("an answer that is lost makes no second pull request") {
  if (!has_gh()) return;
  const Workspace workspace;
  const ForgeFolder forge(workspace);
  begin(forge);
  const Json how = GENERATE(Json{{"lose", true}}, Json{{"status", 502}, {"body", "<html>"}});
  Json fault = how;
  fault["do"] = "fault";
  fault["on"] = "POST /repos/o/r/pulls";
  forge.tell({fault});
  CHECK(forge.orch({"land", "42"}).code == 75);
  const Outcome again = forge.orch({"land", "42"});
  INFO(again.err);
  CHECK(again.code == 0);
  CHECK(again.out == "https://forge.test/o/r/pull/43\n");
  CHECK(forge.pulls().size() == 1);
}

TEST_CASE("a base that is gone, and two pull requests of one branch, are for the user") {
  if (!has_gh()) return;
  const Workspace workspace;
  const ForgeFolder forge(workspace);
  begin(forge);
  shell_output(workspace, "git -C " + forge.git() + " branch -m main trunk");
  check_said(forge.orch({"land", "42"}), 2, "the remote has no branch main (any more)");
  check_said(forge.orch({"land", "42", "--base", "trunk"}), 0, "opened: pull request #43");
  CHECK(forge.pulls()[0].at("base") == "trunk");
  shell_output(workspace, "git -C " + forge.git() + " branch other trunk; git -C " + forge.git() +
                              " symbolic-ref HEAD refs/heads/other");
  Launch launch = workspace.orch({});
  launch.argv = {
      "/bin/sh", "-c",
      "gh api --hostname forge.test repos/o/r/pulls -f title=t -f body=b -f head=orch/42 "
      "-f base=other"};
  REQUIRE(Program(launch).finish().code == 0);
  check_said(forge.orch({"land", "42", "--base", "trunk"}), 10, "has 2 open pull requests");
}

TEST_CASE("two landings at once are one") {
  if (!has_gh()) return;
  const Workspace workspace;
  const ForgeFolder forge(workspace);
  begin(forge);
  Program one(workspace.orch({"land", "42"})), other(workspace.orch({"land", "42"}));
  const Outcome first = one.finish(), second = other.finish();
  INFO(first.err << second.err);
  CHECK((first.code == 0 || second.code == 0));
  for (const int code : {first.code, second.code}) CHECK((code == 0 || code == 75));
  CHECK(forge.pulls().size() == 1);
}

// Programs of this name that end their caller instead of their n-th call, in all of them.
Launch with_killer(const Workspace& workspace, Launch launch, int at) {
  fs::create_directories(workspace.file("bin"));
  for (const char* name : {"git", "gh"}) {
    const std::string real = shell_output(workspace, std::string("command -v ") + name);
    const std::string wrapper = workspace.write(
        std::string("bin/") + name, "#!/bin/sh\necho x >> " + workspace.file("calls") +
                                        "\n[ \"$(wc -l < " + workspace.file("calls") +
                                        ")\" = \"$KILL_AT\" ] && kill -9 $PPID && exit 1\nexec " +
                                        real.substr(0, real.size() - 1) + " \"$@\"\n");
    fs::permissions(wrapper, fs::perms::owner_all);
  }
  for (std::string& entry : launch.env) {
    if (entry.starts_with("PATH=")) entry.insert(5, workspace.file("bin") + ":");
  }
  launch.env.push_back("KILL_AT=" + std::to_string(at));
  fs::remove(workspace.file("calls"));
  return launch;
}

TEST_CASE("a landing that is killed at any call of git loses nothing, and can be repeated") {
  const Workspace workspace;
  make_repository(workspace);
  constexpr int kStep = 4;
  bool is_over = false;
  int landings = 0;
  for (int at = 1; !is_over; at += kStep) {
    const std::string issue = std::to_string(at), file = "new." + issue;
    shell_output(workspace,
                 "echo " + issue + " >> base; git add base; git commit -qm base" + issue);
    Program(
        workspace.shell("echo a > " + file + "; git add .; git commit -qm one; echo b >> " + file,
                        {"--worktree"}, issue))
        .finish();
    shell_output(workspace, "echo more >> base; git commit -qam more" + issue);
    const Launch launch = with_killer(workspace, workspace.orch({"land", issue, "--merge"}), at);
    is_over = Program(launch).finish().code == 0;
    const std::string folder = worktree(workspace, issue);
    if (!is_over) {
      INFO("killed at call " << at);
      const bool is_in_files =
          fs::exists(folder + "/" + file) && content_of(folder + "/" + file) == "a\nb\n";
      const bool is_in_base =
          shell_output(workspace, "git show main:" + file + " 2>/dev/null || true") == "a\nb\n";
      CHECK((is_in_files || is_in_base));
      const Outcome again = run_orch(workspace, {"land", issue, "--merge"});
      INFO(again.err);
      CHECK((again.code == 0 || again.code == 21));
    }
    ++landings;
    CHECK(shell_output(workspace, "git show main:" + file) == "a\nb\n");
    CHECK(shell_output(workspace, "git status --porcelain") == "");
  }
  CHECK(landings > 5);
  CHECK(shell_output(workspace, "git fsck --connectivity-only 2>&1 | grep -v dangling || true") ==
        "");
}

TEST_CASE("a landing that is killed on its way to a pull request makes one, when it is repeated") {
  if (!has_gh()) return;
  const Workspace workspace;
  const ForgeFolder forge(workspace);
  constexpr int kStep = 9;
  bool is_over = false;
  int landings = 0;
  for (int at = 3; !is_over; at += kStep) {
    const std::string issue = std::to_string(1000 + at), file = "new." + issue;
    Program(workspace.shell("echo a > " + file, {"--worktree"}, issue)).finish();
    // The base moves, so that the work is rebased.
    shell_output(workspace, "echo " + issue +
                                " >> base; git add base; git commit -qm base; git push -q " +
                                forge.git() + " main");
    is_over =
        Program(with_killer(workspace, workspace.orch({"land", issue}), at)).finish().code == 0;
    const Outcome again = forge.orch({"land", issue});
    INFO("killed at call " << at << "\n" << again.err);
    CHECK(again.code == 0);
    ++landings;
    const std::string head = forge.branch("orch/" + issue);
    CHECK(shell_output(workspace, "git rev-parse orch/" + issue) == head + "\n");
    CHECK(shell_output(workspace, "git show " + head + ":" + file) == "a\n");
    CHECK(shell_output(workspace, "git rev-list --count main.." + head) == "1\n");
    CHECK(forge.pulls().size() == static_cast<size_t>(landings));
    CHECK(forge.branch("main") + "\n" == shell_output(workspace, "git rev-parse main"));
  }
  CHECK(landings > 3);
}

TEST_CASE("from a fork the issue is the project's, and the pull request comes from the fork") {
  if (!has_gh()) return;
  const Workspace workspace;
  const ForgeFolder forge(workspace);
  forge.tell({{{"do", "repository"}, {"name", "me/r"}}});
  const std::string fork = workspace.file("forge/git/me/r.git");
  shell_output(workspace, "git remote rename origin upstream; git push -q " + fork +
                              " main; git remote add origin https://forge.test/me/r.git");
  begin(forge);
  const Outcome landed = forge.orch({"land", "42"});
  check_said(landed, 0, "opened: pull request #43");
  CHECK(landed.out == "https://forge.test/o/r/pull/43\n");
  CHECK(forge.branch("orch/42") == "");
  CHECK(shell_output(workspace, "git -C " + fork + " rev-parse orch/42") ==
        shell_output(workspace, "git rev-parse orch/42"));
  CHECK(holds(forge.pulls()[0].at("body").get<std::string>(), "Closes #42"));
  check_said(forge.orch({"land", "42"}), 0, "unchanged: pull request #43");
  check_said(forge.orch({"feedback", "42"}), 75, "pending");
}

TEST_CASE("more than 100 commits land as they are") {
  if (!has_gh()) return;
  const Workspace workspace;
  const ForgeFolder forge(workspace);
  begin(forge);
  shell_output(workspace,
               "cd " + worktree(workspace, "42") +
                   "; for n in $(seq 105); do git commit -q --allow-empty -m \"step $n\"; done");
  check_said(forge.orch({"land", "42"}), 0, "opened");
  CHECK(shell_output(workspace, "git -C " + forge.git() + " rev-list --count main..orch/42") ==
        "106\n");
}

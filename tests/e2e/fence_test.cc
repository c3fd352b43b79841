// The fence around an agent, and what a run reports of it. What the kernel enforces is tested in
// tests/fence; this tests that a run asks for it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "skipped.h"
#include "workspace.h"

using namespace orch::e2e;

namespace {

// A fence of the layers that there are; --sandbox landlock insists on Landlock.
Words fenced() { return {"--approve", "all"}; }

bool machine_has_a_fence(const Workspace& workspace) {
  const Outcome outcome = Program(workspace.orch({"doctor", "--json"})).finish();
  const Json fence = Json::parse(outcome.out).at("fence");
  const bool some = fence.at("landlock") > 0 || fence.at("namespaces") == true;
  if (!some) orch::say_skipped("neither Landlock nor namespaces here");
  return some;
}

}  // namespace

TEST_CASE("a fenced program writes in its work directory and not beside it", "[layer]") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  const Outcome outcome =
      Program(workspace.shell("echo in > in; echo out > ../out; test -w \"$TMPDIR\" && echo t > "
                              "\"$TMPDIR\"/t; ls \"$TMPDIR\"/t",
                              fenced()))
          .finish();
  CHECK(outcome.code == 0);
  CHECK(std::filesystem::exists(workspace.project() + "/in"));
  CHECK_FALSE(std::filesystem::exists(workspace.file("out")));
  const RunFolder run = workspace.run_of();
  const Json& layers = run.result.at("sandbox").at("layers");
  const bool held = std::any_of(layers.begin(), layers.end(), [](const Json& layer) {
    return layer == "landlock" || layer == "namespaces";
  });
  CHECK(held);
  CHECK(run.result.at("sandbox").at("network") == "all");
  CHECK(run.transcript.find("/t\n") != std::string::npos);
}

TEST_CASE("--write and --read widen the fence") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  workspace.write("home/.netrc", "machine example");
  workspace.write("more/file", "");
  const std::string script = "cat ../home/.netrc; echo x > ../more/new && echo wrote";
  CHECK(Program(workspace.shell(script, {"--sandbox", "landlock"})).finish().code != 0);
  CHECK_FALSE(std::filesystem::exists(workspace.file("more/new")));
  const Outcome wider = Program(workspace.shell(script,
                                                {"--write", workspace.file("more"), "--read",
                                                 workspace.file("home/.netrc")},
                                                "8"))
                            .finish();
  CHECK(wider.code == 0);
  CHECK(wider.out.find("machine example") != std::string::npos);
  CHECK(std::filesystem::exists(workspace.file("more/new")));
}

TEST_CASE("the fence stands whenever a policy answers, and is gone when that is said") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  Program(workspace.demo("permission", {"--approve", "all"})).finish();
  CHECK_FALSE(workspace.run_of().result.at("sandbox").is_null());
  Program(workspace.demo("permission", {"--approve", "all", "--sandbox", "none"}, "8")).finish();
  CHECK(workspace.run_of("8").result.at("sandbox").is_null());
  Program(workspace.demo("default", {}, "9")).finish();
  CHECK(workspace.run_of("9").result.at("sandbox").is_null());
}

TEST_CASE("without a fence an agent keeps its own sandbox") {
  const Workspace workspace;
  workspace.write("home/.config/orch/adapters/own.json", R"({"manifest": 1, "name": "own",
      "program": ["sh", "-c", "echo said $0"], "idle_known": false,
      "fence": {"arguments": ["own sandbox off"]}})");
  const auto said = [&workspace](const std::string& issue, const std::string& sandbox) {
    return Program(workspace.orch({"run", issue, "--agent", "own", "--until", "exit", "--approve",
                                   "all", "--sandbox", sandbox, "--output", "text"}))
        .finish()
        .out;
  };
  const std::string unfenced = said("7", "none");
  CHECK(unfenced.find("said sh") != std::string::npos);
  CHECK(unfenced.find("own sandbox off") == std::string::npos);
  CHECK(said("9", "external").find("own sandbox off") != std::string::npos);
  if (!machine_has_a_fence(workspace)) return;
  CHECK(said("8", "landlock").find("own sandbox off") != std::string::npos);
}

TEST_CASE("a fenced program is seen wherever it and its arguments are") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  const std::string script = workspace.write("tools/script", "echo found it");
  const Outcome outcome =
      Program(workspace.orch({"run", "7", "--sandbox", "landlock", "--", "/bin/sh", script}))
          .finish();
  CHECK(outcome.out.find("found it") != std::string::npos);
}

TEST_CASE("what a fenced run destroyed comes back") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  workspace.write("project/kept/file", "kept");
  workspace.write("project/.env", "secret");
  Program(workspace.shell("rm -rf * .env", {"--sandbox", "landlock"})).finish();
  CHECK_FALSE(std::filesystem::exists(workspace.project() + "/kept"));
  CHECK(workspace.run_of().result.at("snapshot").is_string());
  CHECK(Program(workspace.orch({"undo", "7", "--yes"})).finish().code == 0);
  CHECK(content_of(workspace.project() + "/kept/file") == "kept");
  CHECK(content_of(workspace.project() + "/.env") == "secret");
}

TEST_CASE("--no-snapshot saves nothing") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  Program(workspace.shell("true", {"--sandbox", "landlock", "--no-snapshot"})).finish();
  CHECK(workspace.run_of().result.at("snapshot").is_null());
  CHECK_FALSE(std::filesystem::exists(workspace.run_of().path + "/snapshot"));
}

TEST_CASE("a changed hook is said") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  const Outcome outcome =
      Program(workspace.shell("mkdir -p .git/hooks && echo evil > .git/hooks/post-commit",
                              {"--sandbox", "landlock"}))
          .finish();
  CHECK(outcome.err.find(".git/hooks") != std::string::npos);
  CHECK(workspace.run_of().result.at("sandbox").at("changed").size() == 1);
}

TEST_CASE("a program that git's configuration names is said however it is written") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  workspace.write("project/.git/HEAD", "ref: refs/heads/main\n");
  workspace.write("project/.git/config", "[core]\n\tbare = false\n");
  const auto changes_by = [&workspace](const std::string& issue, const std::string& script) {
    Program(workspace.shell(script, {"--sandbox", "landlock"}, issue)).finish();
    return workspace.run_of(issue).result.at("sandbox").at("changed").size();
  };
  CHECK(changes_by("7", "printf '[core] fsmonitor = ./evil.sh #]\\n' >> .git/config") == 1);
  CHECK(changes_by("8", "printf '[branch \"b\"]\\n\\tmerge = refs/heads/b\\n' >> .git/config") ==
        0);
  CHECK(changes_by("9", "printf '[remote \"r\"]\\n\\turl = ./evil.git\\n' >> .git/config") == 1);
}

TEST_CASE("what git's configuration named before the run is watched as well") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  workspace.write("project/.git/HEAD", "ref: refs/heads/main\n");
  workspace.write("project/.git/config",
                  "[core]\n\thooksPath = .husky/_\n[include]\n\tpath = ../.gitconfig\n");
  workspace.write("project/.husky/pre-commit", "npm test\n");
  Program(workspace.shell("echo evil > .husky/pre-commit; echo ../evil > .git/commondir;"
                          " printf '[alias]\\nst = !evil\\n' > .gitconfig",
                          {"--sandbox", "landlock"}))
      .finish();
  const Json changed = workspace.run_of().result.at("sandbox").at("changed");
  INFO(changed);
  const Words paths = changed.get<Words>();
  CHECK(paths.size() == 3);
  for (const char* name : {"/.husky", "/.gitconfig", "/.git/commondir"}) {
    CHECK(std::count(paths.begin(), paths.end(), workspace.project() + name) == 1);
  }
}

TEST_CASE("a pipe in place of a watched file is said, and holds up no run") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  workspace.write("project/.git/HEAD", "ref: refs/heads/main\n");
  workspace.write("project/.git/config", "[core]\n\tbare = false\n");
  const std::string script =
      "mkfifo .vscode .orch; rm .git/config; mkfifo .git/config; mkdir .git/hooks .claude;"
      " mkfifo .git/hooks/pre-push .claude/settings.json";
  CHECK(Program(workspace.shell(script, {"--sandbox", "landlock"})).finish().code == 0);
  CHECK(workspace.run_of().result.at("sandbox").at("changed").size() == 5);
  // The next run does not hang either; it finds them there already.
  CHECK(Program(workspace.shell("true", {"--sandbox", "landlock"}, "8")).finish().code == 0);
  CHECK(workspace.run_of("8").result.at("sandbox").at("changed").empty());
}

TEST_CASE("a fence that would hold nothing, or cannot be had, is refused in one line") {
  const Workspace workspace;
  const auto refused = [&workspace](const Words& words, const std::string& what) {
    Words all{"run", "7"};
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"--", "true"});
    const Outcome outcome = Program(workspace.orch(all)).finish();
    INFO(what << ": " << outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.err.find(what) != std::string::npos);
  };
  refused({"--sandbox", "docker"}, "--sandbox docker");
  refused({"--sandbox", "jail"}, "docker, podman, external or none");
  refused({"--sandbox", "none", "--write", "/tmp"}, "--sandbox none");
  refused({"--sandbox", "external", "--net", "none"}, "--sandbox external");
  if (!machine_has_a_fence(workspace)) return;
  refused({"--sandbox", "landlock", "--net", "http"}, "--net http");
  refused({"--sandbox", "landlock", "--write", workspace.file("missing")}, "missing");
  refused({"--sandbox", "landlock", "--cwd", workspace.file("home")}, "home directory");
  refused({"--sandbox", "landlock", "--cwd", "/"}, "would hold nothing");
  refused({"--sandbox", "landlock", "--write", workspace.file("home")}, "home directory");
  refused({"--sandbox", "landlock", "--write", "/etc"}, "what belongs to the system");
}

TEST_CASE("a hook in a repository around the work directory is said as well") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  workspace.write("project/.git/HEAD", "ref: refs/heads/main\n");
  workspace.write("project/.git/config", "[core]\n\tbare = false\n");
  workspace.write("project/sub/file", "");
  const Outcome outcome =
      Program(workspace.shell("mkdir ../.git/hooks; echo x > ../.git/hooks/pre-push;"
                              " echo 'fsmonitor = x' >> ../.git/config",
                              {"--sandbox", "landlock", "--cwd", "sub"}))
          .finish();
  CHECK(outcome.err.find(".git/hooks") != std::string::npos);
  CHECK(outcome.err.find(".git/config") != std::string::npos);
  CHECK(workspace.run_of().result.at("sandbox").at("changed").size() == 2);
}

TEST_CASE("an agent that removes its repository does not get the one around it") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  workspace.write("project/.git/HEAD", "ref: refs/heads/main\n");
  workspace.write("project/nested/.git/HEAD", "ref: refs/heads/main\n");
  const auto run = [&workspace](const std::string& issue, const std::string& script) {
    return Program(workspace.shell(script, {"--sandbox", "landlock", "--cwd", "nested"}, issue))
        .finish();
  };
  CHECK(run("7", "rm -rf .git").code == 0);
  const Outcome next = run("8", "echo x > ../.git/hooked");
  CHECK(next.code == 2);
  CHECK(next.err.find("orch trust --git " + workspace.project() + "/nested") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(workspace.project() + "/.git/hooked"));
  const Outcome trusted =
      Program(workspace.orch({"trust", "--git", workspace.project() + "/nested", "--yes"}))
          .finish();
  CHECK(trusted.code == 0);
  CHECK(trusted.out.find(workspace.project() + "/.git") != std::string::npos);
  CHECK(run("9", "echo x > ../.git/hooked").code == 0);
}

TEST_CASE("a bwrap where agents write is not started, and no lesser fence is raised") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  const std::string fake = workspace.write("project/.venv/bin/bwrap",
                                           "#!/bin/sh\ntouch " + workspace.file("started") + "\n");
  std::filesystem::permissions(fake, std::filesystem::perms::owner_all);
  Launch launch = workspace.shell("true", {"--sandbox", "landlock"});
  for (std::string& entry : launch.env) {
    if (entry.starts_with("PATH=")) entry.insert(5, workspace.file("project/.venv/bin") + ":");
  }
  const Outcome outcome = Program(launch).finish();
  CHECK(outcome.code == 2);
  CHECK(outcome.err.find(fake) != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(workspace.file("started")));
}

TEST_CASE("what is for the agent alone is obeyed by nothing of orch's") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  const std::string fake =
      workspace.write("project/evil/bwrap", "#!/bin/sh\ntouch " + workspace.file("started") + "\n");
  std::filesystem::permissions(fake, std::filesystem::perms::owner_all);
  // The loader complains in every process that obeys LD_PRELOAD: these must be the shell and its
  // children only.
  Launch launch = workspace.shell(
      "echo path=$PATH home=$HOME; env | grep -c ORCH_FOR_AGENT; cat real/.netrc || echo "
      "closed",
      {"--sandbox", "landlock", "--env", "PATH", "--env", "HOME", "--env", "LD_PRELOAD"});
  workspace.write("home/.netrc", "machine x");
  std::filesystem::create_directory_symlink(workspace.file("home"), workspace.project() + "/real");
  launch.env.push_back("ORCH_FOR_AGENT_PATH=" + workspace.project() + "/evil:/usr/bin:/bin");
  launch.env.push_back("ORCH_FOR_AGENT_HOME=" + workspace.project());
  launch.env.emplace_back("ORCH_FOR_AGENT_LD_PRELOAD=/nowhere/x.so");
  const Outcome outcome = Program(launch).finish();
  INFO(outcome.out << outcome.err);
  CHECK(outcome.out.find("path=" + workspace.project() + "/evil:") != std::string::npos);
  CHECK(outcome.out.find("home=" + workspace.project() + "\n") != std::string::npos);
  CHECK(outcome.out.find("closed") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(workspace.file("started")));
  CHECK(outcome.err.find("cannot be preloaded") == std::string::npos);
  const std::string said = outcome.out;
  size_t complaints = 0;
  for (size_t at = said.find("cannot be preloaded"); at != std::string::npos;
       at = said.find("cannot be preloaded", at + 1)) {
    ++complaints;
  }
  CHECK(complaints == 4);  // sh, env, grep and cat
}

TEST_CASE("a program that does not exist is told as without a fence") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  const Outcome outcome =
      Program(workspace.orch({"run", "7", "--sandbox", "landlock", "--", "no-such-program"}))
          .finish();
  CHECK(outcome.code == 127);
  CHECK(outcome.err.find("no-such-program") != std::string::npos);
  CHECK(workspace.run_of().record.at("status") == "failed");
}

TEST_CASE("how a fenced program ends is how the run does") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  Program(workspace.shell("exit 7", {"--sandbox", "landlock"})).finish();
  CHECK(workspace.run_of().result.at("agent_exit_code") == 7);
  // A shell with a handler for SIGTERM ends by that.
  Program patient(workspace.shell("trap 'exit 3' TERM; echo up; while :; do sleep 0.1; done",
                                  {"--sandbox", "landlock"}, "8"));
  patient.wait_for_output("up");
  patient.signal(SIGTERM);
  patient.finish();
  CHECK(workspace.run_of("8").result.at("agent_exit_code") == 3);
}

TEST_CASE("a run's temporary files go with it, however deep their folders are") {
  const Workspace workspace;
  const std::string script =
      "cd $(sed -n 's/.*\"scratch\": *\"\\([^\"]*\\)\".*/\\1/p' \"$1\"/runs/*/fence.json) && "
      "python3 -c 'import os\nfor i in range(1500):\n  os.mkdir(\"d\"); os.chdir(\"d\")' && "
      "mkdir d/locked 2> /dev/null; chmod 0555 d; pwd";
  Launch launch = workspace.orch({"run", "7", "--approve", "all", "--sandbox", "none", "--output",
                                  "text", "--", "sh", "-c", script, "sh", workspace.state()});
  const Outcome outcome = Program(launch).finish();
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.code == 0);
  const Json plan = Json::parse(content_of(workspace.run_of().path + "/fence.json"));
  const std::string scratch = plan.at("scratch");
  CHECK(outcome.out.find(scratch) != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(scratch));
}

TEST_CASE("git that makes a worktree follows nothing that an agent put into the repository") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  workspace.write("home/.ssh/id_rsa", "KEY\n");
  workspace.write("home/.bashrc", "# mine\n");
  workspace.write("home/evil", "#!/bin/sh\n: > " + workspace.file("started") + "\ncat\n");
  std::filesystem::permissions(workspace.file("home/evil"), std::filesystem::perms::owner_all);
  const auto run = [&workspace](const std::string& issue, const std::string& script,
                                const std::vector<std::string>& more = {}) {
    std::vector<std::string> options{"--sandbox", "landlock"};
    options.insert(options.end(), more.begin(), more.end());
    return Program(workspace.shell(script, options, issue)).finish();
  };
  Launch git = workspace.orch({});
  git.argv = {"/bin/sh", "-ec",
              "git init -q .; git config user.email a@b; git config user.name a; echo x > f;"
              " git add .; git commit -qm first"};
  REQUIRE(Program(git).finish().code == 0);

  SECTION("a log of a branch that is a link") {
    run("1", "mkdir -p .git/logs/refs/heads/orch; ln -s " + workspace.file("home/.bashrc") +
                 " .git/logs/refs/heads/orch/7");
    CHECK(run("7", "true", {"--worktree"}).code != 0);
    CHECK(content_of(workspace.file("home/.bashrc")) == "# mine\n");
  }
  SECTION("a folder of branches that is a link") {
    run("1", "mkdir -p .git/refs/heads; ln -s " + workspace.file("home") + " .git/refs/heads/orch");
    run("7", "true", {"--worktree"});
    CHECK_FALSE(std::filesystem::exists(workspace.file("home/7")));
  }
  SECTION("a key in place of a setting") {
    run("1", "git config core.sparseCheckout true; ln -sf " + workspace.file("home/.ssh/id_rsa") +
                 " .git/info/sparse-checkout");
    const Outcome next =
        run("7", "cat $(git rev-parse --git-dir)/info/sparse-checkout", {"--worktree"});
    CHECK(next.out.find("KEY") == std::string::npos);
  }
  SECTION("a filter that counts in worktrees alone") {
    run("7",
        "G=$(git rev-parse --git-common-dir); printf '[filter \"e\"]\\nclean = " +
            workspace.file("home/evil") +
            "\\n' > $G/e.cfg; git config 'includeIf.gitdir:**/worktrees/**.path' e.cfg;"
            " mkdir -p $G/info; echo '* filter=e' > $G/info/attributes; sleep 1.1; touch f",
        {"--worktree"});
    CHECK_FALSE(std::filesystem::exists(workspace.file("started")));
  }
  SECTION("the folder of worktrees is a link") {
    std::filesystem::create_directory_symlink(workspace.file("home"),
                                              workspace.project() + ".orch");
    CHECK(run("7", "true", {"--worktree"}).code != 0);
    CHECK_FALSE(std::filesystem::exists(workspace.file("home/7")));
  }
}

TEST_CASE("an agent's program that an agent put there is not asked for its version") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  const std::string bin = workspace.project() + "/bin";
  const std::string script = "#!/bin/sh\n: > " + workspace.file("started") + "\n";
  Program(workspace.shell("mkdir bin; printf '" + script + "' > bin/claude; chmod +x bin/claude",
                          {"--sandbox", "landlock"}))
      .finish();
  for (const char* command : {"agents", "doctor"}) {
    INFO(command);
    Launch launch = workspace.orch({command});
    launch.cwd = workspace.file("home");
    for (std::string& entry : launch.env) {
      if (entry.starts_with("PATH=")) entry.insert(5, bin + ":");
    }
    Program(launch).finish();
    CHECK_FALSE(std::filesystem::exists(workspace.file("started")));
  }
}

TEST_CASE("an agent's own login that has become a link opens no key") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  workspace.write("home/.ssh/id_rsa", "KEY\n");
  const std::string agent =
      workspace.write("codex",
                      "#!/bin/sh\ncase $* in *--version*) echo 0.1.0; exit;; esac\n"
                      "cat $HOME/.codex/auth.json; ln -sf ../.ssh/id_rsa $HOME/.codex/auth.json\n");
  std::filesystem::permissions(agent, std::filesystem::perms::owner_all);
  for (const char* issue : {"1", "2"}) {
    const Outcome outcome =
        Program(workspace.orch({"run", issue, "--sandbox", "landlock", "--agent", "codex",
                                "--agent-program", agent, "--until", "exit", "-p", "x", "--output",
                                "raw"}))
            .finish();
    INFO(outcome.err);
    CHECK(outcome.out.find("KEY") == std::string::npos);
  }
  CHECK(std::filesystem::is_symlink(workspace.file("home/.codex/auth.json")));
}

TEST_CASE("a link of an agent's leads no file of a person's words elsewhere") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  const std::string key = workspace.write("home/.ssh/id_rsa", "KEY\n");
  Program(workspace.shell("ln -s " + key + " n.md; mkdir sub", {"--sandbox", "landlock"})).finish();
  for (const char* option : {"--prompt-file", "--system-prompt"}) {
    const Outcome outcome =
        Program(workspace.orch({"run", "8", "--agent", "demo", option, "n.md"})).finish();
    CHECK(outcome.code == 2);
    CHECK(outcome.err.find("n.md is a link in a folder where agents write") != std::string::npos);
  }
}

TEST_CASE("a push that fails in the fence is reported with the options that open it") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  make_repository(workspace);
  const std::string key = workspace.write("home/.ssh/id_rsa", "KEY\n");
  const std::string script =
      "git push -q https://host.invalid/x main; git push -q https://host.invalid/x main; "
      "echo 'git@host.invalid: Permission denied (publickey).'";
  const Outcome outcome =
      Program(workspace.shell(script, {"--sandbox", "auto", "--approve", "all", "--net", "none"}))
          .finish();
  INFO(outcome.out << outcome.err);
  const RunFolder run = workspace.run_of();
  if (run.result.at("sandbox").at("network") != "none") return;
  CHECK(count_of(outcome.err, "did not reach host.invalid") == 1);
  CHECK(holds(outcome.err, "orch land 7"));
  CHECK(holds(outcome.err, "--net all"));
  CHECK(holds(outcome.err, "--read " + workspace.file("home/.ssh")));
  CHECK(run.result.at("sandbox").at("unreached") == Json::array({"host.invalid"}));
  CHECK(run.result.at("sandbox").at("refused") == Json::array({workspace.file("home/.ssh")}));
}

TEST_CASE("of the home a fenced program sees what is listed, and a refusal is told once",
          "[layer]") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  const std::string notes = workspace.write("home/notes", "NOTES\n");
  workspace.write("home/.bash_history", "HISTORY\n");
  workspace.write("home/.cargo/bin/tool", "TOOL\n");
  workspace.write("home/.gitconfig", "[user]\n\tname = somebody\n");
  const std::string script = "cat " + notes + "; cat " + notes +
                             "; cat ~/.bash_history ~/.cargo/bin/tool; git config user.name";
  const Outcome outcome = Program(workspace.shell(script, fenced())).finish();
  INFO(outcome.out << outcome.err);
  CHECK_FALSE(holds(outcome.out, "NOTES"));
  CHECK_FALSE(holds(outcome.out, "HISTORY"));
  CHECK(holds(outcome.out, "TOOL"));
  CHECK(holds(outcome.out, "somebody"));
  CHECK(count_of(outcome.err, "--read " + notes) == 1);
  const Json refused = workspace.run_of().result.at("sandbox").at("refused");
  CHECK(refused == Json::array({notes, workspace.file("home/.bash_history")}));
  const Outcome wider =
      Program(workspace.shell(script, {"--approve", "all", "--read", notes}, "8")).finish();
  CHECK(holds(wider.out, "NOTES"));
  CHECK_FALSE(holds(wider.out, "HISTORY"));
}

TEST_CASE("a patch goes through no link that a fenced agent has made", "[layer]") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  workspace.write("project/main.c", "one\n");
  const std::string profile = workspace.write("home/.bashrc", "mine\n");
  const std::string script = "echo two > main.c; ln -s " + profile + " 7.patch";
  const Outcome made =
      Program(workspace.shell(script, {"--approve", "all", "--require-changes"})).finish();
  INFO(made.err);
  REQUIRE(made.code == 0);
  const Outcome outcome = run_orch(workspace, {"diff", "7", "-o", "7.patch"});
  CHECK(outcome.code == 2);
  CHECK(holds(outcome.err, " is a link "));
  CHECK(content_of(profile) == "mine\n");
}

TEST_CASE("in the fence other runs' records are not seen, the run's own are", "[layer]") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  REQUIRE(Program(workspace.shell("echo of another", {}, "8")).finish().code == 0);
  const std::string script =
      "cd " + workspace.state() + "; cat runs/*-8-*/* places/*; ls runs/*-7-*; cat sessions/*.json";
  const Outcome outcome = Program(workspace.shell(script, fenced())).finish();
  INFO(outcome.out << outcome.err);
  CHECK_FALSE(holds(outcome.out, "of another"));
  CHECK_FALSE(holds(outcome.out, "inode"));
  CHECK(holds(outcome.out, "fence.json"));
  CHECK(holds(outcome.out, "orch-7"));
}

namespace {

constexpr const char* kBubblewrap = "/usr/bin/bwrap";

// A bubblewrap that makes no namespaces the first times it is to start an agent.
Launch with_failing_bubblewrap(const Workspace& workspace, const std::string& script, int times) {
  const std::string count = workspace.file("starts");
  const std::string fake = workspace.write(
      "tools/bwrap", "#!/bin/sh\ncase \"$*\" in *--inside*) echo x >> " + count +
                         "; if [ $(wc -l < " + count + ") -le " + std::to_string(times) +
                         " ]; then echo \"bwrap: Can't create file at /x: Read-only file system\" "
                         ">&2; exit 1; fi;; esac\nexec " +
                         kBubblewrap + " \"$@\"\n");
  std::filesystem::permissions(fake, std::filesystem::perms::owner_all);
  Launch launch = workspace.shell(script, fenced());
  for (std::string& entry : launch.env) {
    if (entry.starts_with("PATH=")) entry.insert(5, workspace.file("tools") + ":");
  }
  return launch;
}

bool has_namespaces(const Workspace& workspace) {
  const Outcome outcome = Program(workspace.orch({"doctor", "--json"})).finish();
  const bool some = std::filesystem::exists(kBubblewrap) &&
                    Json::parse(outcome.out).at("fence").at("namespaces").get<bool>();
  if (!some) orch::say_skipped("no bubblewrap here");
  return some;
}

}  // namespace

TEST_CASE("namespaces that cannot be made at once are made again, and nothing is said of it",
          "[layer]") {
  const Workspace workspace;
  if (!has_namespaces(workspace)) return;
  const Outcome outcome =
      Program(with_failing_bubblewrap(workspace, "echo begun; exit 7", 3)).finish();
  INFO(outcome.out << outcome.err);
  CHECK(holds(outcome.out, "begun"));
  CHECK_FALSE(holds(outcome.out + outcome.err, "bwrap"));
  CHECK(workspace.run_of().result.at("agent_exit_code") == 7);
  CHECK(lines_of(content_of(workspace.file("starts"))).size() == 4);
}

TEST_CASE("namespaces that cannot be made at all are not the agent's failure") {
  const Workspace workspace;
  if (!has_namespaces(workspace)) return;
  const Outcome outcome = Program(with_failing_bubblewrap(workspace, "echo begun", 99)).finish();
  INFO(outcome.out << outcome.err);
  CHECK(outcome.code == 125);
  CHECK(holds(outcome.out + outcome.err, "the namespaces cannot be made: bwrap: Can't create"));
  CHECK_FALSE(holds(outcome.out, "begun"));
}

TEST_CASE("sockets that come and go while runs begin break none of them", "[layer]") {
  const Workspace workspace;
  if (!has_namespaces(workspace)) return;
  std::filesystem::create_directories(workspace.file("s"));
  Launch launch = workspace.orch({});
  launch.argv = {"/usr/bin/env", "python3", "-c",
                 "import os, socket, sys\nheld = []\nfor i in range(10**9):\n"
                 "  s = socket.socket(socket.AF_UNIX); p = sys.argv[1] + '/' + str(i)\n"
                 "  s.bind(p); s.listen(); held.append((s, p))\n"
                 "  if len(held) > 20: s, p = held.pop(0); s.close(); os.unlink(p)\n",
                 workspace.file("s")};
  const Program churner(launch);
  for (int i = 1; i <= 8; ++i) {
    const std::string issue = std::to_string(i);
    const Outcome outcome = Program(workspace.shell("echo begun", fenced(), issue)).finish();
    INFO(outcome.out << outcome.err);
    CHECK(holds(outcome.out, "begun"));
    CHECK_FALSE(holds(outcome.out + outcome.err, "bwrap"));
  }
}

TEST_CASE("a command in a fence changes no session, as an agent in it") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  REQUIRE(Program(workspace.orch({"run", "8", "-d", "--sandbox", "none", "--", "sleep", "100"}))
              .finish()
              .code == 0);
  const auto runs = [&] { return holds(run_orch(workspace, {"sessions"}).out, "orch-8"); };
  const std::string script = "for words in 'keys 8 a' 'send 8 x' 'kill 8 --now'; do " ORCH_PROGRAM
                             " $words 2>&1; done; true";
  std::filesystem::create_directory(workspace.file("tools"));  // without bubblewrap
  for (const char* tool : {"sh", "git"}) {
    std::filesystem::create_symlink(std::string("/usr/bin/") + tool,
                                    workspace.file("tools/") + tool);
  }
  for (const bool has_namespaces : {true, false}) {
    Launch launch =
        workspace.shell(script, {"--output", "text", "--sandbox", "landlock", "--no-snapshot"});
    for (std::string& entry : launch.env) {
      if (!has_namespaces && entry.starts_with("PATH=")) entry = "PATH=" + workspace.file("tools");
    }
    const Outcome outcome = Program(launch).finish();
    CAPTURE(has_namespaces, outcome.out, outcome.err);
    size_t refused = 0;
    for (const std::string& line : lines_of(outcome.out)) {
      refused += holds(line, "refused: this process belongs to run ");
    }
    CHECK(refused == 3);
    CHECK(runs());
  }
}

TEST_CASE("an agent that PATH leads to where agents write is started in a fence only") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  workspace.write("home/.config/orch/adapters/own.json",
                  R"({"manifest": 1, "name": "own", "title": "Own", "program": ["own-agent"]})");
  const std::string program =
      workspace.write("project/.venv/bin/own-agent", "#!/bin/sh\ntouch ran ../out\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const auto run = [&](const std::string& first_on_path, Words more) {
    Words words{"run", "7", "--agent", "own", "--until", "exit"};
    words.insert(words.end(), more.begin(), more.end());
    Launch launch = workspace.orch(words);
    for (std::string& entry : launch.env) {
      if (entry.starts_with("PATH=")) entry.insert(5, first_on_path + ":");
    }
    return Program(launch).finish();
  };
  const auto ran = [&] {
    return std::filesystem::remove(workspace.project() + "/ran") +
           2 * std::filesystem::remove(workspace.file("out"));
  };
  for (const std::string& path : {workspace.project() + "/.venv/bin", std::string(".venv/bin")}) {
    const Outcome refused = run(path, {});
    INFO(refused.err);
    CHECK(refused.code != 0);
    CHECK(holds(refused.err, "where agents may write: start it in a fence (--sandbox landlock)"));
    CHECK(ran() == 0);
    run(path, {"--sandbox", "landlock"});
    CHECK(ran() == 1);
  }
  CHECK(run("/none", {"--agent-program", program}).code == 0);  // the user named it
  CHECK(ran() == 3);
}

TEST_CASE("a gate runs in the fence of an agent whose hooks have ended") {
  const Workspace workspace;
  if (!machine_has_a_fence(workspace)) return;
  const std::string program = workspace.write("tools/claude", "#!/bin/sh\nexit 0\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const Outcome outcome = run_orch(
      workspace, {"run", "7", "--agent", "claude", "--agent-program", program, "-p", "x",
                  "--sandbox", "landlock", "--until", "exit", "--verify", "touch gate-ran"});
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(std::filesystem::exists(workspace.project() + "/gate-ran"));
}

// Judges package managers and programs that talk to a forge or a registry.

#include <algorithm>

#include "policy/path_arguments.h"
#include "policy/program_judge.h"
#include "policy/program_options.h"

namespace orch::policy {
namespace {

using Words = std::vector<ShellWord>;

bool lists(std::string_view words, std::string_view word) {
  return !word.empty() &&
         (" " + std::string(words) + " ").find(" " + std::string(word) + " ") != std::string::npos;
}

std::string verb_of(const Words& operands, size_t at = 0) {
  return at < operands.size() ? operands[at].text : "";
}

bool sounds_public(std::string_view name) {
  return name.find("publish") != std::string_view::npos ||
         name.find("deploy") != std::string_view::npos;
}

void publishes(const ProgramCall& call, bool certain) {
  call.verdict().suspect(DenyEntry::kPublish, certain);
}

void judge_npm(const ProgramCall& call) {
  const ProgramOptions options(
      call.words,
      "-g --global --location= --prefix@ --dir@ -C@ --cwd@ --script-shell! --shell! "
      "--node-options! "
      "--userconfig! --globalconfig! -w= --workspace= --filter= --registry= --cache> --otp= --tag= "
      "--git! --modules-folder> --shell-emulator --use-node-version= --init-module! --editor! "
      "--viewer! --browser! -F= --loglevel= --omit= --include= --pack-destination>");
  if (!options.understood() || options.may_be_any()) call.verdict().cannot_read();
  judge_path_arguments(call, "", PathScope::kAll);
  judge_targets(options.values_of_kind('>'), call);
  for (const ShellWord& folder : options.values_of_kind('@')) judge_folder(folder, call);
  judge_build(call);
  const Words& operands = options.operands();
  std::string verb = verb_of(operands);
  if (verb == "npm") verb = verb_of(operands, 1);  // yarn npm publish
  bool global = options.has("-g") || options.has("--global") || verb == "global";
  for (const ShellWord& value : options.values("--location")) global |= value.text != "project";
  const bool reads = lists("ls list root bin prefix config view info outdated", verb);
  if (global && !reads) call.verdict().suspect(DenyEntry::kOutsideWrite, false);
  if (lists("publish unpublish deprecate dist-tag stage undeprecate", verb))
    return publishes(call, true);
  if (lists("run run-script rum urn", verb)) {
    const std::string script = verb_of(operands, 1);
    if (sounds_public(script) || script.find("release") != std::string::npos)
      publishes(call, false);
    return;
  }
  if (verb == "config" || verb == "c") {
    if (!lists("get list ls", verb_of(operands, 1))) call.verdict().cannot_read();
    return;
  }
  if (lists("owner access team token adduser login logout hook org profile star unstar edit repo "
            "docs "
            "bugs set set-script link env setup completion create explore exec x dlx node "
            "patch-commit "
            "self-update upgrade-interactive import plugin tag author",
            verb)) {
    return call.verdict().cannot_read();
  }
  if (sounds_public(verb)) publishes(call, false);
}

void judge_pip(const ProgramCall& call) {
  const ProgramOptions options(
      call.words,
      "-t> --target> --prefix> --root> --src> -d> --dest> -w> --wheel-dir> --cache-dir> --log> "
      "--user "
      "--python! -r= --requirement= -c= --constraint= -e= --editable= -i= --index-url= "
      "--extra-index-url= -f= --find-links= --report> --config-settings! --global-option! "
      "--build-option! --install-option! --break-system-packages");
  if (!options.understood() || options.may_be_any()) call.verdict().cannot_read();
  judge_path_arguments(call, "", PathScope::kAll);
  judge_targets(options.values_of_kind('>'), call);
  judge_build(call);
  if (options.has("--user")) call.verdict().suspect(DenyEntry::kOutsideWrite, false);
  const std::string verb = verb_of(options.operands());
  if (verb == "config" && !lists("get list", verb_of(options.operands(), 1))) {
    call.verdict().cannot_read();
  }
}

void judge_python_tool(const ProgramCall& call) {  // uv, poetry, hatch, ...
  const ProgramOptions options(
      call.words,
      "-t> --target> --prefix> -C@ --directory@ --project@ --cache-dir> -P@ "
      "-o> --output-file> --out-dir> --output> -p= --python= -r= -c= -n= "
      "--name= --with= --extra= --group=");
  if (!options.understood() || options.may_be_any()) call.verdict().cannot_read();
  judge_path_arguments(call, "", PathScope::kAll);
  judge_targets(options.values_of_kind('>'), call);
  for (const ShellWord& folder : options.values_of_kind('@')) judge_folder(folder, call);
  judge_build(call);
  const Words& operands = options.operands();
  const std::string verb = verb_of(operands);
  if (verb == "publish" || (call.program == "twine" && verb == "upload")) publishes(call, true);
  if (verb == "venv" || verb == "virtualenv") {
    judge_targets({operands.begin() + 1, operands.end()}, call);
  }
  if (lists("tool python self config plugin source cache auth login credentials", verb) &&
      !lists("list show dir", verb_of(operands, 1))) {
    call.verdict().cannot_read();
  }
}

void judge_cargo(const ProgramCall& call) {
  const ProgramOptions options(
      call.words,
      "--config! --target-dir> --root> --out-dir> --artifact-dir> -C@ -Z= "
      "--manifest-path= -p= --package= --bin= --example= --features= -F= -j= "
      "--target= --profile= --test= --bench= --message-format= --lockfile-path=");
  const Words before(call.words.begin(),
                     std::find_if(call.words.begin(), call.words.end(),
                                  [](const ShellWord& word) { return word.text == "--"; }));
  const ProgramOptions own(before,
                           "--config! --target-dir> --root> --out-dir> --artifact-dir> -C@");
  if (!own.understood() || own.may_be_any()) call.verdict().cannot_read();
  judge_path_arguments(call, "", PathScope::kAll);
  judge_targets(own.values_of_kind('>'), call);
  for (const ShellWord& folder : own.values_of_kind('@')) judge_folder(folder, call);
  judge_build(call);
  Words operands = options.operands();
  if (!operands.empty() && operands[0].text.starts_with('+')) operands.erase(operands.begin());
  const std::string verb = verb_of(operands);
  if (lists("publish yank", verb)) return publishes(call, true);
  if (lists("install uninstall", verb) && !own.has("--root")) {
    return call.verdict().suspect(DenyEntry::kOutsideWrite, false);
  }
  if (lists("owner login logout", verb)) return call.verdict().cannot_read();
  if (verb == "new" || verb == "init") judge_targets({operands.begin() + 1, operands.end()}, call);
  if (lists("watch", verb)) {
    const ProgramOptions watch(call.words, "-s! --shell! -x=");
    if (!watch.understood()) call.verdict().cannot_read();
  }
}

void judge_gh(const ProgramCall& call) {
  const ProgramOptions options(
      call.words,
      "-R= --repo= -X= --method= -f -F --field --raw-field --input -D> --dir> "
      "-O> --output> --jq= -q= --json= -t= --template= -L= --limit= --state= "
      "--title= --body= -b= --body-file= --base= --head= -B= -H= -a= -l= -p=");
  if (!options.understood() || options.may_be_any()) call.verdict().cannot_read();
  judge_path_arguments(call,
                       "-t= --title= -b= --body= --body-file= -q= --jq= --template= -f= -F= -H=",
                       PathScope::kOptions);
  judge_targets(options.values_of_kind('>'), call);
  const Words& operands = options.operands();
  const std::string noun = verb_of(operands);
  const std::string verb = verb_of(operands, 1);
  if (noun == "api") {
    bool writes = false;
    bool certain = false;
    for (const std::string_view name : {"-X", "--method"}) {
      for (const ShellWord& method : options.values(name)) {
        if (method.text == "GET" || method.text == "get" || method.text == "HEAD") continue;
        writes = true;
        certain = certain || method.exact();
      }
    }
    const bool given = options.has("-X") || options.has("--method");
    for (const std::string_view name : {"-f", "-F", "--field", "--raw-field", "--input"}) {
      writes = writes || (options.has(name) && (!given || verb == "graphql"));
    }
    if (writes) publishes(call, certain);
    return;
  }
  if ((noun == "pr" && verb == "merge") ||
      (noun == "release" && lists("create delete edit upload delete-asset", verb)) ||
      (noun == "repo" && lists("delete create archive edit rename transfer sync", verb)) ||
      (noun == "gist" && lists("create edit delete", verb))) {
    return publishes(call, true);
  }
  if (lists("list view status checks diff checkout watch download ls", verb)) return;
  if (lists("pr issue", noun) && lists("create comment ready", verb)) return;
  if (noun == "repo" && verb == "clone") {
    return operands.size() > 3 ? judge_target(operands[3], call)
                               : judge_folder(exact_word("."), call);
  }
  if (noun == "search" || (noun == "auth" && verb == "status") || noun == "status") return;
  call.verdict().cannot_read();
}

// Judges the host folder that -v HOST:CONTAINER or --mount makes accessible to a container.
void judge_mount(const ShellWord& mount, const ProgramCall& call) {
  std::string source = mount.text;
  if (source.find("source=") != std::string::npos || source.find("src=") != std::string::npos) {
    source.erase(0, source.find("src=") != std::string::npos ? source.find("src=") + 4
                                                             : source.find("source=") + 7);
    source.erase(std::min(source.find(','), source.size()));
  } else {
    if (source.find(':') == std::string::npos && !is_mark(source.empty() ? 'x' : source[0])) return;
    source.erase(std::min(source.find(':'), source.size()));
  }
  const bool read_only =
      mount.text.ends_with(":ro") || mount.text.find("readonly") != std::string::npos;
  const bool named = source.find('/') == std::string::npos &&
                     source.find('.') == std::string::npos && exact_word(source).exact();
  if (!named && (!read_only || !exact_word(source).exact())) judge_folder({source}, call);
}

void judge_docker(const ProgramCall& call) {
  const ProgramOptions global(call.words,
                              "-H! --host! -c! --context! --config! -l= --log-level= -f= "
                              "--file= -p= --project-name= --project-directory@ --profile= "
                              "--env-file=",
                              /*stops=*/true);
  if (!global.understood() || global.may_be_any()) call.verdict().cannot_read();
  Words words = global.operands();
  std::string verb = verb_of(words);
  if (lists("container image compose buildx builder", verb)) {
    const ProgramOptions inner(
        {words.begin() + 1, words.end()},
        "-f= --file= -p= --project-name= --project-directory@ --profile= --env-file=", true);
    words = inner.operands();
    verb = verb_of(words);
  }
  if (verb.empty()) return;
  const Words rest(words.begin() + 1, words.end());
  if (verb == "push" || (verb == "manifest" && verb_of(rest) == "push"))
    return publishes(call, true);
  if (lists("ps images logs inspect version info stats top port diff history search ls pull stop "
            "kill "
            "start restart pause unpause wait rmi rm tag attach events config up down",
            verb) ||
      (lists("network volume context", verb) && lists("ls inspect", verb_of(rest)))) {
    if (lists("up", verb)) judge_build(call);
    return;
  }
  if (lists("run create exec", verb)) {
    const ProgramOptions run(
        rest,
        "-v= --volume= --mount= --privileged! --pid! --device! --cap-add! --security-opt! "
        "--userns! "
        "--volumes-from! --ipc! --cgroup-parent! --cidfile> --iidfile> -e= --env= --name= -p= -w= "
        "-u= "
        "--entrypoint= --network= --net= --rm -i -t -d --platform= -h= -l= --env-file= --label= "
        "-m= "
        "--memory= --cpus= --gpus= --add-host= --link= --restart= --runtime! --uts! --group-add=",
        true);
    if (!run.understood() || run.may_be_any()) call.verdict().cannot_read();
    judge_targets(run.values_of_kind('>'), call);
    for (const std::string_view name : {"-v", "--volume", "--mount"}) {
      for (const ShellWord& mount : run.values(name)) judge_mount(mount, call);
    }
    return;
  }
  if (lists("build bake", verb)) {
    const ProgramOptions build(rest,
                               "-o! --output! --push --iidfile> --metadata-file> --allow! --ssh= "
                               "--secret= -t= -f= --build-arg=");
    if (!build.understood() || build.may_be_any()) call.verdict().cannot_read();
    judge_targets(build.values_of_kind('>'), call);
    if (build.has("--push")) publishes(call, true);
    return judge_build(call);
  }
  if (lists("save export", verb)) {
    const ProgramOptions save(rest, "-o> --output>");
    return judge_targets(save.values_of_kind('>'), call);
  }
  if (verb == "cp" && !rest.empty()) {
    if (rest.back().text.find(':') == std::string::npos) judge_target(rest.back(), call);
    return;
  }
  call.verdict().cannot_read();
}

}  // namespace

bool judge_publisher(const ProgramCall& call) {
  const std::string_view program = call.program;
  const std::string verb = verb_of(call.words);
  if (is_one_of(program, {"npm", "pnpm", "yarn", "bun", "yarnpkg"})) {
    judge_npm(call);
  } else if (program == "pip" ||
             (program.starts_with("pip") && program != "pipx" && program != "pipenv")) {
    judge_pip(call);
  } else if (program == "uv" && verb == "pip") {
    const Words rest(call.words.begin() + 1, call.words.end());
    judge_pip({program, rest, call.where, call.effects});
  } else if (is_one_of(program, {"uv", "poetry", "hatch", "pdm", "flit", "rye", "pipenv", "twine",
                                 "virtualenv", "conda", "mamba"})) {
    judge_python_tool(call);
    if (program == "virtualenv") judge_targets(ProgramOptions(call.words, "-p=").operands(), call);
  } else if (program == "cargo") {
    judge_cargo(call);
  } else if (program == "gh" || program == "hub" || program == "glab") {
    program == "gh" ? judge_gh(call) : call.verdict().cannot_read();
  } else if (is_one_of(program, {"docker", "podman", "nerdctl", "docker-compose"})) {
    judge_docker(call);
  } else if (program == "gem") {
    if (lists("push yank owner signin", verb)) return publishes(call, true), true;
    if (!lists("list search info env which", verb)) call.verdict().cannot_read();
  } else if (program == "kubectl" || program == "oc") {
    judge_path_arguments(call, "", PathScope::kOptions);
    if (!lists("get describe logs explain version top api-resources cluster-info diff", verb)) {
      call.verdict().cannot_read();
    }
  } else if (program == "helm") {
    judge_path_arguments(call, "-f= --values=", PathScope::kOptions);
    if (verb == "push") return publishes(call, true), true;
    if (!lists("list ls template lint show status version history search get", verb)) {
      call.verdict().cannot_read();
    }
  } else if (is_one_of(program, {"terraform", "tofu"})) {
    judge_build(call);
    judge_path_arguments(call, "", PathScope::kAll);
    if (!lists("plan validate fmt init version output show graph providers", verb)) {
      call.verdict().cannot_read();
    }
  } else if (is_one_of(program,
                       {"semantic-release", "np", "release-it", "goreleaser", "vsce", "ovsx"})) {
    publishes(call, lists("publish release", verb));
  } else {
    // What "mvn deploy", "gradle publish" or "make publish" do is up to the project.
    if (!is_one_of(program,
                   {"echo", "printf", "grep", "rg", "git", "cat", "ls", "cd", "test", "["})) {
      const bool pushes = (call.program == "dotnet" || call.program == "nuget") &&
                          std::any_of(call.words.begin(), call.words.end(),
                                      [](const ShellWord& word) { return word.text == "push"; });
      if (pushes || verb == "release:perform") publishes(call, true);
      if (sounds_public(verb) && verb.find_first_of("/. ") == std::string::npos)
        publishes(call, false);
    }
    return false;
  }
  return true;
}

}  // namespace orch::policy

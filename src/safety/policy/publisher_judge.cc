// Judges package managers and programs that talk to a forge or a registry.

#include <algorithm>

#include "base/ascii.h"
#include "base/replace.h"
#include "base/text.h"
#include "policy/interpreters.h"
#include "policy/path_arguments.h"
#include "policy/program_judge.h"
#include "policy/program_options.h"
#include "policy/program_rules.h"
#include "policy/publishing_words.h"
#include "policy/reaching_out.h"

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

void judge_verb_at(const Words& operands, size_t at, const ProgramCall& call) {
  if (at >= operands.size() || is_known_verb(operands[at])) return;
  call.verdict().cannot_read();
  publishes(call, false);
}

// Whether a goal publishes if it is cut short as gradle takes it: "pub", "pTMR".
bool shortens_goal(std::string_view goal) {
  goal = goal.substr(goal.rfind(':') + 1);
  const auto capital = std::find_if(goal.begin(), goal.end(), base::is_capital);
  const std::string_view first = goal.substr(0, static_cast<size_t>(capital - goal.begin()));
  const bool humps = first.size() < goal.size();
  if (first.size() < (humps ? 1 : 2)) return false;
  for (const std::string_view verb : {"publish", "upload", "deploy"}) {
    if (first.size() < verb.size() && verb.starts_with(first)) return true;
  }
  return false;
}

// Whether a goal, in any place, publishes: "deploy", "docs-publish", ":lib:publishToMavenCentral",
// "hex.publish", "clean; publish", "publ". "publisher", "src/deploy" and "deploy.sh" do not.
bool is_public_goal(std::string_view goal) {
  if (goal.ends_with("ToMavenLocal") || goal.ends_with("publishLocal")) return false;
  if (goal.find('/') != std::string_view::npos) return false;
  for (std::string_view piece : base::split(goal, ';')) {
    piece = base::trim(piece);
    piece = piece.substr(0, piece.find_first_of(" ,"));
    std::string_view words = piece.substr(piece.find_last_of(".:+") + 1);
    while (!words.empty()) {
      const size_t end = std::min(words.find_first_of("-_"), words.size());
      const std::string_view word = words.substr(0, end);
      words.remove_prefix(std::min(end + 1, words.size()));
      for (const std::string_view verb : {"publish", "deploy", "upload"}) {
        const bool shortens = word.size() >= 4 && verb.starts_with(word);
        const bool begins = word.size() > verb.size() && word.starts_with(verb) &&
                            !base::is_small(word[verb.size()]);
        if (shortens || begins) return true;
      }
    }
  }
  return false;
}

// Judges packages from an address, a repository or an index of the caller's choice: they run when
// they are installed, so they are downloaded code. `words` are the package manager's own.
void judge_packages(const Words& words, const ProgramCall& call) {
  const bool elsewhere = std::any_of(words.begin(), words.end(), [](const ShellWord& word) {
    return names_remote_code(word.text);
  });
  if (elsewhere) call.verdict().suspect(DenyEntry::kPipeToShell, false);
}

// Judges the paths that a package manager reads and writes, and its build.
void judge_tool(const ProgramOptions& options, const ProgramCall& call) {
  if (!options.understood() || options.may_be_any()) call.verdict().cannot_read();
  judge_path_arguments(call, "", PathScope::kAll);
  judge_targets(options.values_of_kind('>'), call);
  for (const ShellWord& folder : options.values_of_kind('@')) judge_folder(folder, call);
  judge_build(call);
}

// The words before "--". They are the program's own.
Words before_dashes(const Words& words) {
  return {words.begin(), std::find_if(words.begin(), words.end(),
                                      [](const ShellWord& word) { return word.text == "--"; })};
}

constexpr std::string_view kInstalls =
    "install i in it cit sit isnt isnta isntal isntall isntall-clean install-test install-ci-test "
    "install-clean clean-install clean-install-test add ci ic u update up udpate upgrade init "
    "innit "
    "create exec x dlx";
constexpr std::string_view kPublishes =
    "publish unpublish undeprecate deprecate dist-tags dist-tag stage trust";
constexpr std::string_view kAsked =
    "owner author access team token adduser add-user login logout hook org ogr profile star unstar "
    "edit repo docs bugs set set-script link ln env setup completion create explore exec x";
constexpr std::string_view kAskedOfOthers =  // verbs of npm's kin
    "dlx node patch-commit self-update upgrade-interactive import plugin tag";

// The command that npm takes the word for: it knows each by its beginnings, and "distTag" as
// "dist-tag". A beginning that several commands share is an error of npm's; here it is one of them.
std::string npm_command(std::string_view word) {
  std::string name;
  for (const char c : word) {
    if (base::is_capital(c)) name += '-';
    name += base::lower(std::string(1, c));
  }
  if (name.size() < 2 || lists("un se", name)) return name;  // names of other commands
  for (const std::string_view commands :
       {kInstalls, std::string_view("run-script config pack"), kPublishes, kAsked}) {
    for (const std::string_view command : base::split(commands, ' ')) {
      if (command.starts_with(name)) return std::string(command);
    }
  }
  return name;
}

// Where the verb of npm or its kin stands: "yarn npm publish", "yarn workspace a publish". Behind
// an option that is not known it may stand in several places.
std::vector<size_t> verb_places(const ProgramOptions& options) {
  const Words& operands = options.operands();
  const std::string first = verb_of(operands);
  const bool in_workspace = lists("workspace workspaces", first);
  const bool in_all = lists("recursive multi m", first);
  std::vector<size_t> places;
  for (size_t at = in_workspace ? 2 : in_all ? 1 : 0; at < operands.size(); ++at) {
    if (operands[at].text == "npm") continue;
    places.push_back(at);
    if (!options.may_be_value(at)) break;
  }
  return places;
}

// Judges the packages that npm and its kin install. Words after the name of a script belong to the
// script.
void judge_npm_packages(std::string_view verb, const Words& operands, const ProgramCall& call) {
  if (lists(kInstalls, verb)) {
    judge_packages(call.words, call);
    const bool named = std::any_of(operands.begin(), operands.end(), [](const ShellWord& word) {
      return is_repository_name(word.text) || word.text.starts_with("github.com/");
    });
    if (named) call.verdict().suspect(DenyEntry::kPipeToShell, false);
  } else if (!lists("run run-script rum urn test t tst start stop restart", verb)) {
    for (const ShellWord& word : before_dashes(call.words)) {
      if (names_certain_code(word.text)) call.verdict().suspect(DenyEntry::kPipeToShell, false);
    }
  }
  if (verb == "pack" && operands.size() > 1) note_fetched_somewhere(call);
}

void judge_npm(const ProgramCall& call) {
  const ProgramOptions options(
      call.words,
      "-g --global --location= --prefix@ --dir@ -C@ --cwd@ --script-shell! --shell! "
      "--node-options! "
      "--userconfig! --globalconfig! -w= --workspace= --filter= --registry= --cache> --otp= --tag= "
      "--git! --modules-folder> --shell-emulator --use-node-version= --init-module! --editor! "
      "--viewer! --browser! -F= --loglevel= --omit= --include= --pack-destination>");
  judge_tool(options, call);
  const Words& operands = options.operands();
  const auto command_at = [&](size_t at) {
    const std::string word = verb_of(operands, at);
    return call.program == "npm" ? npm_command(word) : word;
  };
  const std::vector<size_t> places = verb_places(options);
  for (const size_t place : places) {
    judge_verb_at(operands, place, call);
    const std::string maybe = command_at(place);
    if (place == places.front() || lists(kInstalls, maybe))
      judge_npm_packages(maybe, operands, call);
    if (lists(kPublishes, maybe)) publishes(call, place == places.front());
  }
  const size_t at = places.empty() ? operands.size() : places.front();
  const std::string verb = command_at(at);
  bool global = options.has("-g") || options.has("--global") || verb == "global";
  for (const ShellWord& value : options.values("--location")) global |= value.text != "project";
  const bool reads = lists("ls list root bin prefix config view info outdated", verb);
  if (global && !reads) call.verdict().suspect(DenyEntry::kOutsideWrite, false);
  if (lists(kPublishes, verb)) return;
  if (verb == "pkg" && !lists("get", verb_of(operands, at + 1))) {
    note_written({exact_word("package.json")}, call);
  }
  if (lists("run run-script rum urn", verb)) {
    const std::string script = verb_of(operands, at + 1);
    judge_verb_at(operands, at + 1, call);
    if (sounds_public(script) || script.find("release") != std::string::npos)
      publishes(call, false);
    return;
  }
  if (verb == "config" || verb == "c") {
    if (!lists("get list ls", verb_of(operands, at + 1))) call.verdict().cannot_read();
    return;
  }
  if (lists(kAsked, verb) || lists(kAskedOfOthers, verb)) return call.verdict().cannot_read();
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
  judge_tool(options, call);
  if (options.has("--user")) call.verdict().suspect(DenyEntry::kOutsideWrite, false);
  judge_packages(call.words, call);
  const std::string verb = verb_of(options.operands());
  judge_verb_at(options.operands(), 0, call);
  if (verb == "download") note_fetched_somewhere(call);
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
  judge_tool(options, call);
  const Words& operands = options.operands();
  const std::string verb = verb_of(operands);
  judge_verb_at(operands, 0, call);
  judge_packages(call.words, call);
  if (lists("publish upload", verb)) publishes(call, true);
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
  const Words before = before_dashes(call.words);
  const ProgramOptions own(before,
                           "--config! --target-dir> --root> --out-dir> --artifact-dir> -C@");
  judge_tool(own, call);
  Words operands = options.operands();
  if (!operands.empty() && operands[0].text.starts_with('+')) operands.erase(operands.begin());
  const std::string verb = verb_of(operands);
  judge_verb_at(operands, 0, call);
  judge_packages(before, call);
  if (lists("publish yank", verb)) return publishes(call, true);
  // "cargo release", "cargo workspaces publish"; a second word behind cargo's own verbs is a name.
  const bool names = lists(
      "add b bench build c check clean doc fmt help info init install new "
      "nextest r remove rm run search t test tree update",
      verb);
  if (!names) judge_verb_at(operands, 1, call);
  if (verb.ends_with("release") || (!names && is_public_goal(verb_of(operands, 1))))
    publishes(call, false);
  if (lists("install uninstall binstall", verb) && !own.has("--root")) {
    return call.verdict().suspect(DenyEntry::kOutsideWrite, false);
  }
  if (lists("owner login logout", verb)) return call.verdict().cannot_read();
  if (verb == "new" || verb == "init") judge_targets({operands.begin() + 1, operands.end()}, call);
  if (lists("watch", verb)) {
    const ProgramOptions watch(call.words, "-s! --shell! -x=");
    if (!watch.understood()) call.verdict().cannot_read();
  }
}

// Judges the files that gh sends the content of.
void judge_gh_files(std::string_view noun, const ProgramOptions& options, const ProgramCall& call) {
  for (const std::string_view name : {"-F", "--body-file", "--notes-file", "--input"}) {
    if (name == "-F" && noun == "api") continue;  // a field
    for (const ShellWord& file : options.values(name)) {
      if (file.text != "-") judge_upload(file.text, call);
    }
  }
}

// Notes the files that gh downloads; the code of a pull request may be anybody's.
void note_gh_fetches(std::string_view noun, std::string_view verb, const ProgramOptions& options,
                     const ProgramCall& call) {
  if (!lists("download clone checkout", verb)) return;
  const Words named = options.values_of_kind('>');
  for (const ShellWord& file : named) note_fetched(file, call);
  if (noun == "repo" && options.operands().size() > 3) {
    note_fetched(options.operands()[3], call);
  } else if (named.empty()) {
    note_fetched_somewhere(call);
  }
}

void judge_gh(const ProgramCall& call) {
  const ProgramOptions options(
      call.words,
      "-R= --repo= -X= --method= -f= -F= --field= --raw-field= --input= -D> --dir> "
      "-O> --output> --jq= -q= --json= -t= --template= -L= --limit= --state= "
      "--title= --body= -b= --body-file= --notes-file= --base= --head= -B= -H= -a= -l= -p= "
      "--pattern= --name= -n=");
  if (!options.understood() || options.may_be_any()) call.verdict().cannot_read();
  judge_path_arguments(call,
                       "-t= --title= -b= --body= --body-file= -q= --jq= --template= -f= -F= -H=",
                       PathScope::kOptions);
  judge_targets(options.values_of_kind('>'), call);
  const Words& operands = options.operands();
  const std::string noun = verb_of(operands);
  const std::string verb = verb_of(operands, 1);
  judge_gh_files(noun, options, call);
  note_gh_fetches(noun, verb, options, call);
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
  // The verb may be the value of an option that is not known.
  for (size_t i = 0; i < std::min<size_t>(operands.size(), 2); ++i) {
    if (options.may_be_value(i)) publishes(call, false);
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
  if (named) return;
  if (!read_only || !exact_word(source).exact()) return judge_folder({source}, call);
  // A container may send everything that it may read.
  if (may_lead_out(source, call.where, PathScope::kAll)) publishes(call, false);
}

// The folder in the container where -v HOST:CONTAINER or --mount puts a folder of the host.
std::string mounted_at(std::string_view mount) {
  for (const std::string_view name : {"target=", "dst=", "destination="}) {
    const size_t at = mount.find(name);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = mount.substr(at + name.size());
    return std::string(rest.substr(0, rest.find(',')));
  }
  const size_t colon = mount.find(':');
  if (colon == std::string_view::npos) return "";
  const std::string_view rest = mount.substr(colon + 1);
  return std::string(rest.substr(0, rest.find(':')));
}

// The command as a text that a shell would read as these words; unknown parts are letters.
std::string as_text(const Words& words) {
  std::string text;
  for (const ShellWord& word : words) {
    std::string plain = word.text;
    std::replace_if(plain.begin(), plain.end(), is_mark, 'x');
    text += (text.empty() ? "" : " ") + base::shell_word(plain);
  }
  return text;
}

// Judges the command that runs in a container, with a mounted folder as its work directory. Its
// other writes stay in the container; but code that it downloads and runs may be anybody's.
void judge_in_container(const Words& operands, const Words& mounts, const ProgramCall& call) {
  if (operands.size() < 2) return;
  std::string folder = mounts.empty() ? "" : mounted_at(mounts[0].text);
  const bool shares = folder.starts_with('/') && exact_word(folder).exact();
  if (!shares) folder = "/nowhere/container";
  const CommandVerdict inner =
      judge_command(as_text({operands.begin() + 1, operands.end()}), folder);
  for (const Suspicion& found : inner.found) {
    const bool reaches = found.entry == DenyEntry::kForcePush ||
                         (found.entry == DenyEntry::kPublish && found.certain);
    const bool counts = shares ? found.entry != DenyEntry::kOutsideWrite
                               : reaches || found.entry == DenyEntry::kPipeToShell;
    if (counts) call.verdict().suspect(found.entry, (shares || reaches) && found.certain);
  }
}

// Judges the sources of an image: a folder, which is sent to the daemon, or an address.
void judge_build_sources(const ProgramOptions& build, const ProgramCall& call) {
  Words sources = build.operands();
  for (const std::string_view name : {"-f", "--file", "--build-context", "--secret", "--ssh"}) {
    for (ShellWord& file : build.values(name)) sources.push_back(file);
  }
  for (const ShellWord& source : sources) {
    const bool remote = names_remote_code(source.text) || source.text.starts_with("github.com/");
    if (remote) call.verdict().suspect(DenyEntry::kPipeToShell, false);
    if (may_lead_out(source.text, call.where, PathScope::kStrange)) publishes(call, false);
    const bool piped = source.text == "-" && call.input != nullptr;
    if (piped && call.input->kind == Flow::Kind::kDownload)
      call.verdict().suspect(DenyEntry::kPipeToShell, true);
  }
}

// Judges the files with the services that compose runs.
void judge_services(const ProgramOptions& options, const ProgramCall& call) {
  for (const std::string_view name : {"-f", "--file"}) {
    for (const ShellWord& file : options.values(name)) {
      if (file.text.find("://") != std::string::npos)
        call.verdict().suspect(DenyEntry::kPipeToShell, false);
      judge_run_file(file, call);
      if (file.text == "-" || place_of(file, call.where) != Place::kAllowed)
        call.verdict().cannot_read();
    }
  }
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
    judge_services(inner, call);
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
        "-u= --workdir= --user= --publish= "
        "--entrypoint= --network= --net= --rm -i -t -d --platform= -h= -l= --env-file= --label= "
        "-m= "
        "--memory= --cpus= --gpus= --add-host= --link= --restart= --runtime! --uts! --group-add=",
        true);
    if (!run.understood() || run.may_be_any()) call.verdict().cannot_read();
    judge_targets(run.values_of_kind('>'), call);
    Words mounts;
    for (const std::string_view name : {"-v", "--volume", "--mount"}) {
      for (const ShellWord& mount : run.values(name)) {
        judge_mount(mount, call);
        mounts.push_back(mount);
      }
    }
    for (const ShellWord& file : run.values("--env-file")) {
      if (may_lead_out(file.text, call.where, PathScope::kStrange)) publishes(call, false);
    }
    Words command = run.operands();
    const Words entries = run.values("--entrypoint");
    if (!entries.empty() && !command.empty()) command.insert(command.begin() + 1, entries.back());
    judge_in_container(command, mounts, call);
    return;
  }
  if (lists("build bake", verb)) {
    const ProgramOptions build(rest,
                               "-o! --output! --push --iidfile> --metadata-file> --allow! --ssh= "
                               "--secret= -t= --tag= -f= --file= --build-arg= --platform= "
                               "--target= --label= --progress= --cache-from= --cache-to= "
                               "--network= --build-context= --set=");
    if (!build.understood() || build.may_be_any()) call.verdict().cannot_read();
    judge_targets(build.values_of_kind('>'), call);
    if (build.has("--push")) publishes(call, true);
    judge_build_sources(build, call);
    return judge_build(call);
  }
  if (lists("save export", verb)) {
    const ProgramOptions save(rest, "-o> --output>");
    return judge_targets(save.values_of_kind('>'), call);
  }
  if (verb == "cp" && !rest.empty()) {
    const bool here = rest.back().text.find(':') == std::string::npos;
    if (here) {
      note_fetched(rest.back(), call);
      return judge_target(rest.back(), call);
    }
    for (size_t i = 0; i + 1 < rest.size(); ++i) {
      const std::string& source = rest[i].text;
      if (!source.starts_with('-')) judge_upload(source, call);
    }
    return;
  }
  call.verdict().cannot_read();
}

// The project decides what "mvn deploy", "gradle publish" or "make publish" do.
void judge_goals(const ProgramCall& call) {
  using Kind = ProgramRule::Kind;
  const ProgramRule* rule = rule_of(call.program);
  if (rule == nullptr && call.guessed) return;
  const Kind kind = rule == nullptr ? Kind::kBuilds : rule->kind;
  if (kind != Kind::kBuilds && kind != Kind::kTakesGoals && kind != Kind::kOpaque) return;
  const std::string verb = verb_of(call.words);
  const bool local = verb.ends_with("ToMavenLocal") || verb.ends_with("publishLocal");
  if (sounds_public(verb) && !local && verb.find_first_of("/. ") == std::string::npos)
    publishes(call, false);
  // Most programs that build take files: the names that a pattern or a list stands for.
  const bool takes_verb =
      is_one_of(call.program, {"go", "bundle", "rails", "mkdocs", "jekyll", "bazel", "bazelisk"});
  if (rule != nullptr && kind == Kind::kBuilds && (takes_verb || !is_path_below(verb)))
    judge_verb_at(call.words, 0, call);
  if (kind != Kind::kTakesGoals) return;
  const bool cuts_short = is_one_of(call.program, {"gradle", "gradlew"});
  const bool runs = lists("run exec", verb);  // words after "--" belong to the project's program
  const ProgramOptions options(runs ? before_dashes(call.words) : call.words, rule->options);
  Words goals = options.operands();
  for (ShellWord& target : options.values("--target")) goals.push_back(std::move(target));
  for (const ShellWord& goal : goals) {
    judge_verb_at({goal}, 0, call);
    const bool pushes = goal.text == "push" && is_one_of(call.program, {"dotnet", "nuget"});
    const bool releases = goal.text == "release" &&
                          is_one_of(call.program, {"gradle", "gradlew", "sbt", "lein", "rake"});
    if (pushes || goal.text == "release:perform") {
      publishes(call, true);
    } else if (releases || is_public_goal(goal.text) || (cuts_short && shortens_goal(goal.text))) {
      publishes(call, false);
    }
  }
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
    judge_packages(call.words, call);
    for (const ShellWord& word : call.words) {
      if (word.text.find("from-module") != std::string::npos) call.verdict().cannot_read();
    }
    judge_path_arguments(call, "", PathScope::kAll);
    if (!lists("plan validate fmt init version output show graph providers", verb)) {
      call.verdict().cannot_read();
    }
  } else if (is_one_of(program,
                       {"semantic-release", "np", "release-it", "goreleaser", "vsce", "ovsx"})) {
    publishes(call, lists("publish release", verb));
  } else {
    judge_goals(call);
    return false;
  }
  return true;
}

}  // namespace orch::policy

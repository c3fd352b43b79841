#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/embedded.h"
#include "base/child.h"
#include "base/name.h"
#include "base/text.h"
#include "cli/new_command.h"
#include "peer/peer_process.h"
#include "propose/propose.h"
#include "setup/recordings.h"
#include "setup/repository.h"
#include "store/atomic_file.h"
#include "ui/user_terminal.h"

namespace orch::cli {
namespace {

using event::AgentStatus;

struct NewAgent {
  std::string name;
  std::vector<std::string> program;
  std::string recording;  // "": the user drives the program first
  bool write = false, force = false;
};

constexpr const char* kThisProgram = "/proc/self/exe";

// Runs orch itself on this terminal, and returns its exit code. Standard output is the manifest's.
int run_orch(std::vector<std::string> words) {
  words.insert(words.begin(), "orch");
  const std::vector<char*> argv = base::pointers(words);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    ::execv(kThisProgram, argv.data());
    ::_exit(127);
  }
  const int status = child < 0 ? -1 : base::end_of(child);
  return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}

// Has the user drive the program as a session of its own, and returns its recording.
base::Result<std::string> record(const NewAgent& wanted) {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) {
    return base::usage_error("driving a program needs a terminal; --on takes a recording instead");
  }
  const std::string issue = "new-" + wanted.name;
  std::vector<std::string> words{"run", issue, "-d", "--agent=generic", "--until=exit", "--"};
  words.insert(words.end(), wanted.program.begin(), wanted.program.end());
  if (run_orch(words) != 0) return base::usage_error("the program was not started");
  std::fputs("orch: use the agent as usual: a message, a dialog, an error; then end it\n", stderr);
  run_orch({"attach", issue});
  return setup::recording_path(issue, std::nullopt);
}

void show(const propose::Moment& moment, size_t number, size_t of) {
  std::fprintf(stderr, "\n--- rest %zu of %zu, at %.1f s\n", number, of,
               static_cast<double>(moment.ms) / 1000);
  for (const std::string& row : moment.rows) {
    std::fprintf(stderr, "%s\n", base::printable(row).c_str());
  }
  std::fprintf(stderr, "--- idle, dialog or error? [i/d/e; w: it works; q: no more] ");
}

// A key of the user's; nullopt at the end of the input.
std::optional<char> read_key() {
  char key = 0;
  return ::read(STDIN_FILENO, &key, 1) == 1 ? std::optional(key) : std::nullopt;
}

std::optional<AgentStatus> meaning_of(char key) {
  switch (key) {
    case 'i':
      return AgentStatus::kIdle;
    case 'd':
      return AgentStatus::kWaiting;
    case 'e':
      return AgentStatus::kError;
    case 'w':
      return AgentStatus::kWorking;
    default:
      return std::nullopt;
  }
}

// Asks about each rest whose screen has not been shown yet. Other keys do not answer.
propose::Answers ask(const std::vector<propose::Moment>& moments) {
  ui::UserTerminal terminal;
  terminal.switch_to(ui::UserTerminal::Mode::kKeys);
  std::map<std::vector<std::string>, std::vector<size_t>> screens;
  for (size_t i = 0; i < moments.size(); ++i) {
    if (moments[i].rests) screens[moments[i].rows].push_back(i);
  }
  propose::Answers answers(moments.size());
  size_t number = 0;
  for (size_t i = 0; i < moments.size(); ++i) {
    if (!moments[i].rests || screens[moments[i].rows].front() != i) continue;
    show(moments[i], ++number, screens.size());
    const std::optional<char> key = read_key();
    std::fprintf(stderr, "%c\n", key && *key != '\n' ? *key : ' ');
    if (!key || *key == 'q') break;
    for (const size_t same : screens[moments[i].rows]) answers[same] = meaning_of(*key);
  }
  terminal.switch_to(ui::UserTerminal::Mode::kFound);
  return answers;
}

// How many examples a manifest's rules agree with when they replay the recording; 0 if that cannot
// be read any more.
size_t agreed(const std::string& recording, const std::string& text,
              const std::vector<propose::Example>& examples) {
  const base::Result<adapters::Manifest> manifest = adapters::parse_manifest(text, "proposal");
  if (!manifest) return 0;
  base::Result<store::CastReader> cast = setup::open_recording(recording);
  base::Result<detect::RuleSet> rules = detect::RuleSet::compile(manifest->rules);
  if (!cast || !rules) return 0;
  session::Replay replay(*cast, *manifest, *rules);
  std::vector<propose::Said> said;
  replay.run([&](const session::ReplayedEvent& replayed) {
    const auto* change = std::get_if<event::StatusChange>(&replayed.event);
    if (change != nullptr) said.push_back({replayed.ms, change->status});
  });
  return propose::agreed(said, examples);
}

std::string generic_text() {
  for (const adapters::EmbeddedManifest& embedded : adapters::embedded_manifests()) {
    if (embedded.name == "generic") return std::string(embedded.text);
  }
  return "";
}

base::Status write(const NewAgent& wanted, const std::string& text) {
  const std::filesystem::path folder =
      std::filesystem::path(setup::user_config()).parent_path() / "adapters";
  const std::string path = folder / (wanted.name + ".json");
  std::error_code failure;
  if (!wanted.force && std::filesystem::exists(std::filesystem::symlink_status(path, failure))) {
    return base::usage_error(path + " exists; --force replaces it");
  }
  std::filesystem::create_directories(folder, failure);
  if (base::Status s = store::write_file(path, text); !s) return s;
  std::fprintf(stderr, "orch: wrote %s\n", base::printable(path).c_str());
  return base::Ok{};
}

int propose_agent(const NewAgent& wanted) {
  if (const std::string why = peer::refusal_of_this_process(); !why.empty()) {
    return report(base::usage_error(why));
  }
  if (!base::is_name(wanted.name)) {
    return report(base::usage_error("\"" + wanted.name +
                                    "\" is not a name: letters, digits, _ and -, at most 64"));
  }
  if (wanted.program.empty()) {
    return report(base::usage_error("put the agent's program after --, as in: orch agents new " +
                                    wanted.name + " -- PROGRAM"));
  }
  base::Result<std::string> recording = wanted.recording.empty()
                                            ? record(wanted)
                                            : setup::recording_path(wanted.recording, std::nullopt);
  if (!recording) return report(recording.error());
  const base::Result<std::vector<propose::Moment>> moments = setup::moments_of(*recording);
  if (!moments) return report(moments.error());
  const propose::Answers answers = ask(*moments);
  const std::vector<propose::Example> examples = propose::examples_of(*moments, answers);
  const auto measure = [&](const std::string& manifest) {
    return agreed(*recording, manifest, examples);
  };
  const std::string generic = generic_text();
  const std::string text =
      propose::manifest_text(generic, {wanted.name, wanted.program}, examples, measure);
  std::fprintf(
      stderr, "orch: it is right about %zu of %zu moments, and the rules for any agent about %zu\n",
      measure(text), examples.size(), measure(generic));
  if (wanted.write) {
    const base::Status written = write(wanted, text);
    return written ? 0 : report(written.error());
  }
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace

void add_new_agent(CLI::App& agents, std::vector<std::string> after_dashes, Chosen& chosen) {
  CommandWith<NewAgent> command(agents, chosen, "new", "propose a manifest for a program",
                                [](const NewAgent& wanted) { return propose_agent(wanted); });
  command->program = std::move(after_dashes);
  command.option("name", command->name, "the name of the new agent").required();
  command.option("--on", command->recording, "a recording of it, instead of a new one");
  command.flag("--write", command->write, "into $XDG_CONFIG_HOME/orch/adapters/NAME.json");
  command.flag("--force", command->force, "with --write: replace that file");
  command.footer(
      "You use the program as orch attach shows it. Then orch shows each screen that stood still "
      "and\n"
      "asks what the agent did; a key that means nothing is no answer. It prints a manifest: the\n"
      "rules for any agent, and before them texts and signs of those screens alone.\n\n"
      "Exit codes: 0 printed or written; 2 usage, or the file exists.\n\n"
      "Examples:\n  orch agents new mine --write -- mine --no-update\n"
      "  orch agents new mine --on try.cast -- mine");
}

}  // namespace orch::cli

// Judges sed, awk and the interpreters of other languages.

#include <algorithm>
#include <optional>

#include "policy/interpreters.h"
#include "policy/path_arguments.h"
#include "policy/program_judge.h"
#include "policy/program_options.h"
#include "policy/program_text.h"
#include "policy/publishing_words.h"
#include "policy/reaching_out.h"

namespace orch::policy {
namespace {

using Words = std::vector<ShellWord>;

void judge_written(const std::vector<std::string>& files, const ProgramCall& call) {
  for (const std::string& file : files) judge_target(exact_word(file), call);
}

// Judges "-f FILE", which runs a script of the project.
void judge_script_files(const ProgramOptions& options, const ProgramCall& call) {
  Words files = options.values("-f");
  for (ShellWord& file : options.values("--file")) files.push_back(file);
  for (const ShellWord& file : files) {
    if (file.text == "-" || !call.effects.written.empty()) call.verdict().cannot_read();
    judge_run_file(file, call);
  }
}

// Judges long options with a path as their value ("--profile=FILE"), and "-i", whose suffix may be
// a path.
void judge_long_options(const ProgramCall& call) {
  for (const ShellWord& word : call.words) {
    const bool option = word.text.starts_with("--") || word.text.starts_with("-i");
    const bool script = is_one_of(word.text.substr(0, word.text.find('=')),
                                  {"--expression", "--source", "--assign", "--field-separator"});
    if (option && !script && may_lead_out(word.text, call.where, PathScope::kStrange)) {
      call.verdict().suspect(DenyEntry::kOutsideWrite, false);
    }
  }
}

void judge_sed(const ProgramCall& call) {
  const ProgramOptions options(
      call.words,
      "-e= --expression= -f= --file= -l= --line-length= -n -E -r -s -u -z -b --quiet "
      "--in-place --posix --debug --sandbox -i=");
  if (options.may_be_any()) call.verdict().cannot_read();
  Words scripts = options.values("-e");
  for (ShellWord& script : options.values("--expression")) scripts.push_back(script);
  const bool from_file = options.has("-f") || options.has("--file");
  Words files = options.operands();
  bool in_place = options.has("--in-place");
  // "-i" stands alone or with its suffix attached; it never takes the next word.
  Words words = call.words;
  const ProgramOptions exact(words, "-e= --expression= -f= --file= -l= -i!");
  if (options.has("-i")) {
    in_place = true;
    files = exact.operands();
  }
  if (scripts.empty() && !from_file && !files.empty()) {
    scripts.push_back(files.front());
    files.erase(files.begin());
  }
  for (const ShellWord& script : scripts) {
    std::vector<std::string> written;
    if (!is_harmless_sed(script.text, written)) call.verdict().cannot_read();
    judge_written(written, call);
  }
  judge_script_files(options, call);
  // GNU's "-i" takes no next word: "-i -f FILE".
  judge_script_files(ProgramOptions(call.words, "-e= --expression= -f= --file= -l= -i?"), call);
  judge_long_options(call);
  if (options.has("--follow-symlinks")) call.verdict().cannot_read();
  if (!in_place) return;
  for (const ShellWord& file : files) {
    judge_target(file, call);
    const std::optional<NamedPath> named = path_of(file, call.where);
    call.effects.written.add(named ? named->path : "", "", false);
  }
}

void judge_awk(const ProgramCall& call) {
  const ProgramOptions options(
      call.words,
      "-F= -v= --assign= --field-separator= -f= --file= -i! --include! -l! "
      "--load! -E! --exec! -e= --source= -o! -p! -d! -D!",
      /*stops=*/true);
  if (!options.understood() || options.may_be_any()) call.verdict().cannot_read();
  Words scripts = options.values("-e");
  for (ShellWord& script : options.values("--source")) scripts.push_back(script);
  const bool from_file = options.has("-f") || options.has("--file");
  judge_script_files(options, call);
  judge_long_options(call);
  if (scripts.empty() && !from_file && !options.operands().empty()) {
    scripts.push_back(options.operands().front());
  }
  for (const ShellWord& script : scripts) {
    std::vector<std::string> written;
    if (!is_harmless_awk(script.text, written)) call.verdict().cannot_read();
    judge_written(written, call);
  }
}

}  // namespace

bool judge_code_program(const ProgramCall& call) {
  if (is_one_of(call.program, {"sed", "gsed"})) {
    judge_sed(call);
  } else if (is_one_of(call.program, {"awk", "gawk", "mawk", "nawk", "original-awk"})) {
    judge_awk(call);
  } else {
    return false;
  }
  return true;
}

bool is_interpreter(std::string_view program) {
  const std::string_view name = program.substr(0, program.find_first_of("0123456789."));
  return is_one_of(name, {"python", "pypy", "perl", "ruby", "php", "lua", "luajit"}) ||
         is_one_of(program, {"node", "nodejs", "deno", "bun", "tsx", "ts-node"});
}

namespace {

bool is_harmless(std::string_view program, const ShellWord& code) {
  if (program.starts_with("python") || program.starts_with("pypy")) {
    return is_harmless_python(code.text);
  }
  return is_one_of(program, {"node", "nodejs", "bun", "deno"}) && is_harmless_javascript(code.text);
}

// Judges python -m MODULE as the program of that name.
void judge_module(const ProgramCall& call, const Words& operands) {
  if (operands.empty()) return;
  const std::string& module = operands[0].text;
  const Words rest(operands.begin() + 1, operands.end());
  if (!operands[0].exact() ||
      is_one_of(module,
                {"timeit",  "pdb",     "code",    "runpy",  "trace",      "cProfile",  "profile",
                 "idlelib", "zipfile", "tarfile", "shutil", "webbrowser", "ensurepip", "pty",
                 "asyncio", "sqlite3", "zipapp",  "ctypes", "bdb",        "doctest"})) {
    return call.verdict().cannot_read();
  }
  judge_path_arguments({module, rest, call.where, call.effects}, "", PathScope::kStrange);
  for (const ShellWord& word : rest) {
    if (names_certain_code(word.text)) call.verdict().suspect(DenyEntry::kPipeToShell, false);
  }
  if (module == "venv") return judge_targets(ProgramOptions(rest, "--prompt=").operands(), call);
  if (module == "json.tool") {
    if (rest.size() > 1) judge_target(rest[1], call);
    return;
  }
  const bool of_dashes = module == "semantic_release";
  judge_program({of_dashes ? "semantic-release" : std::string_view(module), rest, call.where,
                 call.effects, ProgramCall::Origin::kProject, nullptr, call.guessed});
}

// Verbs of bun with the same effect as npm's.
bool manages_packages(std::string_view verb) {
  return is_one_of(verb, {"install", "i", "add", "remove", "rm", "update", "outdated", "pm",
                          "audit", "publish", "create", "init"});
}

// Whether an interpreter would run the code at that address: "https://host/x.ts", "npm:x".
bool is_code_address(std::string_view text) {
  return names_remote_code(text) || text.starts_with("npm:") || text.starts_with("jsr:");
}

// Judges the addresses in an interpreter's options, and in the word that names its script: the
// first operand, or the one behind a verb and its options ("deno run -A https://host/x.ts"). Later
// addresses are the script's data, unless they are named like code.
void judge_code_addresses(const Words& own, const Words& operands, const ProgramCall& call) {
  for (const ShellWord& word : own) {
    if (is_code_address(word.text)) call.verdict().suspect(DenyEntry::kPipeToShell, false);
  }
  const bool verbs = is_one_of(call.program, {"bun", "deno"});
  bool script = true;
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::string_view text = operands[i].text;
    if (i > 0 && (!verbs || base_name(operands[i - 1].text).find('.', 1) != std::string::npos))
      script = false;
    if (script ? is_code_address(text) : verbs && names_certain_code(text))
      call.verdict().suspect(DenyEntry::kPipeToShell, true);
    if (verbs && (text.starts_with("npm:") || text.starts_with("jsr:")))
      call.verdict().suspect(DenyEntry::kPipeToShell, true);
  }
}

}  // namespace

void judge_interpreter(const ProgramCall& call, const Flow& input) {
  judge_words_of_publishers(call);
  const bool python = call.program.starts_with("python") || call.program.starts_with("pypy");
  const bool perl = call.program.starts_with("perl");
  const bool ruby = call.program.starts_with("ruby");
  const bool script = is_one_of(call.program, {"node", "nodejs", "bun", "deno", "tsx", "ts-node"});
  const std::string_view specification =
      python ? "-c= -m= -i! -W= -X= -Q= --check-hash-based-pycs="
      : perl ? "-e= -E= -I= -M! -m! -x! -d! -i -p -n -F= -0 -l"
      : ruby ? "-e= -r! -I= -x! -i! -C! -F="
      : script
          ? "-i! --interactive! -e= --eval= -p= --print= -r! --require! --import! --loader! "
            "--experimental-loader! "
            "-C= --inspect-brk! --build-snapshot! --env-file= --test-reporter= --prof --title= "
            "--snapshot-blob! --run! --test-reporter-destination>"
          : "-r! -R! -B! -E! -e! -l! -d! -f! -z! -F!";
  // The interpreter's own options end at the name of the script, or after the code or module. All
  // later words are the script's.
  Words own;
  bool coded = false;
  size_t i = 0;
  for (; i < call.words.size() && !coded; ++i) {
    const std::string& text = call.words[i].text;
    const bool option = (text.size() > 1 && text[0] == '-') || call.words[i].unknown();
    if (!option) break;
    const bool attached =
        script && text.size() > 2 && text != "-pe" && is_one_of(text.substr(0, 2), {"-e", "-p"});
    if (attached) call.verdict().cannot_read();
    own.push_back(script && text == "-pe" ? exact_word("-p") : call.words[i]);
    if (text == "--") {
      ++i;
      break;
    }
    const ProgramOptions one({own.back(), exact_word("\n")}, specification);
    const bool takes_next = one.operands().empty();
    const bool code = one.has("-c") || one.has("-m");
    if (takes_next && i + 1 < call.words.size()) own.push_back(call.words[++i]);
    coded = python && code;
  }
  const Words operands(call.words.begin() + static_cast<long>(std::min(i, call.words.size())),
                       call.words.end());
  const ProgramOptions options(own, specification);
  const bool writes_code = call.effects.written.hold_code();
  if (!options.understood() || options.may_be_any() || writes_code) call.verdict().cannot_read();
  judge_targets(options.values_of_kind('>'), call);
  bool has_code = false;
  for (const std::string_view name : {"-c", "-e", "-E", "--eval", "-p", "--print"}) {
    if (is_one_of(name, {"-p", "-E"}) && (python || ruby || (perl && name == "-p"))) continue;
    for (const ShellWord& code : options.values(name)) {
      has_code = true;
      const bool option = script && code.text.starts_with('-');  // "node -p -e CODE"
      if (option || !is_harmless(call.program, code)) call.verdict().cannot_read();
    }
  }
  judge_path_arguments({call.program, own, call.where, call.effects},
                       "-c= -e= -E= --eval= -p= --print= -m= -I= -W=", PathScope::kAll);
  if (python && options.has("-m")) {
    Words words = options.values("-m");
    words.insert(words.end(), operands.begin(), operands.end());
    return judge_module(call, words);
  }
  if (has_code) {
    if (perl && options.has("-i")) judge_targets(operands, call);
    return;
  }
  Words files = operands;
  judge_code_addresses(own, files, call);
  if (is_one_of(call.program, {"bun", "deno"}) && !files.empty()) {
    if (call.program == "bun" && manages_packages(files[0].text)) {
      judge_publisher(call);
      return;
    }
    if (call.program == "bun" && files[0].text == "run") judge_publisher(call);
    if (is_one_of(files[0].text,
                  {"eval", "repl", "exec", "install", "upgrade", "x", "publish", "uninstall"})) {
      return call.verdict().cannot_read();
    }
    if (is_one_of(files[0].text, {"run", "test"})) files.erase(files.begin());
  }
  if (files.empty() || files[0].text == "-") {
    switch (input.kind) {
      case Flow::Kind::kText:
        if (!is_harmless(call.program, {input.text})) call.verdict().cannot_read();
        return;
      case Flow::Kind::kDownload:
        return call.verdict().suspect(DenyEntry::kPipeToShell, true);
      case Flow::Kind::kUnknown:
      case Flow::Kind::kFile:
        return call.verdict().cannot_read();
      case Flow::Kind::kNone:
        return;
    }
  }
  judge_folder(exact_word("."), call);
  if (base_name(files[0].text) == "setup.py") {
    for (const ShellWord& word : files) {
      if (is_one_of(word.text, {"upload", "register"}))
        call.verdict().suspect(DenyEntry::kPublish, true);
    }
  }
  judge_run_file(files[0], call);
  const Words rest(files.begin() + 1, files.end());
  // "manage.py shell -c CODE", "artisan tinker --execute=CODE"
  const bool evaluates =
      rest.size() > 1 && is_one_of(rest[0].text, {"shell", "shell_plus", "tinker", "runner", "eval",
                                                  "console", "repl", "dbshell"});
  if (evaluates) call.verdict().cannot_read();
  judge_path_arguments({call.program, rest, call.where, call.effects}, "", PathScope::kStrange);
}

void judge_run_file(const ShellWord& file, const ProgramCall& call) {
  if (names_fetched(file, call)) call.verdict().cannot_read();
  if (file.downloaded) return call.verdict().suspect(DenyEntry::kPipeToShell, true);
  if (file.process || file.unknown()) return call.verdict().cannot_read();
  const std::optional<NamedPath> named = path_of(file, call.where);
  if (place_of(file, call.where) == Place::kOutside && named && !is_within(named->path, "/usr") &&
      !is_within(named->path, home_of(call.where.work_dir) + "/.local") &&
      !is_within(named->path, "/opt") &&
      !is_within(named->path, home_of(call.where.work_dir) + "/.nvm") &&
      !is_within(named->path, home_of(call.where.work_dir) + "/.cargo")) {
    return call.verdict().cannot_read();
  }
  if (!named || named->unknown || call.effects.written.hold_code())
    return call.verdict().cannot_read();
  if (!call.effects.written.empty() && call.effects.written.find(named->path) != nullptr) {
    call.verdict().cannot_read();
  }
  for (const std::string& copy : call.effects.copied) {
    if (is_within(named->path, copy)) call.verdict().cannot_read();
  }
  if (is_within(named->path, "/dev") || is_within(named->path, "/proc"))
    call.verdict().cannot_read();
}

}  // namespace orch::policy

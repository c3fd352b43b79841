#include "policy/reaching_out.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/ascii.h"
#include "policy/path_arguments.h"

namespace orch::policy {
namespace {

using Words = std::vector<ShellWord>;

constexpr size_t kMostPaths = 64;  // paths that one command may fetch, or make of private data

bool is_letter_of_scheme(char c) {
  return base::is_small(c) || base::is_digit(c) || c == '+' || c == '.' || c == '-';
}

bool is_this_machine(std::string_view host) {
  return is_one_of(host, {"localhost", "0.0.0.0", "[", "[::1]", "::1", "host.docker.internal"}) ||
         host.starts_with("127.") || host.ends_with(".localhost");
}

// The host of an address; `rest` is its part behind "://".
std::string_view host_of(std::string_view rest) {
  std::string_view host = rest.substr(0, rest.find_first_of("/?# \t\n'\",;)"));
  host.remove_prefix(std::min(host.rfind('@') + 1, host.size()));
  return host.starts_with('[') ? host.substr(0, host.find(']') + 1)
                               : host.substr(0, host.find(':'));
}

struct Address {
  std::string_view scheme, rest;  // `rest`: behind "://", up to a blank or a quote
};

// The first address at or after `from` that is not on this machine.
std::optional<Address> address_in(std::string_view text) {
  for (size_t at = text.find("://"); at != std::string_view::npos; at = text.find("://", at + 1)) {
    size_t begin = at;
    while (begin > 0 && is_letter_of_scheme(text[begin - 1])) --begin;
    const std::string_view rest = text.substr(at + 3);
    const std::string_view host = host_of(rest);
    const std::string_view scheme = text.substr(begin, at - begin);
    if (host.empty() || is_this_machine(host) || scheme.empty() || scheme == "file") continue;
    return Address{scheme, rest.substr(0, rest.find_first_of(" \t\n'\""))};
  }
  return std::nullopt;
}

// "me@host:path", as ssh takes it.
bool names_account(std::string_view text) {
  const size_t at = text.find('@');
  if (at == 0 || at == std::string_view::npos || text.find("://") != std::string_view::npos)
    return false;
  const auto plain = [](std::string_view part, std::string_view more) {
    return !part.empty() && std::all_of(part.begin(), part.end(), [more](char c) {
      return base::is_letter_or_digit(c) || is_mark(c) || more.find(c) != std::string_view::npos;
    });
  };
  const size_t colon = text.find(':', at);
  return colon != std::string_view::npos && plain(text.substr(0, at), "_-.") &&
         plain(text.substr(at + 1, colon - at - 1), "-.");
}

// Whether the text names a repository by the short name of a forge, behind nothing, "@" or "=".
bool names_forge(std::string_view text) {
  for (const std::string_view prefix : {"git+", "hg+", "svn+", "git::", "github:", "gitlab:",
                                        "bitbucket:", "gist:", "gh:", "gl:", "bb:"}) {
    for (size_t at = text.find(prefix); at != std::string_view::npos;
         at = text.find(prefix, at + 1)) {
      if (at == 0 || is_one_of(text.substr(at - 1, 1), {"@", "=", " "})) return true;
    }
  }
  return false;
}

std::string_view ending_of(std::string_view path) {
  const std::string_view name = base_name(path);
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view() : name.substr(dot);
}

bool ends_as_code(std::string_view path) {
  return is_one_of(
      ending_of(path.substr(0, path.find_first_of("?#"))),
      {".git", ".sh",   ".bash",     ".py",   ".js",    ".mjs",     ".cjs", ".ts",  ".tsx",
       ".rb",  ".pl",   ".php",      ".lua",  ".java",  ".jar",     ".war", ".kts", ".whl",
       ".gem", ".tgz",  ".gz",       ".xz",   ".bz2",   ".zst",     ".tar", ".zip", ".deb",
       ".rpm", ".apk",  ".exe",      ".msi",  ".dmg",   ".pkg",     ".run", ".bin", ".ps1",
       ".nix", ".wasm", ".rockspec", ".vsix", ".crate", ".AppImage"});
}

// A script of a shell, or the description of a job or a service.
bool is_script(std::string_view path) {
  return is_one_of(
      ending_of(path),
      {".sh",      ".bash",   ".zsh",    ".ksh",   ".bat",   ".cmd",     ".ps1",     ".job",
       ".sub",     ".submit", ".sbatch", ".slurm", ".pbs",   ".sge",     ".lsf",     ".cron",
       ".crontab", ".tab",    ".plist",  ".nomad", ".timer", ".service", ".desktop", ".scpt"});
}
bool is_any_program(std::string_view path) {
  return is_script(path) ||
         is_one_of(ending_of(path), {".js", ".mjs", ".cjs", ".ts", ".py", ".rb", ".pl", ".php"});
}

bool changes_elsewhere(std::string_view verb) {
  return is_one_of(verb, {"submit",  "apply",   "deploy",   "push",     "upload",   "send",
                          "publish", "release", "destroy",  "share",    "schedule", "enqueue",
                          "trigger", "invoke",  "dispatch", "rollout",  "up",       "tunnel",
                          "expose",  "put",     "sync",     "transfer", "login"});
}
// Verbs that make a service of a script in their arguments.
bool starts_service(std::string_view verb) {
  return is_one_of(verb, {"start", "load", "launch", "enable", "restart", "bootstrap"});
}

bool holds_private(const ShellWord& word) {
  return word.text.find(kFromOutside) != std::string::npos;
}

// Whether the program talks to the network by itself, wherever its words lead.
bool talks(std::string_view program) {
  return is_downloader(program) ||
         is_one_of(program, {"ssh", "scp", "sftp", "rsync", "dig", "nslookup", "host", "ping",
                             "ping6", "whois", "traceroute", "tracepath", "getent", "gh", "openssl",
                             "nc", "ncat", "netcat"});
}

bool names_this_machine(const Words& words) {
  return std::any_of(words.begin(), words.end(), [](const ShellWord& word) {
    const size_t at = word.text.find("://");
    const std::string_view text = word.text;
    return is_this_machine(host_of(at == std::string::npos ? text : text.substr(at + 3)));
  });
}

bool sends(const ProgramCall& call) {
  const bool remote = std::any_of(call.words.begin(), call.words.end(),
                                  [](const ShellWord& word) { return names_remote(word.text); });
  return remote || (talks(call.program) && !names_this_machine(call.words));
}

// The path; empty if it is not known exactly.
std::string exact_path_of(const ShellWord& file, const Whereabouts& where) {
  const std::optional<NamedPath> named = path_of(file, where);
  return named && named->exact ? named->path : "";
}

// Whether the word, or the value of the option, may be one of the paths or below it.
bool names_one_of(const std::vector<std::string>& paths, const ShellWord& word,
                  const Whereabouts& where) {
  if (paths.empty()) return false;
  const std::string_view text = word.text;
  const size_t equals = text.starts_with('-') ? text.find('=') : 0;
  if (equals == std::string_view::npos) return false;  // an option without a value
  const ShellWord file = exact_word(equals == 0 ? text : text.substr(equals + 1));
  const std::optional<NamedPath> named = path_of(file, where);
  if (!named || !named->exact || named->contents) return true;
  return std::any_of(paths.begin(), paths.end(), [&named](const std::string& path) {
    return !path.empty() && is_within(named->path, path);
  });
}

// Whether a part of the program's name says that it changes something elsewhere: "spark-submit".
bool is_named_for_it(std::string_view program) {
  if (program.ends_with("-ssh")) return true;
  while (!program.empty()) {
    const size_t end = std::min(program.find_first_of("-_"), program.size());
    const std::string_view part = program.substr(0, end);
    program.remove_prefix(std::min(end + 1, program.size()));
    if (is_one_of(part,
                  {"submit", "send", "deploy", "publish", "release", "upload", "push", "launch"}))
      return true;
  }
  return false;
}

// Verbs of programs that work on the files here, or look at something.
bool works_here(std::string_view verb) {
  return is_one_of(
      verb,
      {"lint",      "check",   "build",     "generate", "gen",     "test",   "format",   "fmt",
       "validate",  "verify",  "list",      "ls",       "show",    "status", "version",  "help",
       "info",      "diff",    "convert",   "compile",  "parse",   "print",  "dump",     "stats",
       "report",    "bench",   "clean",     "coverage", "analyze", "audit",  "outdated", "explain",
       "describe",  "get",     "view",      "render",   "make",    "doc",    "docs",     "init",
       "new",       "install", "add",       "update",   "upgrade", "remove", "use",      "local",
       "which",     "current", "env",       "search",   "tree",    "graph",  "inspect",  "query",
       "count",     "sort",    "merge",     "split",    "extract", "watch",  "serve",    "fix",
       "tidy",      "vet",     "typecheck", "ci",       "all",     "plan",   "devices",  "start",
       "server",    "dev",     "component", "logs",     "log",     "top",    "ps",       "config",
       "completion"});
}

// Whether the word can be a file or a number, but not a verb.
bool is_data(const ShellWord& word) {
  return !word.exact() ||
         word.text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-:") != std::string::npos;
}

}  // namespace

bool is_network_device(std::string_view path) {
  return path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/");
}

bool names_remote(std::string_view text) {
  return address_in(text).has_value() || names_account(text);
}

bool names_remote_code(std::string_view text) {
  if (names_forge(text) || names_account(text)) return true;
  const std::optional<Address> address = address_in(text);
  return address && (is_one_of(address->scheme, {"http", "https", "ftp", "ftps", "git", "ssh",
                                                 "svn", "hg", "s3", "gs"}) ||
                     address->scheme.find('+') != std::string_view::npos);
}

bool names_certain_code(std::string_view text) {
  if (names_forge(text)) return true;
  const std::optional<Address> address = address_in(text);
  return address && names_remote_code(text) && ends_as_code(address->rest);
}

bool is_repository_name(std::string_view text) {
  const size_t slash = text.find('/');
  const bool one = slash != std::string_view::npos && slash > 0 && slash + 1 < text.size() &&
                   text.find('/', slash + 1) == std::string_view::npos;
  return one && is_one_of(text.substr(0, 1), {"@", ".", "~", "-"}) == false &&
         text.find(':') == std::string_view::npos;
}

bool is_private(std::string_view path, const Whereabouts& where) {
  const std::string name = base::lower(path);
  for (const std::string_view word : {"key",      "token",
                                      "secret",   "credential",
                                      "passw",    ".env",
                                      ".pem",     "id_",
                                      "netrc",    ".git",
                                      ".ssh",     "cookie",
                                      "auth",     ".npmrc",
                                      ".pypirc",  ".pgpass",
                                      ".p12",     ".pfx",
                                      ".jks",     ".kdbx",
                                      ".ovpn",    "service-account",
                                      "tfstate",  "kubeconfig",
                                      "_history", ".docker/",
                                      ".kube/",   ".aws/"}) {
    const size_t at = name.find(word);
    // ".github/", ".gitignore" and the like hold no key.
    const bool harmless = word == ".git" && at != std::string::npos &&
                          is_one_of(name.substr(at + 4, 3), {"hub", "ign", "att", "lab", "mod"});
    if (at != std::string::npos && !harmless) return true;
  }
  const ShellWord file = exact_word(path.substr(0, path.find(';')));
  return names_input(file) || may_lead_out(path, where, PathScope::kStrange) ||
         place_of(file, where) != Place::kAllowed;
}

bool prints_private(std::string_view program, const Words& arguments, const Whereabouts& where) {
  if (std::any_of(arguments.begin(), arguments.end(), holds_private)) return true;
  if (is_one_of(program, {"echo", "printf", "ls", "find", "stat", "dirname", "basename", "realpath",
                          "readlink", "cd", "pwd", "which", "test", "[", "du", "df", "mkdir"})) {
    return false;
  }
  if (is_one_of(program, {"printenv", "history", "xclip", "pbpaste", "xsel", "wl-paste", "pass",
                          "gopass", "lpass", "secret-tool", "keyring", "sops", "ansible-vault"})) {
    return true;
  }
  // What prints variables of the environment, or settings with their keys.
  const std::string words = text_of(arguments);
  for (const std::string_view part :
       {"process.env", "ENVIRON", "os.environ", "$ENV", "config -l", "config --list",
        "config --get", "config ls", "config list", "auth status", "auth token"}) {
    if (words.find(part) != std::string::npos) return true;
  }
  if (is_one_of(program, {"jq", "yq"}) && words.ends_with(" env")) return true;
  return std::any_of(arguments.begin(), arguments.end(), [&where](const ShellWord& word) {
    const std::string_view text = word.text;
    if (may_lead_out(text, where, PathScope::kStrange)) return true;
    const std::string name = base::lower(base_name(text));
    return !text.starts_with('-') &&
           (name.starts_with(".env") || name.ends_with(".pem") || name.ends_with(".key") ||
            name.starts_with("id_") || name.find("credential") != std::string::npos ||
            name.find("secret") != std::string::npos || name.find("netrc") != std::string::npos ||
            name.find("token") != std::string::npos || name.find("passw") != std::string::npos ||
            is_one_of(name, {".npmrc", ".pypirc", ".pgpass", "auth.json", "kubeconfig"}));
  });
}

void judge_upload(std::string_view path, const ProgramCall& call) {
  const ShellWord file = exact_word(path.substr(0, path.find(';')));
  if (is_private(path, call.where) || names_one_of(call.effects.taken, file, call.where))
    call.verdict().suspect(DenyEntry::kPublish, false);
}

void judge_sent(const ProgramCall& call) {
  const bool held = std::any_of(call.words.begin(), call.words.end(), holds_private);
  if (!held && (call.input == nullptr || !call.input->holds_private())) return;
  if (sends(call)) call.verdict().suspect(DenyEntry::kPublish, false);
}

void note_fetched(const ShellWord& file, const ProgramCall& call) {
  if (call.effects.fetched.size() >= kMostPaths) return call.verdict().cannot_read();
  const std::string path = exact_path_of(file, call.where);
  call.effects.fetched.push_back(path);
  call.effects.written.add(path, "", false);
}

void note_fetched_somewhere(const ProgramCall& call) { note_fetched({{kAnyText}}, call); }

bool names_fetched(const ShellWord& word, const ProgramCall& call) {
  return names_one_of(call.effects.fetched, word, call.where);
}

void note_taken(const ShellWord& file, const ProgramCall& call) {
  if (call.effects.taken.size() >= kMostPaths) return call.verdict().cannot_read();
  call.effects.taken.push_back(exact_path_of(file, call.where));
}

bool names_taken(const Words& words, const ProgramCall& call) {
  return std::any_of(words.begin(), words.end(), [&call](const ShellWord& word) {
    return names_one_of(call.effects.taken, word, call.where);
  });
}

void judge_handing_over(const ProgramCall& call) {
  using Origin = ProgramCall::Origin;
  const Words& words = call.words;
  size_t operands = 0;
  bool starts = false;
  bool harms = call.origin == Origin::kSystem && is_named_for_it(call.program);
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view text = words[i].text;
    const bool option = text.starts_with('-');
    operands += option ? 0 : 1;
    // The schema of a database is pushed to the database's address, mostly on this machine.
    const bool of_database = i > 0 && words[i - 1].text == "db";
    const bool verb = !option && operands <= 2 && !of_database;
    starts = starts || (verb && starts_service(text));
    harms =
        harms || names_remote(text) || names_remote_code(text) || (verb && changes_elsewhere(text));
    // The effect of an unknown word on a program of the system is unknown.
    const bool value = i > 0 && words[i - 1].text.starts_with('-');
    const bool first = !option && operands == 1 && !value && call.origin == Origin::kSystem;
    if (first && !is_data(words[i]) && !works_here(text)) call.verdict().cannot_read();
    harms = harms || is_script(text) || (starts && is_any_program(text));
  }
  const Flow none;
  const Flow& input = call.input == nullptr ? none : *call.input;
  harms = harms || (input.kind == Flow::Kind::kFile && is_script(input.text));
  const bool sent = input.holds_private() || std::any_of(words.begin(), words.end(), holds_private);
  if (harms || sent) call.verdict().suspect(DenyEntry::kPublish, false);
}

}  // namespace orch::policy

// Judges programs that deal with processes, disks and the machine.

#include <algorithm>

#include "policy/command_flow.h"
#include "policy/path_arguments.h"
#include "policy/program_judge.h"
#include "policy/program_options.h"

namespace orch::policy {
namespace {

using Words = std::vector<ShellWord>;

bool has_word(const Words& words, std::initializer_list<std::string_view> some) {
  return std::any_of(words.begin(), words.end(),
                     [some](const ShellWord& word) { return is_one_of(word.text, some); });
}

bool stops_the_system(std::string_view program, const Words& words) {
  if (is_one_of(program, {"shutdown", "reboot", "halt", "poweroff", "pm-suspend", "pm-hibernate",
                          "rtcwake", "openrc-shutdown"})) {
    return !has_word(words, {"-c", "--help", "--version", "--show"});
  }
  if (is_one_of(program, {"init", "telinit"})) return has_word(words, {"0", "6", "1", "S"});
  if (!is_one_of(program, {"systemctl", "loginctl"})) return false;
  return std::any_of(words.begin(), words.end(), [](const ShellWord& word) {
    const std::string_view name = std::string_view(word.text).substr(0, word.text.find(".target"));
    return is_one_of(
        name, {"poweroff", "reboot", "halt", "kexec", "suspend", "hibernate", "hybrid-sleep",
               "suspend-then-hibernate", "emergency", "rescue", "soft-reboot", "exit", "shutdown"});
  });
}

void judge_disk_tool(const ProgramCall& call) {
  const bool only_lists = has_word(call.words, {"-l", "--list", "print"});
  if (!only_lists && !call.words.empty()) call.verdict().suspect(DenyEntry::kDisk, true);
}

// Judges kill. "-1" in place of a process means every process.
void judge_kill(const ProgramCall& call) {
  bool signal = false;
  for (size_t i = 0; i < call.words.size(); ++i) {
    const std::string& text = call.words[i].text;
    if (is_one_of(text, {"-l", "-L", "--list", "--table"})) return;
    if (is_one_of(text, {"-s", "-n", "--signal", "-q", "--queue"})) {
      ++i;
      signal = true;
      continue;
    }
    if (text == "--") {
      signal = true;
      continue;
    }
    if (text.starts_with('-') && !signal) {
      signal = true;
      continue;
    }
    signal = true;
    const bool computed = !text.empty() && text[0] == kDigits;  // it may be negative
    const size_t digits = text.find_first_not_of("-0");
    const bool minus = text.starts_with('-');
    if (minus && digits != std::string::npos && text.substr(digits) == "1") {
      call.verdict().suspect(DenyEntry::kKillAll, true);
    } else if ((minus && !call.words[i].exact()) || computed || call.words[i].unknown()) {
      call.verdict().suspect(DenyEntry::kKillAll, false);
    }
  }
}

// Whether all options are made of these letters.
bool has_only_letters(const Words& words, std::string_view letters) {
  return std::all_of(words.begin(), words.end(), [letters](const ShellWord& word) {
    const std::string& text = word.text;
    return word.exact() &&
           (!text.starts_with('-') ||
            (text.size() > 1 && text.find_first_not_of(letters, 1) == std::string::npos));
  });
}

bool has_option_letter(const Words& words, char letter) {
  return std::any_of(words.begin(), words.end(), [letter](const ShellWord& word) {
    return word.text.starts_with('-') && word.text.find(letter) != std::string::npos;
  });
}

// Whether the program only looks: nc -z connects and sends nothing, ssh-keygen -l prints the
// fingerprint of a key.
bool only_looks(std::string_view program, const Words& words) {
  if (is_one_of(program, {"nc", "ncat", "netcat"}))
    return has_option_letter(words, 'z') && has_only_letters(words, "zvnw46u0123456789");
  return program == "ssh-keygen" && has_option_letter(words, 'l') &&
         has_only_letters(words, "lfvE");
}

void judge_kill_by_name(const ProgramCall& call) {
  const ProgramOptions options(
      call.words,
      "-u= -U= -G= -g= -P= -s= -t= --euid= --uid= --user= --group= --signal= "
      "--parent= --session= --terminal= -n= --ns= -o -O= -y= -F= -v --inverse");
  const Words& names = options.operands();
  if (options.has("-v") || options.has("--inverse") || options.may_be_any()) {
    return call.verdict().suspect(DenyEntry::kKillAll,
                                  options.has("-v") || options.has("--inverse"));
  }
  const bool whole = options.has("-u") || options.has("-U") || options.has("--euid") ||
                     options.has("--uid") || options.has("--user") || options.has("-G");
  if (names.empty() && whole) return call.verdict().suspect(DenyEntry::kKillAll, true);
  for (const ShellWord& name : names) {
    if (!is_plain_term(name)) call.verdict().suspect(DenyEntry::kKillAll, false);
  }
}

}  // namespace

bool judge_system_program(const ProgramCall& call) {
  const std::string_view program = call.program;
  if (program.starts_with("mkfs") ||
      is_one_of(program,
                {"mke2fs", "mkswap", "wipefs", "fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk",
                 "parted", "blkdiscard", "badblocks", "partprobe", "hdparm", "nvme"})) {
    judge_disk_tool(call);
  } else if (stops_the_system(program, call.words)) {
    call.verdict().suspect(DenyEntry::kShutdown, true);
  } else if (program == "killall5") {
    call.verdict().suspect(DenyEntry::kKillAll, true);
  } else if (program == "kill") {
    judge_kill(call);
  } else if (is_one_of(program, {"pkill", "killall"})) {
    judge_kill_by_name(call);
  } else if (program == "systemctl") {
    const bool asks =
        !call.words.empty() &&
        is_one_of(call.words[0].text,
                  {"status", "show", "cat", "is-active", "is-enabled", "is-failed", "list-units",
                   "list-unit-files", "list-timers", "list-jobs", "--version"});
    if (!asks) call.verdict().cannot_read();
  } else if (program == "journalctl") {
    const ProgramOptions options(call.words,
                                 "--vacuum-size! --vacuum-time! --vacuum-files! --rotate! "
                                 "--flush! --cursor-file> -u= -n= --since= --until=");
    if (!options.understood()) call.verdict().cannot_read();
  } else if (only_looks(program, call.words)) {
    return true;
  } else if (program == "openssl") {
    const bool known =
        !call.words.empty() &&
        is_one_of(call.words[0].text, {"rand", "dgst", "version", "x509", "sha256", "md5",
                                       "s_client", "verify", "list", "ciphers", "base64"});
    const ProgramOptions options(call.words,
                                 "-out> -writerand> -keyout> -engine! -provider! -config!");
    judge_targets(options.values_of_kind('>'), call);
    judge_path_arguments(call, "-in= -inkey= -CAfile= -CApath=", PathScope::kAll);
    if (!known || !options.understood() || options.may_be_any()) call.verdict().cannot_read();
  } else {
    return false;
  }
  return true;
}

}  // namespace orch::policy

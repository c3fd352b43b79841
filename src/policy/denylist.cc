#include "policy/denylist.h"

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>

#include "base/words.h"
#include "policy/command_flow.h"
#include "policy/command_wrappers.h"
#include "policy/denied_programs.h"
#include "policy/shell_words.h"
#include "policy/write_target.h"

namespace orch::policy {
namespace {

using Words = std::span<const ShellWord>;

constexpr int kMaxDepth = 12;  // commands in commands

constexpr base::Words<DenyEntry, 9> kNames{{
    {DenyEntry::kRemoveRoot, "remove-root"},
    {DenyEntry::kForcePush, "force-push"},
    {DenyEntry::kPipeToShell, "pipe-to-shell"},
    {DenyEntry::kOutsideWrite, "outside-write"},
    {DenyEntry::kDisk, "disk"},
    {DenyEntry::kRootPermissions, "root-permissions"},
    {DenyEntry::kShutdown, "shutdown"},
    {DenyEntry::kForkBomb, "fork-bomb"},
    {DenyEntry::kKillAll, "kill-all"},
}};

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_shell(std::string_view program) {
  return is_one_of(program, {"sh", "bash", "dash", "zsh", "ksh", "ash", "fish"});
}
bool is_interpreter(std::string_view program) {
  return program.starts_with("python") ||
         is_one_of(program, {"perl", "ruby", "node", "php", "lua", "deno", "bun", "osascript"});
}
class Judge {
 public:
  explicit Judge(std::string_view work_dir)
      : where_{std::string(work_dir), std::string(work_dir)} {}

  CommandVerdict verdict() && { return std::move(verdict_); }

  Flow judge_text(std::string_view text, const Flow& input) {
    const auto script = read_shell(text);
    if (!script || ++depth_ > kMaxDepth) {
      verdict_.readable = false;
      return {Flow::Kind::kUnknown, "", false};
    }
    Flow output = judge_script(*script, input);
    --depth_;
    return output;
  }

 private:
  void suspect(DenyEntry entry, bool certain) { verdict_.found.push_back({entry, certain}); }

  Flow judge_script(const std::vector<ShellPipeline>& script, const Flow& input) {
    Flow output;
    for (const ShellPipeline& pipeline : script) {
      Flow flow = input;
      for (const ShellCommand& command : pipeline.commands) flow = judge_command(command, flow);
      output = merged(std::move(output), std::move(flow));
    }
    return output;
  }
  Flow judge_command(const ShellCommand& command, Flow input) {
    bool loads = false;  // one of its words is something downloaded
    const auto judge_words = [this, &loads](const std::vector<ShellWord>& words) {
      for (const ShellWord& word : words) {
        for (const std::string& script : word.scripts) {
          loads |= judge_text(script, {}).kind == Flow::Kind::kDownload;
        }
      }
    };
    judge_words(command.assignments);
    judge_words(command.words);
    bool redirected = false;
    for (const Redirection& redirection : command.redirections) {
      judge_words({redirection.target});
      redirected |= judge_redirection(command, redirection, loads, input);
    }
    Flow output;
    if (!command.body.empty()) {
      output = judge_group(command, input);
    } else if (!command.words.empty()) {
      output = judge_simple(command.words, input, loads);
    }
    return redirected ? Flow{} : output;
  }

  // True when standard output goes to a file.
  bool judge_redirection(const ShellCommand& command, const Redirection& redirection, bool loads,
                         Flow& input) {
    switch (redirection.kind) {
      case Redirection::Kind::kRead:
        input = {loads ? Flow::Kind::kDownload : Flow::Kind::kFile, "", false};
        return false;
      case Redirection::Kind::kHereText:
        input = {loads ? Flow::Kind::kDownload : Flow::Kind::kText, redirection.target.text, false};
        return false;
      case Redirection::Kind::kWrite:
        break;
    }
    judge_target(redirection.target, where_, verdict_.found);
    if (!command.words.empty() && is_downloader(base_name(command.words.front().text))) {
      downloads_.add(redirection.target.text);
    }
    return true;
  }

  Flow judge_group(const ShellCommand& command, const Flow& input) {
    if (!command.function.empty() && calls_itself(command.body, command.function)) {
      suspect(DenyEntry::kForkBomb, true);
    }
    const std::optional<std::string> dir = where_.dir;
    Flow output = judge_script(command.body, input);
    if (command.subshell) where_.dir = dir;
    return output;
  }

  // A function whose pipeline calls it twice.
  static bool calls_itself(const std::vector<ShellPipeline>& script, std::string_view name) {
    for (const ShellPipeline& pipeline : script) {
      const auto calls = std::count_if(
          pipeline.commands.begin(), pipeline.commands.end(), [name](const ShellCommand& command) {
            return !command.words.empty() && command.words.front().text == name;
          });
      if (calls >= 2) return true;
      for (const ShellCommand& command : pipeline.commands) {
        if (calls_itself(command.body, name)) return true;
      }
    }
    return false;
  }

  static std::string_view base_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
  }

  // `loads`: one of its words holds something downloaded.
  Flow judge_simple(Words words, const Flow& input, bool loads) {
    if (++depth_ > kMaxDepth) {
      verdict_.readable = false;
      return {Flow::Kind::kUnknown, "", false};
    }
    Flow output = judge_argv(words, input, loads);
    --depth_;
    return output;
  }

  Flow judge_argv(Words words, const Flow& input, bool loads) {
    const ShellWord& first = words.front();
    const Words rest = words.subspan(1);
    if (first.known == 0 && !first.text.empty()) {
      if (loads) suspect(DenyEntry::kPipeToShell, true);
      if (!loads) verdict_.readable = false;  // a program that only the shell knows
      return {Flow::Kind::kUnknown, "", false};
    }
    const std::string_view program = base_name(first.text);
    if (downloads_.hold(first.text)) suspect(DenyEntry::kPipeToShell, true);
    if (const Wrapped wrapped = unwrap(program, rest); wrapped.kind != Wrapped::Kind::kNoWrapper) {
      return judge_wrapped(program, wrapped, input, loads);
    }
    if (is_shell(program) || is_one_of(program, {"source", ".", "su"})) {
      return judge_shell(program, rest, input, loads);
    }
    if (is_interpreter(program)) judge_interpreter(rest, input, loads);
    if (program == "eval" || program == "trap") return judge_eval(program, rest, input, loads);
    if (is_one_of(program, {"cd", "pushd"})) change_folder(rest);
    if (program == "popd") where_.dir.reset();
    if (program == "ssh") judge_remote(rest, input);
    if (program == "find") judge_find_commands(rest, input);
    judge_program(program, rest, where_, verdict_.found);
    return output_of(program, rest, input, loads, downloads_);
  }

  Flow judge_wrapped(std::string_view program, const Wrapped& wrapped, const Flow& input,
                     bool loads) {
    switch (wrapped.kind) {
      case Wrapped::Kind::kScript:
        return judge_code(wrapped.words.front(), input);
      case Wrapped::Kind::kCommand:
        return judge_operand_command(program, wrapped.words, input, loads);
      case Wrapped::Kind::kNothing:  // "sudo -s" reads commands
        return is_one_of(program, {"sudo", "doas", "chroot", "unshare"}) ? judge_input(input)
                                                                         : input;
      case Wrapped::Kind::kNoWrapper:
        break;
    }
    return {};
  }

  Flow judge_operand_command(std::string_view wrapper, Words command, const Flow& input,
                             bool loads) {
    if (wrapper == "watch" && command.size() == 1) return judge_code(command.front(), input);
    if (!is_one_of(wrapper, {"xargs", "parallel"})) {
      return judge_simple(command, input, loads);
    }
    // Its operands come from the input.
    const std::string_view program = base_name(command.front().text);
    if (is_shell(program) || program == "eval") {
      const bool download = input.kind == Flow::Kind::kDownload;
      suspect(DenyEntry::kPipeToShell, download);
    } else if (is_one_of(program, {"rm", "chmod", "chown", "mv", "shred", "unlink"}) &&
               !input.narrowed) {
      suspect(DenyEntry::kRemoveRoot, false);
    }
    return judge_simple(command, {Flow::Kind::kNone, "", false}, loads);
  }

  // sh -c TEXT, sh FILE, sh < INPUT; source FILE; su -c TEXT.
  Flow judge_shell(std::string_view program, Words words, const Flow& input, bool loads) {
    bool from_input = false;
    for (size_t i = 0; i < words.size(); ++i) {
      const std::string& text = words[i].text;
      const bool option = text.size() > 1 && (text[0] == '-' || text[0] == '+');
      if (option && text[1] != '-' && text.find('c') != std::string::npos) {
        while (i + 1 < words.size() && words[i + 1].text.starts_with('-')) ++i;
        if (i + 1 >= words.size()) break;
        if (loads) suspect(DenyEntry::kPipeToShell, true);
        return judge_code(words[i + 1], input);
      }
      if (option) {
        from_input = from_input || (text[1] != '-' && text.find('s') != std::string::npos);
        if (is_one_of(text, {"-o", "+o", "-O", "--rcfile", "--init-file"})) ++i;
        continue;
      }
      if (text == "-" || text == "/dev/stdin" || from_input) break;
      if (program == "su") continue;
      if (loads || downloads_.hold(text)) {
        suspect(DenyEntry::kPipeToShell, true);
      } else if (!words[i].scripts.empty()) {
        suspect(DenyEntry::kPipeToShell, false);
      }
      return {Flow::Kind::kUnknown, "", false};
    }
    return judge_input(input);
  }

  // A script's text, which may hold expansions.
  Flow judge_code(const ShellWord& code, const Flow& input) {
    if (code.known == 0 && !code.text.empty() && code.scripts.empty()) {
      verdict_.readable = false;
      return {Flow::Kind::kUnknown, "", false};
    }
    return judge_text(code.text, input);
  }

  // A shell reads its commands from its input.
  Flow judge_input(const Flow& input) {
    switch (input.kind) {
      case Flow::Kind::kText:
        return judge_text(input.text, {});
      case Flow::Kind::kDownload:
        suspect(DenyEntry::kPipeToShell, true);
        break;
      case Flow::Kind::kUnknown:
        suspect(DenyEntry::kPipeToShell, false);
        break;
      case Flow::Kind::kNone:
      case Flow::Kind::kFile:
        break;
    }
    return {Flow::Kind::kUnknown, "", false};
  }

  // Other languages are not read; what could remove files or run programs is left to a person.
  void judge_interpreter(Words words, const Flow& input, bool loads) {
    if (loads || downloads_.hold_any(words)) return suspect(DenyEntry::kPipeToShell, true);
    bool script = false;
    for (size_t i = 0; i < words.size(); ++i) {
      const std::string& text = words[i].text;
      if (is_one_of(text, {"-c", "-e", "-r", "--eval", "-pe", "-ne", "-pie", "-E"}) &&
          i + 1 < words.size()) {
        return judge_program_text(words[i + 1].text);
      }
      script = script || (text != "-" && !text.starts_with('-')) || text == "-m";
    }
    if (script) return;
    if (input.kind == Flow::Kind::kDownload) suspect(DenyEntry::kPipeToShell, true);
    if (input.kind == Flow::Kind::kText) judge_program_text(input.text);
  }
  void judge_program_text(std::string_view text) {
    for (const std::string_view risk :
         {"rmtree", "remove(", "unlink", "rmdir", "system(", "popen", "subprocess", "exec(",
          "execSync", "spawn", "child_process", "rmSync", "urlopen", "requests.", "fetch(", "`"}) {
      if (text.find(risk) != std::string_view::npos) verdict_.readable = false;
    }
  }

  Flow judge_eval(std::string_view program, Words words, const Flow& input, bool loads) {
    if (words.empty()) return {};
    if (loads) suspect(DenyEntry::kPipeToShell, true);
    if (program == "trap") return judge_code(words.front(), input), Flow{};
    ShellWord code = words.front();
    code.text = text_of(words);
    return judge_code(code, input);
  }

  void change_folder(Words words) {
    std::vector<ShellWord> operands;
    for (const ShellWord& word : words) {
      if (word.text.size() < 2 || word.text[0] != '-') operands.push_back(word);
    }
    const ShellWord home{"~", 1, false, false, {}};
    const ShellWord& to = operands.empty() ? home : operands.front();
    const std::optional<NamedPath> named = path_of(to, where_);
    const bool followed = named && named->exact && !to.glob && to.text != "-";
    where_.dir = followed ? std::optional(named->path) : std::nullopt;
  }

  // ssh HOST COMMAND: the paths are those of another machine.
  void judge_remote(Words words, const Flow& input) {
    size_t i = 0;
    while (i < words.size() && words[i].text.starts_with('-')) {
      const bool has_value =
          words[i].text.size() == 2 &&
          std::string_view("bcDeFIiJLlmOopQRSWw").find(words[i].text[1]) != std::string_view::npos;
      i += has_value ? 2 : 1;
    }
    if (i + 1 >= words.size()) return;
    Judge remote("/");
    remote.where_.dir.reset();
    remote.depth_ = depth_ + 1;
    remote.judge_text(text_of(words.subspan(i + 1)), input);
    const CommandVerdict verdict = std::move(remote).verdict();
    verdict_.readable = verdict_.readable && verdict.readable;
    for (const Suspicion& suspicion : verdict.found) {
      if (suspicion.entry != DenyEntry::kOutsideWrite) verdict_.found.push_back(suspicion);
    }
  }

  // find START... -exec COMMAND {} ;
  void judge_find_commands(Words words, const Flow& input) {
    std::string start = ".";
    if (!words.empty() && !words.front().text.starts_with('-')) start = words.front().text;
    bool tests = false;
    for (size_t i = 0; i < words.size(); ++i) {
      const std::string& text = words[i].text;
      if (!is_one_of(text, {"-exec", "-execdir", "-ok", "-okdir"})) {
        tests = tests || text.starts_with("-name") || text.starts_with("-path") ||
                text.starts_with("-iname") || text.starts_with("-regex") || text == "-type";
        continue;
      }
      std::vector<ShellWord> command;
      for (++i; i < words.size() && !is_one_of(words[i].text, {";", "+"}); ++i) {
        command.push_back(words[i]);
        if (command.back().text != "{}") continue;
        const ShellWord found{start == "." && tests ? "./found" : start, 0, false, false, {}};
        command.back() = found;
        command.back().known = found.text.size();
      }
      if (!command.empty()) judge_simple(command, input, false);
    }
  }

  Whereabouts where_;
  CommandVerdict verdict_;
  Downloads downloads_;
  int depth_ = 0;
};

}  // namespace

std::string_view name(DenyEntry entry) { return base::word_of(kNames, entry); }

std::optional<DenyEntry> deny_entry_named(std::string_view name) {
  return base::value_of(kNames, name);
}

CommandVerdict judge_command(std::string_view command, std::string_view work_dir) {
  Judge judge(work_dir);
  judge.judge_text(command, {});
  return std::move(judge).verdict();
}

std::optional<Suspicion> judge_write(std::string_view path, std::string_view work_dir) {
  std::vector<Suspicion> found;
  const ShellWord word{std::string(path), path.size(), false, false, {}};
  judge_target(word, {std::string(work_dir), std::string(work_dir)}, found);
  if (found.empty()) return std::nullopt;
  return found.front();
}

}  // namespace orch::policy

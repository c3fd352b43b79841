#include "policy/command_wrappers.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/text.h"
#include "policy/program_options.h"

namespace orch::policy {
namespace {

// A program that runs the command in its operands.
struct Wrapper {
  std::string_view program;
  std::string_view verb;         // the first operands, if only they make it a wrapper; "" if any do
  std::string_view options;      // in the form of ProgramOptions
  size_t operands = 0;           // how many operands stand before the command
  bool assigns = false;          // NAME=VALUE may stand before the command
  bool understood = true;        // see Wrapped::understood
  std::string_view script = "";  // options whose value is a command line, each followed by a blank
};

constexpr std::string_view kRunOptions =
    "-C@ --directory@ --project@ --cwd@ --prefix@ -w= --with= --python= -p= --package= --extra= "
    "--group= -e= -n= --name= --filter= -F= -r= -c! --call!";

constexpr Wrapper kWrappers[] = {
    {"sudo", "",
     "-u= -g= -h= -p= -C= -D@ -R! -T= -U= -r= -t= --user= --group= --chdir@ --chroot! -e! "
     "--edit! -s -i --shell --login",
     0, true},
    {"doas", "", "-u= -C!"},
    {"pkexec", "", "--user=", 0, false, false},
    {"runuser", "", "-u= --user= -g= -s!", 0, false, false, "-c --command "},
    {"su", "", "-s! -g= -G= -w=", 1, false, false, "-c --command "},
    {"env", "", "-u= --unset= -C@ --chdir@ -S= --split-string= -a= --argv0=", 0, true, true,
     "-S --split-string "},
    {"nohup", "", ""},
    {"choom", "", "-n= -p!"},
    {"chronic", "", ""},
    {"setsid", "", ""},
    {"time", "", "-f= --format= -o> --output>"},
    {"command", "", ""},
    {"builtin", "", ""},
    {"exec", "", "-a="},
    {"nice", "", "-n= --adjustment="},
    {"ionice", "", "-c= -n= -p! --class= --classdata="},
    {"timeout", "", "-s= -k= --signal= --kill-after=", 1},
    {"gtimeout", "", "-s= -k= --signal= --kill-after=", 1},
    {"stdbuf", "", "-i= -o= -e= --input= --output= --error="},
    {"busybox", "", ""},
    {"toybox", "", ""},
    {"xargs", "", kXargsOptions},
    {"watch", "", "-n= --interval= -q="},
    {"chroot", "", "--userspec= --groups=", 1, false, false},
    {"unshare", "", "-R! --root! -w= --wd=", 0, false, false},
    {"nsenter", "", "-t= --target=", 0, false, false},
    {"setpriv", "", "", 0, false, false},
    {"setarch", "", "", 1, false, false},
    {"linux32", "", "", 0, false, false},
    {"linux64", "", "", 0, false, false},
    {"fakeroot", "", "-s> -i= -l!", 0, false, false},
    {"systemd-run", "", "-p= --property= -u= --unit= -d -t", 0, false, false},
    {"parallel", "", "-j= --jobs= -I=", 0, false, false},
    {"rlwrap", "", "", 0, false, false},
    {"dbus-run-session", "", "", 0, false, false},
    {"entr", "", "", 0, false, false},
    {"nodemon", "", "-w= -e=", 0, false, false, "-x --exec "},
    {"watchexec", "", "-w= -e= -f=", 0, false, false},
    {"flock", "", "-w= -E= --timeout=", 1, false, true, "-c --command "},
    {"unbuffer", "", ""},
    {"xvfb-run", "", "-s= -n= -e> --server-args= --server-num= --error-file>"},
    {"caffeinate", "", "-t= -w="},
    {"strace", "", "-e= -o> -p! -s= -E! -u= -S= --output>"},
    {"ltrace", "", "-e= -o> -p! -s= --output>"},
    {"valgrind", "",
     "--log-file> --xml-file> --trace-children --db-command! --vgdb! --suppressions="},
    {"perf", "stat", "-e= -o> -r= -x= -p!"},
    {"taskset", "", "-p!", 1},
    {"chrt", "", "-p!", 1},
    {"script", "", "-O> -I> -B> -T> -t> --log-out> -o=", 0, false, true, "-c --command "},
    {"ccache", "", ""},
    {"sccache", "", ""},
    {"distcc", "", ""},
    {"dotenv", "", "-f= -e="},
    {"cross-env", "", "", 0, true},
    {"npx", "", kRunOptions},
    {"bunx", "", kRunOptions},
    {"pnpx", "", kRunOptions},
    {"uvx", "", "--from= --with= --python= -p="},
    {"pipx", "run", "--spec= --python="},
    {"npm", "exec", kRunOptions},
    {"npm", "x", kRunOptions},
    {"pnpm", "exec", kRunOptions},
    {"pnpm", "dlx", kRunOptions},
    {"yarn", "exec", kRunOptions},
    {"yarn", "dlx", kRunOptions},
    {"bundle", "exec", ""},
    {"poetry", "run", kRunOptions},
    {"pipenv", "run", kRunOptions},
    {"uv", "run", kRunOptions},
    {"pdm", "run", kRunOptions},
    {"hatch", "run", "-e="},
    {"rye", "run", ""},
    {"conda", "run", "-n= -p= --cwd@ --name= --prefix="},
    {"mamba", "run", "-n= -p= --cwd@ --name= --prefix="},
    {"micromamba", "run", "-n= -p= --cwd@ --name= --prefix= -r="},
    {"stack", "exec", "--package= --stack-yaml= --resolver="},
    {"cabal", "exec", ""},
    {"dune", "exec", "--root@ --profile= -j="},
    {"opam", "exec", "--switch="},
    {"git", "bisect run", "-C@ -c! --git-dir! --work-tree!"},
    {"coverage", "run", "-m= --source= --omit= --include= --rcfile= --data-file> -p -a"},
    {"mise", "exec", ""},
    {"asdf", "exec", ""},
    {"rustup", "run", "", 1},
};

// Whether the text has the form NAME=VALUE.
bool is_assignment(std::string_view text) {
  const size_t equals = text.find('=');
  return equals != std::string_view::npos && equals > 0 && text[0] != '-';
}

// Where the words of the verb begin: behind the wrapper's own options. nullopt if another verb, or
// none, is there.
std::optional<size_t> place_of_verb(const Wrapper& wrapper,
                                    const std::vector<ShellWord>& arguments) {
  if (wrapper.verb.empty()) return 0;
  const size_t rest = ProgramOptions(arguments, wrapper.options, /*stops=*/true).operands().size();
  const size_t begin = arguments.size() - rest;
  size_t at = begin;
  for (const std::string_view word : base::split(wrapper.verb, ' ')) {
    if (at >= arguments.size() || arguments[at++].text != word) return std::nullopt;
  }
  return begin;
}

const Wrapper* wrapper_of(std::string_view program, const std::vector<ShellWord>& arguments) {
  const auto* found =
      std::find_if(std::begin(kWrappers), std::end(kWrappers), [&](const Wrapper& known) {
        return known.program == program && place_of_verb(known, arguments).has_value();
      });
  return found == std::end(kWrappers) ? nullptr : found;
}

}  // namespace

Wrapped unwrap(std::string_view program, const std::vector<ShellWord>& arguments) {
  const Wrapper* wrapper = wrapper_of(program, arguments);
  if (wrapper == nullptr) return {};
  const bool asks =
      program == "command" && !arguments.empty() && is_one_of(arguments[0].text, {"-v", "-V"});
  std::vector<ShellWord> rest = arguments;
  if (!wrapper->verb.empty()) {
    const auto verb =
        rest.begin() + static_cast<long>(place_of_verb(*wrapper, arguments).value_or(0));
    rest.erase(verb, verb + std::ssize(base::split(wrapper->verb, ' ')));
  }
  std::string specification(wrapper->options);
  for (const std::string_view script : base::split(wrapper->script, ' ')) {
    specification.append(" ").append(script).append("=");
  }
  const bool permutes = is_one_of(program, {"script", "su", "runuser"});
  const ProgramOptions options(rest, specification, /*stops=*/!permutes);
  Wrapped wrapped;
  wrapped.kind = Wrapped::Kind::kNothing;
  if (asks) return wrapped;
  wrapped.understood = wrapper->understood && options.understood();
  wrapped.appends = is_one_of(program, {"xargs", "parallel"});
  wrapped.folders = options.values_of_kind('@');
  wrapped.targets = options.values_of_kind('>');
  for (const std::string_view name : base::split(wrapper->script, ' ')) {
    for (ShellWord& script : options.values(name)) {
      wrapped.kind = Wrapped::Kind::kScript;
      wrapped.words.push_back(std::move(script));
    }
  }
  std::vector<ShellWord> operands = options.operands();
  const bool is_script = wrapped.kind == Wrapped::Kind::kScript;
  if (program == "env" && is_script) {
    for (const ShellWord& script : wrapped.words) {  // env -S has its own escapes and variables
      if (script.text.find_first_of("\\$#") != std::string::npos) wrapped.understood = false;
    }
    // The command is the words of the text, followed by the operands.
    for (const ShellWord& operand : operands) wrapped.words[0].text += " " + operand.text;
    return wrapped;
  }
  if (is_one_of(program, {"script", "flock"}) && !operands.empty()) {
    wrapped.targets.push_back(operands[0]);
  }
  if (is_script || program == "script") return wrapped;
  for (size_t i = 0; i < std::min(wrapper->operands + 1, operands.size()); ++i) {
    wrapped.may_begin_later = wrapped.may_begin_later || options.may_be_value(i);
  }
  operands.erase(operands.begin(), operands.begin() + static_cast<long>(std::min(wrapper->operands,
                                                                                 operands.size())));
  if (program == "env") {
    const bool dash = !operands.empty() && operands[0].text == "-";
    if (dash) operands.erase(operands.begin());
    wrapped.clears = dash || options.has("-i") || options.has("--ignore-environment") ||
                     options.has("-u") || options.has("--unset");
  }
  while (wrapper->assigns && !operands.empty() && is_assignment(operands[0].text)) {
    wrapped.assignments.push_back(operands[0]);
    operands.erase(operands.begin());
  }
  if (program == "dotenv" && !operands.empty() && operands[0].text == "--") {
    operands.erase(operands.begin());
  }
  if (operands.empty()) return wrapped;
  if (program == "flock" && operands.size() > 1 &&
      is_one_of(operands[0].text, {"-c", "--command"})) {
    wrapped.kind = Wrapped::Kind::kScript;
    wrapped.words = {operands[1]};
    return wrapped;
  }
  if (program == "watch") {
    wrapped.kind = Wrapped::Kind::kScript;
    wrapped.words = {exact_word(text_of(operands))};
    return wrapped;
  }
  wrapped.kind = Wrapped::Kind::kCommand;
  wrapped.words = std::move(operands);
  return wrapped;
}

}  // namespace orch::policy

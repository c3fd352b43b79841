#include "policy/environment.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "policy/path_arguments.h"
#include "policy/reaching_out.h"
#include "policy/shell_text.h"

namespace orch::policy {
namespace {

bool lists(std::string_view words, std::string_view word) {
  return words.find(" " + std::string(word) + " ") != std::string_view::npos;
}

// Whether all folders in a PATH are folders of the system or the project, or folders where tools
// install their programs.
bool is_harmless_search_path(std::string_view value, const Whereabouts& where) {
  const std::string home = home_of(where.work_dir);
  for (const std::string_view folder : base::split(value, ':')) {
    // $PATH; as an argument of export it may be several words
    const bool rest = folder.size() == 1 && (folder[0] == kAnyText || folder[0] == kAnyWords);
    const bool of_tools = folder.starts_with(home + "/.") || folder.starts_with("/opt/") ||
                          folder.starts_with(home + "/go/bin") || folder.starts_with("/usr/");
    const bool standard = is_one_of(folder, {"/bin", "/sbin"});
    const bool plain = exact_word(folder).exact() && folder.find("..") == std::string_view::npos;
    if (rest || (plain && (of_tools || standard))) continue;
    if (folder.empty() || place_of(exact_word(folder), where) != Place::kAllowed) return false;
    if (!folder.starts_with(where.work_dir)) return false;
  }
  return true;
}

// What bash evaluates when it gets a value.
constexpr std::string_view kIntegers =
    " RANDOM SRANDOM SECONDS OPTIND HISTCMD LINENO BASHPID PPID UID EUID EPOCHSECONDS "
    "EPOCHREALTIME BASH_MONOSECONDS ";

constexpr std::string_view kNever =
    " PWD OLDPWD BASH_ENV ENV PROMPT_COMMAND PS0 PS1 PS2 PS4 SHELLOPTS BASHOPTS CDPATH GLOBIGNORE "
    "EXECIGNORE "
    "BASH_CMDS BASH_ALIASES BASH_FUNC FUNCNEST PYTHONSTARTUP PYTHONHOME PYTHONINSPECT "
    "PERL5OPT "
    "PERL5DB PERL5LIB PERLLIB RUBYOPT RUBYLIB LESSOPEN LESSCLOSE MANOPT SSH_ASKPASS SUDO_ASKPASS "
    "RSYNC_RSH RSYNC_CONNECT_PROG CVS_RSH SVN_SSH TAR_OPTIONS TAPE ZIPOPT MAKEFILES GNUMAKEFLAGS "
    "MFLAGS JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS GCONV_PATH LOCPATH NLSPATH "
    "MALLOC_CONF HOSTALIASES RES_OPTIONS OPENSSL_CONF OPENSSL_ENGINES DOCKER_HOST DOCKER_CONFIG "
    "CURL_HOME WGETRC NPM_CONFIG_SCRIPT_SHELL VIMINIT EXINIT VIM EMACSLOADPATH SHELL COMSPEC "
    "PYTHONBREAKPOINT PYTHONUSERBASE PIP_TARGET PIP_PREFIX PIP_CONFIG_FILE CMAKE_GENERATOR "
    "RUSTC RUSTDOC RUSTC_WORKSPACE_WRAPPER COMPILER_PATH GCC_EXEC_PREFIX LIBRARY_PATH AWKPATH "
    "AWKLIBPATH BROWSER CONFIG_SHELL GH_BROWSER GH_PAGER GH_EDITOR GLAB_PAGER GOCACHEPROG "
    "FZF_DEFAULT_COMMAND LUA_INIT RIPGREP_CONFIG_PATH PYTEST_PLUGINS KUBECONFIG "
    "LESSKEY_CONTENT LESSKEYIN CLASSPATH YARN_YARN_PATH YARN_RC_FILENAME BUN_OPTIONS HELM_PLUGINS "
    "TF_CLI_CONFIG_FILE DOCKER_CONTEXT BUILDKIT_HOST GNUPGHOME HGRCPATH BUNDLE_GEMFILE "
    "DOTNET_STARTUP_HOOKS CCACHE_PREFIX PUPPETEER_EXECUTABLE_PATH CHROME_BIN TS_NODE_COMPILER "
    "PHPRC PHP_INI_SCAN_DIR R_PROFILE_USER GOROOT OPENSSL_MODULES XDG_CONFIG_HOME XDG_DATA_HOME "
    "HISTFILE INPUTRC "
    "TERMINFO ";

// Whether the variable names a source of packages for a package manager: PIP_INDEX_URL, GOPROXY.
bool names_package_source(std::string_view name) {
  const std::string lower = base::lower(name);
  for (const std::string_view part : {"index", "registry", "proxy", "mirror", "find_links"}) {
    if (lower.find(part) != std::string::npos) return true;
  }
  return false;
}

// Whether the variable names a program by the form of its name: BAT_PAGER.
bool names_program(std::string_view name) {
  for (const std::string_view end : {"_PAGER", "_EDITOR", "_BROWSER", "_SHELL"}) {
    if (name.ends_with(end)) return true;
  }
  return false;
}

// Options of another program that load code of the command's choice.
bool loads_code(std::string_view name, std::string_view value) {
  if (!name.ends_with("_OPTS") && !name.ends_with("ADDOPTS") && !name.ends_with("FLAGS")) {
    return false;
  }
  for (const std::string_view part : {"agent", "eval", "plugin", "-p ", "-s "}) {
    if (value.find(part) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

bool is_harmless_export(std::string_view name, std::string_view value, const Whereabouts& where) {
  const bool names_path =
      name != "PATH" && (may_lead_out(value, where, PathScope::kAll) || names_protected(value));
  return !names_path && is_harmless_variable(name, value, where);
}

bool is_harmless_variable(std::string_view name, std::string_view value, const Whereabouts& where) {
  const bool exact = exact_word(value).exact();
  if (lists(kIntegers, name)) return value.empty() || is_number(value);
  if (holds_command_of_subscript(value)) return false;
  if (name == "PATH") return is_harmless_search_path(value, where);
  if (name.starts_with("LD_") || name.starts_with("DYLD_") || name.starts_with("BASH_FUNC_") ||
      name.starts_with("npm_config_") || name.starts_with("NPM_CONFIG_") ||
      name.starts_with("GCONV")) {
    return false;
  }
  if (name.starts_with("GIT_")) {
    if (name.starts_with("GIT_AUTHOR_") || name.starts_with("GIT_COMMITTER_")) return true;
    if (is_one_of(name, {"GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS", "GIT_MERGE_AUTOEDIT"}))
      return true;
    if (is_one_of(name, {"GIT_TRACE", "GIT_CURL_VERBOSE"}))
      return is_one_of(value, {"0", "1", "2", "true"});
    return is_one_of(name, {"GIT_PAGER", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR"}) &&
           is_one_of(value, {"cat", "true", ":", ""});
  }
  if (is_one_of(name, {"PAGER", "MANPAGER", "EDITOR", "VISUAL", "SYSTEMD_PAGER"})) {
    return is_one_of(value, {"cat", "less", "more", "true", ":", ""});
  }
  if (name == "LESS") return value.find_first_of("+oO") == std::string_view::npos && exact;
  if (name == "NODE_OPTIONS") {
    return exact && value.find("require") == std::string_view::npos &&
           value.find("-r") == std::string_view::npos &&
           value.find("import") == std::string_view::npos &&
           value.find("loader") == std::string_view::npos &&
           value.find("eval") == std::string_view::npos;
  }
  if (name == "MAKEFLAGS")
    return exact && value.find_first_not_of("-j0123456789ks ") == std::string_view::npos;
  if (is_one_of(name, {"CC", "CXX", "LD", "AR", "RUSTC_WRAPPER", "CMAKE_C_COMPILER_LAUNCHER"})) {
    return exact &&
           std::all_of(value.begin(), value.end(),
                       [](char c) {
                         return base::is_small(c) || base::is_digit(c) || c == '+' || c == '-' ||
                                c == '.';
                       }) &&
           (value.find("gcc") != std::string_view::npos ||
            value.find("++") != std::string_view::npos ||
            value.find("clang") != std::string_view::npos || value.ends_with("cache") ||
            value == "cc" || value.empty() || value == "lld" || value == "ar");
  }
  if (name == "RUSTFLAGS" || name == "CFLAGS" || name == "CXXFLAGS" || name == "LDFLAGS" ||
      name == "GOFLAGS" || name == "CARGO_ENCODED_RUSTFLAGS" || name == "CGO_CFLAGS") {
    return exact && value.find("linker") == std::string_view::npos &&
           value.find("exec") == std::string_view::npos &&
           value.find("plugin") == std::string_view::npos &&
           value.find("wrapper") == std::string_view::npos &&
           value.find("specs") == std::string_view::npos &&
           value.find(" -B") == std::string_view::npos && !value.starts_with("-B");
  }
  if (is_one_of(name, {"HOME", "TMPDIR", "CARGO_TARGET_DIR", "CARGO_HOME", "GOBIN", "GOPATH",
                       "GOCACHE", "DESTDIR", "PREFIX", "XDG_CACHE_HOME", "PYTHONPYCACHEPREFIX",
                       "PYTHONPATH", "NODE_PATH", "VIRTUAL_ENV"})) {
    return place_of(exact_word(value), where) == Place::kAllowed ||
           (value.size() == 1 && name == "PYTHONPATH" && value == ".");
  }
  if (name.starts_with("CARGO_TARGET_") || name.starts_with("CARGO_BUILD_") ||
      name.starts_with("CARGO_ALIAS_") || name.starts_with("CARGO_PROFILE_RUNNER")) {
    return false;
  }
  if (names_program(name) || loads_code(name, value)) return false;
  return !lists(kNever, name) && !(names_package_source(name) && names_remote(value));
}

}  // namespace orch::policy

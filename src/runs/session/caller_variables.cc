#include "session/caller_variables.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "session/environment.h"

namespace orch::session {
namespace {

constexpr std::string_view kElsewhere = "leads git to another repository, index or work tree";
constexpr std::string_view kSettings = "settings of the caller's git command";
constexpr std::string_view kPathspecs = "changes what git takes a path for";
constexpr std::string_view kGitStep = "describes one step of the caller's git command";
constexpr std::string_view kMake = "options, targets and the job slots of the caller's make";
constexpr std::string_view kNpm = "settings and the package of the caller's script";
constexpr std::string_view kCargo = "the package and build that the caller is in";
constexpr std::string_view kTest = "makes what it starts believe that it is part of the test";
constexpr std::string_view kBundle = "loads the caller's gems, of another checkout";
constexpr std::string_view kHook = "describes the caller's hook";
constexpr std::string_view kService = "sockets, credentials and messages of orch's own service";
constexpr std::string_view kAgent =
    "an agent that finds it believes that it runs inside of another";

constexpr std::string_view kByNpm =
    "npm_execpath npm_command npm_lifecycle_* npm_package_* INIT_CWD";
constexpr std::string_view kByCargo = "CARGO_MANIFEST_DIR";
constexpr std::string_view kByBundler = "BUNDLE_BIN_PATH BUNDLER_ORIG_*";
constexpr std::string_view kByYarn = "BERRY_BIN_FOLDER PROJECT_CWD";

constexpr CallerVariable kCallerVariables[] = {
    // git, for hooks, aliases, `rebase --exec`, filters, drivers, helpers and submodules:
    // git(1), githooks(5), `git rev-parse --local-env-vars`.
    {"GIT_DIR", "", "", kElsewhere},
    {"GIT_WORK_TREE", "", "", kElsewhere},
    {"GIT_INDEX_FILE", "", "", kElsewhere},
    {"GIT_COMMON_DIR", "", "", kElsewhere},
    {"GIT_OBJECT_DIRECTORY", "", "", kElsewhere},
    {"GIT_ALTERNATE_OBJECT_DIRECTORIES", "", "", kElsewhere},
    {"GIT_QUARANTINE_PATH", "", "", "git updates no branch while it is set"},
    {"GIT_NAMESPACE", "", "", kElsewhere},
    {"GIT_IMPLICIT_WORK_TREE", "", "", kElsewhere},
    {"GIT_SHALLOW_FILE", "", "", kElsewhere},
    {"GIT_GRAFT_FILE", "", "", kElsewhere},
    {"GIT_REPLACE_REF_BASE", "", "", kElsewhere},
    {"GIT_NO_REPLACE_OBJECTS", "", "", kSettings},
    {"GIT_ATTR_SOURCE", "", "", kSettings},
    {"GIT_CONFIG", "", "", kSettings},
    {"GIT_CONFIG_*", "", "", kSettings},
    {"GIT_EXEC_PATH", "", "", "names the programs of the caller's git"},
    {"GIT_PREFIX", "", "", "the folder that the caller's git command was given in"},
    {"GIT_INTERNAL_*", "", "", kGitStep},
    {"GIT_LITERAL_PATHSPECS", "", "", kPathspecs},
    {"GIT_GLOB_PATHSPECS", "", "", kPathspecs},
    {"GIT_NOGLOB_PATHSPECS", "", "", kPathspecs},
    {"GIT_ICASE_PATHSPECS", "", "", kPathspecs},
    {"GIT_REFLOG_ACTION", "", "", kGitStep},
    {"GIT_SEQUENCE_EDITOR", "", "", "writes the todo list of the caller's rebase"},
    {"GIT_EDITOR", "", ":", "a commit's hook has the editor \":\", by which a message stays empty"},
    {"GIT_CHERRY_PICK_HELP", "", "", kGitStep},
    {"GIT_AUTHOR_DATE", "", "", "dates all commits alike"},
    {"GIT_COMMITTER_DATE", "", "", "dates all commits alike"},
    {"GIT_AUTHOR_NAME", "GIT_AUTHOR_DATE", "", "the author of the commit that the hook is for"},
    {"GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE", "", "the author of the commit that the hook is for"},
    {"GIT_COMMITTER_NAME", "GIT_COMMITTER_DATE", "", "the committer of a rewritten commit"},
    {"GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE", "", "the committer of a rewritten commit"},
    {"GIT_EXTERNAL_DIFF", "", "", "the program that shows the caller's diff"},
    {"GIT_DIFF_*", "", "", kGitStep},
    {"GIT_DIFFTOOL_*", "", "", kGitStep},
    {"GIT_MERGETOOL_*", "", "", kGitStep},
    {"GIT_PAGER_IN_USE", "", "", "git colours for the caller's pager"},
    {"GIT_PUSH_*", "", "", kGitStep},
    {"GIT_PROTOCOL", "", "", kGitStep},
    {"GIT_PROTOCOL_FROM_USER", "", "", kGitStep},
    {"GIT_HANDSHAKE_*", "", "", kGitStep},
    {"GIT_SENDEMAIL_*", "", "", kGitStep},
    {"GIT_TRACE2_PARENT_*", "", "", kGitStep},
    {"GITHEAD_*", "", "", kGitStep},
    {"HG_*", "", "", "leads Mercurial to the caller's transaction"},

    // Tools that run hooks of git.
    {"PRE_COMMIT", "", "", kHook},
    {"PRE_COMMIT_FROM_REF", "", "", kHook},
    {"PRE_COMMIT_TO_REF", "", "", kHook},
    {"PRE_COMMIT_ORIGIN", "", "", kHook},
    {"PRE_COMMIT_SOURCE", "", "", kHook},
    {"PRE_COMMIT_REMOTE_*", "", "", kHook},
    {"PRE_COMMIT_LOCAL_BRANCH", "", "", kHook},
    {"PRE_COMMIT_REMOTE_BRANCH", "", "", kHook},
    {"PRE_COMMIT_CHECKOUT_TYPE", "", "", kHook},
    {"PRE_COMMIT_IS_SQUASH_MERGE", "", "", kHook},
    {"PRE_COMMIT_REWRITE_COMMAND", "", "", kHook},
    {"PRE_COMMIT_COMMIT_*", "", "", kHook},
    {"PRE_COMMIT_PRE_REBASE_*", "", "", kHook},
    {"HUSKY_GIT_*", "", "", kHook},

    // make. MAKEFLAGS may be the user's ("-j8") where no make is around.
    {"MAKELEVEL", "", "", kMake},
    {"MAKEOVERRIDES", "", "", kMake},
    {"MAKE_TERMOUT", "", "", kMake},
    {"MAKE_TERMERR", "", "", kMake},
    {"MAKE_RESTARTS", "", "", kMake},
    {"MAKEFILES", "MAKELEVEL", "", kMake},
    {"MAKEFLAGS", "MAKELEVEL", "", kMake},
    {"MAKEFLAGS", "", "--jobserver", kMake},
    {"MFLAGS", "MAKELEVEL", "", kMake},
    {"MFLAGS", "", "--jobserver", kMake},
    {"GNUMAKEFLAGS", "MAKELEVEL", "", kMake},

    // npm, pnpm, yarn, bun and node. npm_config_... may be the user's where no script is run;
    // NPM_CONFIG_... always is.
    {"npm_execpath", "", "", kNpm},
    {"npm_node_execpath", "", "", kNpm},
    {"npm_command", "", "", kNpm},
    {"npm_lifecycle_*", "", "", kNpm},
    {"npm_package_*", "", "", kNpm},
    {"npm_new_version", "", "", kNpm},
    {"npm_old_version", "", "", kNpm},
    {"npm_config_*", kByNpm, "", kNpm},
    {"INIT_CWD", "", "", "the folder that the caller's script was started in"},
    {"NODE", kByNpm, "", kNpm},
    {"COLOR", kByNpm, "", kNpm},
    {"PNPM_SCRIPT_SRC_DIR", "", "", kNpm},
    {"PROJECT_CWD", "", "", kNpm},
    {"BERRY_BIN_FOLDER", "", "", kNpm},
    {"NODE_OPTIONS", kByYarn, "", "loads the caller's packages into each program of node"},
    {"NODE_CHANNEL_FD", "", "", "a descriptor that only the caller's child has"},
    {"NODE_CHANNEL_SERIALIZATION_MODE", "", "", "a descriptor that only the caller's child has"},
    {"NODE_UNIQUE_ID", "", "", kTest},
    {"NODE_TEST_CONTEXT", "", "", kTest},
    {"JEST_WORKER_ID", "", "", kTest},
    {"VITEST", "", "", kTest},
    {"VITEST_*", "", "", kTest},

    // cargo and rustup: cargo run, test, and build scripts. CARGO_HOME, CARGO_TARGET_DIR and other
    // settings are the user's.
    {"CARGO", "", "", kCargo},
    {"CARGO_MANIFEST_*", "", "", kCargo},
    {"CARGO_PKG_*", "", "", kCargo},
    {"CARGO_CRATE_NAME", "", "", kCargo},
    {"CARGO_BIN_NAME", "", "", kCargo},
    {"CARGO_BIN_EXE_*", "", "", kCargo},
    {"CARGO_PRIMARY_PACKAGE", "", "", kCargo},
    {"CARGO_TARGET_TMPDIR", "", "", kCargo},
    {"CARGO_CFG_*", "", "", kCargo},
    {"CARGO_FEATURE_*", "", "", kCargo},
    {"CARGO_MAKEFLAGS", "", "", kCargo},
    {"CARGO_RUSTC_CURRENT_DIR", "", "", kCargo},
    {"CARGO_ENCODED_RUSTFLAGS", kByCargo, "", kCargo},
    {"OUT_DIR", kByCargo, "", kCargo},
    {"TARGET", "CARGO_CFG_*", "", kCargo},
    {"HOST", "CARGO_CFG_*", "", kCargo},
    {"NUM_JOBS", kByCargo, "", kCargo},
    {"OPT_LEVEL", kByCargo, "", kCargo},
    {"PROFILE", "CARGO_CFG_*", "", kCargo},
    {"DEBUG", "CARGO_CFG_*", "", kCargo},
    {"DEP_*", "CARGO_CFG_*", "", kCargo},
    {"RUSTC", "CARGO_CFG_*", "", kCargo},
    {"RUSTDOC", "CARGO_CFG_*", "", kCargo},
    {"RUST_RECURSION_COUNT", "", "", kCargo},
    {"RUSTUP_TOOLCHAIN", "RUST_RECURSION_COUNT", "", "overrides the toolchain of a repository"},

    // Python: pytest, tox, nox, coverage, uv.
    {"PYTEST_CURRENT_TEST", "", "", kTest},
    {"PYTEST_VERSION", "", "", kTest},
    {"PYTEST_XDIST_*", "", "", kTest},
    {"TOX_ENV_NAME", "", "", kTest},
    {"TOX_ENV_DIR", "", "", kTest},
    {"TOX_WORK_DIR", "", "", kTest},
    {"TOX_PACKAGE", "", "", kTest},
    {"TOX_PARALLEL_ENV", "", "", kTest},
    {"_TOX_PARALLEL_ENV", "", "", kTest},
    {"NOX_CURRENT_SESSION", "", "", kTest},
    {"COV_CORE_*", "", "", "measures each program of Python for the caller's test"},
    {"UV_RUN_RECURSION_DEPTH", "", "", "counts uv's own calls of itself"},

    // Ruby, Go, CTest, Meson, Bazel, Maven.
    {"BUNDLER_ORIG_*", "", "", kBundle},
    {"BUNDLE_BIN_PATH", "", "", kBundle},
    {"BUNDLER_VERSION", kByBundler, "", kBundle},
    {"BUNDLER_SETUP", "", "", kBundle},
    {"BUNDLE_GEMFILE", kByBundler, "", kBundle},
    {"BUNDLE_LOCKFILE", kByBundler, "", kBundle},
    {"RUBYOPT", kByBundler, "", kBundle},
    {"RUBYLIB", kByBundler, "", kBundle},
    {"GOFILE", "", "", "the file that go generate is at"},
    {"GOLINE", "", "", "the line that go generate is at"},
    {"GOPACKAGE", "", "", "the package that go generate is at"},
    {"GOOS", "GOFILE", "", "what go generate builds for"},
    {"GOARCH", "GOFILE", "", "what go generate builds for"},
    {"GOTOOLCHAIN_INTERNAL_*", "", "", "counts go's own calls of itself"},
    {"CTEST_RESOURCE_GROUP_*", "", "", kTest},
    {"CTEST_INTERACTIVE_DEBUG_MODE", "", "", kTest},
    {"MESON_TEST_ITERATION", "", "", kTest},
    {"MESONINTROSPECT", "", "", kTest},
    {"BAZEL_TEST", "", "", kTest},
    {"TEST_SRCDIR", "BAZEL_TEST", "", kTest},
    {"TEST_TMPDIR", "BAZEL_TEST", "", kTest},
    {"TEST_WORKSPACE", "BAZEL_TEST", "", kTest},
    {"RUNFILES_*", "", "", kTest},
    {"BUILD_WORKSPACE_DIRECTORY", "", "", "the work tree that bazel run was called in"},
    {"BUILD_WORKING_DIRECTORY", "", "", "the folder that bazel run was called in"},
    {"MAVEN_CMD_LINE_ARGS", "", "", "the words of the caller's mvn"},
    {"MAVEN_PROJECTBASEDIR", "", "", "the project of the caller's mvn"},

    // systemd, for a service or a socket's unit.
    {"NOTIFY_SOCKET", "", "", kService},
    {"LISTEN_FDS", "", "", kService},
    {"LISTEN_PID", "", "", kService},
    {"LISTEN_FDNAMES", "", "", kService},
    {"WATCHDOG_PID", "", "", kService},
    {"WATCHDOG_USEC", "", "", kService},
    {"INVOCATION_ID", "", "", kService},
    {"JOURNAL_STREAM", "", "", kService},
    {"CREDENTIALS_DIRECTORY", "", "", kService},

    // Agents, for the commands that they run.
    {"CLAUDECODE", "", "", kAgent},
    {"CLAUDE_CODE_ENTRYPOINT", "", "", kAgent},
    {"CLAUDE_CODE_SSE_PORT", "", "", kAgent},
    {"CLAUDE_CODE_SESSION_ID", "", "", kAgent},
    {"CODEX_THREAD_ID", "", "", kAgent},
    {"CURSOR_AGENT", "", "", kAgent},
    {"GEMINI_CLI", "", "", kAgent},
    {"OPENCODE", "", "", kAgent},
    {"QWEN_CODE", "", "", kAgent},
};

std::vector<std::string>& left() {
  static std::vector<std::string> entries;
  return entries;
}

bool names(std::string_view pattern, std::string_view name) {
  if (name.empty() || pattern.front() != name.front()) return false;
  if (!pattern.ends_with('*')) return name == pattern;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

std::string_view name_in(std::string_view entry) { return entry.substr(0, entry.find('=')); }

// Whether the environment has a variable that one of the patterns names.
bool has_one_of(const std::vector<std::string>& environment, std::string_view patterns) {
  while (!patterns.empty()) {
    const std::string_view pattern = patterns.substr(0, patterns.find(' '));
    patterns.remove_prefix(std::min(pattern.size() + 1, patterns.size()));
    const bool has =
        std::any_of(environment.begin(), environment.end(),
                    [pattern](std::string_view entry) { return names(pattern, name_in(entry)); });
    if (has) return true;
  }
  return false;
}

bool has_value(std::string_view entry, std::string_view part) {
  const std::string_view value = entry.substr(std::min(name_in(entry).size() + 1, entry.size()));
  return part == ":" ? value == part : value.find(part) != std::string_view::npos;
}

}  // namespace

std::span<const CallerVariable> caller_variables() { return kCallerVariables; }

std::vector<std::string> take_caller_variables(std::vector<std::string>& environment) {
  std::vector<std::string> kept, taken;
  for (const std::string& entry : environment) {
    const std::string_view name = name_in(entry);
    const bool is_callers = std::any_of(
        std::begin(kCallerVariables), std::end(kCallerVariables), [&](const CallerVariable& each) {
          return names(each.name, name) && has_value(entry, each.value) &&
                 (each.beside.empty() || has_one_of(environment, each.beside));
        });
    (is_callers ? taken : kept).push_back(entry);
  }
  environment = std::move(kept);
  return taken;
}

void leave_caller() {
  std::vector<std::string> environment = own_environment();
  left() = take_caller_variables(environment);
  for (const std::string& entry : left()) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): there are no threads yet
    ::unsetenv(std::string(name_in(entry)).c_str());
  }
}

const std::vector<std::string>& left_variables() { return left(); }

}  // namespace orch::session

#include "cli/manual_topics.h"

#include <array>

namespace orch::cli {
namespace {

constexpr std::array kVariables{
    ManualTopic{"ORCH_STATE_DIR", "the state folder, unless --state-dir names one"},
    ManualTopic{"ORCH_LOG",
                "orch's own log on standard error: debug, info, warn, error, or file:PATH"},
    ManualTopic{"ORCH_<KEY>",
                "the value of the key of the configuration, as ORCH_TIMEOUT=2h; "
                "orch config has the keys"},
    ManualTopic{"ORCH_DEMO_<OPTION>",
                "an option of the built-in demo agent, as ORCH_DEMO_SPEED=0.1"},
    ManualTopic{"XDG_CONFIG_HOME", "where configuration is kept (else ~/.config)"},
    ManualTopic{"XDG_STATE_HOME", "where the state folder is (else ~/.local/state)"},
    ManualTopic{"XDG_CACHE_HOME", "where the versions of agents are kept (else ~/.cache)"},
    ManualTopic{"XDG_RUNTIME_DIR", "where the sockets of sessions are (else in a folder of /tmp)"},
    ManualTopic{"NO_COLOR, CLICOLOR, CLICOLOR_FORCE, TERM",
                "whether there are colors, unless "
                "--color says so"},
    ManualTopic{"CI, GITHUB_ACTIONS, GITLAB_CI",
                "what a CI system is told by: then orch annotates, and picks "
                "no multiplexer by itself"},
    ManualTopic{"GITHUB_STEP_SUMMARY, GITHUB_OUTPUT", "files that get what became of the runs"},
};

constexpr std::array kFiles{
    ManualTopic{"~/.config/orch/config.json", "the configuration, of $XDG_CONFIG_HOME"},
    ManualTopic{"~/.config/orch/adapters/*.json", "manifests of agents of your own"},
    ManualTopic{"~/.local/state/orch", "the state folder: records of runs, sessions, tasks, crews"},
    ManualTopic{".orch/config.json", "the configuration of a repository"},
    ManualTopic{".orch/adapters/*.json", "its manifests, which count after orch trust"},
    ManualTopic{".orch/issues/<issue>.md", "the prompt of an issue that is run without one"},
    ManualTopic{"crew.yaml", "the crew of a project"},
};

}  // namespace

std::span<const ManualTopic> manual_variables() { return kVariables; }
std::span<const ManualTopic> manual_files() { return kFiles; }

}  // namespace orch::cli

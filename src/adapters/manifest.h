#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/fence_spec.h"
#include "adapters/headless_spec.h"
#include "adapters/line_spec.h"
#include "adapters/login_spec.h"
#include "adapters/task_spec.h"
#include "base/json_fwd.h"
#include "base/result.h"
#include "detect/rules.h"

namespace orch::adapters {

// How large one paste may be. An agent may take what is pasted in large pieces for a document that
// came with the message instead of the user's own words. 0: any size.
struct PasteSpec {
  int lines = 0;
  int bytes = 0;
};

// How messages get into the agent's input box. Milliseconds.
struct InputSpec {
  int64_t start_ms = 15'000;         // the longest wait for the first prompt
  int64_t send_ms = 10'000;          // the longest wait for the prompt before a later message
  int64_t stability_ms = 500;        // the prompt must stand for this long before anything is typed
  int64_t start_stability_ms = 500;  // the same, before the first message of a session
  int64_t enter_delay_ms = 400;      // between the text seen in the box and Enter
  int64_t seen_ms = 2'000;           // the longest wait for the text to be seen
  int64_t accepted_ms = 2'000;       // after Enter, before it is repeated
  int enter_repeats = 4;             // how often Enter may be repeated
  std::string command_start;         // first characters that the agent takes for a command
  std::vector<std::string> command_words;  // that alone are a command: "exit"
  std::string paste_placeholder;           // RE2: what the box shows instead of a long paste
  // From so many rows on the box may show only the end of what it holds, also where the prompt is
  // in sight. 0: while that is in sight the box shows all.
  int scroll_rows = 3;
  PasteSpec paste;
};

// How the agent is asked to quit: key names (term::key_bytes), and how long that may take.
struct QuitSpec {
  std::vector<std::string> keys;
  int64_t wait_ms = 0;
};

// How the agent is brought back to an empty conversation. Without a command it is restarted.
struct ResetSpec {
  std::vector<std::string> keys;  // end what it does, and what stands in its box
  std::string command;            // empties the conversation: "/clear"
};

// How the agent is made to run our hook, for one run and without touching the user's files. In the
// arguments {} stands for the file that holds `settings`, where there are any.
struct HookSpec {
  std::vector<std::string> arguments;  // none: the agent has no hooks
  std::string settings;                // JSON text
};

// How the agent is given orch's own MCP server (orch mcp), for one run and without touching the
// user's files. In the arguments and the values of variables {program} and {state_dir} stand for
// what they name, as strings of JSON, which are strings of TOML, too.
struct McpSpec {
  std::vector<std::string> arguments;
  std::map<std::string, std::string> env;  // both empty: the agent is given no server
};

// How rows of the transcript are told apart. All RE2 over one row.
struct TranscriptSpec {
  std::string agent;     // begins the agent's words
  std::string tool;      // begins a tool call or its result
  std::string notice;    // begins what the interface says of the run: errors, approvals
  std::string chrome;    // begins the interface's own: banners, tips; never told
  std::string user_end;  // the last row of a message of the user; the agent's words follow
  std::string side;  // rows of a message or a tool that has a bar beside it; ends at a blank row
  std::string busy;  // a row of a tool that is under way: it will change
  std::vector<std::string> drop;   // rows that are no transcript: spinners, rules, footers
  std::vector<std::string> frame;  // of a tool's rows only what the group captures is told
  std::string margin;              // of every row only that: a scroll bar stands beside it
  bool smears = false;  // its repaints leave rows behind, each the beginning of the row below it
  int indent = 2;       // columns of marker or indentation before the agent's words
  int chrome_rows = 0;  // rows directly over the input box that belong to the interface
};

// The files in which the agent itself keeps its sessions, one JSON object a line. The members of a
// line are named by the way to them from the outermost object: "/message/content".
struct RecordSpec {
  // A kind of line. Its content is texts, or lists of parts that have a text or call a tool.
  struct Line {
    enum class Kind : uint8_t { kNothing, kUser, kAgent, kTool };
    Kind kind = Kind::kNothing;
    LineConditions when;
    std::vector<std::string> content;  // members; of kTool they name the tool
  };

  std::vector<std::string> home;  // "$CODEX_HOME", "$HOME/.codex": the first whose variable is set
  // The files below it, "projects/{cwd}/*.jsonl"; "": there are none. * is any part of a name,
  // {cwd} the path of the working directory with "-" for what is neither letter nor digit, {.root}
  // any folder with a file .root that holds the path.
  std::string files;
  std::vector<Line> lines;  // the first that fits says what a line is; if none does, it is nothing
  std::string aside;        // RE2: texts in the user's lines that the user did not write
  std::string tool;         // the member of a part that names the tool it calls
  std::string time;         // ... of a line: when it was written, in UTC
  std::string cwd;          // ... of any line: the working directory
  std::string id;           // ... of a line: it takes the place of earlier ones with this id
  std::string all;          // ... of a line: a list that takes the place of all lines before
  // ... of a line: its own name, and that of the line that it follows in the conversation, wherever
  // it stands in the file; "": lines stand in their order.
  std::string line_id;
  std::string follows;
  std::string session;  // ... of a line at the beginning: the session's id
  std::string version;  // ... of such a line: the agent's version

  // What requests to the model took, and which files are the run's for certain.
  struct Usage {
    LineConditions when;  // lines that tell of a request
    std::string id;       // ... its name
    UsageSpec counts;     // ... what it took
    // Below the home, as `files`; {session} stands for the id of a session that is the agent's,
    // {session8} for its first eight characters.
    std::vector<std::string> files;
    std::string open;             // files of this name that a process of the agent holds open
    std::string process_file;     // "sessions/{pid}.json": what the agent says of its process
    std::string process_session;  // ... the member with the id of its session
    bool any() const { return !when.empty(); }
  };
  Usage usage;
};

// The arguments by which the agent is told which session of its own it begins or takes up, behind
// all others. {} stands for the session's id, a UUID.
struct OwnSessionSpec {
  std::vector<std::string> begin;   // none: it chooses the id itself
  std::vector<std::string> resume;  // with all that was said in it; none: it cannot
};

// What one agent CLI is like: everything orch knows of it, as data.
struct Manifest {
  std::string name;                  // what --agent takes
  std::string title;                 // for people
  std::string tested;                // the newest version it was measured with; "" when never
  bool verified = true;              // false: written from documentation, never run
  bool idle_known = true;            // false: only output and exit are known (--agent command)
  std::vector<std::string> program;  // argv[0] and arguments that are always given
  std::vector<std::string> version;  // arguments that print its version
  std::vector<std::string> asks;     // arguments that make it ask before it runs or writes anything
  std::vector<std::string> bypass;   // words of a command line by which it asks for nothing
  // The variable that has to be 1 for it to take those as root; "": it takes them from anybody.
  std::string root_bypass;
  std::vector<std::string> models;  // that it lists itself; it may take others, too
  bool includes_files = false;      // of a message that names @path the model gets the file's text
  // "model" → {"--model", "{}"}; also effort, system_prompt, temperature, max_tokens.
  std::map<std::string, std::vector<std::string>> options;
  std::map<std::string, std::string> env;  // added to the environment
  InputSpec input;
  QuitSpec quit;
  ResetSpec reset;
  int restart_code = 0;  // the exit code by which it asks to be started again; 0: it has none
  HookSpec hooks;
  McpSpec mcp;
  TranscriptSpec transcript;
  RecordSpec record;
  OwnSessionSpec session;
  FenceSpec fence;
  HeadlessSpec headless;  // not any(): it only runs on a terminal
  LoginSpec login;
  TaskSpec task;
  detect::RuleSetSpec rules;
};

// Reads one manifest. An error is one line that names the file, the rule where it is in one, and
// the field: "claude.json: rule permission: when[0].match: missing )". `file` is only used for
// that. What a person wrote is checked to the last pattern, which takes some milliseconds; what is
// part of the program was checked by its tests.
base::Result<Manifest> parse_manifest(std::string_view json, std::string_view file,
                                      base::JsonAuthor author = base::JsonAuthor::kPerson);

}  // namespace orch::adapters

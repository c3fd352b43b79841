#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/acp_spec.h"
#include "adapters/call_spec.h"
#include "adapters/fence_spec.h"
#include "adapters/gateway_spec.h"
#include "adapters/headless_spec.h"
#include "adapters/line_spec.h"
#include "adapters/login_spec.h"
#include "adapters/mcp.h"
#include "adapters/task_spec.h"
#include "base/json_fwd.h"
#include "base/result.h"
#include "detect/rules.h"

namespace orch::adapters {

// How a text is typed as keys instead of pasted. An agent may mistake a large paste for a document
// that comes with the message instead of the user's own words, and a pasted path for an attachment.
struct KeysSpec {
  int bytes = 0;  // most bytes between two `between` keys; 0: the text is pasted
  // The name of a key (term::key_bytes) that has no effect behind the text. Without it the agent
  // would mistake the keys of a long text for a paste, because they arrive together.
  std::string between;
  std::string tab;  // typed for a tab, whose key would mean something else
  // First characters of a last word that opens a menu, from which Enter would choose: a blank
  // behind the text closes it.
  std::string menus = {};
};

// How messages are typed into the agent's input box. All times are in milliseconds.
struct InputSpec {
  int64_t start_ms = 15'000;   // the longest wait for the first prompt
  int64_t send_ms = 10'000;    // the longest wait for the prompt before a later message
  int64_t stability_ms = 500;  // the prompt must stand for this long before anything is typed
  // The same before the first message of a session, and longer after a slow start. 0: a dialog of
  // the start that follows the agent's first prompt ignores typed text.
  int64_t start_stability_ms = 500;
  // RE2: a row above the input box that the agent draws only when no dialog of its start follows.
  // From then on stability_ms applies to the first message, too, unless a conversation is resumed.
  std::string started;
  int64_t enter_delay_ms = 400;            // from when the text is seen in the box to Enter
  int64_t seen_ms = 2'000;                 // the longest wait for the text to be seen in the box
  int64_t accepted_ms = 2'000;             // from an Enter without effect to the next one
  int enter_repeats = 4;                   // how often Enter may be repeated
  std::string command_start;               // first characters that mark a command for the agent
  std::vector<std::string> command_words;  // messages that are a command without a sign: "exit"
  std::string paste_placeholder;           // RE2: the box's text instead of a long paste
  // A box with at least this many rows may show only the end of its text, even while its prompt can
  // be seen. 0: a box whose prompt can be seen shows all of its text.
  int scroll_rows = 3;
  KeysSpec keys;
  // Manifest::guessed: the box may hold words that nobody typed, such as a placeholder, so a
  // message is looked for among them, and it counts as taken only when work follows.
  bool guessed = false;
};

// How the agent is asked to quit: the names of keys (term::key_bytes) and how long it may take.
struct QuitSpec {
  std::vector<std::string> keys;
  int64_t wait_ms = 0;
};

// How the agent is brought back to an empty conversation. An agent without a command is restarted.
struct ResetSpec {
  std::vector<std::string> keys;  // interrupt the agent's work and empty its input box
  std::string command;            // empties the conversation: "/clear"
};

// How the agent is made to run orch's hook, or to draw what orch reads best, for one run and
// without touching the user's files. In the arguments and the values of variables {} stands for the
// path of a file that holds `settings`, if there are any.
struct HookSpec {
  std::vector<std::string> arguments;
  std::map<std::string, std::string> env;
  std::string settings;  // JSON text
  std::string script;    // of the call check: CallSpec::script
  bool plugin = false;   // of the call check: `settings` are a plugin's

  bool any() const { return !arguments.empty() || !env.empty(); }
};

// How to classify the rows of the transcript. Each pattern is RE2 over one row.
struct TranscriptSpec {
  std::string agent;  // the row begins the agent's words
  std::string tool;   // the row begins a tool call or its result
  // The same, for rows that their text alone does not identify: only a row whose first character is
  // grey, or grey or in any colour but black and white (driver/ink.h).
  std::string grey_tool, colored_tool;
  std::string colored_user;  // a message of the user, if its first character is in a colour
  std::string faint_user;    // the same, if that character is faint
  // The row hangs below a tool's call. Then the row above it, if it begins a paragraph, is that
  // call, whatever its text, unless it has the agent's marker in plain ink.
  std::string hangs;
  // A row without a marker that never belongs to a tool: below a tool whose marker has scrolled
  // away unseen, the row is the agent's.
  std::string words;
  std::string notice;    // the row begins a report of the interface: errors, approvals
  std::string chrome;    // the row begins a part of the interface: banners, tips; never reported
  std::string user_end;  // the last row of a message of the user; the agent's words follow
  std::string side;      // a row with a bar at its side, of a text that ends at a blank row
  std::string busy;      // a row of a tool that is still running, so the row will change
  std::vector<std::string> drop;   // rows outside of the transcript: spinners, rules, footers
  std::vector<std::string> frame;  // captures the text in a tool's row, without its frame
  std::string margin;              // captures the text in any row, without a scroll bar at its side
  // The user's messages and the tools' rows stand on a background colour, and the agent's words do
  // not. Then `tool` only matches rows on one, and the other rows on one are the user's.
  bool shaded = false;
  bool smears = false;  // repaints leave rows behind, each the beginning of the row below it
  int indent = 2;       // columns of marker or indentation before the agent's words
  int chrome_rows = 0;  // rows directly above the input box that belong to the interface
};

// The files where the agent itself keeps its sessions, with one JSON object in each line. A member
// is named by the way to it, the names from the outermost object on: "/message/content".
struct RecordSpec {
  // A kind of line. The content of a line is texts, or lists of parts that hold a text or call a
  // tool.
  struct Line {
    enum class Kind : uint8_t { kNothing, kUser, kAgent, kTool };
    Kind kind = Kind::kNothing;
    LineConditions when;
    std::vector<std::string> content;  // ways to the content; for kTool, to the name of the tool
  };

  // Candidates for the folder with the agent's files, such as "$CODEX_HOME" and "$HOME/.codex". The
  // first whose variable is set counts.
  std::vector<std::string> home;
  // The session files below `home`, "projects/{cwd}/*.jsonl"; "": the agent keeps none. * stands
  // for any part of a name, {cwd} for the path of the working directory with "-" in place of each
  // character that is neither a letter nor a digit, and {.root} for any folder with a file .root
  // that holds that path.
  std::string files;
  // SQL. If it is set, `files` names one SQLite database, and the lines are the results of this
  // query: one JSON text in each row, the newest first. Its parameters: :cwd, the working
  // directory; :since, a time before the turn began, in milliseconds since 1970.
  std::string query;
  std::vector<Line> lines;  // the first kind that fits a line counts; other lines mean nothing
  std::string aside;        // RE2: texts in the user's lines that the user did not write
  // Ways to members, from a part of a line or from a line.
  std::string tool;  // of a part: the name of the tool that it calls
  std::string time;  // of a line: when it was written, in UTC
  std::string cwd;   // of any line: the working directory
  std::string id;    // of a line: it replaces earlier lines with the same id
  std::string all;   // of a line: a list that replaces all earlier lines
  // Of a line: its own id, and the id of the line that it follows in the conversation, wherever
  // that stands in the file. "": the order in the file counts.
  std::string line_id;
  std::string follows;
  std::string session;  // of a line at the beginning: the id of the session
  std::string version;  // of a line: the agent's version

  // The place of the usage of requests to the model, and the files that certainly belong to the
  // run.
  struct Usage {
    LineConditions when;  // conditions for lines about a request
    std::string id;       // the way to the id of the request
    UsageSpec counts;     // the usage of the request
    // Files below `home`, written as above. {session} stands for the id of a session that belongs
    // to the agent, {session8} for the first eight characters of that id.
    std::vector<std::string> files;
    std::string open;             // the name (a glob) of files that the agent's process holds open
    std::string process_file;     // "sessions/{pid}.json": a file about the agent's process
    std::string process_session;  // the way in that file to the id of the session
    bool any() const { return !when.empty(); }
  };
  Usage usage;
};

// The arguments that choose which session of its own the agent begins or resumes. They come after
// all others; {} stands for the session's id, a UUID.
struct OwnSessionSpec {
  std::vector<std::string> begin;   // begin a session with this id; empty: the agent chooses the id
  std::vector<std::string> resume;  // resume this session; empty: the agent cannot
};

// All of orch's knowledge about one agent CLI, as data.
struct Manifest {
  std::string text;                  // its JSON, if it is a file of the user's
  std::string name;                  // the name that --agent takes
  std::string title;                 // the name for people
  std::string tested;                // the newest version it was measured with; "" if none
  bool verified = true;              // false: written from documentation, never run
  bool idle_known = true;            // false: only output and exit are known (--agent command)
  bool guessed = false;              // its rules fit any agent: the statuses are guesses
  bool writes_files = true;          // false: it changes no file in its work folder (demo)
  bool emoji_sequences = true;       // false: it counts the columns of each code point of an emoji
  std::vector<std::string> program;  // argv[0] and arguments that are always given
  std::string install;               // the usual command to install it, to be shown; or ""
  std::vector<std::string> version;  // arguments that print its version
  std::vector<std::string> asks;     // arguments that make it ask before it runs or writes anything
  std::vector<std::string> bypass;   // words of a command line that make it ask for no permission
  // As root the agent takes those words only if this variable is 1; "": it takes them always.
  std::string root_bypass;
  std::vector<std::string> models;  // models that the agent lists; it may take others too
  bool includes_files = false;      // if a message names @path, the model gets the file's text
  // "model" → {"--model", "{}"}; also effort, system_prompt, temperature, max_tokens.
  std::map<std::string, std::vector<std::string>> options;
  std::map<std::string, std::string> env;  // added to the environment
  InputSpec input;
  QuitSpec quit;
  ResetSpec reset;
  int restart_code = 0;  // the exit code that asks for another start; 0: it has none
  HookSpec hooks;
  CallSpec calls;  // if not any(), only its dialogs announce its actions
  McpSpec mcp;
  AcpSpec acp;
  TranscriptSpec transcript;
  RecordSpec record;
  OwnSessionSpec session;
  FenceSpec fence;
  HeadlessSpec headless;  // if not any(), the agent only runs on a terminal
  LoginSpec login;
  GatewaySpec gateway;  // if not any(), its requests cannot go through orch's gateway
  TaskSpec task;
  detect::RuleSetSpec rules;
};

// A manifest that was read, or its error with the way to the member that it is about, as
// offset_of() takes it: "rules[3].when[0].match".
struct ReadManifest {
  base::Result<Manifest> manifest;
  std::string way;
};

// Reads one manifest. An error is one line that names the file, the rule if it is in one, and the
// field: "claude.json: rule permission: when[0].match: missing )". `file` is used for that line
// only. All patterns of a user's manifest are compiled to check them, which takes some
// milliseconds; the manifests in the binary are checked by tests instead.
base::Result<Manifest> parse_manifest(std::string_view json, std::string_view file,
                                      base::JsonAuthor author = base::JsonAuthor::kPerson);
ReadManifest read_manifest(std::string_view json, std::string_view file, base::JsonAuthor author);

// The JSON Schema of a manifest, by the calls that parse_manifest() reads its members with.
base::Json manifest_schema();

}  // namespace orch::adapters

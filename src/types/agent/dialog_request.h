#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "event/event.h"
#include "event/status.h"

namespace orch::agent {

// The effect of choosing an option of a dialog. Agents number and order their options as they like,
// so a choice is made by its meaning and never by its place.
enum class Meaning : uint8_t {
  kAllowOnce,
  kAllowAlways,  // allows later requests too, or more than was asked; a policy never chooses it
  kDeny,
  kOther,  // any other meaning, or one that is not understood
};

std::string_view name(Meaning meaning);  // "allow once", "allow always", "deny", "other"
std::optional<Meaning> meaning_named(std::string_view name);

struct DialogOption {
  std::string text;  // its name as drawn, without its number, cursor and tick
  Meaning meaning = Meaning::kOther;
  bool wants_words = false;         // it leads to the prompt, for other instructions by the user
  std::string description = {};     // the agent's text about the option; "" if none
  std::optional<bool> ticked = {};  // its tick box; absent: it has none
  bool operator==(const DialogOption&) const = default;
};
// The option as the user reads it: "[x] Red - the colour of fire".
std::string label(const DialogOption& option);

// An agent's question before it goes on. It does not say how the agent asks: a dialog drawn on a
// screen and a request that comes as a line of JSON look the same here. The kind, the tool and the
// meaning of the options come from the dialog's title, options and footer (or from the protocol),
// never from its body, because the model writes the body.
struct DialogRequest {
  // The agent's action if the answer is yes.
  enum class Action : uint8_t {
    kCommand,  // it runs a shell command: see `likely` and `possible`
    kWrite,    // it writes files: see `paths`
    kRead,     // it reads or searches files
    kOther,    // anything else, such as a fetch or a tool of an MCP server; `body` describes it
    kBypass,   // it never asks for a permission again
    kUnknown,  // the dialog does not show the agent's action
  };

  event::Cause kind =
      event::Cause::kNone;  // a cause of `waiting`: permission, question, trust, ...
  std::string tool;         // the agent's name for the tool: "Bash"; "" where it names none
  Action action = Action::kUnknown;
  // The readings of the command, for kCommand. A screen wraps long lines, so a command on it may be
  // read in more than one way. The first of `likely` is the likeliest reading. A command counts as
  // harmless only if all of `likely` are harmless and none of `possible` is dangerous.
  std::vector<std::string> likely, possible;
  std::vector<std::string> paths;  // for kWrite, as the dialog names them
  // For kRead, where the agent reports its tools as data: the paths that are read; empty: none is.
  std::optional<std::vector<std::string>> reads;
  // Whether the title, the options and all of the body were seen. A request is incomplete if a part
  // of it scrolled away, was folded ("+12 lines") or was cut off at the edge of the screen. An
  // incomplete request is never allowed.
  bool complete = false;
  std::string title;  // the dialog's first row
  std::string body;   // the rows between title and options, joined by line feeds
  std::vector<DialogOption> options;
  int first = 1;  // the number that the agent draws before the first option; the others count on
  std::optional<size_t> cursor;  // the option that Enter would choose, if that can be seen
  // Whether any number of options may be ticked. A dialog with tick boxes is answered as a whole:
  // an answer names every option to tick, and then the ticks are submitted.
  bool is_set() const;
  bool operator==(const DialogRequest&) const = default;
};

// The whole dialog as text for the user: title, body and the numbered options, one in each line,
// with "> " before the option under the cursor.
std::string describe(const DialogRequest& request);

// The words of `orch answer` that the request takes: "yes" and "no", if exactly one option means
// that and all of the dialog was seen ("no" to tick boxes: none is ticked), then the options'
// numbers.
std::vector<std::string> answers_to(const DialogRequest& request);

// The event that records the request; for `answer` and `by` see event::Dialog.
event::Dialog record_of(const DialogRequest& request, std::string answer, std::string by);

}  // namespace orch::agent

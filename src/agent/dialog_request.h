#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "event/event.h"
#include "event/status.h"

namespace orch::agent {

// What choosing an option of a dialog would mean. Agents number and order their options as they
// like, so a choice is made by its meaning and never by its place.
enum class Meaning : uint8_t {
  kAllowOnce,
  kAllowAlways,  // also for what comes later, or for more than was asked; never chosen by a policy
  kDeny,
  kOther,  // anything else, and what is not understood
};

std::string_view name(Meaning meaning);  // "allow once", "allow always", "deny", "other"

struct DialogOption {
  std::string text;  // as drawn, without its number, cursor and tick
  Meaning meaning = Meaning::kOther;
  bool wants_words = false;  // it leads to the prompt, where the agent is told what to do instead
  bool operator==(const DialogOption&) const = default;
};

// What an agent asks before it goes on, in words that say nothing of how it asks: a dialog that is
// drawn on a screen and a request that comes as a JSON line are told alike. The kind, the tool and
// the meaning of the options come from the dialog's title, options and footer (or from the
// protocol), never from its body, which the model writes.
struct DialogRequest {
  // What is to be done if the answer is yes.
  enum class Action : uint8_t {
    kCommand,  // a shell command is run: `commands`
    kWrite,    // files are written: `paths`
    kRead,     // files are read, or searched
    kOther,    // anything else: a tool of an MCP server, a fetch; `text` says all there is
    kBypass,   // from then on nothing is asked for any more
    kUnknown,  // it cannot be told
  };

  event::Cause kind =
      event::Cause::kNone;  // a cause of `waiting`: permission, question, trust, ...
  std::string tool;  // the agent's name for what it wants to use: "Bash"; "" where it names none
  Action action = Action::kUnknown;
  // Of kCommand. A screen wraps what it shows, so a command may be read in more than one way. The
  // first reading is the likeliest; a command is harmless only if all of `likely` are, and not
  // dangerous in any of `possible`.
  std::vector<std::string> likely, possible;
  std::vector<std::string> paths;  // of kWrite, as the dialog names them
  // Were title, options and all of the body seen? What scrolled away, was folded ("+12 lines") or
  // cut by the edge makes a request incomplete; nothing incomplete is ever allowed.
  bool complete = false;
  std::string title;  // its first row
  std::string body;   // what stands between title and options, joined by line feeds
  std::vector<DialogOption> options;
  int first = 1;  // the number of the first option as drawn; those that follow count on
  std::optional<size_t> cursor;  // the option that Enter would choose, where that shows
  bool operator==(const DialogRequest&) const = default;
};

// All that a dialog says, for a person: title, body and numbered options, one a line; "> " stands
// before the option under the cursor.
std::string describe(const DialogRequest& request);

// Its record among the events; `answer` and `by` as event::Dialog has them.
event::Dialog record_of(const DialogRequest& request, std::string answer, std::string by);

}  // namespace orch::agent

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "event/event.h"
#include "wire/status_report.h"

namespace orch::acp {

// What the client has declared that it shows.
struct Shows {
  bool notices = false;
  bool questions = false;  // elicitation in a form
};

// Turns the events of a run into the protocol's updates. Each update is the object "update" of a
// session/update. Words become chunks of messages; the lines of a tool on a screen become a tool
// call, unless the agent reports its tools as data. Pure.
class Narrator {
 public:
  enum class View : uint8_t {
    kLive,     // the client knows what it has sent itself
    kHistory,  // the user's words are told, too
  };
  explicit Narrator(View view = View::kLive) : view_(view) {}
  void set_shows(Shows shows) { shows_ = shows; }
  void set_view(View view) { view_ = view; }

  std::vector<base::Json> tell(const event::Event& event);
  // The turn is over: whatever is still open is closed.
  std::vector<base::Json> end_turn();
  std::vector<base::Json> tell_usage(const event::Usage& usage);

  // Names the use of the tool that the dialog is about, and tells the client of it unless it has
  // been told.
  std::string call_of(const wire::DialogReport& dialog, std::vector<base::Json>& updates);
  // The dialog was answered with this meaning, the name of an agent::Meaning.
  std::vector<base::Json> on_answered(std::string_view meaning);

 private:
  struct ScreenTool {
    std::string id;
    std::string text;  // the lines after the title
    bool failed = false;
  };
  struct Asked {
    enum class State : uint8_t { kOpen, kAllowed, kDenied /* its end has been told */ };
    std::string id, command;
    State state = State::kOpen;
  };

  void tell(const event::Output& line, std::vector<base::Json>& updates);
  void tell(const event::Tool& tool, std::vector<base::Json>& updates);
  void tell(const event::StatusChange& change, std::vector<base::Json>& updates);
  void say(std::string_view kind, const event::Output& line, std::vector<base::Json>& updates);
  void tell_screen_tool(const event::Output& line, std::vector<base::Json>& updates);
  void close_asked(std::vector<base::Json>& updates);
  void close_screen_tool(std::vector<base::Json>& updates);
  void begin_call(const event::Tool& tool, std::vector<base::Json>& updates);
  std::string next_id(std::string_view kind);

  View view_;
  Shows shows_;
  uint64_t ids_ = 0;
  std::string message_;  // id of the message that is being said; "": none
  event::Speaker speaker_ = event::Speaker::kNotice;
  std::string breaks_;          // line feeds that come before the next words
  bool tools_as_data_ = false;  // the agent reports its tools; its screen's are not told
  std::optional<ScreenTool> screen_tool_;
  std::optional<Asked> asked_;               // a use of a tool that a dialog asked about
  std::map<std::string, std::string> open_;  // ids of the agent's uses of tools, and ours
  std::optional<event::Dialog> dialog_;      // the one that stands, with its tool and paths
};

}  // namespace orch::acp

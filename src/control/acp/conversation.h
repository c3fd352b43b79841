#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "acp/failure.h"
#include "acp/narrator.h"
#include "acp/permission.h"
#include "acp/protocol.h"
#include "agent/dialog_choice.h"
#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "event/event.h"
#include "jsonrpc/message.h"
#include "wire/message.h"

namespace orch::acp {

// What the owner of a Conversation has to do next.
struct Tell {
  std::string line;  // to the client, with its line feed
};
struct Warn {
  std::string line;  // to standard error
};
struct AskStatus {};  // answered by on_report()
struct Send {         // answered by on_sent(), when the turn is over
  std::string text;
  uint64_t turn = 0;
};
struct Answer {  // answered by on_answered()
  std::string dialog;
  agent::DialogChoice choice;
};
struct PressEscape {};
using Work = std::variant<Tell, Warn, AskStatus, Send, Answer, PressEscape>;

// One session of a client: its turns, the dialogs in them, and who answers these. Time is the
// owner's clock, in milliseconds. Pure.
class Conversation {
 public:
  struct Plan {
    const Protocol* protocol = nullptr;
    std::string id;   // as the client knows the session
    std::string run;  // the run that it is now; for errors
    Shows shows;
    int64_t turn_limit_ms = 0;  // a turn that takes longer is ended; 0: no limit
  };
  explicit Conversation(Plan plan);

  void set_run(std::string run) { plan_.run = std::move(run); }
  bool is_at_work() const { return request_.has_value(); }
  bool had_turns() const { return turns_ > 0; }

  // The client's requests. A prompt while another one is at work is refused.
  void on_prompt(const base::Json& request, std::string text, base::TimeMs now);
  void on_cancel(base::TimeMs now);
  void on_cancel_request(const base::Json& request, base::TimeMs now);
  // Whether the response belongs to a request of this conversation.
  bool on_response(const jsonrpc::Response& response, base::TimeMs now);

  // The session's news.
  void on_event(const event::Event& event, base::TimeMs now);
  void on_report(const base::Result<wire::StatusReport>& report, base::TimeMs now);
  void on_sent(uint64_t turn, const base::Result<wire::Sent>& sent, base::TimeMs now);
  void on_answered(const std::string& dialog, const base::Status& done, base::TimeMs now);
  // The session has ended: by itself, or because it was asked to.
  void on_end(const Failure& failure);

  base::TimeMs next_deadline() const { return deadline_; }
  void on_timer(base::TimeMs now);

  // What has happened before, from the record of an earlier run.
  void on_history(const event::Event& event);
  void end_history();

  std::vector<Work> take_work() { return std::exchange(work_, {}); }

 private:
  enum class Phase : uint8_t {
    kWaiting,  // the agent is not at its prompt yet
    kSending,  // until the turn is over
    kEnding,   // the turn is over; its usage is asked for
  };
  enum class Wish : uint8_t { kGoOn, kCancel, kTimeLimit };
  struct Question {  // a dialog that the client was asked about
    wire::DialogReport dialog;
    base::Json request;   // id of our request; null once it is answered or taken back
    std::string meaning;  // of the answer that is under way; "": none is
  };

  void update(base::Json update);
  void update(std::vector<base::Json> updates);
  void ask();
  void look_again(base::TimeMs at) { deadline_ = std::min(deadline_, at); }
  void send();
  void stop(Wish wish, base::TimeMs now);
  void press_escape(base::TimeMs now);
  void ask_client(const wire::DialogReport& dialog);
  void answer(const Answered& answered);
  void on_answered_elsewhere(const std::string& answer);
  void take_back_question();
  void at_report(const wire::StatusReport& report, base::TimeMs now);
  void finish();
  void fail(const Failure& failure);
  void fail_by(event::Cause cause);
  void refuse(std::string_view why);
  base::Json usage_json() const;
  void end_turn();

  Plan plan_;
  Narrator narrator_;
  std::vector<Work> work_;
  uint64_t requests_ = 0;  // of ours to the client
  uint64_t turns_ = 0;
  std::optional<base::Json> request_;  // id of the prompt that is at work
  std::string text_;                   // its message
  Phase phase_ = Phase::kWaiting;
  Wish wish_ = Wish::kGoOn;
  bool accepted_ = false;  // the agent has the message
  int escapes_ = 0;        // typed to end this turn
  int refusals_ = 0;       // how often a dialog kept the message from being typed
  base::TimeMs since_ = 0;
  base::TimeMs stop_since_ = 0;
  base::TimeMs deadline_ = base::kNever;
  std::optional<Question> question_;
  std::string settled_;  // id of the dialog that was answered last
  event::AgentStatus status_ = event::AgentStatus::kStarting;
  event::Cause cause_ = event::Cause::kNone;
  std::optional<int64_t> retry_after_s_;  // as the last report has it
  std::optional<wire::Sent> sent_;
  event::Usage before_, usage_;  // of the run: before this turn, and now
  bool has_usage_ = false;
  bool ended_ = false;
};

}  // namespace orch::acp

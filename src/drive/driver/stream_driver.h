#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/manifest.h"
#include "base/pattern.h"
#include "driver/driver.h"
#include "driver/stream_dialect.h"

namespace orch::driver {

// The driver of a headless agent, which takes messages on standard input and reports its work in
// lines of JSON (StreamDialect). Each message starts another process, which continues the
// conversation of the one before, unless a process takes several messages: then each message is
// another line of input for the same process. A JSON line decides how a turn ended, never an exit
// code: if a process ends without this line, the turn has failed, whatever the exit code is.
class StreamDriver final : public Driver {
 public:
  // `conversation` is the id of the conversation to continue; "" begins a new one. If `asks` is
  // false, the agent allows its model everything, so output that looks like a denied tool is not
  // reported as one. The manifest must outlive the driver.
  StreamDriver(const adapters::Manifest& manifest, std::string conversation, TimeMs now,
               bool asks = true);
  // The same for an agent that speaks otherwise than in its manifest's JSON lines.
  StreamDriver(const adapters::Manifest& manifest, std::unique_ptr<StreamDialect> dialect,
               std::string conversation, TimeMs now, bool asks = true);
  ~StreamDriver() override;

  std::string on_output(TimeMs now, std::string_view bytes) override;
  void on_error_output(TimeMs now, std::string_view bytes) override;
  void on_typed(TimeMs, std::string_view) override {}
  void on_resize(TimeMs, int, int) override {}
  void on_notice(TimeMs now, std::string_view text) override;
  void on_surroundings(TimeMs now, Surroundings surroundings) override;
  void on_stopping(TimeMs now) override;
  void on_exit(TimeMs now) override;
  bool on_process_end(TimeMs now, int code, int signal) override;
  TimeMs next_deadline() const override;
  void on_timer(TimeMs now) override;
  void command(TimeMs now, const agent::Command& command) override;
  std::optional<Launch> take_launch() override { return std::exchange(launch_, std::nullopt); }
  std::string conversation() const override { return conversation_; }

  std::vector<agent::News> take_news() override;
  std::vector<std::string> take_writes() override { return std::exchange(writes_, {}); }

  event::AgentStatus status() const override { return status_; }
  event::Cause cause() const override { return cause_; }
  TimeMs since() const override { return since_; }
  TimeMs last_output() const override { return last_output_; }
  bool holds_keyboard() const override { return false; }
  std::string quit_bytes() const override { return ""; }
  std::string text() const override;
  const term::Screen* screen() const override { return nullptr; }

 private:
  enum class Turn : uint8_t {
    kNone,
    kOwn,     // a turn that the agent began without a message
    kSent,    // a message was sent, and the agent has not shown yet that it has it
    kUnder,   // the agent works on the message
    kEnding,  // the agent has reported the turn's end, and its process is about to exit
  };
  using Item = StreamItem;

  void write(std::string bytes);
  void deliver(TimeMs now, const agent::Deliver& message);
  void begin_turn();
  void enter();
  void accept(TimeMs now);
  void answer(TimeMs now, const agent::Answer& answer);
  void take(TimeMs now, Item item);
  bool take_session(TimeMs now, const Item& item);  // false: the turn has failed
  void take_words(Item& item);
  void take_tool(TimeMs now, Item& item);
  void take_request(TimeMs now, const Item& item);
  void open_request(TimeMs now);
  void close_request(TimeMs now);
  void take_back_request(TimeMs now, const std::string& id);
  void drop_requests();
  void take_end(TimeMs now, const Item& item);
  void take_usage(const Item& item);
  void take_error_row(TimeMs now, std::string_view row);
  void deny(const std::string& name, const std::string& input, const std::string& why);
  void fail_turn(TimeMs now, event::Cause cause, const std::string& why);
  void end_own_turn(TimeMs now);
  void fail_message(TimeMs now, const std::string& why);
  void end_turn(TimeMs now);
  void end_words();
  void tell_lines(std::string_view text, agent::Speaker speaker);
  void set_status(TimeMs now, event::AgentStatus status, event::Cause cause);
  event::Cause cause_of(std::string_view text, int code) const;
  bool begins_own_turn(const Item& item) const;
  bool is_of_own_turn(const Item& item) const;
  bool has_spoken() const;
  bool takes_several() const { return dialect_->takes_several(); }
  TimeMs give_up_at() const;

  const adapters::Manifest& manifest_;
  std::unique_ptr<StreamDialect> dialect_;
  std::vector<std::pair<base::Pattern, const adapters::HeadlessSpec::ErrorRow*>> error_rows_;
  std::vector<std::pair<base::Pattern, event::Cause>> causes_;
  std::optional<base::Pattern> denied_;

  bool asks_;
  std::string conversation_;
  bool continues_ = false;  // the process was started to continue that conversation
  std::optional<Launch> launch_;
  bool alive_ = false;  // there is a process, or launch_ wants one
  Turn turn_ = Turn::kNone;
  std::string sent_;            // the text of a message that the agent has not taken up yet
  bool waits_for_own_ = false;  // it was sent while the agent worked in a turn of its own
  bool is_command_ = false;     // the message is a command, whose kTaken line may never come
  std::string message_;         // the id of the message that was sent last
  std::map<std::string, std::pair<std::string, std::string>> open_tools_;  // name and input by id
  std::deque<OpenRequest> requests_;  // requests without an answer; the first is the open dialog
  bool call_waits_ = false;           // see detect::kCallWaits
  std::string words_;                 // the model's words after the last reported line feed
  std::string last_words_;            // the last text of the turn
  bool tool_after_ = false;           // a tool was used after last_words_
  bool failed_ = false;               // this turn has failed
  std::string failure_;               // the reason that was reported
  std::optional<TimeMs> retrying_since_;
  event::Cause retry_cause_ = event::Cause::kNone;
  TimeMs ending_since_ = 0;
  // The usage reported so far, of this process and of this conversation.
  event::Usage counted_in_process_, counted_in_conversation_;
  std::string error_row_;  // the beginning of a row of standard error that is not complete yet
  std::string errors_;     // the end of standard error

  event::AgentStatus status_ = event::AgentStatus::kStarting;
  event::Cause cause_ = event::Cause::kNone;
  TimeMs since_, last_output_;
  bool attended_ = false;
  std::vector<agent::News> news_;
  std::vector<std::string> writes_;
};

}  // namespace orch::driver

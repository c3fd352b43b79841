#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/manifest.h"
#include "base/pattern.h"
#include "driver/driver.h"
#include "driver/stream_reader.h"
#include "driver/stream_request.h"

namespace orch::driver {

// The driver of a headless agent: one that takes messages on its standard input and tells what it
// does as JSON lines. A message is a process of its own, which continues the conversation of the
// one before, or where the agent takes several (HeadlessSpec::message) a line more of the same
// process. The last JSON line decides how a turn ended, never an exit code: a process that ends
// without one has failed whatever its code.
class StreamDriver final : public Driver {
 public:
  // `conversation` is continued; "" begins one. An agent that does not ask (`asks`) denies its
  // model nothing: what looks like it is the model's mistake. The manifest must outlive the driver.
  StreamDriver(const adapters::Manifest& manifest, std::string conversation, TimeMs now,
               bool asks = true);

  std::string on_output(TimeMs now, std::string_view bytes) override;
  void on_error_output(TimeMs now, std::string_view bytes) override;
  void on_typed(TimeMs, std::string_view) override {}
  void on_resize(TimeMs, int, int) override {}
  void on_notice(TimeMs, std::string_view) override {}
  void on_surroundings(TimeMs now, Surroundings surroundings) override;
  void on_stopping(TimeMs now) override;
  void on_exit(TimeMs now) override;
  bool on_process_end(TimeMs now, int code, int signal) override;
  TimeMs next_deadline() const override;
  void on_timer(TimeMs now) override;
  void command(TimeMs now, const agent::Command& command) override;
  std::optional<Launch> take_launch() override { return std::exchange(launch_, std::nullopt); }
  std::string conversation() const override { return conversation_; }

  std::vector<agent::News> take_news() override { return std::exchange(news_, {}); }
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
    kOwn,     // one that the agent began by itself
    kSent,    // nothing shows yet that the agent has the message
    kUnder,   // it works at it
    kEnding,  // it has told the end, and its process is about to leave
  };
  using Item = StreamItem;

  void deliver(TimeMs now, const agent::Deliver& message);
  void begin_turn();
  void enter();
  void accept(TimeMs now);
  void answer(TimeMs now, const agent::Answer& answer);
  void take(TimeMs now, Item item);
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
  bool takes_several() const { return !manifest_.headless.message.empty(); }
  TimeMs give_up_at() const;

  const adapters::Manifest& manifest_;
  StreamReader reader_;
  std::vector<std::pair<base::Pattern, const adapters::HeadlessSpec::ErrorRow*>> error_rows_;
  std::vector<std::pair<base::Pattern, event::Cause>> causes_;
  std::optional<base::Pattern> denied_;
  ToolKinds tools_;

  bool asks_;
  std::string conversation_;
  bool continues_ = false;  // the process was started to continue that conversation
  std::optional<Launch> launch_;
  bool alive_ = false;  // there is a process, or one is wanted
  Turn turn_ = Turn::kNone;
  std::string sent_;         // the text of a message that the agent has not taken up yet
  bool is_command_ = false;  // it is one, which may not be repeated when it is taken up
  std::string message_;      // the id of the one that is on its way, or whose turn it is
  std::map<std::string, std::pair<std::string, std::string>> open_tools_;  // name and input by id
  std::deque<OpenRequest> requests_;  // the first is the dialog that is open
  std::string words_;                 // of a text that may go on
  std::string last_words_;            // the last text of the turn
  bool tool_after_ = false;
  bool failed_ = false;  // a failure was told of this turn
  std::string failure_;  // in these words
  std::optional<TimeMs> retrying_since_;
  event::Cause retry_cause_ = event::Cause::kNone;
  TimeMs ending_since_ = 0;
  event::Usage counted_in_process_, counted_in_conversation_;  // so far, of what was told
  std::string error_row_;                                      // of standard error, begun
  std::string errors_;                                         // its end

  event::AgentStatus status_ = event::AgentStatus::kStarting;
  event::Cause cause_ = event::Cause::kNone;
  TimeMs since_, last_output_;
  bool attended_ = false;
  std::vector<agent::News> news_;
  std::vector<std::string> writes_;
};

}  // namespace orch::driver

#include "driver/stream_driver.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "adapters/launch.h"
#include "adapters/message.h"
#include "base/text.h"
#include "detect/notice.h"
#include "driver/delivery.h"
#include "driver/json_lines.h"

namespace orch::driver {

using adapters::HeadlessSpec;
using agent::Speaker;
using event::AgentStatus;
using event::Cause;
using Kind = HeadlessSpec::Rule::Kind;

namespace {

// A process that has reported the end of its turn exits soon. If it does not within this time, the
// turn is over all the same.
constexpr int64_t kLeavingMs = 5'000;
constexpr size_t kKeptErrorBytes = 16 << 10;
constexpr size_t kMostToldBytes = 4 << 10;  // the longest input or result of a tool in an event
constexpr std::string_view kBrokenOff = "its output ended without a word on how the turn ended";
constexpr size_t kMostLineBytes = 200;  // the longest input of a tool in the transcript

std::string cut(std::string_view text, size_t most) {
  const std::string_view kept = base::beginning(text, most);
  return std::string(kept) + (kept.size() < text.size() ? "…" : "");
}

// A tool call as agents show it on their screens: "Bash(touch x)".
std::string shown_tool(const std::string& name, const agent::DialogRequest& request) {
  std::string what = request.body;
  if (!request.paths.empty()) what = request.paths.front();
  std::replace(what.begin(), what.end(), '\n', ' ');
  return name + "(" + cut(what, kMostLineBytes) + ")";
}

// A pattern that was checked when the manifest was read.
base::Pattern checked_pattern(const std::string& expression) {
  return base::Pattern::compile(expression, base::Compiled::kWhenSearched).value();
}

template <typename Value>
std::vector<std::pair<base::Pattern, Value>> patterns_of(
    const std::vector<std::pair<std::string, Value>>& specs) {
  std::vector<std::pair<base::Pattern, Value>> patterns;
  patterns.reserve(specs.size());
  for (const auto& [expression, value] : specs) {
    patterns.emplace_back(checked_pattern(expression), value);
  }
  return patterns;
}

Cause cause_of_http(int code) {
  constexpr int kFirstServerError = 500;
  switch (code) {
    case 401:
    case 403:
      return Cause::kAuth;
    case 429:
      return Cause::kRateLimit;
    case 503:
    case 529:
      return Cause::kOverloaded;
    default:
      return code >= kFirstServerError ? Cause::kApi : Cause::kNone;
  }
}

}  // namespace

StreamDriver::StreamDriver(const adapters::Manifest& manifest, std::string conversation, TimeMs now,
                           bool asks)
    : StreamDriver(manifest, std::make_unique<JsonLines>(manifest.headless),
                   std::move(conversation), now, asks) {}

StreamDriver::StreamDriver(const adapters::Manifest& manifest,
                           std::unique_ptr<StreamDialect> dialect, std::string conversation,
                           TimeMs now, bool asks)
    : manifest_(manifest),
      dialect_(std::move(dialect)),
      causes_(patterns_of(manifest.headless.causes)),
      asks_(asks),
      conversation_(std::move(conversation)),
      since_(now),
      last_output_(now) {
  for (const HeadlessSpec::ErrorRow& row : manifest.headless.error_rows) {
    error_rows_.emplace_back(checked_pattern(row.match), &row);
  }
  if (!manifest.headless.denied.empty()) denied_ = checked_pattern(manifest.headless.denied);
}

StreamDriver::~StreamDriver() = default;

std::vector<agent::News> StreamDriver::take_news() { return std::exchange(news_, {}); }

void StreamDriver::command(TimeMs now, const agent::Command& command) {
  if (const auto* message = std::get_if<agent::Deliver>(&command)) deliver(now, *message);
  if (const auto* answered = std::get_if<agent::Answer>(&command)) answer(now, *answered);
  if (std::holds_alternative<agent::Reset>(command)) {
    conversation_.clear();
    news_.emplace_back(agent::ResetEnded{.cleared = !alive_});
  }
  // TakeBack does nothing: a message is written as soon as it comes.
}

void StreamDriver::write(std::string bytes) {
  if (!bytes.empty()) writes_.push_back(std::move(bytes));
}

void StreamDriver::deliver(TimeMs now, const agent::Deliver& message) {
  const HeadlessSpec& spec = manifest_.headless;
  std::string text = message.text;
  if (!message.as_command && adapters::begins_command(text, spec.command_start)) {
    if (message.lead.empty()) {
      news_.emplace_back(agent::MessageFailed{.id = message.id,
                                              .result = agent::DeliveryResult::kWouldBeCommand,
                                              .reason = manifest_.title +
                                                        " would take its first character for the "
                                                        "beginning of a command"});
      return;
    }
    text = message.lead + "\n" + text;
  }
  message_ = message.id;
  const bool waits = turn_ == Turn::kOwn;  // the message waits for the end of the agent's own turn
  if (!waits) begin_turn();
  waits_for_own_ = waits;
  turn_ = Turn::kSent;
  last_output_ = now;
  if (alive_ && takes_several()) {
    write(dialect_->message(text));
  } else {
    continues_ = !conversation_.empty();
    Launch launch{.resume = dialect_->resume_words(conversation_),
                  .input = dialect_->begin(conversation_, text),
                  .more_input = takes_several()};
    launch_ = std::move(launch);
    counted_in_process_ = {};
    if (!continues_) counted_in_conversation_ = {};
    alive_ = true;
  }
  news_.emplace_back(agent::MessageTyped{message.id});
  set_status(now, AgentStatus::kWorking, Cause::kSubmitted);
  sent_ = std::move(text);
  is_command_ = message.as_command;
  if (!dialect_->tells(Kind::kTaken) || (is_command_ && !waits)) enter();
}

void StreamDriver::begin_turn() {
  last_words_.clear();
  failure_.clear();
  tool_after_ = failed_ = false;
  open_tools_.clear();
  retrying_since_.reset();
}

// From now on the agent's words answer the message.
void StreamDriver::enter() {
  news_.emplace_back(agent::MessageEntered{message_});
  tell_lines(std::exchange(sent_, {}), Speaker::kUser);
}

void StreamDriver::accept(TimeMs now) {
  if (!sent_.empty()) {
    end_words();
    begin_turn();
    enter();
  }
  turn_ = Turn::kUnder;
  news_.emplace_back(agent::MessageAccepted{message_, 1});
  set_status(now, AgentStatus::kWorking, Cause::kNone);
}

// Whether the agent begins a turn without a message, as claude does when a command that it left
// running in the background has ended.
bool StreamDriver::begins_own_turn(const Item& item) const {
  if (!alive_ || !takes_several() || !dialect_->tells(Kind::kTaken)) return false;
  return item.kind == Kind::kWords || item.kind == Kind::kTool || item.kind == Kind::kRequest;
}

// Whether the item still belongs to the agent's own turn: the agent has not taken up our message.
bool StreamDriver::is_of_own_turn(const Item& item) const {
  return turn_ == Turn::kSent && !sent_.empty() && item.kind != Kind::kTaken;
}

void StreamDriver::answer(TimeMs now, const agent::Answer& answer) {
  if (requests_.empty() || !answer.options) return;
  OpenRequest& open = requests_.front();
  const size_t count = open.current().options.size();
  const auto exists = [count](size_t option) { return option < count; };
  if (!std::all_of(answer.options->begin(), answer.options->end(), exists)) return;
  open.answers.push_back(*answer.options);
  last_output_ = now;
  news_.emplace_back(agent::DialogTyped{});
  if (open.is_decided()) {
    write(dialect_->answer(open));
    return close_request(now);
  }
  news_.emplace_back(agent::DialogClosed{});
  open_request(now);
}

std::string StreamDriver::on_output(TimeMs now, std::string_view bytes) {
  last_output_ = now;
  for (Item& item : dialect_->read(bytes)) take(now, std::move(item));
  write(dialect_->take_reply());
  return "";
}

void StreamDriver::take(TimeMs now, Item item) {
  if (item.kind == Kind::kNothing) return;
  if (item.kind == Kind::kNotice) return tell_lines(item.text, Speaker::kNotice);
  if (turn_ == Turn::kNone && begins_own_turn(item)) {
    begin_turn();
    turn_ = Turn::kOwn;
  }
  if (turn_ == Turn::kNone || turn_ == Turn::kEnding) return;  // the turn is over
  if (turn_ == Turn::kSent && !is_of_own_turn(item)) accept(now);
  if (item.usage) take_usage(item);
  switch (item.kind) {
    case Kind::kTaken:
      return;
    case Kind::kSession:
      take_session(now, item);
      return;
    case Kind::kWords:
      retrying_since_.reset();
      set_status(now, AgentStatus::kWorking, open_tools_.empty() ? Cause::kNone : Cause::kTool);
      return take_words(item);
    case Kind::kTool:
    case Kind::kToolEnd:
    case Kind::kToolFailed:
      retrying_since_.reset();
      return take_tool(now, item);
    case Kind::kRetry:
      if (!retrying_since_) retrying_since_ = now;
      retry_cause_ = cause_of(item.text, item.code);
      return set_status(now, AgentStatus::kWorking, Cause::kRetry);
    case Kind::kRequest:
      return take_request(now, item);
    case Kind::kRequestGone:
      return take_back_request(now, item.id);
    case Kind::kFailure:
      if (is_of_own_turn(item)) return end_own_turn(now);
      return fail_turn(now, cause_of(item.text, item.code), item.text);
    case Kind::kEnd:
      if (!item.id.empty() && !take_session(now, item)) return;
      if (is_of_own_turn(item)) return end_own_turn(now);
      return take_end(now, item);
    case Kind::kNothing:
    case Kind::kNotice:
      return;
  }
}

bool StreamDriver::take_session(TimeMs now, const Item& item) {
  if (continues_ && item.id != conversation_) {
    fail_turn(now, Cause::kApi, "the agent began another conversation");
    return false;
  }
  if (adapters::is_session_id(item.id)) conversation_ = item.id;
  return true;
}

// Complete lines are reported at once, even if the text goes on.
void StreamDriver::take_words(Item& item) {
  if (!item.delta) end_words();
  if (base::trim(item.text).empty() && tool_after_)
    return;  // blanks after a tool do not count as
             // words
  words_ += item.text;
  last_words_ = item.delta && !tool_after_ ? last_words_ + item.text : item.text;
  tool_after_ = false;
  if (!item.delta) return end_words();
  const size_t whole = words_.rfind('\n');
  if (whole == std::string::npos) return;
  tell_lines(std::string_view(words_).substr(0, whole), Speaker::kAgent);
  words_.erase(0, whole + 1);
}

void StreamDriver::end_words() {
  if (!words_.empty()) tell_lines(words_, Speaker::kAgent);
  words_.clear();
}

void StreamDriver::take_tool(TimeMs now, Item& item) {
  end_words();
  tool_after_ = true;
  auto open = open_tools_.find(item.id);
  if (open == open_tools_.end() && (item.kind == Kind::kTool || !item.name.empty())) {
    open = open_tools_.emplace(item.id, std::pair{item.name, item.input}).first;
    news_.emplace_back(event::Tool{
        .id = item.id, .name = item.name, .input = cut(item.input, kMostToldBytes), .text = ""});
    tell_lines(shown_tool(item.name, dialect_->request(item.name, item.input)), Speaker::kTool);
  }
  if (item.kind != Kind::kTool && open != open_tools_.end()) {
    const bool failed = item.kind == Kind::kToolFailed;
    const auto [name, input] = open->second;
    open_tools_.erase(open);
    news_.emplace_back(event::Tool{.id = item.id,
                                   .name = name,
                                   .input = "",
                                   .text = cut(item.text, kMostToldBytes),
                                   .phase = event::ToolPhase::kEnded,
                                   .failed = failed});
    if (failed && denied_ && denied_->matches(item.text)) {
      return deny(name, input, item.text);
    }
  }
  if (requests_.empty()) {
    set_status(now, AgentStatus::kWorking, open_tools_.empty() ? Cause::kNone : Cause::kTool);
  }
}

// Tools that are used at the same time may ask at the same time, but a run decides one dialog after
// the other, so the other requests wait.
void StreamDriver::take_request(TimeMs now, const Item& item) {
  end_words();
  requests_.push_back({item.id, item.input, dialect_->requests(item)});
  if (requests_.size() == 1) open_request(now);
}

void StreamDriver::open_request(TimeMs now) {
  const agent::DialogRequest& request = requests_.front().current();
  set_status(now, AgentStatus::kWaiting, request.kind);
  news_.emplace_back(agent::DialogOpened{request});
}

void StreamDriver::close_request(TimeMs now) {
  requests_.pop_front();
  set_status(now, AgentStatus::kWorking, Cause::kTool);
  news_.emplace_back(agent::DialogClosed{});
  if (!requests_.empty()) open_request(now);
}

void StreamDriver::take_back_request(TimeMs now, const std::string& id) {
  const auto found = std::find_if(requests_.begin(), requests_.end(),
                                  [&id](const OpenRequest& open) { return open.id == id; });
  if (found == requests_.end()) return;
  if (found == requests_.begin()) return close_request(now);
  requests_.erase(found);
}

void StreamDriver::drop_requests() {
  if (requests_.empty()) return;
  requests_.clear();
  news_.emplace_back(agent::DialogClosed{});
}

// Reports that the agent denied a tool by itself, without a request that somebody could answer.
void StreamDriver::deny(const std::string& name, const std::string& input, const std::string& why) {
  if (!asks_) return;
  agent::DialogRequest request = dialect_->request(name, input);
  if (!why.empty()) request.title += ", and denied it itself: " + cut(why, kMostLineBytes);
  request.options.clear();
  set_status(last_output_, AgentStatus::kWaiting, request.kind);
  news_.emplace_back(agent::Denied{std::move(request)});
}

// Reports the usage since the last line of this kind: agents may count from the beginning of the
// process or of the conversation.
void StreamDriver::take_usage(const Item& item) {
  using Since = adapters::UsageSpec::Since;
  const event::Usage& now = *item.usage;
  event::Usage told = now;
  told.source = "stream";
  const event::Usage& before =
      item.since == Since::kConversation ? counted_in_conversation_ : counted_in_process_;
  if (item.since != Since::kLine) {
    told.in = std::max<int64_t>(0, now.in - before.in);
    told.out = std::max<int64_t>(0, now.out - before.out);
    told.cached = std::max<int64_t>(0, now.cached - before.cached);
  }
  if (now.cost_usd && (item.since != Since::kLine || takes_several())) {
    told.cost_usd = std::max(0.0, *now.cost_usd - before.cost_usd.value_or(0));
  }
  event::add(counted_in_process_, told);
  event::add(counted_in_conversation_, told);
  news_.emplace_back(std::move(told));
}

void StreamDriver::take_end(TimeMs now, const Item& /*item*/) {
  end_words();
  if (takes_several()) return end_turn(now);
  turn_ = Turn::kEnding;
  ending_since_ = now;
}

// The agent's own turn is over; the turn of the message that waits comes next.
void StreamDriver::end_own_turn(TimeMs now) {
  end_words();
  drop_requests();
  begin_turn();
  set_status(now, AgentStatus::kWorking, Cause::kSubmitted);
  if (is_command_) enter();
}

void StreamDriver::fail_turn(TimeMs now, Cause cause, const std::string& why) {
  end_words();
  if (turn_ == Turn::kSent) news_.emplace_back(agent::MessageAccepted{message_, 1});
  if (!why.empty()) tell_lines(why, Speaker::kNotice);
  failure_ = why;
  failed_ = true;
  set_status(now, AgentStatus::kError, cause == Cause::kNone ? Cause::kApi : cause);
  end_turn(now);
}

// The message has failed: nothing shows that the agent ever took it.
void StreamDriver::fail_message(TimeMs now, const std::string& why) {
  turn_ = Turn::kNone;
  sent_.clear();
  alive_ = false;  // the next message is another process
  set_status(now, AgentStatus::kError, Cause::kApi);
  news_.emplace_back(agent::MessageFailed{
      .id = message_, .result = agent::DeliveryResult::kUnconfirmed, .reason = why});
}

void StreamDriver::end_turn(TimeMs now) {
  turn_ = Turn::kNone;
  retrying_since_.reset();
  drop_requests();
  const bool stays = takes_several() && (!failed_ || dialect_->outlives_failure());
  if (!stays) alive_ = false;  // the next message is another process
  if (!failed_) set_status(now, AgentStatus::kIdle, Cause::kNone);
  news_.emplace_back(agent::Recorded{last_words_, tool_after_});
  news_.emplace_back(agent::TurnEnded{});
}

void StreamDriver::on_error_output(TimeMs now, std::string_view bytes) {
  errors_ += bytes;
  if (errors_.size() > kKeptErrorBytes) errors_.erase(0, errors_.size() - kKeptErrorBytes);
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    error_row_ += bytes.substr(0, end);
    if (error_row_.size() > kKeptErrorBytes) error_row_.resize(kKeptErrorBytes);
    if (end == std::string_view::npos) return;
    bytes.remove_prefix(end + 1);
    take_error_row(now, std::exchange(error_row_, {}));
  }
}

void StreamDriver::take_error_row(TimeMs now, std::string_view row) {
  if (base::trim(row).empty()) return;
  tell_lines(row, Speaker::kNotice);
  if (turn_ != Turn::kSent && turn_ != Turn::kUnder) return;
  for (const auto& [pattern, kind] : error_rows_) {
    if (!pattern.matches(row)) continue;
    const Cause cause = kind->cause == Cause::kNone ? cause_of(row, 0) : kind->cause;
    switch (kind->kind) {
      case HeadlessSpec::ErrorRow::Kind::kRetry:
        if (!retrying_since_) retrying_since_ = now;
        retry_cause_ = cause;
        set_status(now, AgentStatus::kWorking, Cause::kRetry);
        break;
      case HeadlessSpec::ErrorRow::Kind::kDenied: {
        last_output_ = now;
        std::pair<std::string, std::string> tool{"a tool", ""};
        if (!open_tools_.empty()) tool = open_tools_.rbegin()->second;
        deny(tool.first, tool.second, std::string(row));
        break;
      }
      case HeadlessSpec::ErrorRow::Kind::kFailure:
        fail_turn(now, cause, "");
        break;
    }
    return;
  }
}

// Whether the agent said or did anything since the turn began.
bool StreamDriver::has_spoken() const { return !last_words_.empty() || tool_after_; }

bool StreamDriver::on_process_end(TimeMs now, int code, int signal) {
  for (Item& item : dialect_->finish()) take(now, std::move(item));
  if (!error_row_.empty()) take_error_row(now, std::exchange(error_row_, {}));
  end_words();
  drop_requests();
  const Turn turn = turn_;
  const bool failed = failed_;
  alive_ = launch_.has_value();
  switch (turn) {
    case Turn::kEnding:
      end_turn(now);
      return true;
    case Turn::kOwn:
      turn_ = Turn::kNone;
      [[fallthrough]];
    case Turn::kNone:  // between two turns, or after a turn that has failed
      return failed || (code == 0 && signal == 0);
    case Turn::kSent:
      if (code == 0 && signal == 0 && has_spoken() && !waits_for_own_) {
        fail_turn(now, Cause::kApi, std::string(kBrokenOff));
        return true;
      }
      news_.emplace_back(agent::MessageFailed{
          .id = message_, .result = agent::DeliveryResult::kExited, .reason = "the agent exited"});
      turn_ = Turn::kNone;
      if (code != 0 || signal != 0 || !waits_for_own_) return false;
      fail_turn(now, Cause::kApi, std::string(kBrokenOff));
      return true;
    case Turn::kUnder:
      if (code != 0 || signal != 0 || !dialect_->tells(Kind::kEnd)) {
        turn_ = Turn::kNone;
        return false;
      }
      fail_turn(now, Cause::kApi, std::string(kBrokenOff));
      return true;
  }
  return false;
}

TimeMs StreamDriver::give_up_at() const {
  switch (turn_) {
    case Turn::kNone:
      return base::kNever;
    case Turn::kEnding:
      return ending_since_ + kLeavingMs;
    case Turn::kOwn:
    case Turn::kSent:
    case Turn::kUnder:
      break;
  }
  if (!requests_.empty() || call_waits_) return base::kNever;
  TimeMs at = open_tools_.empty() ? last_output_ + manifest_.headless.silence_ms : base::kNever;
  if (retrying_since_) at = std::min(at, *retrying_since_ + manifest_.headless.retry_ms);
  return at;
}

TimeMs StreamDriver::next_deadline() const { return give_up_at(); }

void StreamDriver::on_timer(TimeMs now) {
  if (now < give_up_at()) return;
  if (turn_ == Turn::kEnding) return end_turn(now);
  if (retrying_since_ && now >= *retrying_since_ + manifest_.headless.retry_ms) {
    return fail_turn(
        now, retry_cause_,
        "nothing but retries for " + std::to_string(manifest_.headless.retry_ms / 1'000) + " s");
  }
  const std::string silence =
      "not a word for " + std::to_string(manifest_.headless.silence_ms / 1'000) + " s";
  if (turn_ == Turn::kSent) return fail_message(now, silence);
  fail_turn(now, Cause::kApi, silence);
}

void StreamDriver::on_notice(TimeMs now, std::string_view text) {
  if (text != detect::kCallWaits && text != detect::kCallGoesOn) return;
  call_waits_ = text == detect::kCallWaits;
  last_output_ = now;  // its silence begins anew
  if (turn_ == Turn::kNone || turn_ == Turn::kEnding || !requests_.empty()) return;
  if (call_waits_) {
    set_status(now, AgentStatus::kWaiting, Cause::kPermission);
  } else {
    set_status(now, AgentStatus::kWorking, Cause::kTool);
  }
}

void StreamDriver::on_surroundings(TimeMs /*now*/, Surroundings surroundings) {
  if (surroundings.attended == attended_) return;
  attended_ = surroundings.attended;
  news_.emplace_back(agent::Attended{attended_});
}

void StreamDriver::on_stopping(TimeMs /*now*/) {
  end_words();
  turn_ = Turn::kNone;
}

void StreamDriver::on_exit(TimeMs now) {
  end_words();
  set_status(now, AgentStatus::kExited, Cause::kNone);
}

void StreamDriver::tell_lines(std::string_view text, Speaker speaker) {
  for (const std::string_view line : base::split_lines(text)) {
    news_.emplace_back(agent::Line{.text = std::string(line), .speaker = speaker});
  }
}

void StreamDriver::set_status(TimeMs now, AgentStatus status, Cause cause) {
  if (status == status_ && cause == cause_) return;
  event::StatusChange change;
  change.status = status;
  change.cause = cause;
  change.from = status_;
  change.rule = manifest_.name + "/stream";
  change.samples = 1;
  status_ = status;
  cause_ = cause;
  since_ = now;
  news_.emplace_back(std::move(change));
}

Cause StreamDriver::cause_of(std::string_view text, int code) const {
  if (const Cause cause = cause_of_http(code); cause != Cause::kNone) return cause;
  for (const auto& [pattern, cause] : causes_) {
    if (pattern.matches(text)) return cause;
  }
  return Cause::kNone;
}

std::string StreamDriver::text() const {
  std::string text;
  for (const std::string& part : {last_words_, failure_, errors_}) {
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
    text += part;
  }
  return text;
}

}  // namespace orch::driver

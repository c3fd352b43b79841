#include "run/machine.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "run/completion.h"

namespace orch::run {

using event::AgentStatus;
using event::Cause;
using event::ExitReason;
using Manner = StopAgent::Manner;

namespace {

// How long the processes of a silent agent are looked at for signs of life. An idle agent has
// bursts of work that are seconds apart, and a user with a short --idle-timeout waits for the
// answer.
constexpr int64_t kShortestLookMs = 2'000;
constexpr int64_t kLongestLookMs = 10'000;
// The message to the agent when the limit that it met has ended.
constexpr std::string_view kResumeMessage = "The limit has ended. Please continue.";
// A message that was just accepted has a moment to begin its turn, and a turn to show its last
// words.
constexpr int64_t kBackgroundMs = 2'000;
// So many turns in a row without anything new end the run: to ask again would only cost money.
constexpr int kMostBarrenTurns = 5;
// How often the clocks are looked at while the run waits for a limit to end: the run's time may
// have stood still, or somebody may have set the wall clock.
constexpr int64_t kLookAtClocksMs = 30'000;

// The time on the clock that counts for this kind, in milliseconds.
int64_t shown_by(LimitReset::Kind kind, const Clocks& clocks) {
  switch (kind) {
    case LimitReset::Kind::kMoment:
      return clocks.wall_ms;
    case LimitReset::Kind::kDuration:
      break;
  }
  return clocks.elapsed_ms;
}

// A time as it is given to an option: "90s", "500ms".
std::string option_text(int64_t ms) {
  return ms % 1'000 == 0 ? std::to_string(ms / 1'000) + "s" : std::to_string(ms) + "ms";
}

// Tokens in and out, without input that was read from the cache. An agent may report any numbers.
int64_t uncached_tokens(const event::Usage& usage) {
  const int64_t cached = std::clamp<int64_t>(usage.cached, 0, std::max<int64_t>(usage.in, 0));
  return event::tokens(usage) - cached;
}

}  // namespace

Machine::Machine(RunPlan plan, TimeMs now)
    : plan_(std::move(plan)),
      policy_(plan_.policy ? plan_.policy
                           : std::make_shared<policy::Policy>(policy::Policy::none())),
      started_(now),
      status_since_(now),
      completion_(plan_.keyword) {
  facts_.what_runs = plan_.what_runs;
  facts_.until = plan_.until;
  facts_.keyword = plan_.keyword;
  facts_.require_changes = plan_.require_changes;
  if (!plan_.prompt.empty()) queue(now, {.text = plan_.prompt, .task = true});
  if (plan_.on_limit == OnLimit::kWait && plan_.limited_until_ms > 0 && !queue_.empty()) {
    state_ = State::kLimited;
    resumption_ = {LimitReset::Kind::kMoment, plan_.limited_until_ms};
    return;
  }
  start_next();
}

Machine::~Machine() = default;

void Machine::on_news(TimeMs now, const agent::News& news) {
  if (state_ == State::kEnded) return;
  std::visit([this, now](const auto& one) { on(now, one); }, news);
}

void Machine::on(TimeMs now, const event::StatusChange& change) {
  if (change.status != status_ || change.cause != cause_) status_since_ = now;
  status_ = change.status;
  cause_ = change.cause;
}

void Machine::on(TimeMs /*now*/, const event::Tool& tool) { novelty_.on_line(tool.input); }

void Machine::on(TimeMs /*now*/, const event::Usage& usage) {
  if (!usage_) usage_.emplace();
  add(*usage_, usage);
}

void Machine::on(TimeMs /*now*/, const agent::Line& line) {
  completion_.on_line(line);
  if (plan_.output_schema) last_words_.on_line(line);
  if (line.speaker != agent::Speaker::kUser) novelty_.on_line(line.text);
}

void Machine::on(TimeMs /*now*/, const agent::Recorded& recorded) {
  completion_.on_record(recorded);
  if (plan_.output_schema) last_words_.on_record(recorded);
  ends_in_tool_ = recorded.tool_after;
}

void Machine::on(TimeMs now, const agent::TurnEnded& /*ended*/) {
  if (state_ != State::kTurn && state_ != State::kResting) return;
  if (state_ == State::kTurn) tell(event::Turn{.n = turns_, .ended = true});
  novelty_.on_turn_ended();
  if (state_ == State::kTurn && current_.until_idle)
    report(current_, DeliveryResult::kAccepted, "");
  take_next_step(now);
}

void Machine::on(TimeMs /*now*/, const agent::Attended& attended) { attended_ = attended.held; }

void Machine::on(TimeMs /*now*/, const agent::Interrupted& /*interrupted*/) { held_ = true; }

void Machine::on_time(TimeMs now, TimeMs last_output) {
  if (state_ == State::kEnded) return;
  if (now >= time_limit()) on_out_of_time();
  settle(now, last_output);
}

void Machine::settle(TimeMs now, TimeMs last_output) {
  if (state_ == State::kStopping || state_ == State::kEnded) return;
  consider_answer(now);
  consider_dialog(now);
  consider_calls(now);
  consider_silence(now, last_output);
  consider_interrupt(now);
  consider_background(now);
  if (state_ == State::kLimited && resumption_ && until_resumption_ms() <= 0) resume(now);
  report_late(now);
  if (state_ == State::kResting && !step_waits_) start_next();
}

// The run's time limit has passed. An agent that is already being stopped is killed at once.
void Machine::on_out_of_time() {
  out_of_time_ = true;
  if (state_ == State::kStopping) {
    actions_.emplace_back(StopAgent{Manner::kNow});
    return;
  }
  decide(ExitReason::kTimeout, "--timeout " + option_text(plan_.timeout_ms) + " passed",
         Manner::kTerminate);
}

// Decides the next step when the agent rests.
void Machine::take_next_step(TimeMs now) {
  state_ = State::kResting;
  step_waits_ = words_follow();
  if (step_waits_) return;
  if (!queue_.empty() && !is_used_up()) return start_next();
  if (turns_ == 0) return;
  // An error counts more than a keyword, because the agent may have wanted to say more. In a
  // session that stays (--until exit), the sender of the message sees the error in the status.
  const bool stays = plan_.until == Until::kExit;
  if (status_ == AgentStatus::kError && !(stays && current_.sender == Sender::kOther)) {
    if (cause_ == Cause::kRateLimit || cause_ == Cause::kOverloaded) {
      return find_limit_end();
    }
    facts_.turn_over = true;
    return decide(judge(facts()), Manner::kPolitely);
  }
  limits_ = 0;
  if (!used_up_.empty()) return end_used_up();
  const bool done = plan_.until == Until::kComplete && completion_.said();
  if (done || plan_.until == Until::kIdle) return on_done(now);
  if (is_used_up()) return end_used_up();
  if (stays) return;
  if (!held_) go_on(now);
}

// Tells an agent that has stopped without saying the keyword to continue, or ends the run.
void Machine::go_on(TimeMs now) {
  if (turns_ >= plan_.max_turns) {
    return decide(ExitReason::kTurns,
                  "the agent did not say " + plan_.keyword + " in " + std::to_string(turns_) +
                      (turns_ == 1 ? " turn" : " turns"),
                  Manner::kPolitely);
  }
  if (novelty_.barren_turns() >= kMostBarrenTurns) {
    return decide(
        ExitReason::kStuck,
        std::to_string(novelty_.barren_turns()) +
            " turns in a row brought nothing new; the last ended with: " + novelty_.last_line(),
        Manner::kPolitely);
  }
  queue(now, {.text = continue_message(plan_.keyword)});
  start_next();
}

bool Machine::is_used_up() const {
  if (!used_up_.empty()) return true;
  if (!usage_) return false;
  return (plan_.max_uncached_tokens > 0 && uncached_tokens(*usage_) >= plan_.max_uncached_tokens) ||
         (plan_.max_tokens > 0 && event::tokens(*usage_) >= plan_.max_tokens) ||
         (plan_.max_cost_usd > 0 && usage_->cost_usd.value_or(0) >= plan_.max_cost_usd);
}

void Machine::end_used_up() {
  if (!used_up_.empty()) {
    const bool is_money = used_up_.starts_with("--max-cost");
    return decide(is_money ? ExitReason::kCost : ExitReason::kTokens, used_up_, Manner::kPolitely);
  }
  const int64_t tokens = event::tokens(*usage_), uncached = uncached_tokens(*usage_);
  if (plan_.max_uncached_tokens > 0 && uncached >= plan_.max_uncached_tokens) {
    return decide(ExitReason::kTokens,
                  "--max-tokens uncached:" + std::to_string(plan_.max_uncached_tokens) +
                      ": the agent used " + std::to_string(uncached),
                  Manner::kPolitely);
  }
  if (plan_.max_tokens > 0 && tokens >= plan_.max_tokens) {
    return decide(ExitReason::kTokens,
                  "--max-tokens " + std::to_string(plan_.max_tokens) + ": the agent used " +
                      std::to_string(tokens),
                  Manner::kPolitely);
  }
  decide(ExitReason::kCost, "--max-cost is used up", Manner::kPolitely);
}

void Machine::on_clocks(TimeMs now, Clocks clocks) {
  clocks_ = clocks;
  clocks_at_ = now;
}

void Machine::find_limit_end() {
  state_ = State::kLimited;
  resumption_.reset();
  actions_.emplace_back(FindLimitEnd{});
}

Machine::Resumption Machine::resumption_at(LimitReset reset) const {
  return {reset.kind, shown_by(reset.kind, clocks_) + reset.seconds * 1'000};
}

void Machine::on_limit_end(std::optional<LimitReset> reset) {
  // The provider names the moment by its own clock, which may differ from ours.
  constexpr int64_t kMarginS = 5;
  if (plan_.on_limit == OnLimit::kWait && !limit_asks()) {
    std::optional<Resumption> named = std::exchange(named_, std::nullopt);
    if (reset) named = resumption_at({reset->seconds + kMarginS, reset->kind});
    if (state_ != State::kLimited) {
      named_ = named;
      return;
    }
    if (resumption_ && !named) return;  // a dialog of the same limit says nothing new
    resumption_ =
        named ? *named : resumption_at({growing_delay_s(limits_), LimitReset::Kind::kDuration});
    ++limits_;
    return;
  }
  if (state_ != State::kLimited) return;
  decide(ExitReason::kRetryLater,
         limit_asks() ? agent::describe(dialog_->request)
                      : "the turn ended in an error: " + std::string(event::name(cause_)),
         limit_asks() ? Manner::kTerminate : Manner::kPolitely);
  if (reset) verdict_->retry_after_s = reset->seconds;
}

int64_t Machine::until_resumption_ms() const {
  return resumption_->at_ms - shown_by(resumption_->kind, clocks_);
}

void Machine::resume(TimeMs now) {
  state_ = State::kResting;
  resumption_.reset();
  if (queue_.empty()) queue(now, {.text = std::string(kResumeMessage)});
  start_next();
}

// Looks for signs of life when the agent was silent for too long. Silence alone is no proof that it
// is stuck: long builds are silent too.
void Machine::consider_silence(TimeMs now, TimeMs last_output) {
  silent_at_ = kNever;
  const bool at_work = status_ == AgentStatus::kWorking || status_ == AgentStatus::kStarting;
  if (plan_.idle_timeout_ms == 0 || !at_work || looks_for_life_) return;
  silent_at_ = std::max({last_output, alive_at_, status_since_}) + plan_.idle_timeout_ms;
  if (now < silent_at_) return;
  silent_at_ = kNever;
  looks_for_life_ = true;
  actions_.emplace_back(
      FindLifeSigns{std::clamp(plan_.idle_timeout_ms, kShortestLookMs, kLongestLookMs)});
}

// Work in the background leaves the prompt free: queued messages do not wait for its end.
void Machine::consider_background(TimeMs now) {
  if (!rests_in_background() || queue_.empty() || now < background_free_at()) return;
  on(now, agent::TurnEnded{});
}

bool Machine::rests_in_background() const {
  return state_ == State::kTurn && status_ == AgentStatus::kWorking && cause_ == Cause::kBackground;
}

TimeMs Machine::background_free_at() const {
  return std::max(status_since_, turn_since_) + kBackgroundMs;
}

bool Machine::waits_for_word() const {
  return held_ && plan_.until == Until::kComplete && state_ == State::kResting && queue_.empty() &&
         event::accepts_input(status_);
}

// Ends the run if nobody gives an interrupted agent new instructions. It does not end while a user
// is attached, who may be thinking.
void Machine::consider_interrupt(TimeMs now) {
  if (!waits_for_word()) return waits_for_word_since_.reset();
  if (!waits_for_word_since_ || attended_) waits_for_word_since_ = now;
  if (now < word_deadline()) return;
  decide(ExitReason::kNeedsHuman,
         "interrupted by hand, and nobody wrote to the agent for --idle-timeout " +
             std::to_string(plan_.idle_timeout_ms / 1'000) + "s",
         Manner::kPolitely);
}

TimeMs Machine::word_deadline() const {
  if (!waits_for_word_since_ || attended_ || plan_.idle_timeout_ms == 0) return kNever;
  return *waits_for_word_since_ + plan_.idle_timeout_ms;
}

void Machine::on_life_signs(TimeMs now, bool alive, const std::string& evidence) {
  looks_for_life_ = false;
  alive_at_ = now;
  const bool at_work = status_ == AgentStatus::kWorking || status_ == AgentStatus::kStarting;
  if (alive || !at_work) return;
  // The agent's background work, perhaps a server, has come to rest: the turn is over.
  if (rests_in_background()) return on(now, agent::TurnEnded{});
  if (cause_ == Cause::kBackground) return;
  decide(ExitReason::kStuck,
         "--idle-timeout " + option_text(plan_.idle_timeout_ms) + " passed: " + evidence,
         Manner::kTerminate);
}

// Ends the run before the agent is done.
void Machine::decide(ExitReason reason, std::string detail, Manner manner) {
  if (state_ == State::kStopping || state_ == State::kEnded) return;
  facts_.cut = Facts::Cut{reason, std::move(detail)};
  decide(judge(facts()), manner);
}

void Machine::decide(Verdict verdict, Manner manner) {
  if (state_ == State::kStopping || state_ == State::kEnded) return;
  leave_checks();
  verdict_ = std::move(verdict);
  if (gone_) return end_run();
  state_ = State::kStopping;
  actions_.emplace_back(StopAgent{manner});
}

void Machine::on_signal(int signum) {
  ++interrupts_;
  if (state_ == State::kStopping) {
    if (interrupts_ > 1) actions_.emplace_back(StopAgent{Manner::kNow});
    return;
  }
  const bool dialog = status_ == AgentStatus::kWaiting;
  decide(signum == SIGINT ? ExitReason::kInterrupted : ExitReason::kTerminated, "",
         dialog || signum != SIGINT ? Manner::kTerminate : Manner::kPolitely);
}

void Machine::on_kill(bool at_once) {
  if (state_ == State::kStopping) {
    if (at_once) actions_.emplace_back(StopAgent{Manner::kNow});
    return;
  }
  decide(ExitReason::kKilled, "", at_once ? Manner::kNow : Manner::kTerminate);
}

void Machine::on_off_tape(std::string why) {
  decide(ExitReason::kOffTape, std::move(why), Manner::kTerminate);
}

// This overrides any other reason for the end of the run, because its results are lost.
void Machine::on_failure(std::string detail) {
  if (verdict_ && verdict_->reason != ExitReason::kInternal) {
    verdict_->reason = ExitReason::kInternal;
    verdict_->detail = std::move(detail);
    if (state_ == State::kEnded) tell(event::Exit{exit_code(*verdict_), verdict_->reason});
    return;
  }
  decide(ExitReason::kInternal, std::move(detail), Manner::kTerminate);
}

void Machine::on_exit(TimeMs now, int code, int signal) {
  if (state_ == State::kEnded || gone_) return;
  if (state_ == State::kTurn && current_.until_idle) {
    report(current_, DeliveryResult::kExited, "accepted, but the agent exited before it was idle");
  } else if (state_ == State::kDelivering) {
    queue_.push_front(current_);
  }
  for (Outgoing& message : std::exchange(queue_, {})) {
    tell(event::Message{message.id, event::MessagePhase::kFailed, "the agent exited"});
    report(message, DeliveryResult::kExited, "the agent exited");
  }
  conclude_answer("the agent exited before the answer was typed");
  conclude_words("the agent exited before its words were typed");
  gone_ = true;
  if (signal == 0) agent_code_ = code;
  if (verdict_) return end_run();
  facts_.left = Facts::Left{code, signal};
  if (is_done(facts()) && has_checks()) {
    if (state_ != State::kChecking) on_done(now);
    return;
  }
  decide(judge(facts()), Manner::kNow);
}

// Ends the run after the agent's process has ended.
void Machine::end_run() {
  if (agent_code_) verdict_->agent_code = agent_code_;
  state_ = State::kEnded;
  tell(event::Exit{exit_code(*verdict_), verdict_->reason});
}

const Facts& Machine::facts() {
  facts_.said_keyword = completion_.said();
  facts_.ends_in_tool = ends_in_tool_;
  facts_.status = status_;
  facts_.cause = cause_;
  return facts_;
}

TimeMs Machine::time_limit() const {
  return plan_.timeout_ms > 0 && !out_of_time_ ? started_ + plan_.timeout_ms : kNever;
}

TimeMs Machine::next_deadline() const {
  if (state_ == State::kEnded) return kNever;
  TimeMs next = time_limit();
  if (state_ == State::kStopping) return next;
  for (const Outgoing& message : queue_) {
    next = std::min({next, message.give_up_at, blocked_at(message)});
  }
  next = std::min(
      {next, silent_at_, word_deadline(), dialog_deadline(), answer_deadline(), check_needed_at_});
  if (state_ == State::kLimited && resumption_) {
    next = std::min(next, clocks_at_ + std::min(until_resumption_ms(), kLookAtClocksMs));
  }
  if (state_ == State::kTurn && current_.until_idle) next = std::min(next, current_.give_up_at);
  if (rests_in_background() && !queue_.empty()) next = std::min(next, background_free_at());
  if (is_held_up()) next = std::min(next, current_.give_up_at);
  return next;
}

int Machine::pending() const {
  return static_cast<int>(queue_.size()) + (is_busy() ? 1 : 0) + (words_follow() ? 1 : 0);
}

bool Machine::is_busy() const {
  switch (state_) {
    case State::kDelivering:
    case State::kTurn:
    case State::kLimited:
    case State::kResetting:
    case State::kChecking:
    case State::kStopping:
      return true;
    case State::kResting:
    case State::kEnded:
      return false;
  }
  return false;
}

std::vector<Action> Machine::take_actions() { return std::exchange(actions_, {}); }

void Machine::tell(event::Event event) { actions_.push_back(Tell{std::move(event)}); }

void Machine::command(agent::Command command) { actions_.emplace_back(std::move(command)); }

}  // namespace orch::run

#include "cli/acp_session.h"

#include <limits>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "client/sessions.h"
#include "event/exit_reason.h"
#include "store/last_lines.h"
#include "store/run_record.h"
#include "store/runs.h"

namespace orch::cli {
namespace {

constexpr size_t kMostRunLine = size_t{1} << 20;
constexpr size_t kMostRunErrors = size_t{4} << 10;
constexpr uint64_t kUpToNow = std::numeric_limits<uint64_t>::max();
constexpr int64_t kReachMs = 20;  // until the next try to reach a session that has just begun
constexpr int kMostReaches = 250;
constexpr int64_t kRunStopMs = 10'000;  // for the polite end of a run

// The last thing that a command reported, without "orch: ".
std::string last_error(const std::string& text) {
  const std::vector<std::string_view> lines = base::split_lines(text);
  if (lines.empty()) return "orch run ended without a word";
  std::string_view last = lines.back();
  constexpr std::string_view kPrefix = "orch: ";
  if (last.starts_with(kPrefix)) last.remove_prefix(kPrefix.size());
  return std::string(last);
}

base::ErrorCode run_error_code(int exit_code) {
  constexpr int kNoSuch = 4;
  if (exit_code == event::exit_code(event::ExitReason::kUsage)) return base::ErrorCode::kUsage;
  return exit_code == kNoSuch ? base::ErrorCode::kNotFound : base::ErrorCode::kSystem;
}

}  // namespace

AcpSession::AcpSession(loop::Loop& loop, client::Place place, Handlers handlers)
    : loop_(loop),
      place_(std::move(place)),
      handlers_(std::move(handlers)),
      lines_(kMostRunLine),
      notes_(kMostRunLine),
      errors_(kMostRunErrors),
      reader_(loop),
      connector_(loop),
      last_resort_(loop) {}

void AcpSession::set_history(const std::vector<std::string>& files) {
  for (const std::string& file : files) parts_.push_back({file, true});
}

base::Status AcpSession::start(std::vector<std::string> argv, std::vector<std::string> env,
                               bool outlives) {
  outlives_ = outlives;
  pty::ProcessPlan plan;
  plan.argv = std::move(argv);
  plan.env = std::move(env);
  plan.parent_death = outlives ? pty::ParentDeath::kOutlive : pty::ParentDeath::kAskToEnd;
  auto process = pty::Process::spawn(loop_, std::move(plan), *this);
  if (!process) return process.error();
  process_ = std::move(process).value();
  return base::Ok{};
}

void AcpSession::join(const std::string& run) {
  is_joined_ = true;
  run_ = run;
  connect();
}

// The first line names the run. The others are read for the sake of the writer alone.
void AcpSession::on_output(std::string_view bytes) {
  if (!run_.empty()) return;
  lines_.cut(
      bytes, [this](std::string_view line) { on_first_line(line); }, [] {});
}

void AcpSession::on_first_line(std::string_view line) {
  if (!run_.empty()) return;
  const base::Json record = base::parse_json(line);
  if (!record.is_object()) return;
  run_ = base::text_at(record, "run");
  if (!run_.empty()) connect();
}

void AcpSession::on_error_output(std::string_view bytes) {
  errors_.add(bytes);
  if (is_open_) return;
  notes_.cut(
      bytes, [this](std::string_view line) { handlers_.on_note(base::printable(line)); }, [] {});
}

void AcpSession::on_end(pty::ExitStatus status) {
  process_.reset();
  if (outlives_ && status.code == 0 && !run_.empty()) return;  // it went into the background
  if (!is_open_) return fail_to_open({run_error_code(status.code), last_error(errors_.text())});
  end(failure_of_run());
  read_soon();
}

void AcpSession::fail_to_open(const base::Error& error) {
  if (is_over_) return;
  is_over_ = true;
  connector_.stop();
  handlers_.on_open(error);
}

// The run's first record comes before its socket can be reached.
void AcpSession::connect() {
  const base::Result<client::Found> found =
      client::find_run(place_, run_, client::Reach::kEverywhere);
  if (found && found->session && found->session->status == store::SessionStatus::kRunning) {
    auto client = client::Client::connect(loop_, place_.state_dir, *found->session);
    if (client) {
      client_ = std::move(client).value();
      started_ = Started{found->session->key, run_, found->session->agent, found->run.path};
      parts_.push_back({found->run.path + "/events.jsonl", false});
      client_->follow({.events = true, .raw = false}, *this);
      return;
    }
  }
  if (++connects_ > kMostReaches) {
    return fail_to_open(
        {base::ErrorCode::kSystem, "the session of run " + run_ + " cannot be reached"});
  }
  connector_.start(kReachMs, [this] { connect(); });
}

void AcpSession::on_started(uint64_t /*events_offset*/) {
  is_open_ = true;
  read_soon();
}

void AcpSession::on_event(std::string_view /*json*/) { read_soon(); }

void AcpSession::on_lagged(const client::Gap& /*gap*/) { read_soon(); }

void AcpSession::on_end(std::string_view /*result_json*/) { end(failure_of_run()); }

void AcpSession::on_lost(const base::Error& error) {
  if (is_open_) return end({"crash", error.text, std::nullopt});
  fail_to_open(error);
}

void AcpSession::end(const acp::Failure& failure) {
  if (ended_ || is_over_) return;
  ended_ = failure;
  read_soon();
}

acp::Failure AcpSession::failure_of_run() const {
  const base::Result<client::Found> found =
      client::find_run(place_, run_, client::Reach::kEverywhere);
  if (found) {
    const store::Found<store::RunResult> result = store::result_of(found->run);
    if (result.is_present()) {
      acp::Failure failure = acp::failure_of(result->reason, result->cause, result->detail);
      failure.retry_after_s = result->retry_after_s;
      return failure;
    }
  }
  return {"crash", "the session has ended", std::nullopt};
}

void AcpSession::read_soon() {
  if (!is_paused_ && !reader_.active()) reader_.start(0, [this] { read_events(); });
}

void AcpSession::read_events() {
  while (!parts_.empty()) {
    const Part part = parts_.front();
    const auto take = [&](std::string_view line, uint64_t next) {
      offset_ = next;
      if (const std::optional<event::Record> record = event::parse_record(line)) {
        handlers_.on_event(record->event, part.is_history);
      }
      is_paused_ = handlers_.is_full();
      return !is_paused_;
    };
    (void)store::each_line(part.path, offset_, kUpToNow, take);  // what cannot be read is not told
    if (is_paused_) {
      return handlers_.when_drained([this] {
        is_paused_ = false;
        read_soon();
      });
    }
    if (parts_.size() == 1) break;
    parts_.pop_front();
    offset_ = 0;
  }
  catch_up();
}

// Everything that had happened was told: now its consequences.
void AcpSession::catch_up() {
  if (is_open_ && started_) {
    const Started started = *std::exchange(started_, std::nullopt);
    handlers_.on_open(started);
  }
  for (const auto& [turn, sent] : std::exchange(sent_, {})) handlers_.on_sent(turn, sent);
  if (!ended_ || is_over_ || process_) return;
  is_over_ = true;
  last_resort_.stop();
  client_.reset();
  handlers_.on_end(*ended_);
}

void AcpSession::ask_status() {
  if (!client_) return;
  client_->request(wire::AskStatus{}, [this](const base::Result<wire::Answer>& answer) {
    if (!answer) return handlers_.on_report(answer.error());
    const auto* report = std::get_if<wire::StatusReport>(&answer->result);
    if (report != nullptr) handlers_.on_report(*report);
  });
}

void AcpSession::send(std::string text, uint64_t turn) {
  if (!client_) return;
  wire::Send message;
  message.text = std::move(text);
  message.until_idle = true;
  client_->request(
      message,
      [this, turn](const base::Result<wire::Answer>& answer) {
        if (!answer) {
          sent_.emplace_back(turn, answer.error());
        } else if (const auto* sent = std::get_if<wire::Sent>(&answer->result)) {
          sent_.emplace_back(turn, *sent);
        }
        read_soon();
      },
      client::kNoDeadline);
}

void AcpSession::answer(const std::string& dialog, const agent::DialogChoice& choice) {
  if (!client_) return;
  client_->request(
      wire::AnswerDialog{dialog, choice},
      [this, dialog](const base::Result<wire::Answer>& answer) {
        handlers_.on_answered(dialog, answer ? base::Status(base::Ok{}) : answer.error());
      },
      client::kNoDeadline);
}

void AcpSession::press_escape() {
  if (client_) client_->request(wire::Keys{{"Escape"}}, [](const base::Result<wire::Answer>&) {});
}

void AcpSession::stop() {
  if (is_over_) return;
  connector_.stop();
  if (process_) return process_->stop(kRunStopMs);
  if (!client_) return end({"crash", "the session has ended", std::nullopt});
  client_->request(wire::Kill{}, [](const base::Result<wire::Answer>&) {});
  last_resort_.start(kRunStopMs, [this] {
    client_.reset();
    end({"crash", "the session did not end in time", std::nullopt});
  });
}

}  // namespace orch::cli

#include "ui/sinks.h"

#include <utility>

#include "loop/timer.h"
#include "mask/stream_masker.h"
#include "run/completion.h"
#include "session/masked_recording.h"
#include "store/issue_name.h"
#include "ui/query_filter.h"
#include "ui/runner_guard.h"

namespace orch::ui {
namespace {

class TextSink final : public session::SessionSink {
 public:
  explicit TextSink(TextSinkPlan plan) : plan_(std::move(plan)) {}
  void on_event(const event::Event& event, std::string_view) override {
    const auto* line = std::get_if<event::Output>(&event);
    if (line == nullptr || line->speaker == event::Speaker::kUser) return;
    const std::optional<std::string> text = event::to_text(*line);
    if (!text) return;
    const bool is_agents = line->speaker == event::Speaker::kAgent;
    if (is_agents && !plan_.keyword.empty() && run::is_keyword(*text, plan_.keyword)) return;
    const std::string words = plan_.dress ? plan_.dress(*text) : *text;
    plan_.write(guard_.pass((plan_.issue.empty() ? "" : plan_.issue + " | ") + words + "\n"));
  }
  void on_raw(std::string_view) override {}

 private:
  TextSinkPlan plan_;
  RunnerGuard guard_{runner_here()};
};

class JsonSink final : public session::SessionSink {
 public:
  // `session` is put into each record; "" where only one session writes to the output.
  JsonSink(OutputStream& out, std::string session) : out_(out), session_(std::move(session)) {}
  void on_event(const event::Event& event, std::string_view json) override {
    const bool says_whose = session_.empty() || std::holds_alternative<event::SessionStart>(event);
    out_.write((says_whose ? std::string(json) : event::with_session(json, session_)) + "\n");
  }
  void on_raw(std::string_view) override {}

 private:
  OutputStream& out_;
  std::string session_;
};

class RawSink final : public session::SessionSink {
 public:
  RawSink(OutputStream& out, const std::shared_ptr<const mask::Secrets>& secrets)
      : out_(out), masker_(secrets), release_(out.loop()) {}
  // The bytes that the masker holds back are written when the agent rests, and before the end.
  void on_event(const event::Event& event, std::string_view) override {
    if (is_pause(event)) release();
  }
  // The agent's questions to the terminal are filtered out on a terminal: its answers would be read
  // as keys that the user typed.
  void on_raw(std::string_view bytes) override {
    if (out_.is_terminal()) return out_.write(filter_.pass(guard_.pass(bytes)));
    out_.write(guard_.pass(masker_.pass(bytes)));
    if (masker_.held() > 0 && !release_.active()) {
      release_.start(session::MaskedRecording::kMostHeldMs, [this] { release(); });
    }
  }

 private:
  void release() {
    release_.stop();
    if (masker_.held() > 0) out_.write(guard_.pass(masker_.release()));
  }
  static bool is_pause(const event::Event& event) {
    const auto* change = std::get_if<event::StatusChange>(&event);
    const bool at_work = change != nullptr && (change->status == event::AgentStatus::kStarting ||
                                               change->status == event::AgentStatus::kWorking);
    return std::holds_alternative<event::Exit>(event) || (change != nullptr && !at_work);
  }

  OutputStream& out_;
  mask::StreamMasker masker_;
  loop::Timer release_;  // writes bytes that masker_ has held back for too long
  QueryFilter filter_;
  RunnerGuard guard_{runner_here()};
};

class QuietSink final : public session::SessionSink {
 public:
  void on_event(const event::Event&, std::string_view) override {}
  void on_raw(std::string_view) override {}
};

}  // namespace

std::unique_ptr<session::SessionSink> make_sink(OutputMode mode, OutputStream& out,
                                                std::string issue,
                                                const std::shared_ptr<const mask::Secrets>& secrets,
                                                const std::string& keyword) {
  switch (mode) {
    case OutputMode::kText:
      return make_text_sink({.write = [&out](std::string line) { out.write(std::move(line)); },
                             .issue = std::move(issue),
                             .keyword = keyword});
    case OutputMode::kRaw:
      return std::make_unique<RawSink>(out, secrets);
    case OutputMode::kJson:
      return std::make_unique<JsonSink>(out, issue.empty() ? "" : store::session_name(issue));
    case OutputMode::kQuiet:
      return std::make_unique<QuietSink>();
  }
  return nullptr;
}

std::unique_ptr<session::SessionSink> make_text_sink(TextSinkPlan plan) {
  return std::make_unique<TextSink>(std::move(plan));
}

}  // namespace orch::ui

#include "live/reader.h"

#include <unistd.h>

#include "base/check.h"
#include "live/counters.h"

namespace orch::live {
namespace {

class Discarding : public pty::Observer {
 public:
  explicit Discarding(loop::Loop& loop) : loop_(loop) {}
  void read(std::unique_ptr<pty::Pty> terminal) {
    pty_ = std::move(terminal);
    loop_.run();
  }
  uint64_t bytes() const { return bytes_; }
  uint64_t pieces() const { return pieces_; }

 protected:
  void on_output(std::string_view bytes) override {
    bytes_ += bytes.size();
    ++pieces_;
  }
  void on_end(pty::ExitStatus) override { loop_.stop(); }

  loop::Loop& loop_;
  std::unique_ptr<pty::Pty> pty_;
  uint64_t bytes_ = 0, pieces_ = 0;
};

// Does what session::Session does with its agent's output.
class Watching final : public Discarding {
 public:
  Watching(loop::Loop& loop, const PassagePlan& plan, std::unique_ptr<store::Recording> recording)
      : Discarding(loop),
        recording_(std::move(recording)),
        tick_(loop),
        started_ms_(loop.now_ms()),
        view_(plan.manifest, plan.rules, {120, 40}, 0, plan.speakers) {}

 private:
  void on_output(std::string_view bytes) override {
    Discarding::on_output(bytes);
    const int64_t at = now();
    ORCH_CHECK(recording_->output(at, bytes));
    std::string replies = view_.on_output(at, bytes);
    if (!replies.empty()) {
      ORCH_CHECK(recording_->input(at, replies));
      pty_->write(std::move(replies));
    }
    view_.take_flood();
    if (view_.next_deadline() <= at) view_.on_timer(at);
    schedule();
  }
  void on_end(pty::ExitStatus status) override {
    tick_.stop();
    ORCH_CHECK(recording_->finish(now()));
    Discarding::on_end(status);
  }
  void on_tick() {
    view_.on_timer(now());
    ORCH_CHECK(recording_->flush());
    schedule();
  }
  void schedule() {
    const int64_t next = view_.next_deadline();
    if (next == base::kNever) return tick_.stop();
    tick_.start(next - now(), [this] { on_tick(); });
  }
  int64_t now() const { return loop_.now_ms() - started_ms_; }

  std::unique_ptr<store::Recording> recording_;
  loop::Timer tick_;
  int64_t started_ms_;
  driver::AgentView view_;
};

base::Result<std::unique_ptr<Discarding>> make_reader(ReaderKind kind, loop::Loop& loop,
                                                      const PassagePlan& plan,
                                                      const TemporaryFolder& folder) {
  switch (kind) {
    case ReaderKind::kDiscard:
      return std::make_unique<Discarding>(loop);
    case ReaderKind::kWatch:
      return std::unique_ptr<Discarding>(
          std::make_unique<Watching>(loop, plan, store::Recording::none()));
    case ReaderKind::kRecord:
      break;
  }
  auto recording = store::Recording::create(folder.file("output.cast"), {});
  if (!recording) return recording.error();
  return std::unique_ptr<Discarding>(
      std::make_unique<Watching>(loop, plan, std::move(recording).value()));
}

}  // namespace

SetTime::SetTime(const PassagePlan& plan, std::unique_ptr<store::Recording> recording)
    : view_(plan.manifest, plan.rules, {120, 40}, 0, plan.speakers),
      recording_(std::move(recording)) {}

void SetTime::pass(std::string_view stream) {
  constexpr size_t kPieceBytes = 4096;
  constexpr base::TimeMs kPieceMs = 10;
  constexpr base::TimeMs kFlushMs = 100;
  for (size_t at = 0; at < stream.size(); at += kPieceBytes) {
    const std::string_view piece = stream.substr(at, kPieceBytes);
    now_ += kPieceMs;
    while (view_.next_deadline() <= now_) view_.on_timer(view_.next_deadline());
    if (recording_) ORCH_CHECK(recording_->output(now_, piece));
    view_.on_output(now_, piece);
    view_.take_flood();
    if (recording_ && now_ % kFlushMs == 0) ORCH_CHECK(recording_->flush());
  }
}

base::Result<Passage> pass_through(ReaderKind kind, const PassagePlan& plan,
                                   const TemporaryFolder& folder) {
  loop::Loop loop;
  auto reader = make_reader(kind, loop, plan, folder);
  if (!reader) return reader.error();
  const pty::SpawnPlan spawn{.argv = {LIVE_AGENT, "stream", plan.stream}, .cwd = "", .env = {}};
  auto terminal = pty::Pty::spawn(loop, spawn, **reader);
  if (!terminal) return terminal.error();
  const base::Result<Counters> before = counters_of(::getpid());
  const uint64_t allocations = allocations_so_far();
  const double cpu_ms = thread_cpu_ms();
  const double wall_ms = monotonic_ms();
  (*reader)->read(std::move(terminal).value());
  Passage passage{.cpu_ms = thread_cpu_ms() - cpu_ms, .wall_ms = monotonic_ms() - wall_ms};
  passage.allocations = allocations_so_far() - allocations;
  const base::Result<Counters> after = counters_of(::getpid());
  if (!before || !after) return (before ? after : before).error();
  const Counters used = *after - *before;
  passage.bytes = (*reader)->bytes();
  passage.pieces = (*reader)->pieces();
  passage.reads = used.reads;
  passage.sleeps = used.sleeps;
  return passage;
}

}  // namespace orch::live

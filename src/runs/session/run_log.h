#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/line.h"
#include "base/result.h"
#include "base/time.h"
#include "event/event.h"
#include "loop/background.h"
#include "loop/loop.h"
#include "session/masked_words.h"
#include "session/run_files.h"
#include "session/session_setup.h"
#include "store/run_dir.h"
#include "store/run_record.h"
#include "store/time_text.h"

namespace orch::session {

// Receives the events and output of a running session. Calls come from the loop. `json` is the
// record of the event as a line of events.jsonl, without the line feed.
class SessionSink {
 public:
  virtual ~SessionSink() = default;
  virtual void on_event(const event::Event& event, std::string_view json) = 0;
  virtual void on_raw(std::string_view bytes) = 0;  // the output as it came, secrets included
  // The raw bytes so far no longer draw the present screen: it was resized, or the agent was
  // started again.
  virtual void on_screen_replaced() {}
  // The end of the session takes unexpectedly long because of `what` ("the end of pid 7").
  virtual void on_waiting(std::string_view /*what*/) {}
  // Enter will be typed after this message, whose text stands in the agent's input box.
  virtual void on_enter(std::string_view /*message*/) {}
  // A line for the user who started the run: "claude is at its limit until 15:04".
  virtual void on_note(std::string_view /*note*/) {}
  // Everything that has come so far has been dealt with: the session's state may be looked at now.
  virtual void on_settled() {}
};

// Passes a run's events and output to its recording, event log and transcript, and to the sink. The
// secrets of the setup are masked everywhere but in the sink's on_raw(). The first write that fails
// is reported once; a run whose files cannot be written has failed.
class RunLog {
 public:
  // `setup` and `sink` outlive this.
  static base::Result<RunLog> open(loop::Loop& loop, const store::RunDir& dir,
                                   const SessionSetup& setup, store::TimePoint started,
                                   SessionSink& sink);
  // The callback gets the first failure, from inside a call to this or from the loop.
  void on_failure(std::function<void(std::string)> told) { on_failure_ = std::move(told); }

  void begin(base::TimeMs at);  // reports the first event, which names the run
  void mark_running();          // in run.json; from here on this must not be moved
  // Notes the agent's own session in run.json.
  void take_agent_session(const std::string& id, const std::string& version);
  void take_agent_version(const std::string& version);   // unless one is known
  void output(base::TimeMs at, std::string_view bytes);  // the agent's output
  void input(base::TimeMs at, std::string_view bytes);   // the agent's input
  // The same for input that must stay secret: printable bytes are recorded as stars.
  void secret_input(base::TimeMs at, std::string_view bytes);
  void resize(base::TimeMs at, int cols, int rows);
  void notice(base::TimeMs at, std::string_view text);
  void tell(base::TimeMs at, const event::Event& event);
  void tell(base::TimeMs at, std::vector<agent::Line> lines);
  // When flush() is due; kNever: it has no work.
  base::TimeMs next_flush() const;
  void keep_gate(int n, const std::string& log);  // `log`: the part of the gate's output that is
                                                  // kept
  void note_head() { files_.note_head(); }
  const std::string& git_before() const { return files_.git_before(); }
  void flush(base::TimeMs now);
  void finish_recording(base::TimeMs at);
  // Writes result.json and run.json, and if the run has failed, its last screen. The last call.
  // `on_done` is called from the loop when all of it is on the disk, however long that takes,
  // unless leave_disk() is called before; it may destroy this.
  void finish(const store::RunResult& result, const std::string& screen,
              std::function<void(const base::Status&)> on_done);
  size_t files_taken() const {
    return *progress_;
  }                   // files of the present order that are on the
                      // disk
  void leave_disk();  // does not wait for the disk any longer
  // The same for a run whose agent could not be started: done at once, without the loop.
  base::Status finish_at_once(const store::RunResult& result);

  uint64_t events_bytes() const { return files_.events_size(); }
  int64_t invalid_bytes() { return files_.recording().invalid_bytes(); }

 private:
  RunLog(loop::Loop& loop, RunFiles files, std::shared_ptr<const mask::Secrets> secrets,
         SessionSink& sink);
  void tell_masked(base::TimeMs at, std::vector<agent::Line> lines);
  void submit(DiskJob::Order order, std::function<void(const base::Status&)> on_done);
  bool check(const base::Status& status);

  RunFiles files_;
  std::shared_ptr<const mask::Secrets> secrets_;
  MaskedWords words_;
  std::unique_ptr<loop::Background> disk_;
  std::shared_ptr<DiskJob::Progress> progress_ = std::make_shared<DiskJob::Progress>(0);
  SessionSink* sink_;
  std::function<void(std::string)> on_failure_;
  bool failed_ = false;
};

}  // namespace orch::session

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "event/event.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "session/agent_process.h"
#include "session/agent_transcript_file.h"
#include "session/life_watch.h"
#include "session/session_setup.h"
#include "session/usage_watch.h"
#include "store/time_text.h"

namespace orch::session {

// Watches everything about an agent other than its output: signs of life while it is silent, the
// tokens that it uses, and which session of its own it is in. Each of these watches begins and ends
// here, whether the agent is on a terminal, headless, or in an enclosure.
class Watches {
 public:
  // All are called from the loop, or from inside a call below.
  struct Told {
    LifeWatch::Told on_life;
    std::function<void(const event::Usage&)> on_usage;  // the usage since the last call
    std::function<void(const AgentTranscriptFile::OwnSession&)> on_own_session;
    std::function<void(std::string_view)> on_record_line;  // of the agent's record of this run
  };
  // `setup` and `agent` outlive this. `run` is the mark of the agent's processes; the run began at
  // `started`.
  Watches(loop::Loop& loop, const SessionSetup& setup, const AgentProcess& agent, std::string run,
          store::TimePoint started, Told told);

  // The file of the conversation that the agent itself writes.
  AgentTranscriptFile& record() { return record_; }
  // Usage is counted from the agent's own files, because its output reports it less completely.
  bool counts_usage() const { return usage_.has_value(); }

  void find_life(int64_t for_ms) { life_.watch(for_ms); }
  void on_output() { life_.saw_life(); }
  void on_status(event::AgentStatus status);
  // The agent has taken a message, which was typed at `typed`.
  void on_message_taken(const std::string& text, store::TimePoint typed);
  void on_turn_ended();
  // The agent begins a conversation with this id; "": it chooses the id itself.
  void on_new_conversation(const std::string& session);
  void on_process_end();

 private:
  void look_for_life(const LifeWatch::Found& found) const;
  void look_for_own_session(const std::string& text, store::TimePoint typed, int64_t patience_ms);
  void watch_usage(loop::Loop& loop, store::TimePoint started);

  const SessionSetup& setup_;
  const AgentProcess& agent_;
  std::string run_;
  Told told_;
  LifeWatch life_;
  AgentTranscriptFile record_;
  std::optional<UsageWatch> usage_;
  loop::Timer own_session_;  // until the next look for the agent's own session
};

}  // namespace orch::session

#pragma once

#include <unistd.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/output_stream.h"
#include "cli/sinks.h"
#include "cli/status_line.h"
#include "cli/take_over.h"
#include "host/host.h"
#include "host/notifier.h"

namespace orch::cli {

// What a user sees of a host's sessions: their output on stdout, a status line while they run if
// that is a terminal, their last words on stderr, and of several a table and summary.json at the
// end. Runs the --notify command.
class RunDisplay final : public host::HostObserver {
 public:
  enum class Place : uint8_t { kTerminal, kPlain, kGithub, kBackground };
  // Who sits at Place::kTerminal, with one issue: nobody, or somebody who may take it over and is
  // perhaps asked to where a dialog is left unanswered.
  enum class Person : uint8_t { kAbsent, kPresent, kAsked };
  struct Plan {
    OutputMode output = OutputMode::kText;
    Place place = Place::kPlain;
    size_t issues = 1;
    std::string state_dir;
    std::string notify;  // a shell command; "" for none
    Person person = Person::kAbsent;
  };
  // Where standard output and error go, told by what they are.
  static Place place_of(OutputMode output);

  // `on_all_ended` is called once everything was told and written, or nobody reads any more.
  RunDisplay(loop::Loop& loop, Plan plan, std::function<void()> on_all_ended);
  ~RunDisplay() override;

  void watch_fill(std::function<void()> on_full, std::function<void()> on_room) {
    out_.watch_fill(std::move(on_full), std::move(on_room));
  }

  void on_resized();  // the agents' terminals
  void hand_back();   // whoever has taken a session over

  const std::vector<std::string>& started() const { return started_; }  // names of sessions
  const std::string& first_run_dir() const { return first_run_dir_; }   // "" before the first
  const std::vector<int>& codes() const { return codes_; }

 private:
  class Tap;
  std::unique_ptr<session::SessionSink> sink_for(const session::SessionSetup& setup) override;
  void on_started(host::HostedSession& session) override;
  void on_ended(const host::Ended& ended) override;
  void on_all_ended() override;

  void on_session_event(const std::string& session, const event::Event& event,
                        std::string_view json);
  void ask();
  void show_line();
  void hide_line();
  void fall_silent();
  void speak_again();
  bool grouped() const { return plan_.place == Place::kGithub && plan_.issues == 1; }

  OutputStream out_;
  Plan plan_;
  std::function<void()> on_all_ended_;
  std::optional<StatusLine> line_;
  std::optional<TakeOver> take_over_;
  bool out_is_terminal_ = ::isatty(STDOUT_FILENO) != 0;
  bool silent_ = false;                  // the terminal is somebody else's
  std::optional<std::string> question_;  // that the person was not asked yet
  std::optional<host::Notifier> notifier_;
  std::string github_token_;  // while the agent's words are kept from being commands
  std::vector<std::string> started_;
  std::string first_run_dir_;
  std::vector<host::Ended> ended_;
  std::vector<int> codes_;
};

}  // namespace orch::cli

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/host.h"
#include "host/notifier.h"
#include "ui/attention.h"
#include "ui/color.h"
#include "ui/notices.h"
#include "ui/output_stream.h"
#include "ui/sinks.h"
#include "ui/status_line.h"
#include "ui/take_over.h"

namespace orch::ui {

// A terminal that was stopped (Ctrl-S) may stay so for ever.
inline constexpr int64_t kLastWaitMs = 1000;

// What a user sees of a host's sessions: their output on stdout, a status line while they run if
// that is a terminal of ours, their last words on stderr, and of several a table and summary.json
// at the end. Runs the --notify command. Never waits for a reader but at the end.
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
    std::vector<std::string> queued;  // of several, names of the sessions to start
    std::string state_dir;
    std::string notify;                                        // a shell command; "" for none
    std::function<void(const std::string& run)> on_run_ended;  // everything of it was told
    Person person = Person::kAbsent;
    ColorChoice color = ColorChoice::kAuto;
    std::vector<std::string> secrets = {};  // at Place::kGithub: what its runner is to mask
    bool bell = true;                       // at Place::kTerminal somebody is called when needed
  };
  // Where standard output and error go, told by what they are.
  static Place place_of(OutputMode output);

  // `on_all_ended` is called once everything was told and written, or nobody reads any more. For
  // kLastWaitMs at most it waits for a reader who takes nothing, of standard error, and of what the
  // agents said when the run was told to end.
  RunDisplay(loop::Loop& loop, Plan plan, std::function<void()> on_all_ended);
  ~RunDisplay() override;

  void watch_fill(std::function<void()> on_full, std::function<void()> on_room) {
    out_.watch_fill(std::move(on_full), std::move(on_room));
  }

  // Standard output could not be written; `why` is one line. Called once; from inside the display.
  void watch_output_error(std::function<void(const std::string& why)> on_error);
  // On standard error, without ever waiting; each line with its line feed.
  void say(const std::string& lines);
  void hurry();         // whoever does not read by now is not waited for at the end
  void on_continued();  // after this process was stopped
  void on_resized();    // the agents' terminals
  void hand_back();     // whoever has taken a session over

  // The names of the sessions that have started, and behind them of those that wait for their turn.
  std::vector<std::string> started_and_queued() const;
  const std::string& first_run_dir() const { return first_run_dir_; }  // "" before the first
  const std::vector<int>& codes() const { return codes_; }
  const std::vector<host::Ended>& ended() const { return ended_; }
  // Of the issues that could not be started so far.
  std::vector<int> codes_not_started() const;
  // Why standard output could not be written, in one line; nothing while it could.
  const std::optional<std::string>& output_error() const { return output_error_; }

 private:
  class Tap;
  std::unique_ptr<session::SessionSink> sink_for(const session::SessionSetup& setup) override;
  void on_started(host::HostedSession& session) override;
  void on_put_off(const std::string& issue, const std::string& why) override;
  void on_waits_for_person(host::HostedSession& session, Slot slot) override;
  void on_ended(const host::Ended& ended) override;
  void on_all_ended() override;

  void on_session_event(const std::string& session, const event::Event& event,
                        std::string_view json);
  void call_person(const std::string& session, const event::Event& event, bool waits);
  void ask();
  void wait_for_readers();
  void hide_line();
  void fall_silent();
  void speak_again();
  bool grouped() const { return plan_.place == Place::kGithub && plan_.issues == 1; }
  bool grouped_by_issue() const { return plan_.place == Place::kGithub && plan_.issues > 1; }
  std::unique_ptr<session::SessionSink> collecting_sink(const std::string& issue);
  void write_group(const host::Ended& ended);
  bool has_started(const std::string& session) const;

  base::Fd nowhere_;  // of a background run, whose own streams are replaced once it has started
  OutputStream out_;
  std::optional<OutputStream> error_out_;  // where standard error is not the same file
  Notices notices_;
  Plan plan_;
  std::function<void()> on_all_ended_;
  std::optional<StatusLine> line_;
  std::optional<Attention> attention_;
  std::string needed_by_;  // the session that somebody is called for
  std::optional<TakeOver> take_over_;
  bool silent_ = false;                  // the terminal is somebody else's
  std::optional<std::string> question_;  // that the person was not asked yet
  std::optional<host::Notifier> notifier_;
  std::map<std::string, std::string> words_of_issue_;  // of those that still run, of several
  std::string github_token_;  // while the agent's words are kept from being commands
  std::vector<std::string> started_;
  std::string first_run_dir_;
  std::vector<host::Ended> ended_;
  std::vector<int> codes_;
  std::optional<std::string> output_error_;
  std::function<void(const std::string&)> tell_output_error_;
  loop::Timer last_wait_;
  size_t left_to_take_ = 0;  // by the readers, when last_wait_ was started
  bool last_wait_over_ = false;
  bool all_ended_ = false;
  bool finished_ = false;
  bool hurried_ = false;
};

}  // namespace orch::ui

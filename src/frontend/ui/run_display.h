#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/host.h"
#include "host/notifier.h"
#include "ui/aside_dialogs.h"
#include "ui/attention.h"
#include "ui/color.h"
#include "ui/live_sessions.h"
#include "ui/notices.h"
#include "ui/output_stream.h"
#include "ui/sinks.h"
#include "ui/status_line.h"
#include "ui/take_over.h"

namespace orch::ui {

// How long to wait at the end for a reader that takes nothing: a terminal that was stopped (Ctrl-S)
// may stay stopped for ever.
inline constexpr int64_t kLastWaitMs = 1000;

// The user's view of a host's sessions: their output on stdout, a status line while they run if
// stdout is a terminal of ours, a closing message for each on stderr, and for several issues a
// table and summary.json at the end. Runs the --notify command. It never waits for a reader except
// at the end.
class RunDisplay final : public host::HostObserver {
 public:
  enum class Place : uint8_t { kTerminal, kPlain, kGithub, kBackground };
  // The user at the terminal: absent; present and able to take a session over; or also asked about
  // dialogs that nobody else answers. At Place::kPlain that terminal is standard error's.
  enum class Person : uint8_t { kAbsent, kPresent, kAsked };
  struct Plan {
    OutputMode output = OutputMode::kText;
    Place place = Place::kPlain;
    size_t issues = 1;
    std::vector<std::string> queued;  // names of the sessions to start, if there are several
    std::string state_dir;
    std::string notify;  // a shell command; "" for none
    // called once everything about the run was shown
    std::function<void(const std::string& run)> on_run_ended;
    Person person = Person::kAbsent;
    ColorChoice color = ColorChoice::kAuto;
    std::vector<std::string> secrets = {};  // at Place::kGithub: the values that its runner masks
    std::string keyword = {};               // left out of the agents' words; "": it stays
    bool only_values = false;               // of --output-schema, and no other words
    bool has_policy = false;                // --approve said which dialogs orch answers
    bool is_headless = false;
    bool bell = true;  // at Place::kTerminal: ring when a session needs the user
    // At Place::kTerminal: print the agents' words as they drew them and, if a user is present,
    // also show dialogs, which the user's keys answer, and the last rows of a single issue's agent.
    bool live = false;
  };
  // The place of the output, according to what standard output and error are.
  static Place place_of(OutputMode output);

  // `on_all_ended` is called once everything was shown and written, or nobody reads any more. A
  // reader that takes nothing gets at most kLastWaitMs if it reads standard error, or if it reads
  // the agents' output and the run was asked to end.
  RunDisplay(loop::Loop& loop, Plan plan, std::function<void()> on_all_ended);
  ~RunDisplay() override;

  void watch_fill(std::function<void()> on_full, std::function<void()> on_room) {
    out_.watch_fill(std::move(on_full), std::move(on_room));
  }

  // `on_error` is called once, from inside the display, when standard output could not be written;
  // `why` is one line.
  void watch_output_error(std::function<void(const std::string& why)> on_error);
  // The note that the agent is newer than the tested versions: shown at the end of a run whose
  // statuses or dialogs may have been misread.
  void set_version_note(std::string note) { version_note_ = std::move(note); }
  // Prints lines, each with its line feed, on standard error without ever waiting.
  void say(const std::string& lines);
  void on_stop_signal(int signum);  // call it before passing the signal to the sessions
  void hurry();         // at the end, readers that do not read by now are not waited for
  void on_continued();  // call it after this process was stopped and continued
  void on_resized();    // call it when the agents' terminals have changed their size

  // The names of the sessions that have started, then of the ones that wait for their turn.
  std::vector<std::string> started_and_queued() const;
  // The id of the run of a session that has started; "" of one that waits for its turn.
  std::string run_of(const std::string& session) const;
  // "" before the first run has started
  const std::string& first_run_dir() const { return first_run_dir_; }
  const std::vector<int>& codes() const { return codes_; }
  const std::vector<host::Ended>& ended() const { return ended_; }
  // The exit codes of the issues that could not be started so far.
  std::vector<int> codes_not_started() const;
  // Why standard output could not be written, in one line; nullopt as long as it could.
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
  void tell_of_start(const host::HostedSession& session);
  std::string dress(const std::string& session, const std::string& words);
  bool may_dress();
  bool asks_inline() const;
  host::HostedSession* session_to_take();
  void fall_silent();
  void speak_again();
  bool grouped() const { return plan_.place == Place::kGithub && plan_.issues == 1; }
  bool grouped_by_issue() const { return plan_.place == Place::kGithub && plan_.issues > 1; }
  std::unique_ptr<session::SessionSink> collecting_sink(const std::string& issue);
  void write_group(const host::Ended& ended);
  void write_value(const host::Ended& ended);
  bool has_started(const std::string& session) const;

  // /dev/null for a background run, whose own streams are replaced once it has started
  base::Fd nowhere_;
  OutputStream out_;
  std::optional<OutputStream> error_out_;  // empty where standard error is the same file as stdout
  Notices notices_;
  Plan plan_;
  std::function<void()> on_all_ended_;
  std::optional<StatusLine> line_;
  std::optional<Attention> attention_;
  std::string needed_by_;  // the session whose dialog rang the bell
  std::optional<LiveSessions> live_;
  std::optional<TakeOver> take_over_;
  std::optional<AsideDialogs> aside_;
  std::map<std::string, host::HostedSession*> running_;  // by the session's name
  int64_t dressing_since_ms_ = 0;
  int dressed_lines_ = 0;                // since then
  int interrupts_ = 0;                   // how often Ctrl-C came
  bool silent_ = false;                  // the user has taken the terminal over
  std::optional<std::string> question_;  // a question not yet printed
  std::string asked_;                    // the question printed last, while it stands
  std::optional<host::Notifier> notifier_;
  // The words of the agents of several issues, while they run.
  std::map<std::string, std::string> words_of_issue_;
  std::string github_token_;  // stops the runner from obeying commands in the agent's words
  struct Started {
    std::string session, run;
  };
  std::vector<Started> started_;
  std::string first_run_dir_, version_note_;
  std::vector<host::Ended> ended_;
  std::vector<int> codes_;
  std::optional<std::string> output_error_;
  std::function<void(const std::string&)> tell_output_error_;
  loop::Timer last_wait_;
  size_t left_to_take_ = 0;  // bytes that the readers had to take when last_wait_ was started
  bool last_wait_over_ = false;
  bool all_ended_ = false;
  bool finished_ = false;
  bool hurried_ = false;
};

}  // namespace orch::ui

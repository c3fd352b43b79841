#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "client/client.h"
#include "host/control_socket.h"
#include "loop/loop.h"
#include "loop/stream.h"
#include "loop/timer.h"
#include "store/session_file.h"
#include "wire/frame.h"
#include "wire/view_frames.h"

namespace orch::host {

// The folder of one test. The destructor removes it.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

// A session whose answers the test sets, and that records what it is asked.
class TestSession final : public ControlledSession {
 public:
  wire::StatusReport status() const override { return report; }
  const std::string& head() const override { return first; }
  uint64_t events_size() const override { return log.size(); }
  CrewDesk* crew() const override { return crew_desk; }
  const std::string& member() const override { return name; }
  bool trusts_agent() const override { return trusts; }
  void kill(bool at_once) override {
    kills.push_back(at_once);
    if (on_kill) on_kill();
  }

  base::Result<std::string> send(const wire::Send& message, const std::string& from,
                                 std::function<void(const wire::Sent&)> on_sent) override {
    if (message.text == "refuse") return base::usage_error("this agent takes no messages");
    messages.push_back(message);
    senders.push_back(from);
    on_decided.push_back(std::move(on_sent));
    return "m" + std::to_string(messages.size());
  }
  void withdraw(const std::string& message) override { withdrawn.push_back(message); }
  base::Status reset(std::function<void(base::Result<wire::WasReset>)> on_done) override {
    if (on_reset) return base::usage_error("the session is being reset already");
    on_reset = std::move(on_done);
    return base::Ok{};
  }
  void forget_reset() override { on_reset = nullptr; }
  base::Status answer(const wire::AnswerDialog& answer,
                      std::function<void(base::Status)> on_done) override {
    if (on_answered) return base::usage_error("another answer to this dialog is being typed");
    if (!report.dialog) return base::Error{base::ErrorCode::kNotFound, "no dialog is open"};
    answers.push_back(answer);
    on_answered = std::move(on_done);
    return base::Ok{};
  }
  void forget_answer() override { on_answered = nullptr; }
  bool encloses(pid_t pid) const override { return enclosed.contains(pid); }
  std::string check_call(std::string_view event,
                         std::function<void(std::optional<std::string>)> on_decided) override {
    calls[std::string(event)] = std::move(on_decided);
    return std::string(event);
  }
  void forget_call(const std::string& id) override { calls.erase(id); }
  std::map<std::string, std::function<void(std::optional<std::string>)>> calls;  // by the event
  base::Result<uint32_t> attach(std::optional<term::Size> window) override {
    if (screen.empty()) return base::usage_error("no screen");
    windows.emplace(++last_viewer, window);
    return last_viewer;
  }
  void detach(uint32_t viewer) override { windows.erase(viewer); }
  void on_window(uint32_t viewer, term::Size window) override { windows[viewer] = window; }
  bool type(uint32_t viewer, std::string_view bytes) override {
    if (!windows[viewer]) return false;
    typed += bytes;
    return true;
  }
  bool input_is_full() const override { return full; }
  std::string snapshot() const override { return wire::encode_snapshot(80, 24, screen); }
  base::Status type_keys(const std::vector<std::string>& names) override {
    if (names.empty()) return base::usage_error("no keys");
    keys.insert(keys.end(), names.begin(), names.end());
    return base::Ok{};
  }

  wire::StatusReport report;
  std::set<pid_t> enclosed;  // what is in its container
  bool trusts = false;
  CrewDesk* crew_desk = nullptr;
  std::string name;
  std::string first;  // the session record; "": none
  std::vector<std::string> keys;
  std::vector<wire::Send> messages;
  std::vector<std::string> senders;
  std::vector<std::function<void(const wire::Sent&)>> on_decided;  // one for each message
  std::vector<std::string> withdrawn;                              // ids of messages
  std::function<void(base::Result<wire::WasReset>)> on_reset;      // set while a reset is under way
  std::vector<wire::AnswerDialog> answers;
  // Set until a dialog's answer is seen to have been taken.
  std::function<void(base::Status)> on_answered;
  std::string log;  // the content of events.jsonl
  std::vector<bool> kills;
  std::string screen;                                     // "": none
  std::map<uint32_t, std::optional<term::Size>> windows;  // by viewer; unset: the viewer only looks
  uint32_t last_viewer = 0;
  std::string typed;  // by viewers
  bool full = false;
  std::function<void()> on_kill;
};

// A session with its control socket, in a folder of its own, and the loop for it and its peers.
class Rig {
 public:
  Rig();

  // Runs the loop until `reached` holds, which is checked whenever a peer was told something.
  void run_until(std::function<bool()> reached);
  void look();                        // peers call it after each thing that they are told
  void turn();                        // handles what is ready now, without waiting
  void event(std::string_view line);  // appends the line to the log and tells the followers
  std::string socket_path() const { return socket->path(); }
  store::SessionRecord record() const;  // the session's record, as commands find it

  TestFolder folder;
  loop::Loop loop;
  TestSession session;
  ConnectionRoom room{2 * kMaxConnections};  // of the host
  std::unique_ptr<ControlSocket> socket;

 private:
  loop::Timer deadline_{loop};
  std::function<bool()> reached_;
};

// A peer that writes and reads the protocol's bytes itself, and may break the protocol.
class Peer {
 public:
  explicit Peer(Rig& rig);

  void send(std::string_view bytes) { stream_->write(std::string(bytes)); }
  void ask(std::string_view json) { send(wire::encode(wire::FrameType::kRequest, json)); }
  void stop_reading() { stream_->pause_reading(); }
  void go_on_reading() { stream_->resume_reading(); }
  void leave() { stream_.reset(); }

  std::vector<wire::Frame> frames;
  bool closed = false;  // the host closed the connection

 private:
  void on_data(std::string_view bytes);

  Rig& rig_;
  wire::Decoder decoder_;
  std::optional<loop::Stream> stream_;
};

// A follower that keeps what it is told, like `orch logs -f`; where it lagged it reads the missing
// part from the log itself.
class TestFollower final : public client::Follower {
 public:
  explicit TestFollower(Rig& rig, wire::Subscribe wanted = {.events = true, .raw = false});

  // The log from its beginning, as this follower has it.
  std::string log;
  std::string raw;
  std::vector<client::Gap> gaps;
  std::optional<uint64_t> started;
  std::optional<std::string> end;
  std::optional<base::Error> lost;
  std::unique_ptr<client::Client> client;

 private:
  void on_started(uint64_t events_offset) override;
  void on_event(std::string_view json) override;
  void on_raw(std::string_view bytes) override;
  void on_lagged(const client::Gap& gap) override;
  void on_end(std::string_view result_json) override;
  void on_lost(const base::Error& error) override;

  Rig& rig_;
};

}  // namespace orch::host

#include "client/session_watch.h"

#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <utility>

namespace orch::client {

using base::Result;
using store::SessionRecord;
using store::SessionStatus;

namespace {

// The answers to one look arrive at about the same time, and are reported together.
constexpr int64_t kTellMs = 20;
// A session's file is removed a little later than its socket.
constexpr int64_t kGoneMs = 100;
// The death of a host is noticed when its connection breaks, or otherwise when the folder is read
// again, which happens at every so many looks.
constexpr int kReadEvery = 15;

}  // namespace

SessionWatch::SessionWatch(loop::Loop& loop, std::string state_dir,
                           std::function<void()> on_changed)
    : loop_(loop),
      state_dir_(std::move(state_dir)),
      on_changed_(std::move(on_changed)),
      look_timer_(loop),
      tell_timer_(loop) {}

void SessionWatch::start() { look(); }

void SessionWatch::look_now() { look(); }

void SessionWatch::look() {
  look_timer_.start(kLookMs, [this] { look(); });
  if (looks_++ % kReadEvery == 0) read_again_ = true;
  if (folder_has_changed() || read_again_) read_folder();
  for (auto& [key, session] : sessions_) {
    if (!session.ended && session.view.record.status == SessionStatus::kRunning) ask(key);
  }
  changed();
}

bool SessionWatch::folder_has_changed() {
  struct stat folder {};
  const bool found = ::stat((state_dir_ + "/sessions").c_str(), &folder) == 0;
  const int64_t ns = found ? folder.st_mtim.tv_sec * 1'000'000'000LL + folder.st_mtim.tv_nsec : 0;
  return std::exchange(folder_ns_, ns) != ns;
}

void SessionWatch::read_folder() {
  read_again_ = false;
  Result<std::vector<SessionRecord>> sessions = store::list_sessions(state_dir_);
  if (!sessions) {  // the listed sessions stay
    read_again_ = true;
    return;
  }
  std::set<std::string> listed;
  for (SessionRecord& record : *sessions) {
    listed.insert(record.key);
    take_record(std::move(record));
  }
  for (auto& [key, session] : sessions_) {
    if (!session.ended && !listed.contains(key)) on_gone(session);
  }
  forget_oldest_ended();
}

// Takes a session's record over. The record may be of another run, which then replaces the session.
void SessionWatch::take_record(SessionRecord record) {
  const std::string key = record.key;
  const auto found = sessions_.find(key);
  if (found != sessions_.end() && !found->second.ended &&
      found->second.view.record.run == record.run) {
    if (record.status != SessionStatus::kRunning) lines_.erase(key);
    found->second.view.record = std::move(record);
    return read_failure(found->second.view);
  }
  lines_.erase(key);
  WatchedSession session;
  session.view.record = std::move(record);
  read_failure(session.view);
  sessions_.insert_or_assign(key, std::move(session));
}

// A session that stays listed after its end has no host that could be asked, so its result is read.
void SessionWatch::read_failure(SessionView& view) {
  if (view.record.status != SessionStatus::kErrored) return;
  view.report.reset();
  if (!view.result) take_result(state_dir_, view);
}

void SessionWatch::on_gone(WatchedSession& session) {
  const SessionRecord& record = session.view.record;
  lines_.erase(record.key);
  session.ended = true;
  session.ended_at_ms = loop_.now_ms();
  take_result(state_dir_, session.view);
}

void SessionWatch::forget_oldest_ended() {
  const auto count = [this] {
    return std::count_if(sessions_.begin(), sessions_.end(),
                         [](const auto& entry) { return entry.second.ended; });
  };
  for (auto left = count(); left > static_cast<std::ptrdiff_t>(kMostEnded); --left) {
    const auto oldest =
        std::min_element(sessions_.begin(), sessions_.end(), [](const auto& a, const auto& b) {
          const auto when = [](const WatchedSession& it) {
            return it.ended ? it.ended_at_ms : INT64_MAX;
          };
          return when(a.second) < when(b.second);
        });
    sessions_.erase(oldest);
  }
}

Client* SessionWatch::connected(const std::string& key) {
  const auto session = sessions_.find(key);
  if (session == sessions_.end() || session->second.ended) return nullptr;
  Line& line = lines_[key];
  if (line.client == nullptr) {
    auto client = Client::connect(loop_, state_dir_, session->second.view.record);
    if (client) line.client = std::move(client).value();
  }
  return line.client.get();
}

// A session is not asked again before it has answered or its deadline has passed.
void SessionWatch::ask(const std::string& key) {
  const int64_t now_ms = loop_.now_ms();
  Client* client = connected(key);
  Line& line = lines_[key];
  if (!line.open_since_ms) line.open_since_ms = now_ms;
  sessions_.at(key).silent = now_ms - *line.open_since_ms >= kSilentMs;
  if (client == nullptr || std::exchange(line.asked, true)) return;
  line.asked_at_ms = now_ms;
  client->request(wire::AskStatus{},
                  [this, key](const Result<wire::Answer>& answer) { on_report(key, answer); });
}

void SessionWatch::on_report(const std::string& key, const Result<wire::Answer>& answer) {
  Line& line = lines_.at(key);
  line.asked = false;
  WatchedSession& session = sessions_.at(key);
  if (!answer) {
    // An error before the deadline is an error of the connection, so a new one is made.
    if (loop_.now_ms() - line.asked_at_ms < kAnswerMs) line.client.reset();
    if (answer.error().code != base::ErrorCode::kNotFound) return;
    lines_.erase(key);  // its host is gone; its file in the folder will say how it ended
    read_again_ = true;
    look_timer_.start(kGoneMs, [this] { look(); });
    return;
  }
  line.open_since_ms.reset();
  const auto* report = std::get_if<wire::StatusReport>(&answer->result);
  if (report == nullptr) return;
  session.view.report = *report;
  session.reported_at_ms = loop_.now_ms();
  session.silent = false;
  changed();
}

void SessionWatch::request(const std::string& key, const wire::Verb& verb,
                           Client::OnAnswer on_answer, int64_t deadline_ms) {
  Client* client = connected(key);
  if (client != nullptr) return client->request(verb, std::move(on_answer), deadline_ms);
  on_answer(base::Error{base::ErrorCode::kNotFound, "the session cannot be reached"});
}

void SessionWatch::changed() {
  if (!tell_timer_.active()) tell_timer_.start(kTellMs, [this] { on_changed_(); });
}

}  // namespace orch::client

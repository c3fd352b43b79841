#include "manager/session_manager.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/text.h"
#include "client/end_session.h"
#include "pane/tool.h"
#include "session/environment.h"
#include "session/session_setup.h"
#include "store/file_io.h"
#include "tmux/tmux_source.h"
#include "zellij/command.h"
#include "zellij/zellij_source.h"

namespace orch::manager {
namespace {

using base::Result;
using store::SessionRecord;

constexpr size_t kMaxWords = size_t{64} << 20;

base::Error no_session(const std::string& key) {
  return {base::ErrorCode::kNotFound, "no session " + key + "; see orch sessions"};
}

// The last `count` rows, without empty rows at the end.
std::string last_rows_of(std::string_view text, size_t count) {
  std::vector<std::string_view> rows = base::split_lines(text);
  while (!rows.empty() && base::trim(rows.back()).empty()) rows.pop_back();
  const size_t first = rows.size() > count ? rows.size() - count : 0;
  std::string last;
  for (size_t i = first; i < rows.size(); ++i) last.append(rows[i]).append("\n");
  return last;
}

// The calls that every manager answers through the session's host or its file.
class Hosted {
 public:
  Hosted(std::string state_dir, Kind kind) : state_dir_(std::move(state_dir)), kind_(kind) {}

  std::vector<SessionRecord> list() const {
    std::vector<SessionRecord> sessions = store::list_sessions(state_dir_);
    std::erase_if(sessions, [this](const SessionRecord& it) { return it.manager != name(kind_); });
    return sessions;
  }

  std::optional<SessionRecord> find(const std::string& key) const {
    std::optional<SessionRecord> session = store::session_of(state_dir_, key);
    if (session && session->manager != name(kind_)) session.reset();
    return session;
  }

  bool is_running(const std::string& key) const {
    const std::optional<SessionRecord> session = find(key);
    return session && session->status == store::SessionStatus::kRunning;
  }

  Result<std::unique_ptr<client::Client>> stream(loop::Loop& loop, const std::string& key,
                                                 client::Follower& follower) const {
    const std::optional<SessionRecord> session = find(key);
    if (!session) return no_session(key);
    auto client = client::Client::connect(loop, state_dir_, *session);
    if (client) (*client)->follow({.events = false, .raw = true}, follower);
    return client;
  }

  base::Status kill(const std::string& key) const {
    const std::optional<SessionRecord> session = find(key);
    if (!session) return no_session(key);
    const std::vector<SessionRecord> named{*session};
    const Result<std::string> left =
        client::end_session(state_dir_, *session, client::Manner::kPolitely, named);
    if (!left) return left.error();
    if (left->empty()) return base::Ok{};
    return base::Error{base::ErrorCode::kSystem, *left};
  }

 private:
  std::string state_dir_;
  Kind kind_;
};

// The part of a manager that is the same for every kind.
class HostedManager : public SessionManager {
 public:
  HostedManager(Tools tools, Kind kind)
      : tools_(std::move(tools)), hosted_(tools_.state_dir, kind), kind_(kind) {}

  Kind kind() const override { return kind_; }
  std::vector<SessionRecord> list() const override { return hosted_.list(); }
  bool is_running(const std::string& key) const override { return hosted_.is_running(key); }
  Result<std::unique_ptr<client::Client>> stream(loop::Loop& loop, const std::string& key,
                                                 client::Follower& follower) const override {
    return hosted_.stream(loop, key, follower);
  }
  base::Status kill(const std::string& key) const override { return hosted_.kill(key); }
  session::SourceFactory create_tile(const std::string& key, const std::string& /*session*/,
                                     const std::string& /*title*/) const override {
    return create(key);
  }

 protected:
  const Tools& tools() const { return tools_; }
  const Hosted& hosted() const { return hosted_; }

 private:
  Tools tools_;
  Hosted hosted_;
  Kind kind_;
};

class NativeManager final : public HostedManager {
 public:
  explicit NativeManager(Tools tools) : HostedManager(std::move(tools), Kind::kNative) {}

  session::SourceFactory create(const std::string&) const override {
    return session::native_source;
  }
  std::map<std::string, std::string> environment() const override { return {}; }

  // A native session's screen is not accessible from here, so this returns the agent's words.
  Result<std::string> output(const std::string& key, size_t last_rows) const override {
    const std::optional<SessionRecord> session = hosted().find(key);
    if (!session) return no_session(key);
    const auto words = store::read_file(session->run_dir + "/transcript.txt", kMaxWords);
    if (!words) return words.error();
    return last_rows_of(*words, last_rows);
  }

  std::vector<std::string> attach(const std::string& key, Access access) const override {
    std::vector<std::string> words{tools().orch, "attach", key};
    if (access == Access::kReadOnly) words.emplace_back("--read-only");
    return words;
  }
};

class TmuxManager final : public HostedManager {
 public:
  explicit TmuxManager(Tools tools) : HostedManager(std::move(tools), Kind::kTmux) {}

  session::SourceFactory create(const std::string& key) const override {
    return source_in({tools().tmux, key, {tools().orch, "pane"}});
  }
  session::SourceFactory create_tile(const std::string& /*key*/, const std::string& session,
                                     const std::string& title) const override {
    return source_in({tools().tmux, session, {tools().orch, "pane"}, tmux::Tile{title}});
  }
  std::map<std::string, std::string> environment() const override {
    for (const char* folder : {"/usr/share/terminfo/t/", "/lib/terminfo/t/", "/etc/terminfo/t/"}) {
      std::error_code failure;
      if (std::filesystem::exists(std::string(folder) + "tmux-256color", failure)) {
        return {{"TERM", "tmux-256color"}};
      }
    }
    return {{"TERM", "screen-256color"}};
  }

  Result<std::string> output(const std::string& key, size_t last_rows) const override {
    if (!hosted().find(key)) return no_session(key);
    const auto shown =
        tmux::ask(tools().tmux, {"capture-pane", "-p", "-J", "-S", "-", "-t", tmux::exactly(key)});
    if (!shown) return shown.error();
    if (shown->code != 0) return no_session(key);
    return last_rows_of(shown->said, last_rows);
  }

  std::vector<std::string> attach(const std::string& key, Access access) const override {
    std::vector<std::string> words{tools().tmux.program, "-L", tools().tmux.label,
                                   "attach-session"};
    if (access == Access::kReadOnly) words.emplace_back("-r");
    words.insert(words.end(), {"-t", "=" + key});
    return words;
  }

 private:
  static session::SourceFactory source_in(tmux::Place place) {
    return [place = std::move(place)](loop::Loop& loop, const pty::SpawnPlan& plan,
                                      session::SourceObserver& observer) {
      return tmux::TmuxSource::start(loop, place, plan, observer);
    };
  }
};

class ZellijManager final : public HostedManager {
 public:
  explicit ZellijManager(Tools tools) : HostedManager(std::move(tools), Kind::kZellij) {}

  session::SourceFactory create(const std::string& key) const override {
    return [place = zellij::Place{key, {tools().orch, "pane"}}](
               loop::Loop& loop, const pty::SpawnPlan& plan, session::SourceObserver& observer) {
      return zellij::ZellijSource::start(loop, place, plan, observer);
    };
  }
  std::map<std::string, std::string> environment() const override { return {}; }

  // zellij dumps the pane with the focus, which is the agent's unless a person has moved the focus.
  Result<std::string> output(const std::string& key, size_t last_rows) const override {
    if (!hosted().find(key)) return no_session(key);
    const auto shown = pane::run_tool(zellij::dump_focused(key), session::own_environment());
    if (!shown) return shown.error();
    if (shown->code != 0) return no_session(key);
    return last_rows_of(shown->said, last_rows);
  }

  std::vector<std::string> attach(const std::string& key, Access access) const override {
    return access == Access::kReadOnly ? zellij::watch(key) : zellij::attach(key);
  }
};

}  // namespace

std::unique_ptr<SessionManager> make_manager(Kind kind, Tools tools) {
  switch (kind) {
    case Kind::kNative:
      return std::make_unique<NativeManager>(std::move(tools));
    case Kind::kTmux:
      return std::make_unique<TmuxManager>(std::move(tools));
    case Kind::kZellij:
      return std::make_unique<ZellijManager>(std::move(tools));
  }
  return nullptr;
}

}  // namespace orch::manager

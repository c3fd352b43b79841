#include "mux/session_manager.h"

#include <filesystem>
#include <utility>

#include "base/own_program.h"
#include "mux/tmux/tmux_source.h"
#include "mux/zellij/command.h"
#include "mux/zellij/zellij_source.h"
#include "session/session_setup.h"

namespace orch::mux {
namespace {

class NativeManager final : public SessionManager {
 public:
  explicit NativeManager(Tools tools) : tools_(std::move(tools)) {}

  session::SourceFactory create(const std::string&) const override {
    return session::native_source;
  }
  session::SourceFactory create_tile(const std::string& key, const std::string& /*session*/,
                                     const std::string& /*title*/) const override {
    return create(key);
  }
  std::map<std::string, std::string> environment() const override { return {}; }

  std::vector<std::string> attach(const std::string& key, Access access) const override {
    std::vector<std::string> words{tools_.orch, "attach", key};
    if (access == Access::kReadOnly) words.emplace_back("--read-only");
    return words;
  }
  void remove(const std::string& /*key*/) const override {}  // nothing shows it

 private:
  Tools tools_;
};

class TmuxManager final : public SessionManager {
 public:
  explicit TmuxManager(Tools tools) : tools_(std::move(tools)) {}

  session::SourceFactory create(const std::string& key) const override {
    return source_in({tools_.tmux, key, {tools_.orch, base::kInternal, "pane"}});
  }
  session::SourceFactory create_tile(const std::string& /*key*/, const std::string& session,
                                     const std::string& title) const override {
    return source_in(
        {tools_.tmux, session, {tools_.orch, base::kInternal, "pane"}, tmux::Tile{title}});
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

  std::vector<std::string> attach(const std::string& key, Access access) const override {
    std::vector<std::string> words{tools_.tmux.program, "-L", tools_.tmux.label, "attach-session"};
    if (access == Access::kReadOnly) words.emplace_back("-r");
    words.insert(words.end(), {"-t", "=" + key});
    return words;
  }
  void remove(const std::string& key) const override { tmux::remove_dead(tools_.tmux, key); }

 private:
  static session::SourceFactory source_in(tmux::Place place) {
    return [place = std::move(place)](loop::Loop& loop, const pty::SpawnPlan& plan,
                                      session::SourceObserver& observer) {
      return tmux::TmuxSource::start(loop, place, plan, observer);
    };
  }

  Tools tools_;
};

class ZellijManager final : public SessionManager {
 public:
  explicit ZellijManager(Tools tools) : tools_(std::move(tools)) {}

  session::SourceFactory create(const std::string& key) const override {
    return [place = zellij::Place{key, {tools_.orch, base::kInternal, "pane"}}](
               loop::Loop& loop, const pty::SpawnPlan& plan, session::SourceObserver& observer) {
      return zellij::ZellijSource::start(loop, place, plan, observer);
    };
  }
  session::SourceFactory create_tile(const std::string& key, const std::string& /*session*/,
                                     const std::string& /*title*/) const override {
    return create(key);
  }
  std::map<std::string, std::string> environment() const override { return {}; }

  std::vector<std::string> attach(const std::string& key, Access access) const override {
    return access == Access::kReadOnly ? zellij::watch(key) : zellij::attach(key);
  }
  void remove(const std::string& key) const override { zellij::remove_session(key); }

 private:
  Tools tools_;
};

}  // namespace

std::unique_ptr<SessionManager> make_manager(ManagerKind kind, Tools tools) {
  switch (kind) {
    case ManagerKind::kNative:
      return std::make_unique<NativeManager>(std::move(tools));
    case ManagerKind::kTmux:
      return std::make_unique<TmuxManager>(std::move(tools));
    case ManagerKind::kZellij:
      return std::make_unique<ZellijManager>(std::move(tools));
  }
  return nullptr;
}

}  // namespace orch::mux

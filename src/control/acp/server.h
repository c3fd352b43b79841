#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "acp/blocks.h"
#include "acp/conversation.h"
#include "acp/protocol.h"
#include "acp/session_options.h"
#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "jsonrpc/message.h"

namespace orch::acp {

// What a client may choose for a session. An empty text: as the command line and the configuration
// have it.
struct Settings {
  std::string mode;  // "ask", "all", or the policy's file; see Server::Plan
  std::string agent, model, effort;
  bool operator==(const Settings&) const = default;
};

// What the owner of a Server has to do next, besides the work of its conversations.
struct Open {  // answered by opened()
  enum class How : uint8_t {
    kNew,     // a new session in `cwd`
    kLoad,    // an earlier one, with its history first: Server::conversation() gets it
    kResume,  // an earlier one, without
    kAgain,   // the open one starts anew with other settings, in its conversation if it has one
  };
  uint64_t call = 0;
  How how = How::kNew;
  std::string session;  // "" for kNew
  std::string cwd;      // absolute
  Settings settings;
  SessionOptions options = {};
};
struct Close {  // ends the session; answered by closed()
  std::string session;
};
struct Forget {  // removes what is recorded of the session; answered by forgotten()
  uint64_t call = 0;
  std::string session;
};
struct List {  // answered by listed()
  uint64_t call = 0;
  std::string cwd;  // only sessions of this folder; "": all
};
struct Save {  // before the message that names them is sent
  std::vector<Attachment> files;
};
struct SessionWork {
  std::string session;
  Work work;
};
using Action = std::variant<Tell, Open, Close, Forget, List, Save, SessionWork>;

struct Opened {
  std::string session, run, agent;
  std::vector<std::string> models;  // that the agent is known to have
  std::string files = {};           // a folder for files that its prompts bring; "": none
  bool had_turns = false;           // in an earlier run of the session
};
struct Listed {
  std::string session, cwd, title, updated;  // RFC 3339
};

inline constexpr size_t kMostSessions = 64;  // open at the same time
inline constexpr size_t kMostOpening = 64;   // requests to the owner that are not answered yet

// One client: its requests, and its sessions. Pure.
class Server {
 public:
  struct Plan {
    const Protocol* protocol = nullptr;
    std::string version;              // of orch
    std::vector<std::string> agents;  // that can be chosen
    Settings settings;                // of a new session; the mode must be set
    std::string policy;               // a policy's file that is a mode, too; "": none
    int64_t turn_limit_ms = 0;
  };
  explicit Server(Plan plan) : plan_(std::move(plan)) {}

  void hear(std::string_view line, base::TimeMs now);

  // Answers to actions.
  void opened(uint64_t call, const base::Result<Opened>& opened);
  void closed(const std::string& session);
  void forgotten(uint64_t call, const base::Status& done);
  void listed(uint64_t call, const base::Result<std::vector<Listed>>& sessions);

  // The conversation of an open session, or of one that is being opened; nullptr if there is none.
  Conversation* conversation(const std::string& session);
  std::vector<std::string> sessions() const;
  base::TimeMs next_deadline() const;
  void on_timer(base::TimeMs now);

  std::vector<Action> take_actions();

 private:
  struct Session {
    Session(Conversation::Plan plan, std::string folder, Settings chosen)
        : conversation(std::move(plan)), cwd(std::move(folder)), settings(std::move(chosen)) {}
    Conversation conversation;
    std::string cwd;
    Settings settings;
    SessionOptions options;
    std::string agent;       // that runs
    bool had_turns = false;  // before this client opened it
    std::string files;       // see Opened
    int prompts = 0;         // that brought files
    std::vector<std::string> models;
    bool is_open = false;             // otherwise it is being opened, or starts anew
    std::vector<base::Json> closers;  // requests to be answered when it is closed
  };
  struct Call {
    base::Json request;
    Open::How how = Open::How::kNew;
    Method method = Method::kNew;
    std::string session = {};
    Settings settings = {};
    std::string cwd = {};
    SessionOptions options = {};
  };

  void say(std::string line) { actions_.emplace_back(Tell{std::move(line)}); }
  void refuse(const base::Json& id, std::string_view why);
  void answer(const jsonrpc::Request& request, base::TimeMs now);
  void heed(const jsonrpc::Notification& notification, base::TimeMs now);
  void initialize(const jsonrpc::Request& request);
  void open(const jsonrpc::Request& request, Method method);
  void prompt(const jsonrpc::Request& request, base::TimeMs now);
  void close(const jsonrpc::Request& request);
  void forget(const jsonrpc::Request& request);
  void list(const jsonrpc::Request& request);
  void set_mode(const jsonrpc::Request& request);
  void set_config_option(const jsonrpc::Request& request);
  void start_again(const jsonrpc::Request& request, Method method, Session& session,
                   Settings settings);
  // The open session that a request names; nullptr after it has been refused.
  Session* session_of(const jsonrpc::Request& request);
  Conversation::Plan plan_of(std::string session) const;
  bool is_mode(const std::string& mode) const;
  base::Json modes(const Session& session) const;
  base::Json config_options(const Session& session) const;
  base::Json session_state(const Session& session) const;

  Plan plan_;
  bool is_initialized_ = false;  // the versions and capabilities of both sides are agreed
  Shows shows_;
  std::map<std::string, std::unique_ptr<Session>> sessions_;
  std::map<uint64_t, Call> calls_;
  uint64_t next_call_ = 1;
  std::vector<Action> actions_;
};

}  // namespace orch::acp

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/acp_spec.h"
#include "base/line_cutter.h"
#include "driver/json_way.h"
#include "driver/stream_dialect.h"

namespace orch::driver {

// The Agent Client Protocol, version 1, with orch as the client (--mode acp): JSON-RPC, one object
// a line. A conversation is a session of the agent's. orch sets the mode that makes the agent ask,
// and relies on it only if the agent confirms it. fs and terminal requests are refused, because the
// agent works on its own. A turn without words and calls has failed, whatever the agent reports.
class AcpDialect final : public StreamDialect {
 public:
  AcpDialect(adapters::AcpSpec spec, std::string cwd);  // the session's absolute folder

  bool takes_several() const override { return true; }
  bool outlives_failure() const override { return step_ == Step::kPrompt; }
  bool tells(Kind kind) const override { return kind != Kind::kTaken; }
  std::vector<std::string> resume_words(const std::string&) const override { return {}; }
  std::string begin(const std::string& conversation, const std::string& text) override;
  std::string message(const std::string& text) override;
  std::vector<StreamItem> read(std::string_view bytes) override;
  std::vector<StreamItem> finish() override { return {}; }
  std::string take_reply() override { return std::exchange(reply_, {}); }
  agent::DialogRequest request(const std::string& tool, const std::string& input) const override;
  std::vector<agent::DialogRequest> requests(const StreamItem& item) const override;
  std::string answer(const OpenRequest& open) override;

 private:
  enum class Step : uint8_t { kInitialize, kSession, kMode, kPrompt };
  struct Call {  // a use of a tool, put together from its updates
    std::string kind, title;
    AgentJson input = AgentJson::object();
    std::vector<std::string> paths;
    std::string text;  // its result
    bool is_told = false;
  };
  struct Asked {  // a permission that the agent waits for
    agent::DialogRequest request;
    std::vector<std::string> options;  // their ids; "": the request is cancelled
  };
  using Items = std::vector<StreamItem>;

  std::string ask(Step step, std::string_view method, AgentJson params);
  std::string prompt_line();
  void on_line(std::string_view line, Items& items);
  void on_request(const AgentJson& message, Items& items);
  void on_update(const AgentJson& update, Items& items);
  void on_answer(const AgentJson& message, Items& items);
  void on_error(const AgentJson& error, Items& items);
  void on_initialized(const AgentJson& result, Items& items);
  void on_session(const AgentJson& result, Items& items);
  void on_turn_end(const AgentJson& result, Items& items);
  void enter_mode(const std::string& current, Items& items);
  Call& merge(const AgentJson& tool_call);
  void tell_call(const std::string& id, Call& call, Items& items);
  void tell_words(const AgentJson& update, Items& items);
  void tell_session(Items& items);
  void fail(const std::string& why, Items& items, int code = 0);
  static agent::DialogRequest request_of(const Call& call, bool title_is_command);
  Asked asked_of(const AgentJson& params, const Call& call) const;

  adapters::AcpSpec spec_;
  std::string cwd_;
  base::LineCutter lines_;
  std::string reply_;
  Step step_ = Step::kInitialize;
  int64_t last_id_ = 0;  // of our requests
  std::string session_;  // the agent's id of it; "": a new one is to be made
  bool is_new_ = true;   // otherwise the session is an earlier one
  bool session_told_ = false;
  std::string text_;                    // the message that waits until the session is ready
  std::string message_id_;              // of the agent's message that has begun
  bool ends_line_ = true;               // the words so far end with a line feed
  bool has_acted_ = false;              // the agent said or did something in this turn
  std::map<std::string, Call> calls_;   // by the agent's id of the use
  std::map<std::string, Asked> asked_;  // by the agent's id of the request, as JSON
};

}  // namespace orch::driver

#include "store/run_request_json.h"

#include "base/json_members.h"
#include "store/path_text.h"

namespace orch::store {
namespace {

// The names and members of a request, told once for both ways. Texts and lists that are empty are
// not written.
template <typename Request, typename Visit>
void each_member(Request& request, const Visit& visit) {
  visit("task", request.task);
  visit("agent", request.agent);
  visit("model", request.model);
  visit("effort", request.effort);
  visit("system_prompt", request.system_prompt);
  visit("until", request.until);
  visit("complete_keyword", request.keyword);
  visit("max_turns", request.max_turns);
  visit("max_tokens", request.max_tokens);
  visit("max_cost", request.max_cost);
  visit("timeout", request.timeout);
  visit("idle_timeout", request.idle_timeout);
  visit("ask_timeout", request.ask_timeout);
  visit("on_limit", request.on_limit);
  visit("approve", request.approve);
  visit("sandbox", request.sandbox);
  visit("net", request.network);
  visit("write", request.write);
  visit("read", request.read);
  visit("snapshot", request.snapshot);
  visit("image", request.image);
  visit("container", request.container);
  visit("mount", request.mounts);
  visit("memory", request.memory);
  visit("cpus", request.cpus);
  visit("pids_limit", request.pids_limit);
  visit("verify", request.verify);
  visit("fix_turns", request.fix_turns);
  visit("verify_timeout", request.verify_timeout);
  visit("require_changes", request.require_changes);
  visit("worktree", request.worktree);
  visit("env", request.env);
  visit("hooks", request.hooks);
  visit("trust_agent", request.trust_agent);
  visit("record", request.record);
  visit("record_limit", request.record_limit);
  visit("keep", request.keep);
  visit("session_manager", request.session_manager);
  visit("mode", request.mode);
  visit("size", request.size);
  visit("agent_program", request.agent_program);
  visit("agent_flags", request.agent_flags);
  visit("command", request.command);
  visit("folder", request.folder);
  visit("cwd", request.cwd);
  visit("resume", request.resume);
  visit("masked", request.masked);
}

class Writer {
 public:
  explicit Writer(base::Json& json) : json_(json) {}
  void operator()(const char* name, const std::string& text) const {
    if (!text.empty()) json_[name] = text;
  }
  void operator()(const char* name, const std::optional<std::string>& text) const {
    if (text) json_[name] = *text;
  }
  void operator()(const char* name, const std::vector<std::string>& words) const {
    if (!words.empty()) json_[name] = words;
  }
  void operator()(const char* name, const std::optional<int>& number) const {
    if (number) json_[name] = *number;
  }
  void operator()(const char* name, int number) const { json_[name] = number; }
  void operator()(const char* name, bool flag) const { json_[name] = flag; }

 private:
  base::Json& json_;
};

}  // namespace

base::Json json_of(const RunRequest& request) {
  base::Json json = base::Json::object();
  RunRequest as_text = request;
  for (std::string* path : {&as_text.folder, &as_text.cwd}) *path = path_to_text(*path);
  each_member(as_text, Writer(json));
  return json;
}

void read_request(base::JsonMembers& in, RunRequest& request) {
  each_member(request, [&in](const char* name, auto& member) { in.optional(name, member); });
  for (std::string* path : {&request.folder, &request.cwd}) *path = path_from_text(*path);
}

}  // namespace orch::store

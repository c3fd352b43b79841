#pragma once

// The fields of a run's request, as run.json has them; see base/json_writer.h. The two paths are
// written as path_to_text() tells them.
namespace orch::store {

inline constexpr auto kRunRequestFields = [](auto& in, auto& request) {
  in.sparse("task", request.task);
  in.sparse("agent", request.agent);
  in.sparse("model", request.model);
  in.sparse("effort", request.effort);
  in.sparse("system_prompt", request.system_prompt);
  in.sparse("until", request.until);
  in.sparse("complete_keyword", request.keyword);
  in.optional("max_turns", request.max_turns);
  in.sparse("max_tokens", request.max_tokens);
  in.sparse("max_cost", request.max_cost);
  in.sparse("timeout", request.timeout);
  in.sparse("idle_timeout", request.idle_timeout);
  in.sparse("ask_timeout", request.ask_timeout);
  in.sparse("on_limit", request.on_limit);
  in.sparse("approve", request.approve);
  in.sparse("sandbox", request.sandbox);
  in.sparse("net", request.network);
  in.sparse("write", request.write);
  in.sparse("read", request.read);
  in.optional("snapshot", request.snapshot);
  in.sparse("image", request.image);
  in.sparse("container", request.container);
  in.sparse("mount", request.mounts);
  in.sparse("memory", request.memory);
  in.sparse("cpus", request.cpus);
  in.sparse("pids_limit", request.pids_limit);
  in.sparse("verify", request.verify);
  in.optional("fix_turns", request.fix_turns);
  in.sparse("verify_timeout", request.verify_timeout);
  in.optional("require_changes", request.require_changes);
  in.optional("worktree", request.worktree);
  in.sparse("env", request.env);
  in.optional("hooks", request.hooks);
  in.optional("trust_agent", request.trust_agent);
  in.optional("record", request.record);
  in.sparse("record_limit", request.record_limit);
  in.sparse("keep", request.keep);
  in.sparse("session_manager", request.session_manager);
  in.sparse("mode", request.mode);
  in.sparse("size", request.size);
  in.sparse("agent_program", request.agent_program);
  in.sparse("agent_flags", request.agent_flags);
  in.sparse("command", request.command);
  in.sparse("folder", request.folder);
  in.sparse("cwd", request.cwd);
  in.sparse("resume", request.resume);
  in.optional("masked", request.masked);
};

}  // namespace orch::store

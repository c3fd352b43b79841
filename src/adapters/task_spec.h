#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json_fwd.h"

namespace orch::adapters {

// What a task needs to know of an agent that does a piece of it without a terminal, beside
// HeadlessSpec: its worker, or its meta-agent, which answers questions and does nothing.
struct TaskSpec {
  std::vector<std::string> aliases;               // other names of its kind: "codex-cli"
  std::map<std::string, std::string> models;      // the default for a role: "worker" → "gpt-5.2"
  std::map<std::string, std::string> shorthands;  // of models
  std::string effort;                             // the default; "": the agent's own

  // What stands for {options} before the model and the effort.
  std::vector<std::string>
      contained;                     // in a container: its own sandbox is off, it asks for nothing
  std::vector<std::string> answers;  // its tools can do nothing: a meta-agent on the host
  std::vector<std::string> asks;     // in place of headless.asks where nobody can answer it

  // Arguments in place of headless.arguments. {prompt} stands for the prompt, which then is not on
  // standard input. None: the agent cannot do that.
  std::vector<std::string> text;         // its answer comes as plain text
  std::vector<std::string> text_prompt;  // the same, its prompt being an argument
  std::vector<std::string> json_prompt;  // JSON lines, its prompt being an argument
};

void read_task(base::JsonMembers& parent, TaskSpec& spec);

}  // namespace orch::adapters

#pragma once

#include <map>
#include <string>
#include <vector>

namespace orch::adapters {

// The facts about an agent that a task needs in addition to HeadlessSpec, because the agent works
// for it without a terminal. The agent is the task's worker, or its meta-agent, which only answers
// questions.
struct TaskSpec {
  std::vector<std::string> aliases;               // other names of the agent: "codex-cli"
  std::map<std::string, std::string> models;      // the default for a role: "worker" → "gpt-5.2"
  std::map<std::string, std::string> shorthands;  // short names of models
  std::string effort;                             // the default; "": the agent's own

  // Arguments for the agent's permissions. They stand in place of {options}, before the model and
  // the effort.
  std::vector<std::string> contained;  // in a container: no sandbox of its own, no questions
  std::vector<std::string> answers;    // for a meta-agent on the host: its tools can do nothing
  std::vector<std::string> asks;       // instead of headless.asks if nobody can answer requests

  // Arguments that are used instead of headless.arguments; empty: the agent cannot do that.
  // {prompt} stands for the prompt, which then is not on standard input.
  std::vector<std::string> text;         // the answer comes as plain text
  std::vector<std::string> text_prompt;  // the same, and the prompt is an argument
  std::vector<std::string> json_prompt;  // the answer is JSON lines, and the prompt is an argument
};

class Members;
void task_members(Members& in, TaskSpec& spec);

}  // namespace orch::adapters

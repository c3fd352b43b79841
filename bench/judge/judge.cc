// judge --cwd DIR [--fenced] [--policy FILE]: prints what `--approve all` (or a policy file)
// answers when an agent asks whether it may run a shell command. Standard input has one command a
// line, as a JSON string; for each, a line {"answer":"allow|deny|none","rule":"..."} is printed.
// Exit code 2: there was no command, or a line or the policy is wrong.

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "base/json.h"
#include "policy/policy.h"

namespace {

using orch::base::Json;
using orch::policy::Answer;
using orch::policy::DialogFacts;
using orch::policy::Held;
using orch::policy::Policy;

const char* word_of(Answer answer) {
  switch (answer) {
    case Answer::kNone:
      break;
    case Answer::kAllow:
      return "allow";
    case Answer::kDeny:
      return "deny";
  }
  return "none";
}

DialogFacts asks_for(std::string command, const std::string& work_dir, Held held) {
  DialogFacts facts{"claude", {}, work_dir, held};
  facts.request.kind = orch::event::Cause::kPermission;
  facts.request.tool = "Bash";
  facts.request.action = orch::agent::DialogRequest::Action::kCommand;
  facts.request.likely = {std::move(command)};
  facts.request.complete = true;
  return facts;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("what a policy answers to shell commands");
  std::string work_dir;
  std::string file;
  app.add_option("--cwd", work_dir, "the work directory, absolute")->required();
  bool fenced = false;
  app.add_flag("--fenced", fenced, "as if a kernel held the writes inside of the work directory");
  app.add_option("--policy", file, "a policy file instead of `all`");
  CLI11_PARSE(app, argc, argv);

  Policy policy = Policy::all();
  if (!file.empty()) {
    std::ifstream in(file);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    orch::base::Result<Policy> parsed = Policy::parse(text, file);
    if (!parsed) return std::cerr << parsed.error().text << "\n", 2;
    policy = std::move(parsed).value();
  }
  size_t answers = 0;
  for (std::string line; std::getline(std::cin, line); ++answers) {
    const Json command = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!command.is_string()) return std::cerr << "judge: no JSON string: " << line << "\n", 2;
    const auto decision = policy.decide(
        asks_for(command.get<std::string>(), work_dir, fenced ? Held::kByFence : Held::kNot));
    std::cout << Json{{"answer", word_of(decision.answer)}, {"rule", decision.rule}}.dump() << "\n";
  }
  if (answers == 0) return std::cerr << "judge: no command on standard input\n", 2;
  return 0;
}

#include "policy/command_judge.h"

#include <algorithm>
#include <utility>

#include "policy/environment.h"
#include "policy/reaching_out.h"

namespace orch::policy {
namespace {

constexpr int kMaxDepth = 14;            // how deep command texts may be nested in each other
constexpr size_t kMaxValues = 16;        // of a loop's variable that are judged one by one
constexpr size_t kMaxBytes = 256 << 10;  // the total length of all texts that are read as commands

using Kind = ShellCommand::Kind;

std::optional<ShellState> joined(std::optional<ShellState> a, std::optional<ShellState> b) {
  if (!a) return b;
  if (!b) return a;
  return ShellState::joined(*a, *b);
}

// The flow that is left after a command may have read a part of the input.
Flow rest_of(const Flow& input) {
  const bool whole = input.kind != Flow::Kind::kText || input.is_paths();
  return whole ? input : Flow::unknown().with_private_of(input);
}

// Whether a function has a pipeline that calls the function twice (a fork bomb).
bool calls_itself(const ShellList& list, std::string_view name) {
  for (const AndOrList& and_or : list.items) {
    for (const AndOrList::Step& step : and_or.steps) {
      int calls = and_or.background ? 1 : 0;
      for (const ShellCommand& command : step.pipeline.commands) {
        const bool named = !command.words.empty() && command.words[0].parts.size() == 1 &&
                           command.words[0].parts[0].text == name;
        calls += named ? 1 : 0;
        for (const ShellList& body : command.bodies) {
          if (calls_itself(body, name)) return true;
        }
      }
      if (calls >= 2) return true;
    }
  }
  return false;
}

}  // namespace

CommandJudge::CommandJudge(std::string_view work_dir, Environment environment)
    : work_dir_(work_dir),
      environment_(environment),
      expansion_(work_dir_, state_, [this](const ShellList& script, const Flow& input) {
        // A substitution does not inherit set -e.
        const bool stops = std::exchange(state_.stops_at_errors, false);
        Flow output = judge_apart(script, input);
        state_.stops_at_errors = stops;
        return output;
      }) {
  state_.dir = work_dir_;
  expansion_.set_usual(environment_ == Environment::kUsual);
}

bool CommandJudge::take_step() {
  if (++steps_ <= kMaxSteps) return true;
  cannot_read();
  return false;
}

Flow CommandJudge::judge_text(std::string_view text, const Flow& input) {
  bytes_ += text.size();
  const bool bounded = bytes_ <= kMaxBytes && depth_ < kMaxDepth;
  const auto script = bounded ? read_shell(text) : std::nullopt;
  if (!script) {
    cannot_read();
    return Flow::unknown();
  }
  ++depth_;
  Flow output = judge_list(*script, input);
  --depth_;
  if (depth_ == 0 && !traps_.empty()) judge_traps();  // files may have been written since
  return output;
}

Flow CommandJudge::judge_list(const ShellList& list, const Flow& input) {
  Flow output;
  const size_t effects_before = effects_.count();
  for (const AndOrList& item : list.items) {
    const bool first = &item == &list.items.front();
    output = merged(std::move(output), judge_and_or(item, first ? input : rest_of(input)));
    if (steps_ > kMaxSteps) break;
  }
  judge_background(list, effects_before);
  return output;
}

// Judges background commands again: they may find files that later commands of the list write.
void CommandJudge::judge_background(const ShellList& list, size_t effects_before) {
  if (effects_.count() == effects_before) return;
  const ShellState after = state_;
  const auto failure = failure_;
  const bool ended = ended_;
  for (const AndOrList& item : list.items) {
    if (item.background && steps_ <= kMaxSteps) judge_and_or(item, Flow::unknown());
  }
  state_ = after;
  failure_ = failure;
  ended_ = ended;
}

// Follows two states: the one after success and the one after failure.
Flow CommandJudge::judge_and_or(const AndOrList& list, const Flow& input) {
  const ShellState start = state_;
  std::optional<ShellState> good = state_;
  std::optional<ShellState> bad;
  Flow output;
  if (list.steps.size() > 1) ++conditions_;
  for (const AndOrList::Step& step : list.steps) {
    const std::optional<ShellState>& before = step.after_failure ? bad : good;
    state_ = before ? *before : start;
    ended_ = false;
    failure_.reset();
    conditions_ += step.pipeline.negated ? 1 : 0;
    output = merged(std::move(output), judge_pipeline(step.pipeline, input));
    conditions_ -= step.pipeline.negated ? 1 : 0;
    std::optional<ShellState> success = state_;
    std::optional<ShellState> failure = failure_ ? failure_ : success;
    if (ended_ || !before) success = failure = std::nullopt;
    if (step.pipeline.negated) std::swap(success, failure);
    if (step.after_failure) {
      good = joined(good, success);
      bad = failure;
    } else {
      good = success;
      bad = joined(bad, failure);
    }
  }
  if (list.steps.size() > 1) --conditions_;
  const bool stops = list.steps.size() == 1 && !list.steps[0].pipeline.negated && good &&
                     good->stops_at_errors && conditions_ == 0;
  const std::optional<ShellState> after = stops ? good : joined(good, bad);
  ended_ = !after && !list.background;
  state_ = list.background || !after ? start : *after;
  failure_ = list.background || ended_ ? std::nullopt : bad;
  return output;
}

Flow CommandJudge::judge_pipeline(const ShellPipeline& pipeline, const Flow& input) {
  if (pipeline.commands.size() == 1) return judge_command(pipeline.commands.front(), input);
  const ShellState start = state_;
  const size_t effects_before = effects_.count();
  Flow flow = input;
  for (const ShellCommand& command : pipeline.commands) {
    state_ = start;
    flow = judge_command(command, flow);
    ended_ = false;
  }
  // The commands run at the same time, so each may find files that the others write.
  for (const ShellCommand& command : pipeline.commands) {
    if (command.kind == Kind::kSimple || effects_.count() == effects_before) continue;
    state_ = start;
    judge_command(command, Flow::unknown());
    ended_ = false;
  }
  state_ = start;
  failure_.reset();
  return flow;
}

Flow CommandJudge::judge_command(const ShellCommand& command, Flow input) {
  if (!take_step()) return Flow::unknown();
  failure_.reset();
  bool output_goes = false;
  if (command.kind != Kind::kSimple) {
    input = judge_redirections(command, std::move(input), &output_goes);
    Flow output = judge_body(command, input);
    note_written(command, output);
    if (!expansion_.readable()) cannot_read();
    return output_goes ? Flow{} : output;
  }
  Flow output = judge_simple(command, input);
  if (!expansion_.readable()) cannot_read();
  return output;
}

Flow CommandJudge::judge_body(const ShellCommand& command, const Flow& input) {
  switch (command.kind) {
    case Kind::kSimple:
      break;
    case Kind::kGroup:
      return judge_list(command.bodies[0], input);
    case Kind::kSubshell:
      return judge_apart(command.bodies[0], command.name == "coproc" ? Flow::unknown() : input);
    case Kind::kIf:
      return judge_if(command, input);
    case Kind::kLoop:
    case Kind::kFor:
      return judge_loop(command, input);
    case Kind::kCase:
      return judge_case(command, input);
    case Kind::kFunction:
      define_function(command);
      return {};
    case Kind::kTest:
      return judge_test(command);
  }
  return {};
}

Flow CommandJudge::judge_apart(const ShellList& list, const Flow& input) {
  const ShellState start = state_;
  const bool ended = std::exchange(ended_, false);
  const auto failure = failure_;
  if (++depth_ > 40) {
    cannot_read();
    --depth_;
    return Flow::unknown();
  }
  Flow output = judge_list(list, input);
  --depth_;
  state_ = start;
  ended_ = ended;
  failure_ = failure;
  return output;
}

Flow CommandJudge::judge_if(const ShellCommand& command, const Flow& input) {
  Flow output;
  std::optional<ShellState> after;
  const size_t pairs = command.bodies.size() / 2;
  std::optional<ShellState> untaken = state_;
  for (size_t i = 0; i < pairs; ++i) {
    ++conditions_;
    output = merged(std::move(output), judge_list(command.bodies[2 * i], input));
    --conditions_;
    untaken = state_;
    ended_ = false;
    output = merged(std::move(output), judge_list(command.bodies[2 * i + 1], input));
    if (!ended_) after = joined(after, state_);
    state_ = *untaken;
    ended_ = false;
  }
  if (command.bodies.size() % 2 == 1) {
    output = merged(std::move(output), judge_list(command.bodies.back(), input));
    untaken = ended_ ? std::nullopt : std::optional(state_);
  }
  after = joined(after, untaken);
  ended_ = !after;
  if (after) state_ = *after;
  failure_.reset();
  return output;
}

// Walks through the loop until an iteration no longer changes the known state.
Flow CommandJudge::judge_loop(const ShellCommand& command, const Flow& input) {
  Words words;
  for (const SyntaxWord& word : command.words) expansion_.append_words(word, words);
  std::vector<std::string> values;
  for (const ShellWord& word : words) {
    const std::string value =
        word.text == std::string{kAnyWords} ? std::string{kAnyText} : word.text;
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  if (values.empty() || values.size() > kMaxValues) values = {one_of(values)};
  Flow output;
  for (int round = 0; round < 3 && steps_ <= kMaxSteps; ++round) {
    const ShellState before = state_;
    const size_t effects_before = effects_.count();
    for (const std::string& value : values) {
      if (!command.name.empty()) set_variable(command.name, value);
      for (size_t i = 0; i < command.bodies.size(); ++i) {
        const bool condition = i + 1 < command.bodies.size();
        conditions_ += condition ? 1 : 0;
        output = judge_list(command.bodies[i], condition ? input : rest_of(input));
        conditions_ -= condition ? 1 : 0;
      }
      ended_ = false;
      state_ = ShellState::joined(before, state_);
    }
    const bool same = state_ == before;
    if (same && (round > 0 || effects_.count() == effects_before)) break;
    if (round == 1) {
      state_.dir.reset();
      state_.forget_variables();
    }
  }
  failure_.reset();
  return output.kind == Flow::Kind::kNone       ? Flow{}
         : output.is_paths()                    ? output
         : output.kind == Flow::Kind::kDownload ? output
                                                : Flow::unknown().with_private_of(output);
}

Flow CommandJudge::judge_case(const ShellCommand& command, const Flow& input) {
  for (const SyntaxWord& word : command.words) expansion_.one_word(word.parts);
  const ShellState start = state_;
  std::optional<ShellState> after = start;
  std::optional<ShellState> previous;
  Flow output;
  for (const ShellList& branch : command.bodies) {
    state_ = previous ? ShellState::joined(start, *previous) : start;
    ended_ = false;
    output = merged(std::move(output), judge_list(branch, input));
    previous = ended_ ? std::nullopt : std::optional(state_);
    after = joined(after, previous);
  }
  ended_ = false;
  state_ = *after;
  failure_.reset();
  return output;
}

// [[ ]] evaluates the operands of -eq and the like as arithmetic, which may run commands.
Flow CommandJudge::judge_test(const ShellCommand& command) {
  bool numbers = false;
  for (const SyntaxWord& word : command.words) {
    const ShellWord value = expansion_.one_word(word.parts);
    numbers = numbers || is_one_of(value.text, {"-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v"});
  }
  if (!numbers) return {};
  for (const SyntaxWord& word : command.words) {
    if (!is_evaluated_harmlessly(word)) cannot_read();
  }
  return {};
}

// Whether the word runs no command if it is evaluated as arithmetic.
bool CommandJudge::is_evaluated_harmlessly(const SyntaxWord& word) {
  return std::all_of(word.parts.begin(), word.parts.end(), [this](const WordPart& part) {
    bool assigned = false;
    switch (part.kind) {
      case WordPart::Kind::kText:
        return part.text.find_first_of("[`$(") == std::string::npos && names_no_code(part.text);
      case WordPart::Kind::kVariable: {
        const std::string value = expansion_.value_of(part.text, &assigned);
        return !assigned || is_number(value);
      }
      case WordPart::Kind::kScript:
        return is_number(expansion_.one_word({part}).text);
      case WordPart::Kind::kUnknown:
        return false;
      default:
        return true;
    }
  });
}

// Whether all variables that an expression names are numbers, or not set by the command. Their
// values are evaluated in their turn.
bool CommandJudge::names_no_code(std::string_view text) const {
  std::string name;
  const auto is_harmless = [&] {
    bool assigned = false;
    const std::string value = expansion_.value_of(std::exchange(name, {}), &assigned);
    return !assigned || value.empty() || is_number(value);
  };
  for (const char c : text) {
    if (is_name({&c, 1})) {
      name += c;
    } else if (!is_harmless()) {
      return false;
    }
  }
  return is_harmless();
}

void CommandJudge::define_function(const ShellCommand& command) {
  if (calls_itself(command.bodies[0], command.name)) suspect(DenyEntry::kForkBomb, true);
  if (functions_.contains(command.name) || functions_.size() > 100) cannot_read();
  functions_[command.name] = std::make_shared<const ShellList>(command.bodies[0]);
  std::vector<ShellState> returns;
  auto* outer = std::exchange(returns_, &returns);
  active_.push_back(command.name);
  judge_apart(command.bodies[0], Flow::unknown());
  active_.pop_back();
  returns_ = outer;
}

// Whether the variable may be given to every program that follows; its value must be known exactly.
bool CommandJudge::is_harmless_for_all(std::string_view name, std::string_view value) const {
  return exact_word(value).exact() && is_harmless_export(name, value, where());
}

void CommandJudge::set_variable(const std::string& name, std::string value) {
  const bool harmless = state_.exports_all ? is_harmless_for_all(name, value)
                                           : is_harmless_variable(name, value, where());
  if (!harmless) cannot_read();
  if (name == "PATH") searches_elsewhere_ = true;
  if (name == "HOME") moved_home_ = true;
  if (name == "IFS") state_.splits_oddly = true;
  state_.assign(name, std::move(value));
  if (!traps_.empty()) judge_traps();
}

// `alone`: the assignment has no command, so it holds for all that follow.
void CommandJudge::assign(const Assignment& assignment, bool alone) {
  const ShellWord word = expansion_.one_word(assignment.value);
  std::string value = word.text;
  for (const SyntaxWord& item : assignment.items) {
    Words items;
    expansion_.append_words(item, items);
    const bool subscript = !item.parts.empty() && item.parts[0].kind == WordPart::Kind::kGlob;
    const bool code = std::any_of(items.begin(), items.end(), [](const ShellWord& one) {
      return holds_command_of_subscript(one.text);
    });
    if (code || (subscript && !is_evaluated_harmlessly(item))) cannot_read();
  }
  if (!assignment.whole) value = {kAnyText};
  const bool harmless = !alone ? is_harmless_export(assignment.name, value, where())
                        : state_.exports_all
                            ? is_harmless_for_all(assignment.name, value)
                            : is_harmless_variable(assignment.name, value, where());
  if (!harmless) cannot_read();
  if (!alone && exact_word(value).exact() && value.find(' ') != std::string::npos) {
    for (const Suspicion& harm : harm_of({exact_word("eval"), exact_word(value)})) {
      if (harm.certain) suspect(harm.entry, false);
    }
  }
  if (assignment.name == "PATH") searches_elsewhere_ = true;
  if (assignment.name == "HOME") moved_home_ = true;
  if (!alone) return;
  // The value may be empty, because the script that printed it may have failed.
  const bool maybe = !value.empty() && value[0] == kMaybeBegin && whole(value)[0] != kAnyText;
  if (maybe) {
    failure_ = state_;
    failure_->assign(assignment.name, "");
  } else if (failure_) {
    failure_->assign(assignment.name, value);
  }
  set_variable(assignment.name, maybe ? whole(value) : value);
}

Flow CommandJudge::judge_redirections(const ShellCommand& command, Flow input, bool* output_goes) {
  for (const Redirection& redirection : command.redirections) {
    const ShellWord target = redirection.kind == Redirection::Kind::kHereText
                                 ? expansion_.one_word(redirection.target.parts)
                                 : expansion_.file_name(redirection.target);
    switch (redirection.kind) {
      case Redirection::Kind::kRead: {
        const std::optional<NamedPath> path = path_of(target, where());
        const WrittenFiles::File* file =
            effects_.written.empty() ? nullptr : effects_.written.find(path ? path->path : "");
        const bool loaded =
            target.downloaded || downloads_.hold(target.text) || is_network_device(target.text);
        input = {loaded ? Flow::Kind::kDownload : Flow::Kind::kFile, loaded ? "" : target.text};
        input.outside = prints_private("", {target}, where());
        if (target.process && !target.downloaded) input = Flow::unknown().with_private_of(input);
        if (target.process && target.text.ends_with(kPathBelow)) input = Flow::paths();
        if (target.process && target.text.ends_with(kMostNames)) input = Flow::most_names();
        if (file != nullptr) input = file->known ? Flow::of(file->text) : Flow::unknown();
        break;
      }
      case Redirection::Kind::kHereText:
        input = target.downloaded ? Flow{Flow::Kind::kDownload, "", false} : Flow::of(target.text);
        break;
      case Redirection::Kind::kDuplicate:
        if (!redirection.of_output) input = Flow::unknown();  // <&3
        break;
      case Redirection::Kind::kWrite: {
        *output_goes = *output_goes || redirection.of_output;
        const Words none;
        const Whereabouts place = where();
        const ProgramCall written = call("", none, place);
        if (is_network_device(target.text)) {
          suspect(DenyEntry::kPublish, false);
        } else {
          redirection.appends ? judge_target(target, written) : judge_lost(target, written);
        }
        break;
      }
    }
  }
  return input;
}

// Notes the text that a redirection wrote to a file, once the output of the command is known.
void CommandJudge::note_written(const ShellCommand& command, const Flow& output) {
  for (const Redirection& redirection : command.redirections) {
    if (redirection.kind != Redirection::Kind::kWrite) continue;
    ShellWord target;
    for (const WordPart& part : redirection.target.parts) {
      const bool plain = part.kind == WordPart::Kind::kText;
      const bool variable = part.kind == WordPart::Kind::kVariable && part.modifier.empty();
      target.text += plain      ? part.text
                     : variable ? expansion_.value_of(part.text)
                                : std::string{kAnyText};
    }
    if (target.text.starts_with("/dev/")) continue;
    const std::optional<NamedPath> path = path_of(target, where());
    const bool known = output.kind == Flow::Kind::kText && exact_word(output.text).exact();
    if (output.holds_private()) {
      const Words none;
      const Whereabouts place = where();
      note_taken(exact_word(target.text), call("", none, place));
    }
    if (output.kind == Flow::Kind::kDownload) {
      downloads_.add(target.text);
      const Words none;
      const Whereabouts place = where();
      note_fetched(exact_word(target.text), call("", none, place));
    }
    effects_.written.add(path && !path->unknown ? path->path : "", output.text, known);
  }
}

Flow CommandJudge::judge_simple(const ShellCommand& command, const Flow& given) {
  Words words;
  for (const SyntaxWord& word : command.words) {
    const bool names_program = words.empty() && environment_ == Environment::kUsualPrograms;
    if (names_program) expansion_.set_usual(true);
    expansion_.append_words(word, words);
    if (names_program) expansion_.set_usual(false);
  }
  for (const Assignment& assignment : command.assignments) assign(assignment, words.empty());
  bool output_goes = false;
  const Flow input = judge_redirections(command, given, &output_goes);
  if (words.empty()) {
    note_written(command, {});
    // "$(<file)" is the content of the file.
    const bool reads = !command.redirections.empty() && input.kind != Flow::Kind::kNone;
    if (!reads || input.kind == Flow::Kind::kDownload) return reads ? input : Flow{};
    return Flow::unknown().with_private_of(input);
  }
  failure_.reset();
  Flow output = judge_words(words, input);
  const auto failure = failure_;
  note_written(command, output);
  failure_ = failure;
  return output_goes ? Flow{} : output;
}

}  // namespace orch::policy

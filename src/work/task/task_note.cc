#include "task/task_note.h"

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "yaml/text.h"

namespace orch::task {
namespace {

constexpr size_t kNotedPrdBytes = 2'000, kNotedPromptBytes = 4'000, kNotedWordsBytes = 3'000,
                 kNotedTestBytes = 3'000;

// The lines of the text, with printable characters only.
std::string visible(std::string_view text) {
  std::string out;
  for (const std::string_view line : base::split_lines(text)) {
    out += base::printable(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line);
    out += '\n';
  }
  return out;
}

std::string seconds(int64_t ms) {
  if (ms < 1'000) return std::to_string(ms) + " ms";
  if (ms < 60'000) return std::to_string(ms / 1'000) + " s";
  return std::to_string(ms / 60'000) + " min " + std::to_string(ms / 1'000 % 60) + " s";
}

std::string dollars(double usd) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4f", usd);
  return text.data();
}

class Note {
 public:
  explicit Note(const NoteSubject& subject) : subject_(subject), facts_(subject.facts) {}

  std::string write() {
    front_matter();
    line("# " + markdown_line(subject_.spec.title));
    line("**" + std::string(name(subject_.end.state)) + "** (" +
         std::string(name(subject_.end.reason)) + ")" +
         (subject_.end.detail.empty() ? "" : ": " + markdown_line(subject_.end.detail)));
    line("## What was wanted");
    block(beginning_of(subject_.prd, kNotedPrdBytes));
    criteria();
    story();
    tests();
    remains();
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_.append(text).append("\n\n"); }
  void block(std::string_view text) { out_.append(markdown_block(text)).append("\n"); }
  void field(std::string_view key, std::string_view text) {
    out_.append(key).append(": ").append(yaml::yaml_quoted(text)).append("\n");
  }
  void field(std::string_view key, int64_t number) {
    out_.append(key).append(": ").append(std::to_string(number)).append("\n");
  }

  void front_matter() {
    out_ += "---\n";
    field("id", subject_.spec.id);
    field("title", subject_.spec.title);
    field("status", name(subject_.end.state));
    field("reason", name(subject_.end.reason));
    field("started", subject_.started);
    field("ended", subject_.ended);
    field("worked_ms", subject_.worked_ms);
    field("worker_runs", static_cast<int64_t>(facts_.runs.size()));
    field("questions", facts_.questions);
    field("tokens_in", facts_.usage.in);
    field("tokens_out", facts_.usage.out);
    if (facts_.usage.cost_usd) out_ += "cost_usd: " + dollars(*facts_.usage.cost_usd) + "\n";
    field("most_worker_runs", subject_.spec.worker.max_loops);
    const Budget& budget = subject_.spec.budget;
    if (budget.time_ms > 0) field("most_ms", budget.time_ms);
    if (budget.tokens > 0) field("most_tokens", budget.tokens);
    if (budget.cost_usd > 0) out_ += "most_cost_usd: " + dollars(budget.cost_usd) + "\n";
    field("meta", subject_.spec.meta.provider.kind);
    field("worker", subject_.spec.worker.provider.kind);
    field("sandbox", name(subject_.spec.sandbox.kind));
    out_ += "runs:";
    for (const WorkerRun& run : facts_.runs) {
      if (run.end && !run.end->run.empty()) out_ += "\n  - " + yaml::yaml_quoted(run.end->run);
    }
    out_ += out_.ends_with(":") ? " []\n" : "\n";
    out_ += "---\n\n";
  }

  void criteria() {
    line("## Acceptance criteria");
    if (facts_.criteria.empty()) return line("None were made.");
    for (const Criterion& criterion : facts_.criteria) {
      out_ += criterion.verdict == Verdict::kPassed ? "- [x] " : "- [ ] ";
      out_.append("**").append(criterion.id).append("** (").append(name(criterion.verdict));
      out_ += "): " + markdown_line(criterion.description);
      if (!criterion.comment.empty()) out_ += " — " + markdown_line(criterion.comment);
      out_ += '\n';
    }
    out_ += '\n';
    if (!facts_.summary.empty()) line("Last assessment: " + markdown_line(facts_.summary));
  }

  void story() {
    line("## What was done");
    if (facts_.decisions.empty()) line("Nothing was decided.");
    for (size_t i = 0; i < facts_.decisions.size(); ++i) {
      const Decision& decision = facts_.decisions[i];
      line("### " + std::to_string(i + 1) + ". " + markdown_line(name(decision.action)));
      if (!decision.reason.empty()) line("Reason: " + markdown_line(decision.reason));
      if (!decision.refused.empty()) line("Refused: " + markdown_line(decision.refused));
      for (const WorkerRun& run : facts_.runs) {
        if (run.decision == i) worker_run(run);
      }
    }
  }

  void worker_run(const WorkerRun& run) {
    line("Worker run " + std::to_string(run.n) + ", told:");
    block(beginning_of(run.call.prompt, kNotedPromptBytes));
    if (!run.end) return line("It did not end.");
    const WorkerEnd& end = *run.end;
    out_ += "It ended after " + seconds(end.ms) + " with " + markdown_line(end.reason) + " (exit " +
            std::to_string(end.code) + ")";
    if (!end.detail.empty()) out_ += ": " + markdown_line(end.detail);
    out_ += ".\n\n";
    if (!end.run.empty()) line("Record: " + markdown_line("orch show " + end.run));
    files(end);
    if (end.words.empty()) return;
    line("Its last words:");
    block(end_of(end.words, kNotedWordsBytes));
  }

  void files(const WorkerEnd& end) {
    if (!end.changes_unknown.empty()) {
      return line("What it changed is not known: " + markdown_line(end.changes_unknown));
    }
    out_ += "Files changed: " + std::to_string(end.files) + (end.commit ? ", and a commit" : "");
    out_ += "\n\n";
    for (const std::string& path : end.paths) out_ += "- " + markdown_line(path) + "\n";
    if (end.files > static_cast<int>(end.paths.size()) && !end.paths.empty()) out_ += "- ...\n";
    if (!end.paths.empty()) out_ += '\n';
  }

  void tests() {
    line("## Tests");
    if (subject_.spec.test.command.empty()) return line("The task has no test command.");
    block(subject_.spec.test.command);
    for (const TestRun& test : facts_.tests) {
      out_ += "- after worker run " + std::to_string(test.after) +
              (test.last ? ", as the last check" : "") + ": ";
      out_ += test.end.passed()    ? "passed"
              : test.end.timed_out ? "took too long"
                                   : "failed with exit code " + std::to_string(test.end.code);
      out_ += ", " + seconds(test.end.ms) + "\n";
    }
    if (facts_.tests.empty()) return line("They were not run.");
    out_ += '\n';
    if (facts_.tests.back().end.passed()) return;
    line("The end of the last output:");
    block(end_of(facts_.tests.back().end.output, kNotedTestBytes));
  }

  void remains() {
    line("## What remains");
    if (subject_.end.state == TaskState::kComplete) return line("Nothing that is known.");
    bool any = false;
    for (const Criterion& criterion : facts_.criteria) {
      if (criterion.verdict == Verdict::kPassed) continue;
      any = true;
      out_ += "- " + criterion.id + ": " + markdown_line(criterion.description) + "\n";
    }
    if (!facts_.tests.empty() && !facts_.tests.back().end.passed()) {
      any = true;
      out_ += "- The tests fail.\n";
    }
    if (facts_.criteria.empty()) {
      any = true;
      out_ += "- All of it: the task was not planned.\n";
    }
    if (!any) out_ += "- To check the whole: the task did not come to its end.\n";
  }

  const NoteSubject& subject_;
  const TaskFacts& facts_;
  std::string out_;
};

}  // namespace

std::string write_note(const NoteSubject& subject) { return Note(subject).write(); }

std::string note_path(std::string_view id) {
  return ".agent-runner/task-" + std::string(id) + ".md";
}

std::string markdown_line(std::string_view text) {
  constexpr std::string_view kSpecial = "\\`*_{}[]<>()#|~&!$";
  std::string line;
  for (const std::string_view part : base::split_lines(text)) {
    if (!line.empty()) line += ' ';
    line += base::printable(base::trim(part));
  }
  std::string out;
  // At the beginning of a line some characters begin a list, a rule or a heading.
  const size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  if (!line.empty() && std::string_view("-+=").find(line.front()) != std::string_view::npos) {
    out += '\\';
  }
  for (size_t i = 0; i < line.size(); ++i) {
    const bool numbers_item = i == digits && digits > 0 && (line[i] == '.' || line[i] == ')');
    const bool special = kSpecial.find(line[i]) != std::string_view::npos;
    if (special || numbers_item) out += '\\';
    out += line[i] == '\t' ? ' ' : line[i];
  }
  return out;
}

std::string markdown_block(std::string_view text) {
  size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<size_t>(3, longest + 1), '`');
  return fence + "text\n" + visible(text) + fence + "\n";
}

}  // namespace orch::task

#include "report/story.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"
#include "report/html.h"

namespace orch::report {
namespace {

// A list item with this content; `kind` is its CSS class.
std::string item(std::string_view kind, int64_t ms, std::string_view content) {
  return fmt::format(
      "<li class=\"{}\" data-t=\"{}\"><a class=\"at\" href=\"#t={}\">{}</a><div>{}</div></li>\n",
      kind, ms, seconds_text(ms), clock_text(ms), content);
}

std::string kind_of(event::Speaker speaker) { return std::string(event::name(speaker)); }

std::string code(std::string_view text) { return "<code>" + escaped(text) + "</code>"; }

// The answer to a dialog, and its author: dialog.by is "policy:all", "user", or "".
std::string decision_of(const event::Dialog& dialog) {
  const bool answered = !dialog.answer.empty();
  std::string text = answered ? "<b>" + escaped(dialog.answer) + "</b>" : "<b>not answered</b>";
  if (dialog.by == "user") return text + " by a person";
  if (!dialog.by.empty()) return text + " by " + code(dialog.by);
  return text;
}

std::string dialog_card(const event::Dialog& dialog) {
  std::string html = "<p class=\"kicker\">dialog";
  if (dialog.cause != event::Cause::kNone) html.append(": ").append(name(dialog.cause));
  if (!dialog.tool.empty()) html += " \u00b7 " + escaped(dialog.tool);
  html += "</p>";
  if (!dialog.title.empty()) html += "<h3>" + escaped(dialog.title) + "</h3>";
  if (!dialog.body.empty()) html += "<pre>" + escaped(dialog.body) + "</pre>";
  if (!dialog.options.empty()) {
    html += "<ol>";
    for (const std::string& option : dialog.options) {
      html += option == dialog.answer ? "<li class=\"chosen\">" : "<li>";
      html += escaped(option, 500) + "</li>";
    }
    html += "</ol>";
  }
  return html + "<p class=\"decision\">" + decision_of(dialog) + "</p>";
}

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; });
  return text;
}

// Whether a remark is a report of the agent's own hooks, which the page shows on request.
bool is_of_hook(std::string_view remark) {
  return remark.starts_with("hook ") || remark.starts_with("notify ");
}

class Teller {
 public:
  explicit Teller(const Report& report) : report_(report), task_(without_blanks(report.task)) {
    for (const event::Record& record : report.events) {
      const auto* message = std::get_if<event::Message>(&record.event);
      if (message == nullptr) continue;
      if (message->phase == event::MessagePhase::kQueued)
        queued_.try_emplace(message->id, Queued{record.ms, message->from});
      last_phase_[message->id] = message->phase;
    }
  }

  std::vector<std::string> tell() {
    if (!report_.task.empty()) {
      say(0, {report_.task, event::Speaker::kUser});
      close();
    }
    size_t other = 0, remark = 0;
    const auto tell_until = [&](int64_t ms) {
      for (; other < report_.others.size() && report_.others[other].ms <= ms; ++other) {
        add(report_.others[other]);
      }
      for (; remark < report_.remarks.size() && report_.remarks[remark].ms <= ms; ++remark) {
        const std::string& text = report_.remarks[remark].text;
        put(is_of_hook(text) ? "remark hook" : "remark", report_.remarks[remark].ms, escaped(text));
      }
    };
    for (const event::Record& record : report_.events) {
      if (record.ms > 0) tell_until(record.ms - 1);
      ms_ = record.ms;
      std::visit(*this, record.event);
    }
    tell_until(INT64_MAX);
    close();
    return std::move(items_);
  }

  void operator()(const event::SessionStart&) {}
  void operator()(const event::StatusChange& change) {
    std::string text = fmt::format("<i class=\"{0}\"></i>{1}", name(change.status),
                                   status_text(change.status, change.cause));
    if (!change.rule.empty()) text += " <small>" + escaped(change.rule) + "</small>";
    put("status", ms_, text);
  }
  void operator()(const event::Output& output) {
    if (output.gap) {
      put("remark", ms_, "Lines are missing here: they scrolled away before they could be seen.");
    } else if (output.speaker != event::Speaker::kChrome && !is_echo_of_task(output)) {
      say(ms_, output);
    }
  }
  void operator()(const event::Message& message) {
    const std::string id = "message " + code(message.id) + sender(message.id);
    switch (message.phase) {
      case event::MessagePhase::kQueued:
        if (last_phase_[message.id] == event::MessagePhase::kQueued) {
          put("delivery", ms_, id + " was given and never typed");
        }
        break;
      case event::MessagePhase::kSent:
        if (last_phase_[message.id] == event::MessagePhase::kSent) {
          put("delivery", ms_, id + " was typed; nothing shows that the agent took it");
        }
        break;
      case event::MessagePhase::kAccepted:
        put("delivery", ms_, id + " accepted" + waited(message));
        break;
      case event::MessagePhase::kFailed:
        put("delivery", ms_, id + " failed: " + escaped(message.reason));
        break;
    }
  }
  void operator()(const event::Dialog& dialog) {
    const bool again = is_answer_to(dialog, last_dialog_);
    last_dialog_ = dialog;
    put("dialog", ms_,
        again ? "<p class=\"decision\">" + decision_of(dialog) + "</p>" : dialog_card(dialog));
  }
  // Shows the decision about a call, and the result of a tool. The use of the tool is already among
  // the agent's words.
  void operator()(const event::Tool& tool) {
    if (tool.phase == event::ToolPhase::kDecided) {
      const bool allowed = tool.decided == "allow";
      return put(allowed ? "result" : "dialog", ms_,
                 fmt::format("<p class=\"decision\">{} {} by {}, {} ms: {}</p>", code(tool.name),
                             allowed                  ? "allowed"
                             : tool.decided == "deny" ? "denied"
                                                      : "asked",
                             escaped(tool.by), tool.decided_ms, code(tool.input)));
    }
    if (tool.phase != event::ToolPhase::kEnded || tool.text.empty()) return;
    put("result", ms_,
        fmt::format("<details><summary>{}{}</summary><pre>{}</pre></details>", code(tool.name),
                    tool.failed ? " failed" : "", escaped(tool.text)));
  }
  void operator()(const event::Usage& usage) { put("usage", ms_, usage_text(usage)); }
  void operator()(const event::Turn& turn) {
    turn_ = turn.n;
    if (!turn.ended) put("turn", ms_, fmt::format("turn {}", turn.n));
  }
  void operator()(const event::Gate& gate) {
    if (!gate.ended) return;
    std::string text = fmt::format("{} {}", code(gate.command),
                                   gate.timed_out   ? "did not end in time"
                                   : gate.code == 0 ? "passed"
                                                    : fmt::format("failed with {}", gate.code));
    if (!gate.output.empty()) {
      text = fmt::format("<details><summary>{}</summary><pre>{}</pre></details>", text,
                         escaped(gate.output));
    }
    put("gate", ms_, text);
  }
  void operator()(const event::Exit& exit) {
    put("exit", ms_, fmt::format("{} <small>exit {}</small>", code(name(exit.reason)), exit.code));
  }

 private:
  void put(std::string_view kind, int64_t ms, const std::string& content) {
    close();
    items_.push_back(item(kind, ms, content));
  }

  void add(const OtherRecord& other) {
    std::string text = "<b>" + escaped(other.kind) + "</b>";
    for (const auto& [key, value] : other.members) {
      text += " <span>" + escaped(key) + "\u00a0" + code(value) + "</span>";
    }
    put("other hook", other.ms, text);
  }

  // The agent draws its first message again, wrapped in its own way.
  bool is_echo_of_task(const event::Output& line) const {
    return line.speaker == event::Speaker::kUser && turn_ <= 1 && !task_.empty() &&
           task_.find(without_blanks(line.text)) != std::string::npos;
  }

  // Lines of one speaker that follow each other soon form one item. Blank lines at its beginning
  // are dropped.
  void say(int64_t ms, const event::Output& line) {
    if (words_.empty() && base::trim(line.text).empty()) return;
    constexpr int64_t kSoon = 5000;
    constexpr size_t kMaxBlock = 6000;
    const bool goes_on = !words_.empty() && line.speaker == speaker_ && ms - last_ms_ < kSoon &&
                         words_.size() < kMaxBlock;
    if (!goes_on) {
      close();
      speaker_ = line.speaker;
      since_ms_ = ms;
    } else {
      words_ += '\n';
    }
    words_ += escaped(line.text);
    last_ms_ = ms;
  }

  void close() {
    if (words_.empty()) return;
    words_.resize(words_.find_last_not_of(" \n\t") + 1);
    const std::string kind = kind_of(speaker_);
    items_.push_back(item("say " + kind, since_ms_,
                          "<span class=\"speaker\">" + kind + "</span><pre>" + words_ + "</pre>"));
    words_.clear();
  }

  // Empty for the messages of the run itself.
  std::string sender(const std::string& id) const {
    const auto queued = queued_.find(id);
    if (queued == queued_.end()) return "";
    const std::string& from = queued->second.from;
    return from.empty() || from == event::kFromRun ? "" : " from " + escaped(from);
  }

  std::string waited(const event::Message& message) const {
    const auto queued = queued_.find(message.id);
    std::string text;
    if (queued != queued_.end()) {
      text =
          fmt::format(" after {:.1f}\u00a0s", static_cast<double>(ms_ - queued->second.ms) / 1000);
    }
    if (message.enters > 1) text += fmt::format(", Enter typed {} times", message.enters);
    return text;
  }

  const Report& report_;
  const std::string task_;  // without blanks
  struct Queued {
    int64_t ms = 0;
    std::string from;
  };
  std::map<std::string, Queued> queued_;  // by the message's id
  std::map<std::string, event::MessagePhase> last_phase_;
  std::vector<std::string> items_;
  int64_t ms_ = 0;
  int turn_ = 0;
  event::Dialog last_dialog_;
  // The words of one speaker that do not form an item yet, escaped.
  std::string words_;
  event::Speaker speaker_ = event::Speaker::kAgent;
  int64_t since_ms_ = 0, last_ms_ = 0;
};

}  // namespace

bool is_answer_to(const event::Dialog& dialog, const event::Dialog& before) {
  event::Dialog unanswered = dialog;
  unanswered.answer.clear();
  unanswered.by = before.by;
  return before == unanswered;
}

std::string story_of(const Report& report, size_t max_bytes) {
  const std::vector<std::string> items = Teller(report).tell();
  size_t bytes = 0;
  for (const std::string& one : items) bytes += one.size();
  std::string story;
  size_t first = items.size(), last = items.size();  // items [first, last) are left out
  if (bytes > max_bytes) {
    // A third of the room is for the beginning, the rest for the end.
    size_t left = max_bytes - std::min<size_t>(max_bytes, 300);
    size_t head = left / 3;
    for (first = 0; first < items.size() && items[first].size() <= head; ++first) {
      head -= items[first].size();
      left -= items[first].size();
    }
    while (last > first && items[last - 1].size() <= left) left -= items[--last].size();
  }
  for (size_t i = 0; i < first; ++i) story += items[i];
  if (first < last) {
    story += fmt::format(
        "<li class=\"remark\"><div>{} entries are left out here, so that the page "
        "stays small; orch logs has them all.</div></li>\n",
        grouped(last - first));
  }
  for (size_t i = last; i < items.size(); ++i) story += items[i];
  return story;
}

}  // namespace orch::report

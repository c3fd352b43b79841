#include "agent/dialog_request.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/words.h"

namespace orch::agent {

namespace {

constexpr base::Words<Meaning, 4> kMeanings{{
    {Meaning::kAllowOnce, "allow once"},
    {Meaning::kAllowAlways, "allow always"},
    {Meaning::kDeny, "deny"},
    {Meaning::kOther, "other"},
}};

}  // namespace

std::string_view name(Meaning meaning) { return base::word_of(kMeanings, meaning); }

std::optional<Meaning> meaning_named(std::string_view name) {
  return base::value_of(kMeanings, name);
}

std::string label(const DialogOption& option) {
  std::string text = option.text;
  if (option.ticked) text.insert(0, *option.ticked ? "[x] " : "[ ] ");
  if (!option.description.empty()) text.append(" - ").append(option.description);
  return text;
}

bool DialogRequest::is_set() const {
  return std::any_of(options.begin(), options.end(),
                     [](const DialogOption& option) { return option.ticked.has_value(); });
}

std::string describe(const DialogRequest& request) {
  std::string out = request.title;
  const auto add = [&out](const std::string& line) {
    if (!out.empty()) out += '\n';
    out += line;
  };
  if (!request.body.empty()) add(request.body);
  for (size_t i = 0; i < request.options.size(); ++i) {
    add((request.cursor == i ? "> " : "  ") + std::to_string(request.first + static_cast<int>(i)) +
        ". " + label(request.options[i]));
  }
  return out;
}

std::vector<std::string> answers_to(const DialogRequest& request) {
  std::vector<std::string> answers;
  const auto has_one = [&request](Meaning meaning) {
    return std::count_if(request.options.begin(), request.options.end(),
                         [meaning](const DialogOption& it) { return it.meaning == meaning; }) == 1;
  };
  const bool set = request.is_set();
  if (request.complete && !set && has_one(Meaning::kAllowOnce)) answers.emplace_back("yes");
  if (request.complete && (set || has_one(Meaning::kDeny))) answers.emplace_back("no");
  for (size_t i = 0; i < request.options.size(); ++i) {
    answers.push_back(std::to_string(request.first + static_cast<int>(i)));
  }
  return answers;
}

namespace {

// More of a text is not recorded: a tool may be given a whole file.
constexpr size_t kMostRecordedBytes = 64 << 10;

std::string recorded(std::string_view text) {
  const std::string_view kept = base::beginning(text, kMostRecordedBytes);
  return std::string(kept) + (kept.size() < text.size() ? "…" : "");
}

}  // namespace

event::Dialog record_of(const DialogRequest& request, std::string answer, std::string by) {
  event::Dialog told{.cause = request.kind,
                     .title = request.title,
                     .body = recorded(request.body),
                     .options = {},
                     .answer = std::move(answer),
                     .by = std::move(by),
                     .tool = request.tool,
                     .command = request.likely.empty() ? "" : recorded(request.likely.front()),
                     .paths = request.paths,
                     .complete = request.complete};
  for (const DialogOption& option : request.options) told.options.push_back(option.text);
  return told;
}

}  // namespace orch::agent

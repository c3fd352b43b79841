#include "ui/step_summary.h"

#include <fmt/format.h>

#include "base/text.h"

namespace orch::ui {
namespace {

bool is_plain(char c) { return base::is_letter_or_digit(c) || c == ' ' || (c & '\x80') != 0; }

// Writes every character that could mean something in Markdown as an entity, which is shown as
// text.
std::string as_text(std::string_view text, size_t max_bytes) {
  std::string out;
  const std::string seen = base::printable(text);
  for (const char c : seen) {
    if (out.size() >= max_bytes && (c & '\xC0') != '\x80') return out + " …";
    out += is_plain(c) ? std::string(1, c) : fmt::format("&#{};", static_cast<int>(c));
  }
  return out;
}

// Keeps the lines as they are, in an HTML block that ends only at its own end tag.
std::string as_block(std::string_view text, size_t max_bytes) {
  if (text.empty()) return "";
  std::string out = "<pre>\n";
  for (const std::string_view line : base::split_lines(text)) {
    if (out.size() >= max_bytes) {
      out += "…\n";
      break;
    }
    out += as_text(line, max_bytes) + "\n";
  }
  return out + "</pre>\n\n";
}

std::string row_of(const StepResult& result) {
  constexpr size_t kMostCell = 2000;
  return fmt::format("| {} | {} | {} | {} | {:.1f} s | {} |\n", as_text(result.session, kMostCell),
                     as_text(result.reason, kMostCell), result.code, result.turns,
                     static_cast<double>(result.duration_ms) / 1000,
                     as_text(result.detail, kMostCell));
}

std::string words_of(const StepResult& result) {
  constexpr size_t kMostWords = 16 << 10;
  if (result.words.empty() && result.question.empty()) return "";
  std::string text = "#### " + as_text(result.session, 500) + "\n\n";
  if (!result.question.empty()) {
    text += "It waits for an answer:\n\n" + as_block(result.question, kMostWords);
  }
  if (!result.words.empty()) text += "Its last words:\n\n" + as_block(result.words, kMostWords);
  return text;
}

}  // namespace

std::string step_summary(const std::vector<StepResult>& results, size_t max_bytes) {
  constexpr std::string_view kMore = "\nThere is more than fits here.\n";
  std::string text =
      "### orch\n\n| session | ended | exit code | turns | time | why |\n"
      "|---|---|---:|---:|---:|---|\n";
  const auto fits = [&](std::string_view more) {
    return text.size() + more.size() + kMore.size() <= max_bytes;
  };
  bool all = true;
  for (const StepResult& result : results) {
    const std::string row = row_of(result);
    all = all && fits(row);
    if (all) text += row;
  }
  text += "\n";
  for (const StepResult& result : results) {
    const std::string words = words_of(result);
    all = all && fits(words);
    if (all) text += words;
  }
  if (!all) text += kMore;
  return text;
}

}  // namespace orch::ui

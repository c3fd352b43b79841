#include "report/summary.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "event/usage.h"
#include "report/embedded.h"
#include "report/html.h"

namespace orch::report {
namespace {

constexpr size_t kCellBytes = 300;
constexpr size_t kWordsBytes = 1'000;

// The class of a row's verdict in the page, which decides its colour.
std::string_view tone_of(const SummaryRow& row) {
  switch (row.standing.phase) {
    case Standing::Phase::kAtWork:
      return "unknown";
    case Standing::Phase::kWaiting:
      return "later";
    case Standing::Phase::kHostDied:
      return "bad";
    case Standing::Phase::kEnded:
      return has_completed(row) ? "good" : "bad";
  }
  return "unknown";
}

std::string number(const std::optional<int>& value) { return value ? std::to_string(*value) : ""; }

void append_cell(std::string& html, std::string_view text, std::string_view kind = "") {
  fmt::format_to(std::back_inserter(html), "<td{}>{}</td>",
                 kind.empty() ? "" : fmt::format(" class=\"{}\"", kind), escaped(text, kCellBytes));
}

// The path as a link's address.
std::string address_of(std::string_view path) {
  std::string address = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || c == '/' || c == '.' || c == '-' || c == '_';
    if (is_plain) {
      address += c;
    } else {
      fmt::format_to(std::back_inserter(address), "%{:02X}", static_cast<uint8_t>(c));
    }
  }
  return address;
}

std::string row_html(const SummaryRow& row) {
  std::string html = "<tr>";
  const char* kind = row.task.empty() ? "issue" : "issue inner";
  if (row.page.empty()) {
    append_cell(html, row.issue, kind);
  } else {
    fmt::format_to(std::back_inserter(html), "<td class=\"{}\"><a href=\"{}\">{}</a></td>", kind,
                   address_of(row.page), escaped(row.issue, kCellBytes));
  }
  append_cell(html, row.state, std::string("state ") + std::string(tone_of(row)));
  append_cell(html, row.agent);
  append_cell(html, row.changes ? grouped(static_cast<uint64_t>(row.changes->files)) : "–", "n");
  append_cell(html, lines_text(row), "n");
  append_cell(html, gates_text(row), "n");
  append_cell(html, number(row.turns), "n");
  append_cell(html, row.tokens ? event::tokens_text(*row.tokens) : "", "n");
  append_cell(html, clock_text(row.ms), "n");
  append_cell(html, branch_text(row), "mono");
  html += "</tr>\n";
  if (row.last_words.empty() && row.next.command.empty()) return html;
  html += "<tr class=\"more\"><td></td><td colspan=\"9\">";
  if (!row.last_words.empty()) {
    html += "<p class=\"words\">" + escaped(row.last_words, kWordsBytes) + "</p>";
  }
  if (!row.next.command.empty()) {
    html += "<p><code>" + escaped(row.next.command, kWordsBytes) + "</code> <span>" +
            escaped(row.next.why, kWordsBytes) + "</span></p>";
  }
  return html + "</td></tr>\n";
}

}  // namespace

bool has_completed(const SummaryRow& row) {
  return row.standing.phase == Standing::Phase::kEnded &&
         event::exit_code(row.standing.reason) == 0;
}

std::string name_of(const SummaryRow& row) { return (row.task.empty() ? "" : "  ") + row.issue; }

std::string lines_text(const SummaryRow& row) {
  if (!row.changes) return "";
  return fmt::format("+{} -{}", row.changes->added, row.changes->removed);
}

std::string branch_text(const SummaryRow& row) {
  std::string text = row.branch;
  if (row.pull_request > 0) {
    text += (text.empty() ? "#" : " #") + std::to_string(row.pull_request);
    if (!row.pull_request_state.empty()) text += " " + row.pull_request_state;
  }
  return text;
}

std::string gates_text(const SummaryRow& row) {
  return row.gates == 0 ? "" : fmt::format("{}/{}", row.gates_passed, row.gates);
}

std::string totals_text(const std::vector<SummaryRow>& rows) {
  size_t completed = 0, open = 0;
  SummaryRow::Changes changes;
  int64_t tokens = 0;
  double cost = 0;
  size_t runs = 0;
  for (const SummaryRow& row : rows) {
    if (row.is_task) continue;  // its runs are rows of their own
    ++runs;
    using Phase = Standing::Phase;
    if (has_completed(row)) ++completed;
    if (row.standing.phase == Phase::kAtWork || row.standing.phase == Phase::kWaiting) ++open;
    if (row.changes) {
      changes.files += row.changes->files;
      changes.added += row.changes->added;
      changes.removed += row.changes->removed;
    }
    tokens += row.tokens.value_or(0);
    cost += row.cost_usd.value_or(0);
  }
  std::string text = fmt::format("{} run{}: {} completed", runs, runs == 1 ? "" : "s", completed);
  const size_t failed = runs - completed - open;
  if (failed > 0) text += fmt::format(", {} not", failed);
  if (open > 0) text += fmt::format(", {} at work", open);
  text += fmt::format("; {} file{}, +{} -{}", changes.files, changes.files == 1 ? "" : "s",
                      changes.added, changes.removed);
  if (tokens > 0) text += "; " + event::tokens_text(tokens) + " tokens";
  if (cost > 0) text += fmt::format(", ${:.2f}", cost);
  return text;
}

std::string page_of(const Summary& summary) {
  std::string rows;
  for (const SummaryRow& row : summary.rows) rows += row_html(row);
  const std::string policy = "default-src 'none'; style-src " + policy_hash(summary_style()) +
                             "; base-uri 'none'; form-action 'none'";
  const std::string title = escaped(summary.title, kCellBytes),
                    totals = escaped(totals_text(summary.rows)),
                    made_at = escaped(summary.made_at, kCellBytes);
  const std::array slots{
      Slot{"title", title},   Slot{"policy", policy}, Slot{"style", summary_style()},
      Slot{"totals", totals}, Slot{"rows", rows},     Slot{"made_at", made_at}};
  return fill(summary_template(), slots);
}

}  // namespace orch::report

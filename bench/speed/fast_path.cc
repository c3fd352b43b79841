#include "speed/fast_path.h"

#include <fmt/format.h>

#include <algorithm>

#include "detect/detector.h"
#include "speed/contenders.h"
#include "speed/figures.h"

namespace orch::speed {
namespace {

using store::CastEvent;
using store::CastKind;

// Results are stored here, so that the compiler does not remove the work.
volatile size_t sink = 0;

// Keeps a copy of a detector's rows, to find those with a new text.
class Changes {
 public:
  explicit Changes(std::vector<std::string>& out) : out_(out) {}
  void look(const detect::Rows& rows) {
    before_.resize(static_cast<size_t>(rows.count()));
    for (int i = 0; i < rows.count(); ++i) {
      std::string& before = before_[static_cast<size_t>(i)];
      if (before == rows[i].text) continue;
      before = rows[i].text;
      if (!rows[i].blank) out_.push_back(before);
    }
  }

 private:
  std::vector<std::string> before_;
  std::vector<std::string>& out_;
};

}  // namespace

std::vector<std::string> changed_rows(const AgentRecordings& recordings,
                                      const detect::RuleSet& rules) {
  std::vector<std::string> rows;
  for (const store::Cast& cast : recordings.casts) {
    term::Screen screen({cast.header.cols, cast.header.rows});
    detect::Detector detector(rules, 0);
    Changes changes(rows);
    for (const CastEvent& event : cast.events) {
      const int64_t ms = event.us / 1000;
      while (detector.next_deadline() < ms) {
        static_cast<void>(detector.on_timer(detector.next_deadline(), screen));
        changes.look(detector.rows());
      }
      if (event.kind != CastKind::kOutput) continue;
      screen.feed(event.data);
      detector.on_output(ms, screen);
    }
  }
  return rows;
}

void search_once(const std::vector<std::string>& rows, const detect::RuleSet& rules, Search how,
                 int times) {
  for (int i = 0; i < times; ++i) {
    for (const std::string& row : rows) {
      const base::PatternBits bits = how == Search::kLiteralsFirst
                                         ? rules.rows.match(row)
                                         : rules.rows.match_by_expressions(row);
      sink = sink + bits.count();
    }
  }
}

FastPath search_rows(const AgentRecordings& recordings, const detect::RuleSet& rules, int rounds) {
  constexpr int kTimes = 20;
  const std::vector<std::string> rows = changed_rows(recordings, rules);
  FastPath result;
  result.agent = recordings.agent;
  result.patterns = rules.rows.size();
  for (size_t bit = 0; bit < rules.rows.size(); ++bit) {
    result.without_literals += rules.rows.literals(bit).empty() ? 1 : 0;
  }
  result.rows = rows.size();
  result.reached = static_cast<size_t>(std::count_if(rows.begin(), rows.end(), [&rules](auto& row) {
    return rules.rows.reaches_expressions(row);
  }));
  std::vector<double> with, without;
  for (int round = 0; round < rounds; ++round) {
    for (const Search how : {Search::kLiteralsFirst, Search::kExpressionsOnly}) {
      const double start = thread_seconds();
      search_once(rows, rules, how, kTimes);
      const double ns = 1e9 * (thread_seconds() - start) / kTimes /
                        static_cast<double>(std::max<size_t>(1, rows.size()));
      (how == Search::kLiteralsFirst ? with : without).push_back(ns);
    }
  }
  result.with_ns = median(with);
  result.without_ns = median(without);
  return result;
}

std::string table_of(const std::vector<FastPath>& agents) {
  std::string out =
      fmt::format("{:<10}{:>10}{:>12}{:>9}{:>12}{:>15}{:>18}\n", "literals", "patterns",
                  "without any", "rows", "reach RE2", "ns/row with", "ns/row without");
  for (const FastPath& a : agents) {
    const double reached =
        100 * static_cast<double>(a.reached) / static_cast<double>(std::max<size_t>(1, a.rows));
    out += fmt::format("{:<10}{:>10}{:>12}{:>9}{:>11.0f}%{:>15.0f}{:>18.0f}\n", a.agent, a.patterns,
                       a.without_literals, a.rows, reached, a.with_ns, a.without_ns);
  }
  return out + "rows: with a new text when the detector looked, searched for all patterns\n";
}

}  // namespace orch::speed

#include "accuracy/drift.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "accuracy/literals.h"
#include "base/json.h"
#include "base/pattern.h"
#include "base/text.h"
#include "detect/row_text.h"
#include "session/replay.h"

namespace orch::accuracy {
namespace {

using base::Json;
using base::Pattern;

// How often the screen is looked at, in ms: at least as often as the detector does (settle_ms).
constexpr int64_t kStep = 20;
constexpr int kMostJoined = 6;     // rows of a question or footer that wraps
constexpr size_t kLastRows = 6;    // rows of an unknown screen that are shown
constexpr size_t kFewLetters = 3;  // a shorter word stands in any text

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

}  // namespace

// One literal of an expression, and the expression that needs another text in its place.
struct Part {
  std::string name;  // "PLACE: LITERAL"
  Literal literal;
  Pattern without;
};

struct Searched {
  Pattern whole;
  std::vector<Part> parts;
};

namespace {

base::Result<Searched> searched(const PlacedExpression& placed) {
  base::Result<Pattern> whole = Pattern::compile(placed.expression);
  if (!whole) return in_file(placed.place, whole.error());
  Searched found{std::move(*whole), {}};
  for (Literal& literal : literals_in(placed.expression)) {
    base::Result<Pattern> rest = Pattern::compile(without(placed.expression, literal));
    if (!rest) return in_file(placed.place, rest.error());
    std::string name = placed.place + ": " + literal.text;
    found.parts.push_back({std::move(name), std::move(literal), std::move(*rest)});
  }
  return found;
}

// Whether the expression matches `text` because of the literal: without it there would be no match.
// An expression may match all the same, by another branch or because the literal is optional; then
// a word of the literal counts where it stands in the text.
bool matches_by(const Part& part, std::string_view text) {
  if (!part.without.matches(text)) return true;
  if (!part.literal.members.empty() || part.literal.text.size() < kFewLetters) return false;
  return lower_case(text).find(lower_case(part.literal.text)) != std::string::npos;
}

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

// Whether the character may stand in a number, a time, a version or an id.
bool is_counted(char c) {
  return is_decimal(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("-_.:").find(c) != std::string_view::npos;
}

// The row with a 0 in place of each word that has a digit in it, and one blank between words: rows
// that differ in a clock, a version, an id or the width of the terminal alone are one row.
std::string normalized(std::string_view row) {
  std::string out;
  for (size_t at = 0; at < row.size();) {
    size_t end = at;
    while (end < row.size() && is_counted(row[end])) ++end;
    const std::string_view word = row.substr(at, end - at);
    if (std::any_of(word.begin(), word.end(), is_decimal)) {
      out += '0';
    } else {
      out += word;
    }
    if (end < row.size() && (row[end] != ' ' || (!out.empty() && out.back() != ' '))) {
      out += row[end];
    }
    at = end + 1;
  }
  return std::string(base::trim(out));
}

// The forms in which the parts of a manifest are held against a row: as it is, and without its
// frame, behind none to three blanks.
std::vector<std::string> forms_of(std::string_view row) {
  std::vector<std::string> forms = {std::string(row)};
  const std::string text(detect::bare(row));
  for (size_t blanks = 0; blanks <= 3; ++blanks) forms.push_back(std::string(blanks, ' ') + text);
  return forms;
}

// Whether it is the same dialog, or a screen that ends alike.
bool alike(const Unknown& one, const Unknown& other) {
  if (one.title != other.title) return false;
  return one.title.empty() ? normalized(one.options.back()) == normalized(other.options.back())
                           : one.options == other.options;
}

Json json_of(const Moment& moment) {
  return {{"recording", moment.recording}, {"at_ms", moment.at_ms}};
}

Json json_of(const std::vector<Unknown>& unknown) {
  Json list = Json::array();
  for (const Unknown& one : unknown) {
    Json entry = json_of(one.first);
    entry["ms"] = one.ms;
    entry["title"] = one.title;
    entry["rows"] = one.options;
    list.push_back(std::move(entry));
  }
  return list;
}

std::string list_of(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all.append(all.empty() ? "\"" : "\", \"").append(text);
  return all.empty() ? "" : all + "\"";
}

std::string place_of(const Moment& moment) {
  return fmt::format("{} at {:.1f} s", moment.recording, static_cast<double>(moment.at_ms) / 1000);
}

std::set<std::string> texts_of(const Json& entry, const char* name) {
  std::set<std::string> texts;
  const auto list = entry.find(name);
  if (list == entry.end() || !list->is_array()) return texts;
  for (const Json& text : *list) {
    if (text.is_string()) texts.insert(text.get<std::string>());
  }
  return texts;
}

}  // namespace

struct DriftSearch::Parts {
  const adapters::Manifest& manifest;
  detect::RuleSet rules;
  std::vector<Searched> expressions;
  Drift drift;
  std::unordered_set<std::string> texts;  // that were searched
  // What stands now and since when, to know how long it stands.
  struct Standing {
    std::string key;
    Unknown unknown;
  };
  Standing dialog, screen;
  // Screens before the agent has come to its prompt. They count only if it never does: a slow start
  // is no drift.
  bool starting = false;
  std::vector<Unknown> at_start;

  void look(const driver::AgentView& view, const Moment& now);
  void see_rows(const detect::Rows& rows, const Moment& now);
  void search(const std::string& text, const Moment& now);
  bool matched(std::string_view text) const;
  void see_unknown(const driver::AgentView& view, const Moment& now);
  void follow(Standing& standing, Unknown unknown, const Moment& now, int64_t least_ms,
              std::vector<Unknown>& found);
  void end(const Moment& last);
};

void DriftSearch::Parts::search(const std::string& text, const Moment& now) {
  if (text.empty() || !texts.insert(text).second) return;
  for (const Searched& expression : expressions) {
    const auto open = [this](const Part& part) { return !drift.literals.at(part.name); };
    if (std::none_of(expression.parts.begin(), expression.parts.end(), open)) continue;
    if (!expression.whole.matches(text)) continue;
    for (const Part& part : expression.parts) {
      if (open(part) && matches_by(part, text)) drift.literals.at(part.name) = now;
    }
  }
}

bool DriftSearch::Parts::matched(std::string_view text) const {
  return std::any_of(expressions.begin(), expressions.end(), [text](const Searched& expression) {
    return !expression.parts.empty() && expression.whole.matches(text);
  });
}

void DriftSearch::Parts::see_rows(const detect::Rows& rows, const Moment& now) {
  for (int row = 0; row < rows.used(); ++row) {
    if (rows[row].blank) continue;
    const bool is_new = texts.find(rows[row].text) == texts.end();
    for (const std::string& form : forms_of(rows[row].text)) search(form, now);
    for (int end = row + 2; end <= rows.used() && end <= row + kMostJoined; ++end) {
      if (rows[end - 1].blank) break;
      search(detect::joined(rows, {row, end}), now);
    }
    if (!is_new || drift.rows.size() >= kMostRows) continue;
    const std::string text = normalized(rows[row].text);
    if (!drift.rows.contains(text) && !matched(rows[row].text)) drift.rows.emplace(text, now);
  }
}

// Notes what stands now, and of what stood before how long it did: for `least_ms` or longer, to
// count.
void DriftSearch::Parts::follow(Standing& standing, Unknown unknown, const Moment& now,
                                int64_t least_ms, std::vector<Unknown>& found) {
  std::string key = unknown.title;
  for (const std::string& row : unknown.options) key += "\n" + normalized(row);
  if (standing.key == key && standing.unknown.first.recording == now.recording) return;
  const Unknown& before = standing.unknown;
  if (!standing.key.empty() && before.first.recording == now.recording) {
    const int64_t ms = now.at_ms - before.first.at_ms;
    const auto known = std::find_if(found.begin(), found.end(), [&before](const Unknown& other) {
      return alike(other, before);
    });
    if (known != found.end()) {
      known->ms = std::max(known->ms, ms);
    } else if (ms >= least_ms) {
      found.push_back(before);
      found.back().ms = ms;
    }
  }
  unknown.first = now;
  standing = {std::move(key), std::move(unknown)};
}

void DriftSearch::Parts::see_unknown(const driver::AgentView& view, const Moment& now) {
  const detect::Detector& detector = view.detector();
  const detect::Finding& finding = detector.latest();
  Unknown dialog_now, screen_now;
  const bool waits = finding.status == event::AgentStatus::kWaiting;
  const bool lists = !detector.layout().choices.empty() && !detector.layout().box;
  if ((waits || lists) && !detector.layout().known) {
    const detect::DialogView shown = detector.dialog();
    dialog_now.title = shown.title;
    dialog_now.options = shown.options;
  }
  // After Enter the detector itself decides for a while, also where a rule knows the screen.
  const bool decided = finding.cause == event::Cause::kSubmitted;
  if (finding.rule == nullptr && finding.notice == nullptr && !decided) {
    const detect::Rows& rows = detector.rows();
    for (int row = rows.used() - 1; row >= 0 && screen_now.options.size() < kLastRows; --row) {
      if (!rows[row].blank) screen_now.options.insert(screen_now.options.begin(), rows[row].text);
    }
  }
  follow(dialog, std::move(dialog_now), now, kDialogStood, drift.dialogs);
  const bool starts = finding.status == event::AgentStatus::kStarting;
  if (starting && !starts) {
    screen = {};
    at_start.clear();
  }
  starting = starts;
  follow(screen, std::move(screen_now), now, kScreenStood, starts ? at_start : drift.screens);
}

// The end of a recording.
void DriftSearch::Parts::end(const Moment& last) {
  follow(dialog, {}, last, kDialogStood, drift.dialogs);
  follow(screen, {}, last, kScreenStood, starting ? at_start : drift.screens);
  for (Unknown& one : at_start) {
    const bool known = std::any_of(drift.screens.begin(), drift.screens.end(),
                                   [&one](const Unknown& other) { return alike(other, one); });
    if (!known) drift.screens.push_back(std::move(one));
  }
  at_start.clear();
  starting = false;
}

void DriftSearch::Parts::look(const driver::AgentView& view, const Moment& now) {
  const detect::Detector& detector = view.detector();
  see_rows(detector.rows(), now);
  const detect::Evidence& evidence = detector.evidence();
  for (const detect::Signal* signal :
       {&evidence.title(), &evidence.report(), &evidence.progress()}) {
    search(signal->text, now);
  }
  if (!detector.layout().choices.empty()) {
    for (const std::string& option : detector.dialog().options) search(option, now);
  }
  if (const detect::Rule* rule = detector.latest().rule) ++drift.rules[rule->name];
  see_unknown(view, now);
}

DriftSearch::DriftSearch(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
DriftSearch::DriftSearch(DriftSearch&&) noexcept = default;
DriftSearch::~DriftSearch() = default;

base::Result<DriftSearch> DriftSearch::of(std::string_view text,
                                          const adapters::Manifest& manifest) {
  const base::Result<std::vector<PlacedExpression>> placed = placed_expressions(text);
  if (!placed) return in_file(manifest.name, placed.error());
  base::Result<detect::RuleSet> rules = detect::RuleSet::compile(manifest.rules);
  if (!rules) return in_file(manifest.name, rules.error());
  auto parts =
      std::unique_ptr<Parts>(new Parts{manifest, std::move(*rules), {}, {}, {}, {}, {}, false, {}});
  for (const PlacedExpression& one : *placed) {
    base::Result<Searched> expression = searched(one);
    if (!expression) return in_file(manifest.name, expression.error());
    for (const Part& part : expression->parts) parts->drift.literals[part.name];
    parts->expressions.push_back(std::move(*expression));
  }
  for (const detect::Rule& rule : parts->rules.rules) parts->drift.rules[rule.name] = 0;
  return DriftSearch(std::move(parts));
}

void DriftSearch::see(const RecordingFile& file, const store::Cast& cast) {
  Parts& parts = *parts_;
  ++parts.drift.recordings;
  session::Replay replay(cast, parts.manifest, parts.rules);
  const int64_t end = cast.end_us / 1000;
  uint64_t samples = 0;
  for (int64_t now = 0; now <= end + kStep; now += kStep) {
    replay.run_to(now);
    const driver::AgentView& view = replay.view();
    if (view.detector().status() == event::AgentStatus::kExited) break;
    if (view.detector().counters().samples == samples) continue;
    samples = view.detector().counters().samples;
    parts.look(view, {file.name, replay.now_ms()});
  }
  parts.end({file.name, replay.now_ms()});
}

Drift DriftSearch::take() { return std::move(parts_->drift); }

base::Result<KnownAgents> parse_known(std::string_view json) {
  const Json all = base::parse_json(json);
  if (!all.is_object()) return base::usage_error("not a JSON object");
  KnownAgents agents;
  for (const auto& [name, entry] : all.items()) {
    if (!entry.is_object()) return base::usage_error(name + ": not an object");
    Known known;
    if (const auto version = entry.find("version"); version != entry.end()) {
      if (!version->is_string()) return base::usage_error(name + ": \"version\" must be a text");
      known.version = version->get<std::string>();
    }
    known.undrawn = texts_of(entry, "undrawn");
    known.dialogs = texts_of(entry, "dialogs");
    known.rows = texts_of(entry, "rows");
    agents.emplace(name, std::move(known));
  }
  return agents;
}

std::vector<std::string> faults_of(const Drift& drift, const Known& known, const Drift* before) {
  std::vector<std::string> faults;
  for (const auto& [literal, moment] : drift.literals) {
    if (moment || known.undrawn.contains(literal)) continue;
    std::string line = "not drawn: " + literal;
    if (before != nullptr) {
      const auto last = before->literals.find(literal);
      const bool seen = last != before->literals.end() && last->second;
      line += seen ? "; drawn in " + place_of(*last->second) : "; nor in the recordings before";
    }
    faults.push_back(std::move(line));
  }
  for (const Unknown& dialog : drift.dialogs) {
    if (known.dialogs.contains(normalized(dialog.title))) continue;
    faults.push_back(fmt::format("dialog of no kind: \"{}\" with {}, in {}", dialog.title,
                                 list_of(dialog.options), place_of(dialog.first)));
  }
  for (const Unknown& screen : drift.screens) {
    faults.push_back(fmt::format("screen that no rule explains for {:.1f} s: {}, in {}",
                                 seconds(screen.ms), list_of(screen.options),
                                 place_of(screen.first)));
  }
  return faults;
}

std::string to_json(const std::map<std::string, Drift>& agents,
                    const std::map<std::string, std::vector<std::string>>& faults) {
  Json json = Json::object();
  for (const auto& [name, drift] : agents) {
    Json& entry = json[name];
    entry["recordings"] = drift.recordings;
    entry["literals"] = Json::object();
    for (const auto& [literal, moment] : drift.literals) {
      entry["literals"][literal] = moment ? json_of(*moment) : Json(nullptr);
    }
    entry["rules"] = drift.rules;
    entry["dialogs"] = json_of(drift.dialogs);
    entry["screens"] = json_of(drift.screens);
    entry["rows"] = Json::object();
    for (const auto& [row, moment] : drift.rows) entry["rows"][row] = json_of(moment);
    entry["faults"] = faults.contains(name) ? Json(faults.at(name)) : Json::array();
  }
  return base::json_text(json);
}

}  // namespace orch::accuracy

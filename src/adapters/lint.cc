#include "adapters/lint.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "adapters/json_place.h"
#include "adapters/manifest.h"
#include "base/json.h"
#include "base/pattern.h"
#include "base/text.h"
#include "detect/dialog_options.h"

namespace orch::adapters {
namespace {

using detect::ConditionSpec;
using detect::Region;

// Whether the pattern fits rows that have nothing in common, the empty one included.
bool fits_every_row(const std::string& expression) {
  const base::Result<base::Pattern> pattern = base::Pattern::compile(expression);
  constexpr std::array<std::string_view, 5> kRows{"", "x", "Zq 7, and more", "│ ─ ❯ ●", "  ..."};
  return pattern &&
         std::ranges::all_of(kRows, [&](std::string_view row) { return pattern->matches(row); });
}

// Whether the pattern fits blank rows alone, which conditions pass over.
bool fits_blank_rows(const std::string& expression) {
  constexpr std::array<std::string_view, 5> kBlank{"^$", "^ *$", "^\\s*$", "^[ ]*$", "^\\s+$"};
  return std::ranges::find(kBlank, expression) != kBlank.end();
}

bool is_same(const ConditionSpec& a, const ConditionSpec& b) {
  return a.kind == b.kind && a.in == b.in && a.pattern == b.pattern &&
         a.unless_after == b.unless_after && a.colored == b.colored && a.ms == b.ms &&
         a.times == b.times && a.beat == b.beat && a.digits == b.digits && a.colors == b.colors &&
         a.paste == b.paste && std::ranges::equal(a.any, b.any, is_same);
}

// Whether both conditions can never hold at the same time, as far as that shows.
bool contradict(const ConditionSpec& a, const ConditionSpec& b) {
  using Kind = ConditionSpec::Kind;
  const auto are = [&](Kind one, Kind other) {
    return (a.kind == one && b.kind == other) || (a.kind == other && b.kind == one);
  };
  if (are(Kind::kBox, Kind::kNoBox) || are(Kind::kEntered, Kind::kNotEntered)) return true;
  if (are(Kind::kPaste, Kind::kPaste)) return a.paste != b.paste;
  if (a.in != b.in) return false;
  if (are(Kind::kMenu, Kind::kNoMenu)) return true;
  return are(Kind::kMatch, Kind::kNoMatch) && a.pattern == b.pattern;
}

bool has_all(const std::vector<ConditionSpec>& conditions,
             const std::vector<ConditionSpec>& wanted) {
  return std::ranges::all_of(wanted, [&](const ConditionSpec& one) {
    return std::ranges::any_of(conditions,
                               [&](const ConditionSpec& other) { return is_same(one, other); });
  });
}

std::string element(const std::string& list, size_t index) {
  return list + "[" + std::to_string(index) + "]";
}

class Lint {
 public:
  Lint(std::string_view json, std::string_view file, const Manifest& manifest)
      : json_(json), file_(file), manifest_(manifest), rules_(manifest.rules) {}

  std::vector<std::string> run() {
    for (const RepeatedMember& repeated : repeated_members(json_)) {
      note_at(repeated.offset, repeated.name,
              "stands there twice, and only the last one counts; remove one");
    }
    whole();
    words();
    ids("rules", rules_.rules);
    ids("notices", rules_.notices);
    ids("dialogs.kinds", rules_.dialogs.kinds);
    for (size_t i = 0; i < rules_.rules.size(); ++i) rule(i);
    for (size_t i = 0; i < rules_.notices.size(); ++i) {
      pattern(element("notices", i) + ".match", rules_.notices[i].pattern);
    }
    screen();
    dialogs();
    transcript();
    timing();
    return std::move(found_);
  }

 private:
  void note_at(size_t offset, const std::string& way, const std::string& what) {
    found_.push_back(std::string(file_) + ":" + line_and_column(json_, offset) + ": " +
                     base::printable(way) + ": " + base::printable(what));
  }
  void note(const std::string& way, const std::string& what) {
    note_at(offset_of(json_, way), way, what);
  }

  bool finds(event::AgentStatus status) const {
    return std::ranges::find(rules_.rules, status, &detect::RuleSpec::status) !=
               rules_.rules.end() ||
           std::ranges::find(rules_.notices, status, &detect::NoticeSpec::status) !=
               rules_.notices.end();
  }

  // What is missing for a run, unless the manifest says that it is for any program.
  void whole() {
    if (!manifest_.idle_known || manifest_.guessed) return;
    if (manifest_.program.empty()) note("program", "is missing; name the agent's program");
    if (!finds(event::AgentStatus::kIdle)) {
      note("rules", "none of them finds idle, so orch never types a message; write one that does");
    }
    if (!rules_.dialogs.kinds.empty() && !finds(event::AgentStatus::kWaiting)) {
      note("dialogs.kinds",
           "are read only while a rule or notice finds waiting; write one that does");
    }
  }

  void words() {
    for (const auto& [name, words] : manifest_.options) {
      const bool has_hole = std::ranges::any_of(words, [](const std::string& word) {
        return word.find("{}") != std::string::npos || word.find("{file}") != std::string::npos;
      });
      if (!words.empty() && !has_hole) {
        note("options." + name, "has no {} for the value; add it as a word, or in one");
      }
    }
    keys("quit.keys", manifest_.quit.keys);
    keys("reset.keys", manifest_.reset.keys);
  }

  void keys(const std::string& way, const std::vector<std::string>& names) {
    for (size_t i = 0; i < names.size(); ++i) {
      if (detect::is_key_name(names[i])) continue;
      note(element(way, i),
           "\"" + names[i] + "\" is not the name of a key; take one as Enter, Escape, C-c, Up");
    }
  }

  template <typename Named>
  void ids(const std::string& list, const std::vector<Named>& all) {
    for (size_t i = 0; i < all.size(); ++i) {
      const auto first = std::ranges::find(all, all[i].id, &Named::id);
      const auto before = static_cast<size_t>(first - all.begin());
      if (before == i) continue;
      note(element(list, i) + ".id", "\"" + all[i].id + "\" is the id of " + element(list, before) +
                                         " too; give each its own");
    }
  }

  void rule(size_t index) {
    const detect::RuleSpec& rule = rules_.rules[index];
    const std::string way = element("rules", index);
    conditions(way + ".when", rule.when);
    contradictions(way + ".when", rule.when);
    for (size_t i = 0; i < rules_.rules.size(); ++i) {
      const detect::RuleSpec& other = rules_.rules[i];
      const bool wins =
          other.priority > rule.priority || (other.priority == rule.priority && i < index);
      if (i == index || !wins || !has_all(rule.when, other.when)) continue;
      const bool same = rule.when.size() == other.when.size();
      note(way, "never applies: rule " + other.id +
                    (same ? " has the same conditions and wins; change a condition or remove one "
                            "of them"
                          : " has fewer of the same conditions and wins; give this one the higher "
                            "priority"));
      return;
    }
  }

  void conditions(const std::string& way, const std::vector<ConditionSpec>& all) {
    for (size_t i = 0; i < all.size(); ++i) condition(element(way, i), all[i]);
  }

  // Conditions that all have to hold.
  void contradictions(const std::string& way, const std::vector<ConditionSpec>& all) {
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (!contradict(all[i], all[j])) continue;
        note(element(way, i), "never holds together with " + element(way, j) + "; remove one");
        return;
      }
    }
  }

  void condition(const std::string& way, const ConditionSpec& condition) {
    using Kind = ConditionSpec::Kind;
    switch (condition.kind) {
      case Kind::kAny:
        return conditions(way + ".any", condition.any);
      case Kind::kAll:
        return contradictions(way + ".all", condition.any), conditions(way + ".all", condition.any);
      case Kind::kMatch:
        if (fits_blank_rows(condition.pattern)) {
          note(way + ".match", "never holds: conditions pass over blank rows; name other rows");
        }
        if (detect::is_text(condition.in.region)) return pattern(way + ".match", condition.pattern);
        return in_box(way, condition), row_pattern(way + ".match", condition.pattern);
      case Kind::kJoined:
        return in_box(way, condition), pattern(way + ".joined", condition.pattern);
      case Kind::kNoMatch:
        return in_box(way, condition), pattern(way + ".no", condition.pattern);
      case Kind::kBox:
        if (!has_box()) note(way + ".box", "never holds: the manifest has no \"box\"; describe it");
        return;
      case Kind::kMenu:
      case Kind::kNoMenu:
        return in_box(way, condition);
      case Kind::kCursor:
        return pattern(way + ".cursor", condition.pattern);
      case Kind::kSeen:
        return pattern(way + ".seen", condition.pattern);
      case Kind::kMoved:
      case Kind::kStill:
        return in_box(way, condition);
      case Kind::kNoBox:
      case Kind::kMoves:
      case Kind::kPaste:
      case Kind::kEntered:
      case Kind::kNotEntered:
        return;
    }
  }

  bool has_box() const {
    const detect::BoxSpec& box = rules_.box;
    return !box.prompt.empty() || !box.side.empty() || box.enclosed > 0;
  }
  void in_box(const std::string& way, const ConditionSpec& condition) {
    const Region region = condition.in.region;
    const bool needs_box =
        region == Region::kBox || region == Region::kAbove || region == Region::kBelow;
    if (has_box() || !needs_box) return;
    note(way + ".in", "the manifest has no \"box\" to look at; describe it or name another region");
  }

  void pattern(const std::string& way, const std::string& expression) {
    if (expression.find("\\n") != std::string::npos || expression.find('\n') != std::string::npos) {
      note(way, "never fits: a row has no line feed; match one row");
    }
    if (!fits_every_row(expression)) return;
    note(way,
         "\"" + expression + "\" fits every row; name words or signs of the rows that it means");
  }

  // Of rows, which have no blanks at their ends.
  void row_pattern(const std::string& way, const std::string& expression) {
    pattern(way, expression);
    if (!expression.ends_with(" $") && !expression.ends_with("\\s$")) return;
    note(way, "never fits: a row has no blank at its end; leave the blank out");
  }

  using Patterns = std::initializer_list<std::pair<const char*, const std::string&>>;
  void patterns(const std::string& way, Patterns all) {
    for (const auto& [name, expression] : all) {
      if (!expression.empty()) row_pattern(way + name, expression);
    }
  }

  void screen() {
    const bool several = !rules_.other_boxes.empty();
    box(several ? "box[0]." : "box.", rules_.box);
    for (size_t i = 0; i < rules_.other_boxes.size(); ++i) {
      box(element("box", i + 1) + ".", rules_.other_boxes[i]);
    }
    patterns("", {{"user_message", rules_.user_message}});
    patterns("input.", {{"started", manifest_.input.started},
                        {"paste_placeholder", manifest_.input.paste_placeholder}});
  }

  void box(const std::string& way, const detect::BoxSpec& box) {
    patterns(way, {{"prompt", box.prompt},
                   {"top", box.top},
                   {"bottom", box.bottom},
                   {"side", box.side},
                   {"placeholder", box.placeholder},
                   {"footer", box.footer}});
  }

  void dialogs() {
    const detect::DialogsSpec& all = rules_.dialogs;
    const bool has_rule = all.edge == detect::DialogEdge::kRule ||
                          std::ranges::find(all.kinds, detect::DialogEdge::kRule,
                                            &detect::DialogSpec::edge) != all.kinds.end();
    if (!all.top.empty() && !has_rule) {
      note("dialogs.top", "is read only where \"edge\" is \"rule\"; set that, or remove this");
    }
    patterns("dialogs.", {{"top", all.top}, {"folded", all.folded}, {"scrolled", all.scrolled}});
    for (size_t i = 0; i < all.words.size(); ++i) {
      pattern(element("dialogs.options", i) + ".match", all.words[i].pattern);
    }
    for (size_t i = 0; i < all.kinds.size(); ++i) {
      const detect::DialogSpec& kind = all.kinds[i];
      patterns(element("dialogs.kinds", i) + ".", {{"title", kind.title},
                                                   {"subtitle", kind.subtitle},
                                                   {"asks", kind.asks},
                                                   {"footer", kind.footer},
                                                   {"answers", kind.answers}});
    }
  }

  void timing() {
    const detect::DetectTiming& times = rules_.timing;
    if (times.max_settle_ms < times.settle_ms) {
      note("timing.max_settle_ms", "is shorter than settle_ms; make it as long, or longer");
    }
    if (times.answered_max_ms < times.answered_ms) {
      note("timing.answered_max_ms", "is shorter than answered_ms; make it as long, or longer");
    }
  }

  void transcript() {
    const TranscriptSpec& spec = manifest_.transcript;
    patterns("transcript.", {{"agent", spec.agent},
                             {"tool", spec.tool},
                             {"hangs", spec.hangs},
                             {"words", spec.words},
                             {"notice", spec.notice},
                             {"chrome", spec.chrome},
                             {"user_end", spec.user_end},
                             {"side", spec.side},
                             {"busy", spec.busy}});
    for (size_t i = 0; i < spec.drop.size(); ++i) {
      pattern(element("transcript.drop", i), spec.drop[i]);
    }
  }

  std::string_view json_, file_;
  const Manifest& manifest_;
  const detect::RuleSetSpec& rules_;
  std::vector<std::string> found_;
};

// The error of a file that cannot be read, with its place. An unknown member without a similar name
// gets the way to the known ones.
std::string placed(std::string_view json, std::string_view file, const ReadManifest& read) {
  const std::string prefix = std::string(file) + ":";
  std::string error = read.manifest.error().text;
  error.erase(0, prefix.size() + 1);
  if (error == "not valid JSON" && base::parse_json(json).is_discarded()) {
    return prefix + syntax_error(json);
  }
  if (error.ends_with("unknown field")) error += "; orch agents --schema has the known ones";
  if (!base::parse_json(json).is_object()) return prefix + " " + error;
  return prefix + line_and_column(json, offset_of(json, read.way)) + ": " + error;
}

}  // namespace

std::vector<std::string> lint_manifest(std::string_view json, std::string_view file) {
  const ReadManifest read = read_manifest(json, file, base::JsonAuthor::kPerson);
  if (!read.manifest) return {placed(json, base::printable(file), read)};
  return Lint(json, file, *read.manifest).run();
}

}  // namespace orch::adapters

#include "adapters/lint.h"

#include <algorithm>
#include <array>
#include <set>

#include "adapters/json_place.h"
#include "adapters/manifest.h"
#include "base/json.h"
#include "base/pattern.h"
#include "base/text.h"

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

bool is_same(const ConditionSpec& a, const ConditionSpec& b) {
  return a.kind == b.kind && a.in == b.in && a.pattern == b.pattern &&
         a.unless_after == b.unless_after && a.colored == b.colored && a.ms == b.ms &&
         a.times == b.times && a.beat == b.beat && a.digits == b.digits && a.colors == b.colors &&
         a.paste == b.paste && std::ranges::equal(a.any, b.any, is_same);
}

class Lint {
 public:
  Lint(std::string_view json, std::string_view file, const Manifest& manifest)
      : json_(json), file_(file), manifest_(manifest) {}

  std::vector<std::string> run() {
    ids("rules", manifest_.rules.rules);
    ids("notices", manifest_.rules.notices);
    for (size_t i = 0; i < manifest_.rules.rules.size(); ++i) rule(i);
    for (size_t i = 0; i < manifest_.rules.notices.size(); ++i) {
      pattern("notices[" + std::to_string(i) + "].match", manifest_.rules.notices[i].pattern);
    }
    transcript();
    return std::move(found_);
  }

 private:
  void note(const std::string& way, const std::string& what) {
    found_.push_back(std::string(file_) + ":" + line_and_column(json_, offset_of(json_, way)) +
                     ": " + way + ": " + base::printable(what));
  }

  template <typename Named>
  void ids(const std::string& list, const std::vector<Named>& all) {
    for (size_t i = 0; i < all.size(); ++i) {
      const auto first = std::ranges::find(all, all[i].id, &Named::id);
      const auto before = static_cast<size_t>(first - all.begin());
      if (before == i) continue;
      note(list + "[" + std::to_string(i) + "].id", "\"" + all[i].id + "\" is the id of " + list +
                                                        "[" + std::to_string(before) +
                                                        "] too; give each its own");
    }
  }

  void rule(size_t index) {
    const detect::RuleSpec& rule = manifest_.rules.rules[index];
    const std::string way = "rules[" + std::to_string(index) + "]";
    conditions(way + ".when", rule.when);
    for (size_t i = 0; i < manifest_.rules.rules.size(); ++i) {
      const detect::RuleSpec& other = manifest_.rules.rules[i];
      const bool wins =
          other.priority > rule.priority || (other.priority == rule.priority && i < index);
      if (i == index || !wins || !std::ranges::equal(other.when, rule.when, is_same)) continue;
      note(way, "never applies: rule " + other.id +
                    " has the same conditions and wins; change a condition or remove one of them");
      return;
    }
  }

  void conditions(const std::string& way, const std::vector<ConditionSpec>& all) {
    for (size_t i = 0; i < all.size(); ++i) {
      condition(way + "[" + std::to_string(i) + "]", all[i]);
    }
  }

  void condition(const std::string& way, const ConditionSpec& condition) {
    using Kind = ConditionSpec::Kind;
    switch (condition.kind) {
      case Kind::kAny:
        return conditions(way + ".any", condition.any);
      case Kind::kAll:
        return conditions(way + ".all", condition.any);
      case Kind::kMatch:
        return in_box(way, condition), pattern(way + ".match", condition.pattern);
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
    const detect::BoxSpec& box = manifest_.rules.box;
    return !box.prompt.empty() || !box.side.empty() || box.enclosed > 0;
  }
  void in_box(const std::string& way, const ConditionSpec& condition) {
    if (has_box() || condition.in.region != Region::kBox) return;
    note(way + ".in", "the manifest has no \"box\" to look at; describe it or name another region");
  }

  void pattern(const std::string& way, const std::string& expression) {
    if (!fits_every_row(expression)) return;
    note(way,
         "\"" + expression + "\" fits every row; name words or signs of the rows that it means");
  }

  void transcript() {
    const TranscriptSpec& spec = manifest_.transcript;
    const std::pair<const char*, const std::string&> patterns[] = {
        {"agent", spec.agent},       {"tool", spec.tool},     {"hangs", spec.hangs},
        {"words", spec.words},       {"notice", spec.notice}, {"chrome", spec.chrome},
        {"user_end", spec.user_end}, {"side", spec.side},     {"busy", spec.busy}};
    for (const auto& [name, expression] : patterns) {
      if (!expression.empty()) pattern(std::string("transcript.") + name, expression);
    }
    for (size_t i = 0; i < spec.drop.size(); ++i) {
      pattern("transcript.drop[" + std::to_string(i) + "]", spec.drop[i]);
    }
  }

  std::string_view json_, file_;
  const Manifest& manifest_;
  std::vector<std::string> found_;
};

// The way to the member that an error of parse_manifest() is about. It names rules by their ids.
std::string way_of(const base::Json& json, std::string_view error) {
  constexpr std::string_view kRule = "rule ";
  std::string way;
  if (error.starts_with(kRule)) {
    const base::Json& rules = json.contains("rules") ? json["rules"] : base::Json();
    for (size_t i = 0; rules.is_array() && i < rules.size() && way.empty(); ++i) {
      const base::Json& rule = rules[i];
      if (!rule.is_object() || !rule.contains("id") || !rule["id"].is_string()) continue;
      const std::string id = base::printable(rule["id"].get<std::string>()) + ": ";
      if (!error.substr(kRule.size()).starts_with(id)) continue;
      way = "rules[" + std::to_string(i) + "].";
      error.remove_prefix(kRule.size() + id.size());
    }
  } else if (error.starts_with("rules[")) {
    way = std::string(error.substr(0, error.find(": "))) + ".";
    error.remove_prefix(std::min(error.size(), error.find(": ") + 2));
  }
  return way + std::string(error.substr(0, error.find(": ")));
}

std::string placed(std::string_view json, std::string_view file, std::string_view error) {
  const std::string prefix = std::string(file) + ":";
  error.remove_prefix(std::min(error.size(), prefix.size() + 1));
  const base::Json read = base::parse_json(json);
  if (read.is_discarded() && error == "not valid JSON") return prefix + syntax_error(json);
  if (!read.is_object()) return prefix + " " + std::string(error);
  return prefix + line_and_column(json, offset_of(json, way_of(read, error))) + ": " +
         std::string(error);
}

}  // namespace

std::vector<std::string> lint_manifest(std::string_view json, std::string_view file) {
  const base::Result<Manifest> manifest = parse_manifest(json, file);
  if (!manifest) return {placed(json, base::printable(file), manifest.error().text)};
  return Lint(json, file, *manifest).run();
}

}  // namespace orch::adapters

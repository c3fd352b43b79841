#include "detect/dialog_rules.h"

#include <utility>

namespace orch::detect {
namespace {

using base::Result;
using base::Status;

Status compile_into(std::optional<base::Pattern>& out, const std::string& expression,
                    const std::string& field, base::Compiled when) {
  if (expression.empty()) return base::Ok{};
  Result<base::Pattern> pattern = base::Pattern::compile(expression, when);
  if (!pattern) return base::usage_error("dialogs: " + field + ": " + pattern.error().text);
  out = std::move(pattern).value();
  return base::Ok{};
}

Status compile_part(std::optional<DialogPart>& out, const std::optional<DialogPartSpec>& spec,
                    const std::string& field, base::Compiled when) {
  if (!spec) return base::Ok{};
  DialogPart part{.spec = *spec, .after = {}, .begins = {}, .ends = {}, .strip = {}};
  if (Status s = compile_into(part.after, spec->after, field + ".after", when); !s) return s;
  if (Status s = compile_into(part.begins, spec->begins, field + ".begins", when); !s) return s;
  if (Status s = compile_into(part.ends, spec->ends, field + ".ends", when); !s) return s;
  if (Status s = compile_into(part.strip, spec->strip, field + ".strip", when); !s) return s;
  out = std::move(part);
  return base::Ok{};
}

Result<DialogRule> compile_kind(const DialogSpec& spec, DialogEdge edge, base::Compiled when) {
  DialogRule rule;
  rule.spec = spec;
  rule.edge = spec.edge.value_or(edge);
  const std::string where = spec.id + ": ";
  for (const auto& [pattern, expression, field] :
       {std::tuple{&rule.title, &spec.title, "title"}, std::tuple{&rule.asks, &spec.asks, "asks"},
        std::tuple{&rule.footer, &spec.footer, "footer"},
        std::tuple{&rule.subtitle, &spec.subtitle, "subtitle"},
        std::tuple{&rule.answers, &spec.answers, "answers"},
        std::tuple{&rule.tool_from, &spec.tool_from, "tool_from"}}) {
    if (Status s = compile_into(*pattern, *expression, where + field, when); !s) return s.error();
  }
  if (Status s = compile_part(rule.command, spec.command, where + "command", when); !s)
    return s.error();
  if (Status s = compile_part(rule.path, spec.path, where + "path", when); !s) return s.error();
  return rule;
}

}  // namespace

Result<DialogRules> DialogRules::compile(const DialogsSpec& spec, base::Compiled when) {
  DialogRules rules;
  if (Status s = compile_into(rules.top, spec.top, "top", when); !s) return s.error();
  if (Status s = compile_into(rules.folded, spec.folded, "folded", when); !s) return s.error();
  if (Status s = compile_into(rules.scrolled, spec.scrolled, "scrolled", when); !s)
    return s.error();
  for (const OptionWordsSpec& words : spec.words) {
    std::optional<base::Pattern> pattern;
    if (Status s = compile_into(pattern, words.pattern, "words", when); !s) return s.error();
    if (pattern) rules.words.push_back({*std::move(pattern), words.sense});
  }
  for (const DialogSpec& kind : spec.kinds) {
    Result<DialogRule> rule = compile_kind(kind, spec.edge, when);
    if (!rule) return rule.error();
    rules.kinds.push_back(std::move(rule).value());
  }
  return rules;
}

}  // namespace orch::detect

#include "driver/option_meaning.h"

#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/check.h"
#include "base/pattern.h"

namespace orch::driver {

using agent::Meaning;

namespace {

// Patterns that are searched for in the text of an option, in lower case and without the key behind
// it ("(esc)"). The words were recorded from Claude Code 2.1, Codex 0.169, Gemini 0.61, opencode
// 1.18, Copilot 1.0 and Qwen 0.15, or stand in their sources or in Cursor's documentation.
struct Words {
  base::Pattern yes, no, more, other, instead, stop;
};

const Words& words() {
  static const Words kWords = [] {
    const auto compile = [](std::string_view expression) {
      base::Result<base::Pattern> pattern = base::Pattern::compile(expression);
      ORCH_CHECK(pattern.ok());
      return std::move(pattern).value();
    };
    return Words{
        .yes = compile("^(yes|y|ok|okay|allow|approve|accept|proceed|continue|confirm|trust|run|"
                       "apply|i trust|use (this|the) (api )?key|try new model|update|switch to|"
                       "implement|always)\\b"),
        .no = compile("^(no|n|reject|deny|decline|cancel|don't|don’t|do not|disallow|refuse|skip|"
                      "use existing model|keep (the )?(existing|current|using)|not now|later|exit|"
                      "quit|dismiss|abort|continue without)\\b"),
        // The option allows more than was asked for.
        .more = compile("\\b(always|every|everything|anything|all|future|remember|session|never|"
                        "auto|automatically|similar|parent|bypass|yolo|permanently|until|"
                        "allowlist|conversation)\\b|auto-|(don't|don’t|do not|without|stop) ask|"
                        "\\bfor (this|the|these) (project|repo|repository|workspace|folder|user|"
                        "files?|command|tool|server|host|domain)\\b"),
        // The option says yes, but not to the request as it was made.
        .other = compile("clear context|external editor|\\bmodify\\b|\\bedit (it|the|command)\\b"),
        .instead = compile("\\btell \\S+ what to do (differently|instead)\\b"),
        .stop =
            compile("^(stop|stop - abort request|stop and wait\\b.*|wait for (the )?limit\\b.*)$"),
    };
  }();
  return kWords;
}

// The option without a description far behind it and without a key in brackets at its end.
std::string_view core_of(std::string_view option) {
  option = option.substr(0, option.find("  "));
  while (option.ends_with(')')) {
    const size_t open = option.rfind('(');
    if (open == std::string_view::npos || open == 0) break;
    option = option.substr(0, option.find_last_not_of(' ', open - 1) + 1);
  }
  return option;
}

}  // namespace

Meaning meaning_of(std::string_view option) {
  const std::string text = base::lower(core_of(option));
  if (words().no.matches(text)) {
    return words().more.matches(text) ? Meaning::kOther : Meaning::kDeny;
  }
  if (!words().yes.matches(text) || words().other.matches(text)) return Meaning::kOther;
  return words().more.matches(text) ? Meaning::kAllowAlways : Meaning::kAllowOnce;
}

Meaning meaning_at_limit(std::string_view option) {
  return words().stop.matches(base::lower(core_of(option))) ? Meaning::kDeny : Meaning::kOther;
}

bool wants_words(std::string_view option) {
  const std::string text = base::lower(core_of(option));
  return words().no.matches(text) && words().instead.matches(text);
}

}  // namespace orch::driver

// Reads any bytes as a manifest: the result is an error of one line, or an agent that can be
// started and watched.

#include <cstdint>
#include <string_view>

#include "adapters/launch.h"
#include "adapters/manifest.h"
#include "base/check.h"
#include "base/text.h"
#include "detect/rules.h"
#include "watched_view.h"

namespace {

// Plays a session in which most agents' rules match something: work, a prompt, a dialog, an error.
void watch(const orch::adapters::Manifest& manifest, const orch::detect::RuleSet& rules) {
  constexpr std::string_view kRule = "────────────────────────────────────────\r\n";
  WatchedView view(manifest, rules, {40, 12});
  for (const std::string_view screen :
       {"\x1b]0;✳ title\x07\x1b]9;4;1;40\x07* words\r\n> hello\r\n", "❯ 1. Yes\r\n  2. No\r\n",
        "\x1b[31m● API Error: 529\x1b[m\r\n│ > text │\r\n", "✻ Working… (esc to interrupt)\r\n"}) {
    view.output("\x1b[2J\x1b[H", 0);
    view.output(screen, 0);
    view.output(kRule, 0);
    view.output("❯ \r\n", 0);
    view.output(kRule, 0);
    view.wait(3'000);
    view.input("text");
    view.input("\r");
  }
  view.exit();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  const auto manifest = orch::adapters::parse_manifest(json, "fuzz.json");
  if (!manifest) {
    const std::string& error = manifest.error().text;
    ORCH_CHECK(error.starts_with("fuzz.json: ") && orch::base::printable(error) == error);
    return 0;
  }
  orch::adapters::LaunchRequest request;
  request.model = "m";
  request.command = {"word"};
  const auto plan = orch::adapters::plan_launch(*manifest, request);
  ORCH_CHECK(!plan || !plan->argv.empty());
  const auto rules = orch::detect::RuleSet::compile(manifest->rules);
  ORCH_CHECK(rules.ok());
  watch(*manifest, *rules);
  return 0;
}

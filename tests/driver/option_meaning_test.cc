#include "driver/option_meaning.h"

#include <catch2/catch.hpp>

namespace orch::driver {
namespace {

using agent::Meaning;

void check(Meaning meaning, const std::vector<std::string_view>& options) {
  for (const std::string_view option : options) {
    INFO(option);
    CHECK(meaning_of(option) == meaning);
  }
}

}  // namespace

TEST_CASE("At a limit only what ends or waits has a meaning: all else may cost money") {
  for (const std::string_view option :
       {"Stop and wait for limit to reset", "Stop", "Wait for limit to reset",
        "Wait for limit to reset   Resets 3pm", "Stop (esc)", "Stop - Abort request"}) {
    INFO(option);
    CHECK(meaning_at_limit(option) == Meaning::kDeny);
  }
  for (const std::string_view option :
       {"Upgrade your plan", "Upgrade to Team plan", "Switch to Team plan",
        "Switch to usage credits", "Add funds to continue with usage credits",
        "Ask your admin for more usage", "Continue with usage credits",
        "Adjust monthly spend limit: $50", "Use extra usage", "Yes",
        "Wait here, then continue automatically at Nov 27, 9:16am", "Switch to gemini-2.5-flash",
        "Use AI Credits - Continue this request (Overage)", "Keep trying",
        "Stop waiting and use credits"}) {
    INFO(option);
    CHECK(meaning_at_limit(option) == Meaning::kOther);
  }
}

TEST_CASE("Options that allow what is asked, once") {
  check(Meaning::kAllowOnce,
        {"Yes", "Yes, proceed (y)", "Allow once", "Yes, allow once", "Allow", "Approve",
         "Yes, I trust this folder", "Yes, I accept", "Trust folder (demo)", "Trust and continue",
         "Yes, manually approve edits", "Yes, and manually approve edits",
         "Yes, implement this plan          Switch to Default and start coding",
         "Yes, just this once (y)", "Run (once) (y) (enter)", "Try new model",
         "Update now (runs `npm install -g x`)", "Proceed", "Yes, use this API key"});
}

TEST_CASE("Options that allow more than what is asked") {
  check(Meaning::kAllowAlways,
        {"Yes, and don't ask again for similar commands in /src/demo",
         "Yes, and don't ask again for commands that start with `touch out.txt` (p)",
         "Yes, and don't ask again for these files (a)",
         "Yes, and always allow access to demo/ from this project",
         "Yes, allow all edits during this session (shift+tab)",
         "Yes, allow reading from src/ during this session", "Allow for this session",
         "Allow always", "Always allow run 'rm *' commands in this project", "Yes, allow always",
         "Yes, and use auto mode", "Yes, auto-accept edits", "Yes, and bypass permissions",
         "Yes, automatically accept edits", "Trust parent folder (src)",
         "Yes, and remember this folder for future sessions",
         "Yes, and allow this host for this conversation (a)", "Run everything"});
}

TEST_CASE("Options that deny") {
  check(Meaning::kDeny,
        {"No", "No, exit", "No (recommended)", "Reject", "Deny", "Cancel", "Don't trust",
         "No, suggest changes (esc)", "No, and tell Codex what to do differently (esc)",
         "No, and tell Claude what to do differently (esc)", "No, stay in Plan mode",
         "No, keep planning", "Use existing model", "Skip", "Not now", "Don’t allow"});
}

TEST_CASE("Options that mean something else, or are not understood") {
  check(
      Meaning::kOther,
      {"Type something.", "Chat about this", "SQLite A single file", "Modify with external editor",
       "Tell Claude what to change shift+tab to approve with this feedback",
       "Back to Agent Command Center", "Sign in with ChatGPT", "Yes, clear context and implement",
       "Skip until next version", "No, and don't ask again", "Nooject", "Yesterday", "Notes", "",
       "(esc)", "Oui", "はい"});
}

TEST_CASE("Options that lead to the prompt, where the agent is told what to do instead") {
  for (const char* option : {"No, and tell Codex what to do differently (esc)",
                             "No, and tell Copilot what to do differently (Esc to stop)",
                             "No, and tell Claude what to do instead"}) {
    CAPTURE(option);
    CHECK(wants_words(option));
  }
  for (const char* option : {"No", "Yes, and tell me what to do differently", "Type something.",
                             "Tell Claude what to change shift+tab to approve with this feedback",
                             "No, I will not tell you", ""}) {
    CAPTURE(option);
    CHECK_FALSE(wants_words(option));
  }
}

}  // namespace orch::driver

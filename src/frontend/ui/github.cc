#include "ui/github.h"

#include <fmt/format.h>

#include "base/random.h"
#include "event/exit_reason.h"

namespace orch::ui::github {
namespace {

// Escapes as @actions/toolkit does for its commands; in a property also the characters : and ,.
std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    if (c == '%') {
      out += "%25";
    } else if (c == '\r') {
      out += "%0D";
    } else if (c == '\n') {
      out += "%0A";
    } else if (property && c == ':') {
      out += "%3A";
    } else if (property && c == ',') {
      out += "%2C";
    } else {
      out += c;
    }
  }
  return out;
}

// Escapes text that others have written: an older runner obeys "##[" wherever it stands.
std::string shown(std::string_view text, bool property) {
  std::string out = escaped(text, property);
  for (size_t at = 0; (at = out.find("##[", at)) != std::string::npos;) out.insert(at + 2, " ");
  return out;
}

}  // namespace

std::string stop_commands(std::string_view token) {
  return fmt::format("::stop-commands::{}\n", token);
}
std::string resume_commands(std::string_view token) { return fmt::format("::{}::\n", token); }

std::string random_token() { return "orch-" + base::random_hex(); }

std::string add_mask(std::string_view secret) {
  return fmt::format("::add-mask::{}\n", escaped(secret, false));
}

std::string begin_group(std::string_view title) {
  return fmt::format("::group::{}\n", shown(title, false));
}
std::string end_group() { return "::endgroup::\n"; }

std::string annotation(std::string_view session, std::string_view reason, int code,
                       std::string_view detail) {
  using event::ExitReason;
  if (code == 0) return {};
  const bool undecided = code == event::exit_code(ExitReason::kNeedsHuman) ||
                         code == event::exit_code(ExitReason::kRetryLater);
  return fmt::format("::{} title={}::{} (exit {}){}{}\n", undecided ? "warning" : "error",
                     shown(session, true), reason, code, detail.empty() ? "" : ": ",
                     shown(detail, false));
}

std::string warning(std::string_view text) {
  return fmt::format("::warning title=orch::{}\n", shown(text, false));
}

std::string output(std::string_view name, std::string_view value, std::string_view delimiter) {
  return fmt::format("{0}<<{2}\n{1}\n{2}\n", name, value, delimiter);
}

}  // namespace orch::ui::github

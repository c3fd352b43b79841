#include "cli/command.h"

#include <CLI/CLI.hpp>
#include <map>
#include <string>

namespace orch::cli {

int report_no_session(const base::Error& error) {
  const int code = report(error);
  return error.code == base::ErrorCode::kNotFound ? kNoSuchSession : code;
}

void add_color_option(CLI::App& command, ui::ColorChoice& choice) {
  using ui::ColorChoice;
  static const std::map<std::string, ColorChoice> kChoices{{"auto", ColorChoice::kAuto},
                                                           {"always", ColorChoice::kAlways},
                                                           {"never", ColorChoice::kNever}};
  command.add_option("--color", choice, "auto (default), always or never")
      ->transform(CLI::CheckedTransformer(kChoices).description("WHEN"));
}

}  // namespace orch::cli

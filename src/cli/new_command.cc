#include "cli/new_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <vector>

#include "setup/paths.h"

namespace orch::cli {

NewOption& NewOption::required() {
  option_->required();
  return *this;
}

NewOption& NewOption::show_default() {
  option_->capture_default_str();
  return *this;
}

NewOption& NewOption::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

NewOption& NewOption::group(const std::string& title) {
  option_->group(title);
  return *this;
}

NewOption& NewOption::between(double least, double most) {
  // The text that a refusal of another value shows after "write".
  std::string range = option_->get_type_name() == "INT" ? "a whole number" : "a number";
  range += most >= INT32_MAX ? fmt::format(", {} or more", least)
                             : fmt::format(" from {} to {}", least, most);
  option_->check([range, valid = CLI::Range(least, most)](std::string value) {
    return valid(value).empty() ? "" : range;
  });
  return *this;
}

NewOption& NewOption::take_all() {
  option_->take_all();
  return *this;
}

NewOption& NewOption::one_word() {
  option_->allow_extra_args(false);
  return *this;
}

NewCommand::NewCommand(CLI::App& parent, const std::string& name, const std::string& about)
    : app_(parent.add_subcommand(name, about)) {}

template <class T>
NewOption NewCommand::option(const std::string& names, T& value, const std::string& about) {
  return NewOption(app_->add_option(names, value, about));
}

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type
#define ORCH_OPTION(T) \
  template NewOption NewCommand::option(const std::string&, T&, const std::string&);
// NOLINTEND(bugprone-macro-parentheses)
ORCH_OPTION(std::string)
ORCH_OPTION(std::optional<std::string>)
ORCH_OPTION(std::vector<std::string>)
ORCH_OPTION(int)
ORCH_OPTION(std::optional<int>)
#undef ORCH_OPTION

NewOption NewCommand::flag(const std::string& names, bool& value, const std::string& about) {
  return NewOption(app_->add_flag(names, value, about));
}

void NewCommand::color(ui::ColorChoice& choice) {
  using ui::ColorChoice;
  static const std::map<std::string, ColorChoice> kChoices{{"auto", ColorChoice::kAuto},
                                                           {"always", ColorChoice::kAlways},
                                                           {"never", ColorChoice::kNever}};
  app_->add_option("--color", choice, "auto (default), always or never")
      ->transform(CLI::CheckedTransformer(kChoices).description("WHEN"));
}

void NewCommand::state_dir(std::optional<std::string>& state_dir, const std::string& about) {
  option("--state-dir", state_dir, about);
}

void NewCommand::footer(const std::string& text) { app_->footer(text); }

void NewCommand::alias(const std::string& name) { app_->alias(name); }

void NewCommand::takes_subcommand(bool required) { app_->require_subcommand(required ? 1 : 0, 1); }

void NewCommand::does(Chosen& chosen, Chosen work) {
  app_->callback([app = app_, &chosen, work = std::move(work)] {
    if (app->get_subcommands().empty()) chosen = work;
  });
}

int at_place(const std::optional<std::string>& state_dir,
             const std::function<int(const client::Place&)>& work) {
  const base::Result<client::Place> place = setup::place_of(state_dir);
  return place ? work(*place) : report(place.error());
}

}  // namespace orch::cli

#include "policy/program_options.h"

#include <algorithm>

#include "base/text.h"

namespace orch::policy {
namespace {

ShellWord rest_of(const ShellWord& word, size_t from) {
  ShellWord rest = word;
  rest.text.erase(0, from);
  return rest;
}

// Whether an option of that kind takes the next argument if it has no attached value.
bool takes_next(char kind) { return std::string_view("=>@").find(kind) != std::string_view::npos; }

}  // namespace

ProgramOptions::ProgramOptions(const std::vector<ShellWord>& arguments,
                               std::string_view specification, bool stops) {
  for (std::string_view name : base::split(specification, ' ')) {
    char kind = ' ';
    if (!name.empty() && std::string_view("=>@?!").find(name.back()) != std::string_view::npos) {
      kind = name.back();
      name.remove_suffix(1);
    }
    if (!name.empty()) known_.push_back({std::string(name), kind});
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& text = arguments[i].text;
    if (arguments[i].unknown()) may_be_any_ = true;
    if (text == "--") {
      after_unnamed_ = false;
      for (++i; i < arguments.size(); ++i) take_operand(arguments[i]);
    } else if (text.starts_with("--")) {
      read_long(arguments, i);
    } else if (text.size() > 1 && text[0] == '-') {
      read_cluster(arguments, i);
    } else {
      take_operand(arguments[i]);
      if (!stops) continue;
      for (++i; i < arguments.size(); ++i) take_operand(arguments[i]);
    }
  }
}

void ProgramOptions::take_operand(const ShellWord& word) {
  operands_.push_back(word);
  maybe_values_.push_back(after_unnamed_);
  after_unnamed_ = false;
}

const ProgramOptions::Named* ProgramOptions::named(std::string_view name) const {
  const auto found = std::find_if(known_.begin(), known_.end(),
                                  [name](const Named& option) { return option.name == name; });
  return found == known_.end() ? nullptr : &*found;
}

void ProgramOptions::add(const Named& named, ShellWord value) {
  if (named.kind == '!') understood_ = false;
  options_.push_back({named.name, named.kind, std::move(value)});
  after_unnamed_ = false;
}

void ProgramOptions::add_unnamed(std::string name, ShellWord value) {
  const bool number = name.size() == 2 && name[1] >= '0' && name[1] <= '9';  // "nice -5"
  after_unnamed_ = value.text.empty() && !number;
  options_.push_back({std::move(name), ' ', std::move(value)});
}

// Reads "--name", "--name=value" or "--name value". The name may be abbreviated.
void ProgramOptions::read_long(const std::vector<ShellWord>& arguments, size_t& i) {
  const std::string& text = arguments[i].text;
  const size_t equals = std::min(text.find('='), text.size());
  const std::string name = text.substr(0, equals);
  if (std::any_of(name.begin(), name.end(), is_mark)) may_be_any_ = true;
  const Named* option = named(name);
  for (const Named& known : known_) {
    if (option != nullptr) break;
    if (name.size() > 2 && known.name.starts_with(name)) option = &known;
  }
  if (option == nullptr) {
    ShellWord value = equals < text.size() ? rest_of(arguments[i], equals + 1) : ShellWord{};
    return add_unnamed(name, std::move(value));
  }
  if (equals < text.size()) return add(*option, rest_of(arguments[i], equals + 1));
  const bool has_next = takes_next(option->kind) && i + 1 < arguments.size();
  add(*option, has_next ? arguments[++i] : ShellWord{});
}

// Reads "-a", "-ab", "-ovalue" or "-o value".
void ProgramOptions::read_cluster(const std::vector<ShellWord>& arguments, size_t& i) {
  const ShellWord& word = arguments[i];
  if (const Named* option = named(word.text); option != nullptr && word.text.size() > 2) {
    const bool has_next = takes_next(option->kind) && i + 1 < arguments.size();
    return add(*option, has_next ? arguments[++i] : ShellWord{});  // "-name value"
  }
  const size_t equals = word.text.find('=');
  if (equals != std::string::npos && equals > 2) {  // "-name=value"
    const Named* option = named(std::string_view(word.text).substr(0, equals));
    if (option != nullptr) return add(*option, rest_of(word, equals + 1));
  }
  for (size_t at = 1; at < word.text.size(); ++at) {
    if (is_mark(word.text[at]) && word.text[at] != kDigits) may_be_any_ = true;
    const std::string name{'-', word.text[at]};
    const Named* option = named(name);
    if (option == nullptr) {
      add_unnamed(name, {});
      continue;
    }
    const bool takes_value = option->kind != ' ';
    if (!takes_value) {
      add(*option, {});
      continue;
    }
    if (at + 1 < word.text.size()) return add(*option, rest_of(word, at + 1));
    const bool has_next = takes_next(option->kind) && i + 1 < arguments.size();
    return add(*option, has_next ? arguments[++i] : ShellWord{});
  }
}

bool ProgramOptions::has(std::string_view name) const {
  return std::any_of(options_.begin(), options_.end(),
                     [name](const Option& option) { return option.name == name; });
}

std::vector<ShellWord> ProgramOptions::values(std::string_view name) const {
  std::vector<ShellWord> values;
  for (const Option& option : options_) {
    if (option.name == name) values.push_back(option.value);
  }
  return values;
}

std::vector<ShellWord> ProgramOptions::values_of_kind(char kind) const {
  std::vector<ShellWord> values;
  for (const Option& option : options_) {
    if (option.kind == kind) values.push_back(option.value);
  }
  return values;
}

std::vector<ShellWord> with_old_letters_apart(const std::vector<ShellWord>& arguments,
                                              std::string_view specification) {
  if (arguments.empty() || arguments[0].text.starts_with('-')) return arguments;
  const std::string known = " " + std::string(specification) + " ";
  std::vector<ShellWord> apart;
  size_t next = 1;
  for (const char letter : arguments[0].text) {
    apart.push_back(exact_word(std::string{'-', letter}));
    const size_t at = known.find(std::string{' ', '-', letter});
    const bool valued =
        at != std::string::npos && is_one_of(known.substr(at + 3, 2), {"= ", "> ", "@ ", "! "});
    if (valued && next < arguments.size()) apart.push_back(arguments[next++]);
  }
  apart.insert(apart.end(), arguments.begin() + static_cast<long>(next), arguments.end());
  return apart;
}

}  // namespace orch::policy

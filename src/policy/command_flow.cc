#include "policy/command_flow.h"

#include <algorithm>
#include <initializer_list>

#include "policy/denied_programs.h"

namespace orch::policy {
namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string_view without_dot(std::string_view path) {
  return path.starts_with("./") ? path.substr(2) : path;
}

// Names of files below the work directory that were searched for: never the directory itself.
bool narrows(std::string_view program, std::span<const ShellWord> arguments, const Flow& input) {
  const bool searches = is_one_of(program, {"ls", "fd", "rg", "grep", "git"}) ||
                        (program == "find" && arguments.size() > 2) ||
                        (input.narrowed && is_one_of(program, {"sort", "uniq", "head", "tail"}));
  return searches && std::none_of(arguments.begin(), arguments.end(), [](const ShellWord& word) {
           return word.text.starts_with('/') || word.text.starts_with('~') ||
                  word.text.starts_with("..") || (word.known == 0 && !word.text.empty());
         });
}

}  // namespace

Flow merged(Flow first, Flow second) {
  using Kind = Flow::Kind;
  if (first.kind == Kind::kNone) return second;
  if (second.kind == Kind::kNone) return first;
  if (first.kind == Kind::kDownload || second.kind == Kind::kDownload) {
    return {Kind::kDownload, "", false};
  }
  if (first.kind == Kind::kText && second.kind == Kind::kText) {
    return {Kind::kText, first.text + "\n" + second.text, false};
  }
  return {Kind::kUnknown, "", false};
}

void Downloads::add(std::string_view path) { paths_.emplace_back(without_dot(path)); }

bool Downloads::hold(std::string_view path) const {
  path = without_dot(path);
  return !path.empty() && std::find(paths_.begin(), paths_.end(), path) != paths_.end();
}

bool Downloads::hold_any(std::span<const ShellWord> paths) const {
  return std::any_of(paths.begin(), paths.end(),
                     [this](const ShellWord& path) { return hold(path.text); });
}

bool is_downloader(std::string_view program) {
  return is_one_of(program, {"curl", "wget", "fetch", "aria2c", "http", "https", "xh"});
}

std::string text_of(std::span<const ShellWord> words) {
  std::string text;
  for (const ShellWord& word : words) {
    if (!text.empty()) text += ' ';
    text += word.text;
  }
  return text;
}

Flow output_of(std::string_view program, std::span<const ShellWord> arguments, const Flow& input,
               bool loads, Downloads& downloads) {
  using Kind = Flow::Kind;
  if (is_downloader(program)) {
    const std::vector<ShellWord> targets = download_targets(program, arguments);
    for (const ShellWord& target : targets) downloads.add(target.text);
    return {targets.empty() ? Kind::kDownload : Kind::kNone, "", false};
  }
  if (loads || downloads.hold_any(arguments)) return {Kind::kDownload, "", false};
  if (is_one_of(program, {"echo", "printf"})) {
    const bool exact = std::all_of(arguments.begin(), arguments.end(),
                                   [](const ShellWord& word) { return word.exact(); });
    return {exact ? Kind::kText : Kind::kUnknown, text_of(arguments), false};
  }
  const bool reads_input = arguments.empty() || arguments.front().text.starts_with('-');
  if (program == "tee" || (is_one_of(program, {"cat", "head", "tail"}) && reads_input)) {
    return input;
  }
  if (program == "cat") return {Kind::kFile, "", false};
  if (input.kind == Kind::kDownload) return {Kind::kDownload, "", false};  // a filter of it
  return {Kind::kUnknown, "", narrows(program, arguments, input)};
}

}  // namespace orch::policy

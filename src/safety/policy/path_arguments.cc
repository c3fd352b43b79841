#include "policy/path_arguments.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/text.h"
#include "policy/protected_path.h"

namespace orch::policy {
namespace {

constexpr std::string_view kBeforePath = " \t\n=,:;@\"'([|&<>!+";

// Whether only root can write there. Most of /proc does not count: /proc/self/cwd leads anywhere.
bool is_of_system(std::string_view path) {
  if (is_one_of(path, {"/dev/random", "/dev/urandom"})) return true;
  if (path.starts_with("/proc/")) return path.find('/', 6) == std::string_view::npos;
  for (const std::string_view folder :
       {"/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc", "/opt", "/sys"}) {
    if (is_within(path, folder)) return true;
  }
  return false;
}

bool leads_out(std::string_view text, const Whereabouts& where, PathScope scope) {
  std::string path(text.substr(0, text.find_first_of(" \t\n,;\"'")));
  if (path.starts_with('~')) {
    const std::string_view user = std::string_view(path).substr(1, path.find('/') - 1);
    if (user.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") != std::string_view::npos)
      return false;
    path.replace(0, 1 + user.size(), user.empty() ? home_of(where.work_dir) : "/home/~");
  }
  if (path == "/" && text.size() > 1) return false;  // "a / b"
  const bool climbs = path == ".." || path.starts_with("../") ||
                      path.find("/../") != std::string::npos || path.ends_with("/..");
  if (!path.starts_with('/') && !climbs) return false;
  if (place_of(exact_word(path), where) == Place::kAllowed) return false;
  if (scope == PathScope::kStrange) return true;
  const std::optional<NamedPath> named = path_of(exact_word(path), where);
  return !named || named->unknown || !is_of_system(named->path);
}

// The offset where a path may begin directly after the letters of an option: "-o/x", "-MF../x".
size_t behind_letters(std::string_view text) {
  const size_t letters = std::min(text.find_first_of("/.~", 1), text.size());
  const bool few = letters <= 5 || text.substr(letters).starts_with("../");
  return few ? letters : text.size();
}

// Whether the specification has the word as an option with a value, and whether that value is in
// the word itself or is the next word.
enum class Known : uint8_t { kNo, kWithValue, kWithNext };
Known known_as(std::string_view word, std::string_view specification) {
  while (!specification.empty()) {
    std::string_view name = base::take_until(specification, ' ');
    if (!name.ends_with('=')) continue;
    name.remove_suffix(1);
    if (word == name) return Known::kWithNext;
    if (!word.starts_with(name)) continue;
    const bool attached = name.size() == 2 || word.substr(name.size()).starts_with('=');
    if (attached) return Known::kWithValue;
  }
  return Known::kNo;
}

// Whether the word names a file with more arguments ("@FILE", "--config=FILE") that the command
// itself may have written.
bool holds_written_arguments(const ShellWord& word, const ProgramCall& call) {
  if (call.effects.written.empty()) return false;
  const size_t mark = word.text.find('@');
  const bool config = word.text.starts_with("--config");
  if (mark == std::string::npos) return config;
  const std::optional<NamedPath> named =
      path_of(exact_word(std::string_view(word.text).substr(mark + 1)), call.where);
  return config || !named || call.effects.written.find(named->path) != nullptr;
}

bool is_long(std::string_view text) {
  return text.size() > 3 && text[0] == '-' && text.find('=') == std::string_view::npos;
}

}  // namespace

bool may_lead_out(std::string_view text, const Whereabouts& where, PathScope scope) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (i > 0 && kBeforePath.find(text[i - 1]) == std::string_view::npos) continue;
    const std::string_view rest = text.substr(i);
    const bool address = rest.starts_with("//") && i > 1 && text[i - 1] == ':' &&
                         !text.substr(0, i - 1).ends_with("file");
    const bool option = rest.size() > 1 && rest[0] == '-' && rest[1] != '-';
    if (option && leads_out(rest.substr(behind_letters(rest)), where, scope)) return true;
    if (!address && leads_out(rest, where, scope)) return true;
  }
  return false;
}

bool names_protected(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (i > 0 && kBeforePath.find(text[i - 1]) == std::string_view::npos) continue;
    const std::string_view rest = text.substr(i, text.find_first_of(" \t\n,;\"'", i) - i);
    const bool option = rest.size() > 1 && rest[0] == '-' && rest[1] != '-';
    const std::string_view path = option ? rest.substr(behind_letters(rest)) : rest;
    if (protection_of(path) == Protection::kProtected) return true;
  }
  return false;
}

bool names_input(const ShellWord& word) {
  for (const std::string_view input : {"/dev/stdin", "/dev/fd/", "/fd/"}) {
    if (word.text.find(input) != std::string::npos) return true;
  }
  return word.process;
}

void judge_path_arguments(const ProgramCall& call, std::string_view known, PathScope scope) {
  bool options_end = false;
  bool behind_long = false;
  for (size_t i = 0; i < call.words.size(); ++i) {
    const ShellWord& word = call.words[i];
    if (holds_written_arguments(word, call)) call.verdict().cannot_read();
    options_end = options_end || word.text == "--";
    const bool option = !options_end && word.text.size() > 1 && word.text[0] == '-';
    const Known as = option ? known_as(word.text, known) : Known::kNo;
    if (as != Known::kNo) {
      if (as == Known::kWithNext) ++i;
      behind_long = false;
      continue;
    }
    const bool label =  // a label of bazel: //folder:name
        is_one_of(call.program, {"bazel", "bazelisk", "buck"}) && word.text.starts_with("//");
    const bool looked_at = scope != PathScope::kOptions || option || behind_long;
    if (looked_at && !label && may_lead_out(word.text, call.where, scope)) {
      call.verdict().suspect(DenyEntry::kOutsideWrite, false);
    }
    if (looked_at && names_protected(word.text)) {
      call.verdict().suspect(DenyEntry::kProtectedWrite, false);
    }
    const bool hides = option && (word.text.find(kAnyText) != std::string::npos ||
                                  word.text.find(kAnyWords) != std::string::npos);
    if (hides) call.verdict().cannot_read();
    behind_long = option && is_long(word.text);
  }
}

}  // namespace orch::policy

#include "policy/find_command.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "policy/protected_path.h"

namespace orch::policy {
namespace {

using Words = std::vector<ShellWord>;
using Reach = FindGuard::Reach;

constexpr int kMaxParentheses = 40;  // how deep parentheses may be nested
constexpr size_t kMaxRoots = 16;

// The guard of "A B": both must let a file pass.
FindGuard both(const FindGuard& a, const FindGuard& b) {
  return {std::max(a.reach, b.reach), a.plain_names || b.plain_names, a.no_folders || b.no_folders,
          a.protected_names || b.protected_names};
}

// The guard of "A -o B": one of them must let a file pass.
FindGuard either(const FindGuard& a, const FindGuard& b) {
  return {std::min(a.reach, b.reach), a.plain_names && b.plain_names, a.no_folders && b.no_folders,
          a.protected_names || b.protected_names};
}

// Whether the pattern matches no file of git or of an editor that makes programs run commands.
bool is_plain_name(const ShellWord& pattern) {
  const std::string& text = pattern.text;
  const bool protected_name =
      is_one_of(text, {"config", "attributes", "settings.json", "hooks", "tasks.json"}) ||
      text.starts_with("pre-") || text.starts_with("post-") || text.starts_with("settings");
  return pattern.exact() && !protected_name && text.find('?') == std::string::npos &&
         (text.find('*') == std::string::npos || text.starts_with("*."));
}

// Whether the pattern matches only paths in a folder without a protected name: "./src/*".
bool is_plain_path(const ShellWord& pattern) {
  const std::string& text = pattern.text;
  return pattern.exact() && text.starts_with("./") && text.size() > 2 &&
         text.find("/.") == std::string::npos && text.find_first_of("*?[", 2) > 2 &&
         text.find_first_of("*?[/", 2) != 2;
}

// Whether each alternative of a regular expression, of any syntax, leaves most paths out. Parts
// that may be repeated or left out do not count.
bool is_narrow_regex(std::string_view text) {
  std::string pattern;  // the current alternative, turned into a pattern of names
  size_t atom = 0;      // where its last atom begins
  bool group = false;   // the last atom was a group
  for (size_t i = 0; i <= text.size(); ++i) {
    char c = i < text.size() ? text[i] : '|';
    const bool escaped = c == '\\' && i + 1 < text.size();
    if (escaped) c = text[++i];
    if (escaped && base::is_letter(c)) return false;
    if (c == '|') {
      if (!is_narrow_pattern(pattern)) return false;
      pattern.clear();
    } else if (std::string_view("*+?{").find(c) != std::string_view::npos && !escaped) {
      if (group) return false;
      pattern.replace(atom, std::string::npos, "*");
    } else if (c == ')') {
      group = true;
    } else if (c == '[' && !escaped) {
      const size_t end = std::min(text.find(']', i + 2), text.size() - 1);
      atom = pattern.size();
      pattern += text.substr(i, end + 1 - i);
      i = end;
    } else if (std::string_view("(^$").find(c) == std::string_view::npos) {
      atom = pattern.size();
      pattern += c == '.' && !escaped ? "?" : std::string{'\\', c};
      group = false;
    }
  }
  return true;
}

// Whether a pattern of find may match the name. A set of characters is taken to match any one.
bool may_match(std::string_view pattern, std::string_view name) {
  if (std::any_of(pattern.begin(), pattern.end(), is_mark)) return true;
  if (pattern.size() > 256 || name.size() > 1024) return true;
  size_t p = 0;
  size_t star = std::string_view::npos;  // after the last '*'; `reach`: the end of its match
  size_t reach = 0;
  for (size_t n = 0; n < name.size();) {
    const char c = p < pattern.size() ? pattern[p] : '\0';
    const bool escaped = c == '\\' && p + 1 < pattern.size();
    if (c == '*') {
      star = ++p;
      reach = n;
    } else if (c == '?' || c == '[' ||
               (p < pattern.size() && pattern[p + (escaped ? 1 : 0)] == name[n])) {
      if (c == '[') p = std::min(pattern.find(']', p + 2), pattern.size() - 1);
      p += escaped ? 2 : 1;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star;
      n = ++reach;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

// Whether the pattern looks for a protected name, or for a path with a protected folder in it.
bool is_for_protected(std::string_view pattern, bool of_path) {
  const std::string lower = base::lower(pattern);
  if (pattern.find('.') == std::string_view::npos) return false;
  return std::any_of(kProtectedNames.begin(), kProtectedNames.end(), [&](std::string_view name) {
    if (!of_path) return lower[0] == '.' && may_match(lower, name);
    const size_t at = lower.find(name);
    const std::string_view after = at == std::string::npos
                                       ? std::string_view("x")
                                       : std::string_view(lower).substr(at + name.size());
    return after.empty() || after[0] == '/' || after[0] == '*';
  });
}

// Whether the test or option takes the next word as its value.
bool takes_word(std::string_view test) {
  return test.starts_with("-newer") ||
         is_one_of(test,
                   {"-name",   "-iname",    "-path",     "-ipath",  "-wholename", "-iwholename",
                    "-lname",  "-ilname",   "-regex",    "-iregex", "-regextype", "-type",
                    "-xtype",  "-mtime",    "-atime",    "-ctime",  "-mmin",      "-amin",
                    "-cmin",   "-anewer",   "-cnewer",   "-size",   "-perm",      "-user",
                    "-group",  "-uid",      "-gid",      "-links",  "-inum",      "-samefile",
                    "-fstype", "-maxdepth", "-mindepth", "-used",   "-context",   "-printf"});
}

bool is_action(std::string_view word) {
  return word.starts_with("-fprint") ||
         is_one_of(word, {"-delete", "-exec", "-execdir", "-ok", "-okdir", "-fls"});
}

// Whether the word is not a test, and so lets every file pass.
bool is_no_test(std::string_view word) {
  return is_one_of(word, {"-true", "-prune", "-quit", "-depth", "-d", "-mindepth", "-maxdepth",
                          "-xdev", "-mount", "-follow", "-regextype", "-noleaf", "-daystart",
                          "-warn", "-nowarn", "-ignore_readdir_race", "-noignore_readdir_race"});
}

class FindReader {
 public:
  explicit FindReader(const Words& words) : words_(words) {}

  FindCommand read() {
    for (const ShellWord& word : words_) {
      const bool several = word.text.find(kAnyWords) != std::string::npos;
      if (word.unknown() || several) found_.understood = false;
    }
    read_options();
    read_roots();
    FindGuard whole;
    while (at_ < words_.size()) {
      whole = read_list({}, 0);
      if (at_ < words_.size()) ++at_;  // a closing parenthesis too many
    }
    if (found_.roots.empty()) found_.roots.push_back(exact_word("."));
    if (found_.actions.empty()) add(FindAction::Kind::kPrints, whole);
    for (const ShellWord& root : found_.roots) found_.named.push_back(may_be_about(root));
    return std::move(found_);
  }

 private:
  bool at(std::initializer_list<std::string_view> some) const {
    return at_ < words_.size() && is_one_of(words_[at_].text, some);
  }

  // Reads the options of GNU find and of BSD find, which may stand in one word: "-LE", "-xf ROOT".
  void read_options() {
    for (; at_ < words_.size(); ++at_) {
      const std::string& text = words_[at_].text;
      if (text == "--") return void(++at_);
      const bool bundle = text.size() > 1 && text[0] == '-' &&
                          text.find_first_not_of("HLPEXdsxf", 1) == std::string::npos;
      if (!bundle && text != "-D" && !text.starts_with("-O")) return;
      if (bundle && text.find('L') != std::string::npos) found_.follows_links = true;
      const bool names_root = bundle && text.find('f') != std::string::npos;
      if ((names_root || text == "-D") && at_ + 1 < words_.size()) {
        ++at_;
        if (names_root) add_root(words_[at_]);
      }
    }
  }

  void read_roots() {
    for (; at_ < words_.size(); ++at_) {
      if (words_[at_].text.starts_with('-') || at({"(", ")", "!", ","})) break;
      add_root(words_[at_]);
    }
  }

  void add_root(const ShellWord& root) {
    if (std::find(found_.roots.begin(), found_.roots.end(), root) != found_.roots.end()) return;
    if (found_.roots.size() == kMaxRoots) found_.understood = false;
    if (found_.roots.size() < kMaxRoots) found_.roots.push_back(root);
  }

  bool may_be_about(const ShellWord& root) const {
    if (by_identity_ || !root.exact()) return true;
    std::string path = base::lower(root.text);
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    const std::string_view name = base_name(path);
    return std::any_of(patterns_.begin(), patterns_.end(), [&](const NamePattern& pattern) {
      return may_match(pattern.text, pattern.of_path ? path : name);
    });
  }

  // Reads "A , B", whose parts are independent. `before` is the guard before the whole list.
  FindGuard read_list(const FindGuard& before, int depth) {
    FindGuard last = read_alternatives(before, depth);
    while (at({","})) {
      ++at_;
      last = read_alternatives(before, depth);
    }
    return last;
  }

  FindGuard read_alternatives(const FindGuard& before, int depth) {
    FindGuard guard = read_sequence(before, depth);
    while (at({"-o", "-or"})) {
      ++at_;
      guard = either(guard, read_sequence(before, depth));
    }
    return guard;
  }

  FindGuard read_sequence(const FindGuard& before, int depth) {
    FindGuard guard;
    while (at_ < words_.size() && !at({")", ",", "-o", "-or"})) {
      if (at({"-a", "-and"})) {
        ++at_;
      } else {
        guard = both(guard, read_factor(both(before, guard), depth));
      }
    }
    return guard;
  }

  FindGuard read_factor(const FindGuard& before, int depth) {
    if (at({"!", "-not"})) {
      ++at_;
      if (at_ == words_.size() || depth > kMaxParentheses) return too_deep();
      read_factor(before, depth + 1);
      return FindGuard{Reach::kMost};
    }
    if (!at({"("})) return read_primary(before);
    ++at_;
    if (depth > kMaxParentheses) return too_deep();
    const FindGuard guard = read_list(before, depth + 1);
    if (at({")"})) ++at_;
    return guard;
  }

  FindGuard too_deep() {
    found_.understood = false;
    at_ = words_.size();
    return {};
  }

  void add(FindAction::Kind kind, const FindGuard& guard, Words words = {}) {
    found_.actions.push_back({kind, guard, std::move(words), false});
  }

  FindGuard read_primary(const FindGuard& before) {
    const ShellWord& word = words_[at_++];
    const std::string& text = word.text;
    using Kind = FindAction::Kind;
    if (!text.starts_with('-')) add_root(word);  // bfs takes roots anywhere
    if (text.starts_with('-') && !word.exact()) found_.understood = false;  // "-dele${x}te"
    if (text == "-files0-from") found_.understood = false;
    if (is_one_of(text, {"-follow", "-L"})) found_.follows_links = true;
    if (is_one_of(text, {"-exec", "-execdir", "-ok", "-okdir"})) {
      add(Kind::kRuns, before, read_command(text.starts_with("-exec")));
      found_.actions.back().in_folder = text.ends_with("dir");
      return {};
    }
    if (text == "-delete") return add(Kind::kDeletes, before), FindGuard{};
    if (is_one_of(text, {"-print", "-print0"})) return add(Kind::kPrints, before), FindGuard{};
    if (is_one_of(text, {"-ls", "-printf"})) add(Kind::kShows, before);
    if (text.starts_with("-fprint") || text == "-fls") {
      if (at_ < words_.size()) add(Kind::kWrites, before, {words_[at_++]});
      if (text == "-fprintf" && at_ < words_.size()) ++at_;
      return {};
    }
    const ShellWord* argument = takes_word(text) && at_ < words_.size() ? &words_[at_++] : nullptr;
    // find takes the action here as the value of the test, but hardly anybody means that.
    if (argument != nullptr && is_action(argument->text)) found_.understood = false;
    if (text == "-mindepth" && argument != nullptr) {
      found_.below_roots = argument->text.find_first_of("123456789") == 0;
    }
    if (is_no_test(text) || is_one_of(text, {"-ls", "-printf"})) return {};
    return guard_of(text, argument);
  }

  // Reads "-exec COMMAND ;" or "-exec COMMAND {} +". A plus anywhere else is an argument.
  Words read_command(bool takes_plus) {
    Words command;
    for (; at_ < words_.size(); ++at_) {
      const std::string& text = words_[at_].text;
      const bool plus =
          takes_plus && text == "+" && !command.empty() && command.back().text == "{}";
      if (text == ";" || plus) {
        ++at_;
        break;
      }
      command.push_back(words_[at_]);
    }
    return command;
  }

  FindGuard guard_of(std::string_view test, const ShellWord* argument) {
    if (test == "-empty") return FindGuard{Reach::kFew};
    if (argument == nullptr) return FindGuard{Reach::kMost};
    const std::string& text = argument->text;
    if (is_one_of(test, {"-type", "-xtype"})) {
      const bool files = argument->exact() && text.find('d') == std::string::npos;
      const bool links = files && text.find('f') == std::string::npos;
      return {links ? Reach::kFew : Reach::kMost, false, files, false};
    }
    if (is_one_of(test, {"-samefile", "-inum"})) {
      by_identity_ = true;
      return FindGuard{Reach::kFew};
    }
    if (is_one_of(test, {"-regex", "-iregex"})) {
      by_identity_ = true;
      return FindGuard{is_narrow_regex(text) ? Reach::kFew : Reach::kMost};
    }
    const bool of_name = is_one_of(test, {"-name", "-iname"});
    const bool of_path = is_one_of(test, {"-path", "-ipath", "-wholename", "-iwholename"});
    if (!of_name && !of_path) return FindGuard{Reach::kMost};
    patterns_.push_back({base::lower(text), of_path});
    return {is_narrow_pattern(text) ? Reach::kFew : Reach::kMost,
            of_name ? is_plain_name(*argument) : is_plain_path(*argument), false,
            is_for_protected(text, of_path)};
  }

  struct NamePattern {
    std::string text;
    bool of_path = false;  // it matches the whole path, not only the last component
  };

  const Words& words_;
  size_t at_ = 0;
  std::vector<NamePattern> patterns_;
  bool by_identity_ = false;  // there is a test without a name pattern: -samefile, -inum, -regex
  FindCommand found_;
};

}  // namespace

bool FindCommand::finds_root(size_t root, const FindGuard& guard) const {
  if (below_roots || guard.no_folders) return false;
  return guard.reach != Reach::kFew || named[root];
}

FindCommand read_find(const Words& arguments) { return FindReader(arguments).read(); }

}  // namespace orch::policy

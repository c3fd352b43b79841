#include "policy/denied_programs.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

namespace orch::policy {
namespace {

using Words = std::span<const ShellWord>;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// A program's arguments as options and operands. `with_value` are the options whose value may be
// the next word.
class Arguments {
 public:
  Arguments(Words words, std::initializer_list<std::string_view> with_value) {
    bool options = true;
    for (size_t i = 0; i < words.size(); ++i) {
      const std::string& text = words[i].text;
      if (options && text == "--") {
        options = false;
      } else if (options && text.size() > 1 && text[0] == '-') {
        options_.push_back(words[i]);
        values_.emplace_back();
        if (i + 1 < words.size() && is_one_of(text, with_value)) values_.back() = words[++i];
      } else {
        operands_.push_back(words[i]);
      }
    }
  }

  const std::vector<ShellWord>& operands() const { return operands_; }
  bool has(std::string_view name) const {
    return std::any_of(options_.begin(), options_.end(),
                       [name](const ShellWord& word) { return word.text == name; });
  }
  // A letter among short options ("-rf"), or the long option, which may be cut short.
  bool has(char letter, std::string_view name) const {
    return std::any_of(options_.begin(), options_.end(), [=](const ShellWord& word) {
      const std::string_view text = word.text;
      if (text.starts_with("--")) return text.size() > 3 && name.starts_with(text);
      return text.find(letter) != std::string_view::npos;
    });
  }
  // "-t X", "-tX", "--target=X" or "--target X".
  std::optional<ShellWord> value(std::string_view short_name, std::string_view long_name) const {
    for (size_t i = 0; i < options_.size(); ++i) {
      const std::string_view text = options_[i].text;
      if (text == short_name || text == long_name) return values_[i];
      size_t cut = 0;
      if (!long_name.empty() && text.starts_with(std::string(long_name) + "=")) {
        cut = long_name.size() + 1;
      } else if (!text.starts_with("--") && !short_name.empty() && text.starts_with(short_name)) {
        cut = short_name.size();
      }
      if (cut == 0) continue;
      ShellWord rest = options_[i];
      rest.text.erase(0, cut);
      rest.known -= std::min(rest.known, cut);
      return rest;
    }
    return std::nullopt;
  }

 private:
  std::vector<ShellWord> options_, values_, operands_;
};

// Everything below a root, or the root itself, would be touched.
void judge_roots(const ShellWord& word, const Whereabouts& where, DenyEntry entry,
                 std::vector<Suspicion>& found) {
  const std::optional<NamedPath> named = path_of(word, where);
  if (!named ||
      (!named->exact && is_root(named->path, where.work_dir) && named->path != where.work_dir)) {
    found.push_back({entry, false});
  } else if (named->exact && is_root(named->path, where.work_dir)) {
    found.push_back({entry, true});
  }
}

void judge_rm(Words words, const Whereabouts& where, std::vector<Suspicion>& found) {
  const Arguments arguments(words, {});
  const bool recursive = arguments.has('r', "--recursive") || arguments.has('R', "--recursive");
  if (arguments.has("--no-preserve-root")) found.push_back({DenyEntry::kRemoveRoot, true});
  for (const ShellWord& operand : arguments.operands()) {
    if (recursive) judge_roots(operand, where, DenyEntry::kRemoveRoot, found);
    judge_target(operand, where, found);
  }
}

void judge_permissions(Words words, const Whereabouts& where, std::vector<Suspicion>& found) {
  const Arguments arguments(words, {});
  const bool recursive = arguments.has('R', "--recursive");
  const size_t first = arguments.value("", "--reference") ? 0 : 1;  // after the mode or the owner
  for (size_t i = first; i < arguments.operands().size(); ++i) {
    const ShellWord& operand = arguments.operands()[i];
    const std::optional<NamedPath> named = path_of(operand, where);
    const bool all_of_work = named && named->exact && named->path == where.work_dir;
    if (recursive && !all_of_work) {
      judge_roots(operand, where, DenyEntry::kRootPermissions, found);
    }
    judge_target(operand, where, found);
  }
}

// find START... TESTS ACTIONS: what -delete would remove.
void judge_find(Words words, const Whereabouts& where, std::vector<Suspicion>& found) {
  std::vector<ShellWord> starts;
  bool tests = false;
  bool deletes = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    if (!text.starts_with('-') && !is_one_of(text, {"(", ")", "!"})) {
      const bool before_tests = std::none_of(words.begin(), words.begin() + static_cast<long>(i),
                                             [](const ShellWord& w) { return w.text[0] == '-'; });
      if (before_tests) starts.push_back(words[i]);
      continue;
    }
    deletes = deletes || text == "-delete";
    tests = tests || !is_one_of(text, {"-delete", "-depth", "-mindepth", "-maxdepth", "-xdev",
                                       "-mount", "-print", "-print0", "-H", "-L", "-P"});
    if (text.starts_with("-fprint") || text == "-fls") {
      if (i + 1 < words.size()) judge_target(words[i + 1], where, found);
    }
  }
  if (!deletes) return;
  if (starts.empty()) starts.push_back({".", 1, false, false, {}});
  for (const ShellWord& start : starts) {
    const std::optional<NamedPath> named = path_of(start, where);
    const bool in_work = named && named->path == where.work_dir;
    if (!tests || !in_work) judge_roots(start, where, DenyEntry::kRemoveRoot, found);
    judge_target(start, where, found);
  }
}

void judge_push(Words words, std::vector<Suspicion>& found) {
  const Arguments arguments(words, {"-o", "--push-option", "--repo", "--receive-pack", "--exec"});
  if (arguments.has('n', "--dry-run")) return;
  bool forced = arguments.has('f', "--force") || arguments.has('d', "--delete") ||
                arguments.has("--mirror") || arguments.has("--prune") ||
                arguments.has("--force-with-lease") ||
                arguments.value("", "--force-with-lease").has_value();
  bool certain = true;
  for (const ShellWord& operand : arguments.operands()) {
    if (operand.known == 0 && !operand.text.empty()) {
      certain = false;
    } else if (operand.text.starts_with('+') || operand.text.starts_with(':')) {
      forced = true;
    }
  }
  if (forced || !certain) found.push_back({DenyEntry::kForcePush, forced});
}

void judge_git(Words words, const Whereabouts& where, std::vector<Suspicion>& found) {
  size_t i = 0;
  for (; i < words.size() && words[i].text.starts_with('-'); ++i) {
    if (!is_one_of(words[i].text, {"-C", "-c", "--git-dir", "--work-tree", "--namespace"})) {
      continue;
    }
    if (++i < words.size() && words[i].text.starts_with("alias.")) {
      found.push_back({DenyEntry::kForcePush, false});  // the command may be anything
    }
  }
  if (i >= words.size()) return;
  const Words rest = words.subspan(i + 1);
  if (words[i].text == "push") {
    judge_push(rest, found);
  } else if (words[i].known == 0) {
    found.push_back({DenyEntry::kForcePush, false});
  } else if (words[i].text == "clone") {
    const Arguments arguments(rest, {"-b", "--branch", "--depth", "-o", "-c", "-j", "--reference"});
    if (arguments.operands().size() > 1) judge_target(arguments.operands().back(), where, found);
  }
}

void judge_dd(Words words, const Whereabouts& where, std::vector<Suspicion>& found) {
  for (ShellWord word : words) {
    if (!word.text.starts_with("of=")) continue;
    word.text.erase(0, 3);
    word.known -= std::min<size_t>(word.known, 3);
    judge_target(word, where, found);
  }
}

// Programs whose last operand, or -t, is what they write to.
void judge_copy(std::string_view program, Words words, const Whereabouts& where,
                std::vector<Suspicion>& found) {
  const Arguments arguments(
      words, {"-t", "--target-directory", "-m", "--mode", "-o", "--owner", "-g", "--group", "-e",
              "--rsh", "-S", "--suffix", "--exclude", "--include", "-i", "-P", "-F", "-J"});
  std::vector<ShellWord> operands = arguments.operands();
  if (const auto folder = arguments.value("-t", "--target-directory");
      folder && !is_one_of(program, {"rsync", "scp"})) {
    judge_target(*folder, where, found);
  } else if (program == "install" && arguments.has('d', "--directory")) {
    for (const ShellWord& operand : operands) judge_target(operand, where, found);
  } else if (operands.size() > 1) {
    const bool remote =
        is_one_of(program, {"rsync", "scp"}) && operands.back().text.find(':') != std::string::npos;
    if (!remote) judge_target(operands.back(), where, found);
    operands.pop_back();
  }
  if (program != "mv") return;
  for (const ShellWord& source : operands) {
    if (!source.glob) judge_roots(source, where, DenyEntry::kRemoveRoot, found);
    judge_target(source, where, found);
  }
}

// Programs every operand of which is written to.
void judge_operands(Words words, std::initializer_list<std::string_view> with_value,
                    const Whereabouts& where, std::vector<Suspicion>& found) {
  const Arguments arguments(words, with_value);
  for (const ShellWord& operand : arguments.operands()) judge_target(operand, where, found);
}

void judge_in_place(Words words, const Whereabouts& where, std::vector<Suspicion>& found) {
  const Arguments arguments(words, {"-e", "--expression", "-f", "--file"});
  const bool in_place = arguments.has("--in-place") || arguments.value("-i", "--in-place") ||
                        arguments.has('i', "--in-place");
  if (!in_place) return;
  const bool script_given = arguments.has("-e") || arguments.has("-f") ||
                            arguments.has("--expression") || arguments.has("--file");
  for (size_t i = script_given ? 0 : 1; i < arguments.operands().size(); ++i) {
    judge_target(arguments.operands()[i], where, found);
  }
}

void judge_disk_tool(Words words, std::vector<Suspicion>& found) {
  const bool only_lists = std::any_of(words.begin(), words.end(), [](const ShellWord& word) {
    return is_one_of(word.text, {"-l", "--list", "-h", "--help", "-V", "--version", "print"});
  });
  if (!only_lists && !words.empty()) found.push_back({DenyEntry::kDisk, true});
}

// -o FILE, -d FOLDER and the like.
void judge_value(Words words, std::string_view short_name, std::string_view long_name,
                 const Whereabouts& where, std::vector<Suspicion>& found) {
  const Arguments arguments(words, {short_name, long_name});
  if (const auto target = arguments.value(short_name, long_name)) {
    judge_target(*target, where, found);
  }
}

// tar xf, tar -xzf, tar --extract
bool extracts(Words words) {
  return std::any_of(words.begin(), words.end(), [&words](const ShellWord& word) {
    const std::string_view text = word.text;
    if (text.starts_with("--")) return text == "--extract" || text == "--get";
    const bool letters = text.starts_with('-') || &word == &words.front();
    return letters && text.find('x') != std::string_view::npos;
  });
}

bool stops_the_system(std::string_view program, Words words) {
  if (is_one_of(program, {"shutdown", "reboot", "halt", "poweroff"})) {
    return std::none_of(words.begin(), words.end(), [](const ShellWord& word) {
      return is_one_of(word.text, {"-c", "--help", "--version", "--show"});
    });
  }
  if (is_one_of(program, {"init", "telinit"})) {
    return !words.empty() && is_one_of(words[0].text, {"0", "6"});
  }
  return program == "systemctl" &&
         std::any_of(words.begin(), words.end(), [](const ShellWord& word) {
           return is_one_of(word.text, {"poweroff", "reboot", "halt", "kexec", "suspend",
                                        "hibernate", "hybrid-sleep", "emergency", "rescue"});
         });
}

bool kills_all(std::string_view program, Words words) {
  if (program == "killall5") return true;
  return program == "kill" && words.size() > 1 && words.back().text == "-1";
}

}  // namespace

void judge_target(const ShellWord& target, const Whereabouts& where,
                  std::vector<Suspicion>& found) {
  if (target.text.starts_with(">(")) return;  // a command's input
  switch (place_of(target, where)) {
    case Place::kAllowed:
      return;
    case Place::kOutside:
      return found.push_back({DenyEntry::kOutsideWrite, true});
    case Place::kDisk:
      return found.push_back({DenyEntry::kDisk, true});
    case Place::kUnknown:
      return found.push_back({DenyEntry::kOutsideWrite, false});
  }
}

std::vector<ShellWord> download_targets(std::string_view program, Words words) {
  std::vector<ShellWord> targets;
  const auto to_file = [&targets](const std::optional<ShellWord>& target) {
    if (target && target->text != "-") targets.push_back(*target);
  };
  const auto named_by_address = [&targets](const std::vector<ShellWord>& addresses) {
    for (const ShellWord& address : addresses) {
      const std::string name = address.text.substr(address.text.rfind('/') + 1);
      targets.push_back({name, name.size(), true, false, {}});
    }
  };
  if (program == "curl") {
    const Arguments arguments(words, {"-o",     "--output", "-H",           "--header", "-d",
                                      "--data", "-X",       "--request",    "-A",       "-u",
                                      "--user", "-F",       "--output-dir", "-b",       "-c",
                                      "-e",     "-m",       "--max-time",   "--retry",  "-w"});
    const bool output = arguments.has("-o") || arguments.has("--output");
    to_file(output ? arguments.value("-o", "--output") : std::nullopt);
    for (const ShellWord& word : words) {  // "-sSLo FILE", "-LO"
      const bool letters = word.text.size() > 2 && word.text[0] == '-' && word.text[1] != '-';
      if (letters && word.text.ends_with('o') && &word != &words.back()) to_file(*(&word + 1));
    }
    if (arguments.has('O', "--remote-name")) named_by_address(arguments.operands());
    to_file(arguments.value("", "--output-dir"));
    return targets;
  }
  const Arguments arguments(words, {"-O", "--output-document", "-P", "--directory-prefix", "-o",
                                    "-a", "-U", "--header", "-t", "-T", "--user", "--password"});
  std::optional<ShellWord> document = arguments.value("-O", "--output-document");
  for (const ShellWord& word : words) {  // "-qO- URL", "-qO FILE"
    const size_t letter = word.text.find('O');
    const bool letters = word.text.size() > 2 && word.text[0] == '-' && word.text[1] != '-';
    if (!letters || letter == std::string::npos) continue;
    ShellWord rest = word;
    rest.text.erase(0, letter + 1);
    rest.known -= std::min(rest.known, letter + 1);
    document = !rest.text.empty() || &word == &words.back() ? rest : *(&word + 1);
  }
  if (document) {
    to_file(document);
  } else {
    named_by_address(arguments.operands());
  }
  to_file(arguments.value("-P", "--directory-prefix"));
  return targets;
}

void judge_program(std::string_view program, Words words, const Whereabouts& where,
                   std::vector<Suspicion>& found) {
  if (program == "rm") {
    judge_rm(words, where, found);
  } else if (is_one_of(program, {"chmod", "chown", "chgrp"})) {
    judge_permissions(words, where, found);
  } else if (program == "find") {
    judge_find(words, where, found);
  } else if (program == "git") {
    judge_git(words, where, found);
  } else if (program == "dd") {
    judge_dd(words, where, found);
  } else if (is_one_of(program, {"cp", "mv", "ln", "install", "rsync", "scp"})) {
    judge_copy(program, words, where, found);
  } else if (is_one_of(program, {"tee", "mkdir", "rmdir", "unlink", "shred", "mkfifo"})) {
    judge_operands(words, {"-m", "--mode", "-n", "-s"}, where, found);
  } else if (is_one_of(program, {"touch", "truncate"})) {
    judge_operands(words, {"-d", "--date", "-r", "--reference", "-t", "-s", "--size"}, where,
                   found);
  } else if (is_one_of(program, {"sed", "perl"})) {
    judge_in_place(words, where, found);
  } else if (is_one_of(program, {"gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "sort"})) {
    judge_value(words, "-o", "--output", where, found);
  } else if (program == "tar" && extracts(words)) {
    judge_value(words, "-C", "--directory", where, found);
  } else if (program == "unzip") {
    judge_value(words, "-d", "", where, found);
  } else if (is_one_of(program, {"curl", "wget"})) {
    for (const ShellWord& target : download_targets(program, words)) {
      judge_target(target, where, found);
    }
  } else if (program.starts_with("mkfs") ||
             is_one_of(program, {"mke2fs", "mkswap", "wipefs", "fdisk", "sfdisk", "cfdisk", "gdisk",
                                 "sgdisk", "parted", "blkdiscard"})) {
    judge_disk_tool(words, found);
  } else if (stops_the_system(program, words)) {
    found.push_back({DenyEntry::kShutdown, true});
  } else if (kills_all(program, words)) {
    found.push_back({DenyEntry::kKillAll, true});
  }
}

}  // namespace orch::policy

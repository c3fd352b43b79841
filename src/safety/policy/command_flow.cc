#include "policy/command_flow.h"

#include <algorithm>

#include "base/ascii.h"
#include "policy/find_command.h"
#include "policy/program_options.h"
#include "policy/reaching_out.h"

namespace orch::policy {
namespace {

using Words = std::vector<ShellWord>;

std::string_view without_dot(std::string_view path) {
  return path.starts_with("./") ? path.substr(2) : path;
}

// Whether every option, from argument `first` on, is one of these words or consists of these
// letters. Operands may be anything that does not lead out of the directory.
bool only_has(const Words& arguments, size_t first, std::string_view letters,
              std::initializer_list<std::string_view> words) {
  for (size_t i = first; i < arguments.size(); ++i) {
    const std::string& text = arguments[i].text;
    const std::string_view slashed = text;
    const bool climbs = slashed == ".." || slashed.starts_with("../") ||
                        slashed.find("/../") != std::string_view::npos || slashed.ends_with("/..");
    if (arguments[i].unknown() || text.starts_with('/') || climbs) return false;
    if (!text.starts_with('-') || is_one_of(text, words)) continue;
    if (text.size() < 2 || text.find_first_not_of(letters, 1) != std::string::npos) return false;
  }
  return true;
}

// Whether the word is an option that makes a text search list files: "-l", "-rl".
bool lists_files(const ShellWord& word) {
  if (is_one_of(word.text, {"--name-only", "--files-with-matches"})) return true;
  return word.text.starts_with('-') && !word.text.starts_with("--") &&
         word.text.find('l') != std::string::npos;
}

// Whether the program only prints names of files below the directory where it runs.
bool prints_paths(std::string_view program, const Words& arguments, const Flow& input) {
  if (program == "git") {
    if (arguments.empty()) return false;
    if (arguments[0].text == "ls-files") {
      return only_has(
          arguments, 1, "zmodc",
          {"--others", "--modified", "--cached", "--deleted", "--exclude-standard", "--"});
    }
    if (arguments[0].text == "grep") {
      const bool lists = std::any_of(arguments.begin(), arguments.end(), lists_files);
      return lists &&
             only_has(arguments, 1, "lzinwEFvIPe", {"--name-only", "--", "--files-with-matches"});
    }
    const bool names = std::any_of(arguments.begin(), arguments.end(), [](const ShellWord& word) {
      return word.text == "--name-only";
    });
    return names && arguments[0].text == "diff" &&
           only_has(arguments, 1, "z", {"--name-only", "--cached", "--staged", "--"});
  }
  const auto operands = std::count_if(arguments.begin(), arguments.end(),
                                      [](const auto& word) { return !word.text.starts_with('-'); });
  if (program == "grep" && input.is_paths() && operands == 1) {
    return only_has(arguments, 0, "vEFi", {});
  }
  if (is_one_of(program, {"grep", "rg"})) {
    const bool lists = std::any_of(arguments.begin(), arguments.end(), lists_files);
    Words searched = arguments;
    std::erase_if(searched, [program](const ShellWord& word) {
      return program == "grep" && word.exact() &&
             (word.text.starts_with("--include=") || word.text.starts_with("--exclude"));
    });
    const auto named = std::count_if(searched.begin(), searched.end(), [](const auto& word) {
      return !word.text.starts_with('-') && word.text.find_first_not_of("./") != std::string::npos;
    });
    if (program == "grep" && named < 2) return false;  // it searches .git too
    const bool searches = lists && (program == "rg" || !searched.back().text.starts_with('-'));
    if (searches || (program == "rg" && is_one_of(text_of(searched), {"--files"}))) {
      return only_has(searched, 0, "lrRinwEFvIZ", {"--files"});
    }
  }
  if (program == "find") {
    const FindCommand find = read_find(arguments);
    return find.understood && !find.follows_links &&
           std::all_of(find.actions.begin(), find.actions.end(),
                       [](const FindAction& action) {
                         return action.kind == FindAction::Kind::kPrints &&
                                action.guard.plain_names;
                       }) &&
           std::all_of(find.roots.begin(), find.roots.end(), [](const ShellWord& root) {
             return root.text == "." || is_path_below(root.text);
           });
  }
  return false;
}

// The known output of some programs if they succeed; they may also fail and print nothing.
std::string known_text(std::string_view program, const Words& arguments, const Whereabouts& place) {
  const std::string words = text_of(arguments);
  std::string work_dir(place.work_dir);
  if (program == "mktemp" && (words.empty() || words == "-d")) {
    return std::string("/tmp/tmp.") + kSomeName;
  }
  if (program == "npm" && words == "bin") return work_dir + "/node_modules/.bin";
  if (program == "git") {
    if (words == "rev-parse --show-toplevel") return work_dir;
    if (is_one_of(words, {"rev-parse HEAD", "rev-parse --short HEAD", "rev-list --count HEAD",
                          "branch --show-current"})) {
      return std::string{words.ends_with("current") ? kPathBelow : kSomeName};
    }
  }
  return "";
}

bool prints_a_number(std::string_view program, const Words& arguments) {
  const bool only_options =
      std::all_of(arguments.begin(), arguments.end(),
                  [](const ShellWord& word) { return word.text.starts_with('-'); });
  return program == "nproc" || (program == "wc" && only_options);
}

// Whether the program prints ids of processes that listen at a port or have a certain name.
bool prints_process_ids(std::string_view program, const Words& arguments) {
  if (program == "lsof") {
    bool terse = false;
    bool at_port = false;
    for (const ShellWord& word : arguments) {
      std::string_view text = word.text;
      const bool option = text.starts_with('-');
      if (is_one_of(text, {"-sTCP:LISTEN", "-s", "TCP:LISTEN"})) continue;
      const size_t letters = option ? std::min(text.find_first_not_of("tnPi", 1), text.size()) : 0;
      terse = terse || text.substr(0, letters).find('t') != std::string_view::npos;
      text.remove_prefix(letters);
      if (text.starts_with("tcp") || text.starts_with("TCP")) text.remove_prefix(3);
      if (option && text.empty()) continue;
      if (!text.starts_with(':') || !is_number(text.substr(1))) return false;
      at_port = true;
    }
    return terse && at_port;
  }
  if (!is_one_of(program, {"pgrep", "pidof"})) return false;
  bool named = false;
  for (const ShellWord& word : arguments) {
    if (is_one_of(word.text, {"-f", "-x", "-n", "-o", "-fx", "-fn", "-nf"})) continue;
    if (word.text.starts_with('-') || !is_plain_term(word)) return false;
    named = true;
  }
  return named;
}

// Whether the program prints code that is meant for eval.
bool prints_trusted_code(std::string_view program, const Words& arguments) {
  return program == "ssh-agent" && is_one_of(text_of(arguments), {"", "-s"});
}

}  // namespace

bool Flow::is_paths() const {
  return kind == Kind::kText && (text == paths().text || text == most_names().text);
}

Flow Flow::process_ids() { return of({kMaybeBegin, kSomeName, kMaybeEnd, '\n'}); }

Flow merged(Flow first, Flow second) {
  using Kind = Flow::Kind;
  if (first.kind == Kind::kNone) return std::move(second).with_private_of(first);
  if (second.kind == Kind::kNone) return std::move(first).with_private_of(second);
  const bool loaded = first.kind == Kind::kDownload || second.kind == Kind::kDownload;
  Flow both = loaded ? Flow{Kind::kDownload, ""} : Flow::unknown();
  return std::move(both).with_private_of(first).with_private_of(second);
}

void Downloads::add(std::string_view path) { paths_.emplace_back(without_dot(path)); }

bool Downloads::hold(std::string_view path) const {
  path = without_dot(path);
  return !path.empty() && std::find(paths_.begin(), paths_.end(), path) != paths_.end();
}

bool Downloads::hold_any(const Words& paths) const {
  return std::any_of(paths.begin(), paths.end(),
                     [this](const ShellWord& path) { return hold(path.text); });
}

bool is_plain_term(const ShellWord& term) {
  const auto letters = std::count_if(term.text.begin(), term.text.end(),
                                     [](char c) { return base::is_letter_or_digit(c); });
  return term.exact() && letters > 2 &&
         term.text.find_first_of("*|[]?()+\\^{}") == std::string::npos;
}

bool is_downloader(std::string_view program) {
  return is_one_of(program, {"curl", "wget", "fetch", "aria2c", "http", "https", "xh", "lynx",
                             "w3m", "links", "GET", "lwp-request"});
}

std::vector<ShellWord> download_targets(std::string_view program, const Words& words) {
  std::vector<ShellWord> targets;
  const auto named_by_address = [&targets](const Words& addresses) {
    for (const ShellWord& address : addresses) {
      targets.push_back(exact_word(base_name(address.text)));
    }
  };
  const auto add = [&targets](const ShellWord& target) {
    if (target.text != "-") targets.push_back(target);
  };
  const bool is_curl = program == "curl";
  const ProgramOptions options(words, is_curl ? "-o> --output> -O --remote-name --remote-name-all "
                                                "--output-dir> -H= -d= -X= -A= -u= -F= -b= -c> "
                                                "-e= -m= -w= -D> -T= -x= -K= --header= --data= "
                                                "--request= --retry= --max-time="
                                              : "-O> --output-document> -P> --directory-prefix> "
                                                "-o> -a> -U= -t= -T= -e= -i= --header= --tries=");
  for (const auto& name : {"-o", "--output", "-O", "--output-document"}) {
    if (is_curl == is_one_of(name, {"-O", "--output-document"})) continue;
    if (!is_curl && std::string_view(name) == "-o") continue;  // the log file of wget
    for (const ShellWord& value : options.values(name)) add(value);
  }
  const bool stdout_only = !is_curl && (options.has("-O") || options.has("--output-document"));
  const bool by_address = is_curl ? options.has("-O") || options.has("--remote-name") ||
                                        options.has("--remote-name-all")
                                  : !stdout_only;
  if (by_address) named_by_address(options.operands());
  return targets;
}

namespace {

Flow text_of_output(std::string_view program, const Words& arguments, const Flow& input,
                    const Whereabouts& place, Downloads& downloads) {
  using Kind = Flow::Kind;
  if (is_downloader(program)) {
    const std::vector<ShellWord> targets = download_targets(program, arguments);
    for (const ShellWord& target : targets) downloads.add(target.text);
    return {targets.empty() ? Kind::kDownload : Kind::kNone, "", false};
  }
  const bool loads =
      downloads.hold_any(arguments) || std::any_of(arguments.begin(), arguments.end(),
                                                   [](const ShellWord& w) { return w.downloaded; });
  if (loads) return {Kind::kDownload, "", false};
  if (program == "echo") {
    const bool plain = arguments.empty() || !arguments[0].text.starts_with('-');
    const bool escapes = text_of(arguments).find('\\') != std::string::npos;
    return plain && !escapes ? Flow::of(text_of(arguments) + "\n") : Flow::unknown();
  }
  if (program == "printf") {
    const bool plain =
        arguments.size() == 1 && arguments[0].text.find_first_of("%\\") == std::string::npos;
    return plain ? Flow::of(arguments[0].text) : Flow::unknown();
  }
  if (program == "pwd" && place.dir) return Flow::of(*place.dir + "\n");
  const bool reads_input = arguments.empty() || arguments.front().text == "-";
  if (program == "tee" || (program == "cat" && reads_input)) return input;
  if (program == "cat") {
    return {Kind::kFile, arguments.size() == 1 ? arguments[0].text : "", false};
  }
  if (prints_trusted_code(program, arguments)) return {Kind::kUnknown, "", true};
  if (is_one_of(program,
                {"true", "false", ":", "cd", "mkdir", "rm", "touch", "sleep", "test", "["})) {
    return {};
  }
  // The program may be a filter, whose output comes from the download.
  if (input.kind == Kind::kDownload) return {Kind::kDownload, "", false};
  if (prints_a_number(program, arguments)) return Flow::of(std::string{kDigits} + "\n");
  if (prints_paths(program, arguments, input)) {
    const auto term = std::find_if(arguments.begin(), arguments.end(), [](const ShellWord& word) {
      return !word.text.starts_with('-');
    });
    const bool searches_any =
        program == "rg" && (term == arguments.end() || !is_plain_term(*term));  // or --files
    const bool filters = input.is_paths() && program == "grep";
    return searches_any ? Flow::most_names() : filters ? input : Flow::paths();
  }
  if (prints_process_ids(program, arguments)) return Flow::process_ids();
  const std::string text = known_text(program, arguments, place);
  if (text.empty()) return Flow::unknown();
  return Flow::of(kMaybeBegin + text + kMaybeEnd + "\n");
}

}  // namespace

Flow output_of(std::string_view program, const Words& arguments, const Flow& input,
               const Whereabouts& place, Downloads& downloads) {
  Flow output = text_of_output(program, arguments, input, place, downloads);
  output.outside = output.outside || (input.holds_private() && output.kind != Flow::Kind::kNone) ||
                   prints_private(program, arguments, place);
  return output;
}

}  // namespace orch::policy

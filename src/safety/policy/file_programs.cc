// Programs that copy, move, remove and search files.

#include <algorithm>
#include <optional>

#include "policy/command_flow.h"
#include "policy/find_command.h"
#include "policy/path_arguments.h"
#include "policy/program_judge.h"
#include "policy/program_options.h"
#include "policy/publishing_words.h"
#include "policy/reaching_out.h"

namespace orch::policy {
namespace {

using Words = std::vector<ShellWord>;

void judge_rm(const ProgramCall& call) {
  const ProgramOptions options(call.words,
                               "-r -R -f -i -I -v -d --recursive --force --no-preserve-root");
  const bool recursive = call.program != "rm" || options.has("-r") || options.has("-R") ||
                         options.has("--recursive") || options.may_be_any();
  if (call.program != "rm") judge_path_arguments(call, "", PathScope::kOptions);
  if (options.has("--no-preserve-root")) call.verdict().suspect(DenyEntry::kRemoveRoot, true);
  for (ShellWord operand : options.operands()) {
    // rimraf and the like expand patterns themselves: "rimraf '*'".
    if (call.program != "rm")
      std::replace(operand.text.begin(), operand.text.end(), '*', kGlobStar);
    if (recursive) judge_roots(operand, call, DenyEntry::kRemoveRoot);
    judge_lost(operand, call);
  }
  if (options.may_be_any()) judge_target({std::string{kAnyText}}, call);
}

void judge_deletion(const ShellWord& root, const FindGuard& guard, const ProgramCall& call) {
  using Reach = FindGuard::Reach;
  const std::optional<NamedPath> named = path_of(root, call.where);
  const bool in_work = named && named->exact && named->path == call.where.work_dir;
  if (guard.protected_names) call.verdict().suspect(DenyEntry::kProtectedWrite, false);
  if (in_work && guard.reach == Reach::kFew) return;
  const bool most = in_work && guard.reach == Reach::kMost;
  judge_roots(most ? ShellWord{root.text + "/" + std::string(kMostNames)} : root, call,
              DenyEntry::kRemoveRoot);
  judge_target(root, call);
}

// Judges the files that find itself removes and writes. The commands that it runs are in
// command_find.cc.
void judge_find(const ProgramCall& call) {
  const FindCommand find = read_find(call.words);
  const bool follows = find.follows_links && !call.effects.linked.empty();
  if (!find.understood || follows) call.verdict().cannot_read();
  for (const FindAction& action : find.actions) {
    if (action.kind == FindAction::Kind::kWrites) {
      judge_targets(action.words, call);
      note_written(action.words, call);
    }
    if (action.kind != FindAction::Kind::kDeletes) continue;
    for (const ShellWord& root : find.roots) judge_deletion(root, action.guard, call);
  }
}

// Judges cp, mv, ln, install and link. The names that files may get in a folder are judged only if
// the sources name them.
void judge_copy(const ProgramCall& call) {
  const ProgramOptions options(
      call.words,
      "-t= --target-directory= -m= --mode= -o= --owner= -g= --group= -S= --suffix= -Z --context? "
      "--strip-program! --backup? -T --no-target-directory -d --directory -D -s --symbolic "
      "--symbolic-link -l --link "
      "--reflink? --sparse= --no-preserve= --preserve?");
  Words operands = options.operands();
  if (!options.understood() || options.may_be_any()) call.verdict().cannot_read();
  judge_path_arguments(call, "-t= --target-directory= --reference=", PathScope::kOptions);
  const bool copies_to_links =
      call.program == "cp" && (options.has("-s") || options.has("--symbolic-link") ||
                               options.has("-l") || options.has("--link"));
  const bool links = is_one_of(call.program, {"ln", "link"}) || copies_to_links;
  Words folders = options.values("-t");
  for (ShellWord& folder : options.values("--target-directory")) folders.push_back(folder);
  const bool directories =
      call.program == "install" && (options.has("-d") || options.has("--directory"));
  if (directories) return judge_targets(operands, call);
  if (call.program == "ln" && operands.size() == 1) operands.push_back(exact_word("."));
  if (folders.empty() && !operands.empty()) {
    folders.push_back(operands.back());
    operands.pop_back();
  }
  const bool empties = std::any_of(operands.begin(), operands.end(), [](const ShellWord& source) {
    return source.text == "/dev/null";
  });
  for (const ShellWord& folder : folders) {
    empties ? judge_lost(folder, call) : judge_target(folder, call);
    // The target may be a folder: then each source gets its own name in it.
    for (const ShellWord& source : operands) {
      std::string name(source.text);
      while (name.size() > 1 && name.ends_with('/')) name.pop_back();
      name = base_name(name);
      if (name != "." && name != "..") judge_target({folder.text + "/" + name}, call);
    }
    const std::optional<NamedPath> named = path_of(folder, call.where);
    if (!named) continue;
    note_copies({folder}, call);
    for (const ShellWord& source : operands) {
      note_copies({{folder.text + "/" + std::string(base_name(source.text))}}, call);
    }
    // A link that is copied or moved stays a link.
    const bool spreads = !links && !call.effects.linked.empty();
    if ((links || spreads) && call.effects.linked.size() > 32) {
      call.verdict().cannot_read();
    } else if (links || spreads) {
      call.effects.linked.push_back(named->path);
      for (const ShellWord& source : operands) {
        call.effects.linked.push_back(named->path + "/" + std::string(base_name(source.text)));
      }
    }
    for (const ShellWord& source : operands) {
      if (names_fetched(source, call)) note_fetched(folder, call);
    }
    if (prints_private(call.program, operands, call.where) || names_taken(operands, call))
      note_taken(folder, call);
    for (const ShellWord& source : operands) {
      const std::optional<NamedPath> from = path_of(source, call.where);
      const WrittenFiles::File* file =
          call.effects.written.empty() || !from ? nullptr : call.effects.written.find(from->path);
      if (file == nullptr) continue;
      const WrittenFiles::File copy = *file;
      call.effects.written.add(named->path, copy.text, copy.known);
      call.effects.written.add(named->path + "/" + std::string(base_name(source.text)), copy.text,
                               copy.known);
    }
  }
  if (links && !options.has("-s") && !options.has("--symbolic") &&
      !options.has("--symbolic-link")) {
    judge_targets(operands, call);  // the file may be written to by its other name
  }
  if (call.program != "mv") return;
  const bool stays = std::all_of(folders.begin(), folders.end(), [&call](const ShellWord& folder) {
    const std::optional<NamedPath> to = path_of(folder, call.where);
    return to && !to->unknown && is_within(to->path, call.where.work_dir);
  });
  for (const ShellWord& source : operands) {
    if (!source.glob() || !stays) judge_roots(source, call, DenyEntry::kRemoveRoot);
    judge_target(source, call);
  }
}

// The operands that may be the last one: those at the end may be values of unknown options.
Words perhaps_last(const ProgramOptions& options) {
  Words last;
  for (size_t i = options.operands().size(); i > 0; --i) {
    last.push_back(options.operands()[i - 1]);
    if (!options.may_be_value(i - 1)) break;
  }
  return last;
}

// "host:path", "me@host:path", "rsync://host/path".
bool is_of_other_machine(std::string_view text) {
  const size_t colon = text.find(':');
  return colon != std::string_view::npos && text.find('/') > colon;
}

void judge_remote_copy(const ProgramCall& call) {
  const ProgramOptions options(
      call.words,
      call.program == "rsync"
          ? "-e! --rsh! --rsync-path! -M! --remote-option! --log-file> --partial-dir> "
            "--backup-dir> "
            "-T> --temp-dir> --compare-dest= --link-dest= --exclude= --include= -f= --filter= "
            "--files-from= --exclude-from= --include-from= --write-batch> --only-write-batch> "
            "--delete --remove-source-files! --daemon! --config! --info= --bwlimit= --max-size="
          : "-S! -o! -F! -D! -J= -P= -i= -c= -l= -X=");
  if (!options.understood() || options.may_be_any()) call.verdict().cannot_read();
  judge_path_arguments(call,
                       "--exclude= --include= --compare-dest= --link-dest= --filter= --files-from= "
                       "--exclude-from= -e= -i= -F=",
                       PathScope::kOptions);
  judge_targets(options.values_of_kind('>'), call);
  const Words& operands = options.operands();
  if (operands.size() < 2) return;
  // A file copied to another machine is sent, and changes that machine.
  if (is_of_other_machine(operands.back().text)) {
    return call.verdict().suspect(DenyEntry::kPublish, false);
  }
  judge_targets(perhaps_last(options), call);
  note_copies(perhaps_last(options), call);
  const bool fetched = std::any_of(operands.begin(), operands.end(), [](const ShellWord& source) {
    return is_of_other_machine(source.text);
  });
  if (fetched) note_fetched(operands.back(), call);
  const std::optional<NamedPath> named = path_of(operands.back(), call.where);
  const bool whole_work = named && named->path == call.where.work_dir;
  if (!whole_work) judge_roots(operands.back(), call, DenyEntry::kOutsideWrite);
  if (whole_work) call.verdict().suspect(DenyEntry::kProtectedWrite, false);
}

void judge_dd(const ProgramCall& call) {
  for (const ShellWord& word : call.words) {
    if (word.unknown()) call.verdict().cannot_read();
    if (!word.text.starts_with("of=")) continue;
    judge_lost({word.text.substr(3)}, call);
    const std::optional<NamedPath> named = path_of({word.text.substr(3)}, call.where);
    call.effects.written.add(named ? named->path : "", "", false);
  }
}

bool has_letter(const Words& words, char letter) {
  for (const ShellWord& word : words) {
    const bool bundle = &word == &words.front() && !word.text.starts_with('-');
    const bool cluster = word.text.starts_with('-') && !word.text.starts_with("--");
    if ((bundle || cluster) && word.text.find(letter) != std::string::npos) return true;
  }
  return false;
}

// Judges the folders of several -C options, each one relative to the one before.
void judge_folders_in_turn(const Words& folders, const ProgramCall& call) {
  std::optional<std::string> dir = call.where.dir;
  for (const ShellWord& folder : folders) {
    const Whereabouts where{call.where.work_dir, dir, call.where.linked};
    judge_target(folder, {call.program, call.words, where, call.effects});
    const std::optional<NamedPath> named = path_of(folder, where);
    dir = named && !named->unknown ? std::optional(named->path) : std::nullopt;
  }
}

// Notes the folders that a fetched archive is unpacked to.
void note_unpacked(const Words& archives, const Words& folders, const ProgramCall& call) {
  const bool fetched =
      std::any_of(archives.begin(), archives.end(),
                  [&call](const ShellWord& archive) { return names_fetched(archive, call); });
  if (!fetched) return;
  for (const ShellWord& folder : folders) note_fetched(folder, call);
}

constexpr std::string_view kTarOptions =
    "-C@ --directory@ -f= --file= -I! --use-compress-program! --to-command! --checkpoint-action! "
    "--rmt-command! --rsh-command! -F! --info-script! --new-volume-script! -P! --absolute-names! "
    "--transform= --xform= --exclude= -T= --files-from= -X= --exclude-from= -x -c -t -r -u -A -d "
    "--extract --get --create --list --append --update --delete --strip-components= "
    "--one-top-level? --index-file> --volno-file> -g> --listed-incremental> -s! --remove-files! "
    "-b= -H= --format= -N= -V= -K= -L= --owner= --group= --mode= --mtime= "
    "--keep-directory-symlink!";

void judge_tar(const ProgramCall& outer) {
  const Words words = with_old_letters_apart(outer.words, kTarOptions);
  const ProgramCall call{outer.program, words, outer.where, outer.effects};
  const bool is_tar = call.program != "bsdtar";
  const bool may_shift = std::any_of(words.begin(), words.end(), [](const ShellWord& word) {
    return word.text.find(kAnyWords) != std::string::npos;
  });
  if (may_shift) call.verdict().cannot_read();  // the letters may get other arguments then
  const ProgramOptions options(words, kTarOptions);
  if (!is_tar || !options.understood() || options.may_be_any()) call.verdict().cannot_read();
  judge_path_arguments(
      call,
      "-C= --directory= --exclude= -T= --files-from= -X= --exclude-from= -f= --file= --mtime=",
      PathScope::kOptions);
  judge_targets(options.values_of_kind('>'), call);
  Words folders = options.values_of_kind('@');
  const bool extracts = options.has("-x") || options.has("--extract") || options.has("--get");
  const bool lists = options.has("-t") || options.has("--list");
  if (extracts) {
    if (folders.empty()) folders.push_back(exact_word("."));
    Words archives = options.values("-f");
    for (const ShellWord& archive : options.values("--file")) archives.push_back(archive);
    if (archives.empty() || archives.back().text == "-" || names_input(archives.back())) {
      call.effects.written.add("", "", false);
    }
    note_unpacked(archives, folders, call);
    judge_folders_in_turn(folders, call);
    for (const ShellWord& top : options.values("--one-top-level")) judge_target(top, call);
    for (const ShellWord& change : options.values("--transform")) {
      if (!change.text.empty()) call.verdict().cannot_read();
    }
    for (const ShellWord& change : options.values("--xform")) {
      if (!change.text.empty()) call.verdict().cannot_read();
    }
  } else if (!lists) {
    if (prints_private(call.program, words, call.where)) {
      for (const ShellWord& file : options.values("-f")) note_taken(file, call);
      for (const ShellWord& file : options.values("--file")) note_taken(file, call);
    }
    // The archive is made in the directory where tar starts, not in the folder of -C.
    for (const ShellWord& file : options.values("-f")) {
      if (file.text != "-") judge_target(file, call);
    }
    for (const ShellWord& file : options.values("--file")) {
      if (file.text != "-") judge_target(file, call);
    }
  }
}

void judge_unzip(const ProgramCall& call) {
  const ProgramOptions options(call.words, "-d= -x= -P= -: -l -t -p -Z -v");
  if (options.may_be_any() || options.has("-:")) call.verdict().cannot_read();
  judge_path_arguments(call, "-d= -x=", PathScope::kOptions);
  if (options.has("-l") || options.has("-t") || options.has("-p") || options.has("-Z")) return;
  const Words folders = options.values("-d");
  note_unpacked(options.operands(), folders.empty() ? Words{exact_word(".")} : folders, call);
  folders.empty() ? judge_folder(exact_word("."), call) : judge_targets(folders, call);
}

// Whether the file is in the work directory. Cookies from there are the project's own, and may be
// sent.
bool is_in_project(const ShellWord& file, const ProgramCall& call) {
  const std::string_view path = file.text;
  return place_of(exact_word(path.substr(path.starts_with('@') ? 1 : 0)), call.where) ==
         Place::kAllowed;
}

void judge_uploads(const ProgramOptions& options, bool curl, const ProgramCall& call) {
  for (const std::string_view name : {"-T", "--upload-file", "--post-file", "--body-file"}) {
    if (name == "-T" && !curl) continue;  // wget's timeout
    for (const ShellWord& file : options.values(name)) {
      if (!is_one_of(file.text, {"-", "."})) judge_upload(file.text, call);
    }
  }
  if (!curl) {  // a list of addresses is sent, line by line
    for (const ShellWord& list : options.values("-i")) judge_upload(list.text, call);
    return;
  }
  for (const std::string_view name : {"-b", "--cookie"}) {  // without "=" it names a file
    for (const ShellWord& file : options.values(name)) {
      const bool named = file.exact() && file.text.find('=') == std::string::npos;
      if (named && file.text != "-" && !is_in_project(file, call)) {
        call.verdict().suspect(DenyEntry::kPublish, false);
      }
    }
  }
  for (const std::string_view name : {"-w", "--write-out"}) {
    for (const ShellWord& format : options.values(name)) {  // %output{FILE}
      if (format.text.find('{') != std::string::npos &&
          format.text.find("output") != std::string::npos) {
        call.verdict().cannot_read();
      }
    }
  }
  for (const std::string_view name :
       {"-d", "--data", "--data-binary", "--data-ascii", "--data-urlencode", "--json", "-F",
        "--form", "--url-query", "-H", "--header", "-b", "--cookie", "--variable",
        "--expand-data"}) {
    for (const ShellWord& value : options.values(name)) {
      const size_t mark = value.text.find_first_of("@<");
      const size_t end = std::min(value.text.find_first_of("{ "), value.text.size());
      const bool sends = mark < end && !is_one_of(name, {"-b", "--cookie"});
      if (sends && value.text.substr(mark + 1) != "-") {
        judge_upload(std::string_view(value.text).substr(mark + 1), call);
      }
    }
  }
}

// Options whose values are sent (judge_uploads() judges those), or are harmless.
constexpr std::string_view kDownloadReads =
    "-H= --header= -d= --data= --data-raw= --data-binary= --data-urlencode= --json= -F= --form= "
    "-T= "
    "--upload-file= -w= --write-out= -A= --user-agent= -e= -u= -X= -b= --post-data= --cacert= ";

// Judges requests with another method than GET, or with a body.
void judge_requests(const ProgramOptions& options, bool curl, const ProgramCall& call) {
  bool changes = false;
  bool looks = curl && (options.has("-G") || options.has("--get"));
  for (const std::string_view name : {"-X", "--request", "--method"}) {
    if (name == "-X" && !curl) continue;
    for (const ShellWord& method : options.values(name)) {
      const bool harmless = is_one_of(method.text, {"GET", "HEAD", "OPTIONS"});
      looks = looks || harmless;
      changes = changes || !harmless;
    }
  }
  for (const std::string_view name :
       {"-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--data-urlencode", "--json",
        "-F", "--form", "--form-string", "-T", "--upload-file", "--post-data", "--post-file",
        "--body-data", "--body-file"}) {
    const bool of_curl = name.size() > 2 || curl;
    changes = changes || (!looks && of_curl && options.has(name));
  }
  if (!changes) return;
  Words addresses = options.operands();
  for (ShellWord& address : options.values("--url")) addresses.push_back(std::move(address));
  for (const ShellWord& address : addresses) judge_changing_request(address, call);
}

// Notes the files that are named after their addresses, or get names that only the server knows.
void note_named_by_address(const ProgramOptions& options, bool curl, const ProgramCall& call) {
  const bool told = curl && (options.has("-J") || options.has("--remote-header-name") ||
                             options.has("--output-dir"));
  const bool many =
      !curl && (options.has("-r") || options.has("--recursive") || options.has("-i") ||
                options.has("-p") || options.has("-m") || options.has("-P") ||
                options.has("--directory-prefix") || options.has("-c"));
  if (told || many) return note_fetched_somewhere(call);
  for (const ShellWord& address : options.operands()) {
    const std::string_view path = address.text;
    const std::string_view name = base_name(path.substr(0, path.find_first_of("?#")));
    name.empty() ? note_fetched_somewhere(call) : note_fetched(exact_word(name), call);
  }
}

void judge_download(const ProgramCall& call) {
  const bool curl = call.program == "curl";
  const ProgramOptions options(
      call.words,
      curl
          ? "-o> --output> --output-dir> -c> --cookie-jar> -D> --dump-header> --trace> "
            "--trace-ascii> --stderr> --hsts> --alt-svc> --etag-save> --libcurl> -K! --config! "
            "--engine! --proto= -H= --header= -d= --data= -X= --request= -A= -u= --user= -F= -b= "
            "-e= -m= --max-time= --retry= -w= --write-out= -T= --upload-file= -x= --proxy= "
            "--data-raw= --data-binary= --data-ascii= --data-urlencode= --json= --form= "
            "--form-string= --url-query= --cookie= --variable= --expand-data= --user-agent= "
            "--netrc-file= --url= --connect-timeout= -O --remote-name -J "
            "--remote-header-name --create-dirs -E= --key= --cacert= --resolve= -r= -z= -C= -Y= -y="
          : "-O> --output-document> -P> --directory-prefix> -o> --output-file> -a> "
            "--append-output> --use-askpass! -e! --execute! --config! --save-cookies> --warc-file> "
            "--hsts-file> -U= --header= -t= -T= --user= --password= -i= -B= -Q= -A= -R= -D= -I= "
            "-X= --method= "
            "--post-data= --post-file= --body-file= --body-data= --load-cookies= --rejected-log> "
            "--user-agent= --tries= "
            "--timeout= --preserve-permissions -r --recursive");
  if (!is_one_of(call.program, {"curl", "wget"})) return call.verdict().cannot_read();
  if (!options.understood() || options.may_be_any()) call.verdict().cannot_read();
  for (const ShellWord& target : options.values_of_kind('>')) {
    if (target.text == "-" || target.text.empty()) continue;
    judge_target(target, call);
    note_fetched(target, call);
  }
  // The file gets a name that the server chooses or that ends the address, in the current folder.
  const bool here =
      curl ? options.has("-O") || options.has("--remote-name") || options.has("--remote-name-all")
           : !options.has("-O") && !options.has("--output-document");
  if (here) {
    judge_folder(exact_word("."), call);
    note_named_by_address(options, curl, call);
  }
  judge_uploads(options, curl, call);
  judge_requests(options, curl, call);
  judge_path_arguments(call, kDownloadReads, PathScope::kOptions);
  // A file of this machine that is "downloaded" may hold anything.
  for (const ShellWord& operand : options.operands()) {
    if (operand.text.starts_with("file:")) call.verdict().cannot_read();
  }
}

void judge_patch(const ProgramCall& call) {
  const ProgramOptions options(call.words,
                               "-d@ --directory@ -o> --output> -i= --input= -p= --strip= -r> "
                               "--reject-file> -B> --prefix> -z> --suffix> -Y= -V= -D= -e! --ed!");
  if (!options.understood() || options.may_be_any()) call.verdict().cannot_read();
  judge_path_arguments(call, "-i= --input= -d=", PathScope::kOptions);
  judge_targets(options.values_of_kind('>'), call);
  for (const ShellWord& folder : options.values_of_kind('@')) judge_folder(folder, call);
  judge_folder(exact_word("."), call);
  for (size_t i = 0; i < options.operands().size(); ++i) {
    judge_target(options.operands()[i], call);
    if (!options.may_be_value(i)) break;
  }
  call.effects.written.add("", "", false);  // the files are named in the input of patch
}

}  // namespace

bool judge_file_program(const ProgramCall& call) {
  const std::string_view program = call.program;
  if (is_one_of(program, {"rm", "rimraf", "del-cli", "trash", "trash-put"})) {
    judge_rm(call);
  } else if (program == "find") {
    judge_find(call);
  } else if (is_one_of(program, {"cp", "mv", "ln", "install", "link"})) {
    judge_copy(call);
  } else if (is_one_of(program, {"rsync", "scp"})) {
    judge_remote_copy(call);
  } else if (program == "dd") {
    judge_dd(call);
  } else if (is_one_of(program, {"tar", "gtar", "bsdtar"})) {
    judge_tar(call);
  } else if (program == "unzip") {
    judge_unzip(call);
  } else if (is_downloader(program)) {
    judge_download(call);
  } else if (program == "patch") {
    judge_patch(call);
  } else if (is_one_of(program, {"zip"})) {
    const ProgramOptions options(call.words, "-TT! -T! --unzip-command! -O> -b> --out> -x= -i= -m");
    if (!options.understood() || options.may_be_any()) call.verdict().cannot_read();
    judge_targets(options.values_of_kind('>'), call);
    judge_path_arguments(call, "-x= -i=", PathScope::kAll);
    if (!options.operands().empty()) judge_target(options.operands()[0], call);
    if (!options.operands().empty() && prints_private(call.program, options.operands(), call.where))
      note_taken(options.operands()[0], call);
    if (options.has("-m") || options.has("--move")) {
      for (const ShellWord& moved : options.operands()) {
        judge_roots(moved, call, DenyEntry::kRemoveRoot);
        judge_target(moved, call);
      }
    }
  } else if (is_one_of(program, {"ar"})) {
    if (call.words.size() > 1) judge_target(call.words[1], call);
    judge_path_arguments(call, "", PathScope::kAll);
    if (has_letter(call.words, 'x')) judge_folder(exact_word("."), call);
  } else {
    return false;
  }
  return true;
}

}  // namespace orch::policy

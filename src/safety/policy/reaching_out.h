#pragma once

#include <string_view>
#include <vector>

#include "policy/command_flow.h"
#include "policy/program_judge.h"
#include "policy/shell_text.h"
#include "policy/write_target.h"

namespace orch::policy {

// Judges the parts of a command that reach other machines, or programs that run things elsewhere,
// by the command's words and its input: whatever the program is called.

// Whether bash connects to another machine when a redirection names this file: /dev/tcp/HOST/PORT.
bool is_network_device(std::string_view path);

// Whether the text is, or has in it, an address on another machine: "https://host/x", "s3://x",
// "me@host:x". Addresses of this machine (localhost) do not count.
bool names_remote(std::string_view text);

// Whether a package manager or a program that runs packages would take code from the address:
// "git+https://host/x", "x@https://host/x.tgz", "github:a/b", "git@host:a/b".
bool names_remote_code(std::string_view text);
// The same where any address may be mere data (the arguments of a test, of a build): only addresses
// with the name of a repository, a script or an archive.
bool names_certain_code(std::string_view text);
// Whether npm and its kin would read the word as a repository of GitHub: "a/b".
bool is_repository_name(std::string_view text);

// Whether the file lies outside of the work directory, or may hold a key by its name.
bool is_private(std::string_view path, const Whereabouts& where);
// Whether the program's output, given these arguments, may be the content of a private file.
bool prints_private(std::string_view program, const std::vector<ShellWord>& arguments,
                    const Whereabouts& where);

// The user is asked before a private file is sent away.
void judge_upload(std::string_view path, const ProgramCall& call);
// Judges the arguments and the input of a program that talks to other machines.
void judge_sent(const ProgramCall& call);

// Notes that `file` (or everything in a folder) was downloaded: running it runs a download. If the
// names cannot be known, every name counts.
void note_fetched(const ShellWord& file, const ProgramCall& call);
void note_fetched_somewhere(const ProgramCall& call);
// Whether the word may name a file that note_fetched() has noted.
bool names_fetched(const ShellWord& word, const ProgramCall& call);

// Notes that the command made this file from private data (is_private(), prints_private()).
void note_taken(const ShellWord& file, const ProgramCall& call);
bool names_taken(const std::vector<ShellWord>& words, const ProgramCall& call);

// Judges an unknown program that is not a file of the project: whether its words say that it takes
// code from elsewhere, changes something elsewhere or hands a script to another program that runs
// it.
void judge_handing_over(const ProgramCall& call);

}  // namespace orch::policy

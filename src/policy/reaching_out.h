#pragma once

#include <string_view>
#include <vector>

#include "policy/command_flow.h"
#include "policy/program_judge.h"
#include "policy/shell_text.h"
#include "policy/write_target.h"

namespace orch::policy {

// What of a command reaches other machines, or programs that run things elsewhere, read from its
// words and its input: whatever the program is called.

// Whether bash connects to another machine when a redirection names this file: /dev/tcp/HOST/PORT.
bool is_network_device(std::string_view path);

// Whether the text is, or has in it, an address on another machine: "https://host/x", "s3://x",
// "me@host:x". Addresses of this machine (localhost) do not count.
bool names_remote(std::string_view text);

// Whether a package manager or a program that runs packages would take code from the address:
// "git+https://host/x", "x@https://host/x.tgz", "github:a/b", "git@host:a/b".
bool names_remote_code(std::string_view text);
// The same where any address may be mere data (the arguments of a test, of a build): only what a
// repository, a script or an archive is called.
bool names_certain_code(std::string_view text);
// Whether npm and its kin take the word for a repository of GitHub: "a/b".
bool is_repository_name(std::string_view text);

// Whether the file lies outside of the work directory, or may hold a key by its name.
bool is_private(std::string_view path, const Whereabouts& where);
// Whether what a program prints, given these arguments, may be the content of such a file.
bool prints_private(std::string_view program, const std::vector<ShellWord>& arguments,
                    const Whereabouts& where);

// A person is asked before such a file is sent away.
void judge_upload(std::string_view path, const ProgramCall& call);
// Judges what a program that talks to other machines may send: its arguments and its input.
void judge_sent(const ProgramCall& call);

// Notes that `file` (for folders: and all below) came from elsewhere: to run it is to run what was
// downloaded. Where nobody can know the names, they may be any.
void note_fetched(const ShellWord& file, const ProgramCall& call);
void note_fetched_somewhere(const ProgramCall& call);
// Whether the word may name something that note_fetched() was told of.
bool names_fetched(const ShellWord& word, const ProgramCall& call);

// Notes that the command made this file of what is private (is_private(), prints_private()).
void note_taken(const ShellWord& file, const ProgramCall& call);
bool names_taken(const std::vector<ShellWord>& words, const ProgramCall& call);

// Judges a program that nobody knows and that is not a file of the project: whether its words say
// that it takes code from elsewhere, changes something elsewhere or hands a script to another
// program that runs it.
void judge_handing_over(const ProgramCall& call);

}  // namespace orch::policy

#pragma once

#include <string_view>

// What orch's first process in a container does, and how orch talks to it. Pure.
//
// The leash is a shell on a pipe of orch's: PID 1 of a container that a run or a task owns, or an
// exec in one that a run joins. It runs no program while it waits, so that it needs a shell and
// nothing else. Told "TERM" or "KILL" it signals every process in the container but PID 1 and
// itself, and says when it has. When its input ends - orch has closed it, or is dead, however that
// came - it kills all of them and ends; with PID 1 the kernel ends the container, and the engine
// removes it. No process in a container can kill its PID 1.
//
// As PID 1 it is the parent of every orphan. Their ends interrupt its `read` (in dash always),
// which then fails as at the end of its input: only the trap tells one from the other. `jobs` reaps
// them and starts no process, which could fail where a limit of processes is reached.
namespace orch::sandbox {

// Its words: a program that must be there, then pairs of a file and the name that it is to have.
constexpr std::string_view kLeashScript = R"(program=$1; shift
while [ $# -gt 1 ]; do mkdir -p "${2%/*}" && ln -sf "$1" "$2"; shift 2; done
chld=
trap 'chld=1' CHLD
trap '' HUP INT QUIT TERM PIPE
if command -v "$program" >/dev/null 2>&1; then echo up; else echo missing; fi
while :; do
  if read -r word; then
    case $word in TERM|KILL) kill -$word -1 2>/dev/null; echo "did $word" ;; esac
  elif [ "$chld" ]; then
    chld=; jobs >/dev/null 2>&1
  else
    break
  fi
done
kill -KILL -1 2>/dev/null
exit 0)";

constexpr std::string_view kUp = "up", kMissing = "missing", kDid = "did ";

}  // namespace orch::sandbox

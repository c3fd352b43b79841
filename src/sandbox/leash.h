#pragma once

#include <string>
#include <string_view>

// What orch's first process in a container does, and how orch talks to it. Pure.
//
// The leash is a shell on a pipe of orch's: PID 1 of a container that a run or a task owns, or an
// exec in one that a run joins. It runs no program, so that it needs a shell and nothing else, and
// works where no process can be started any more. Told "TERM" or "KILL" it signals every process in
// the container but PID 1 and itself - of a joined container those that are its run's - and says
// when it has. When its input ends - orch has closed it, or is dead, however that came - it kills
// all of them and ends; with PID 1 the kernel ends the container, and the engine removes it. No
// process in a container can kill its PID 1.
//
// Several runs may join one container. A process is a run's if it has the run's mark in its
// environment, ORCH_MARK with that beginning, or comes from one that has. It is another's if it has
// another mark, or comes from a process that somebody else has brought in: the parent of such a
// one is outside, which is 0 in here. What has no mark and has lost its parent may be anybody's: it
// ends with the last who joined.
//
// As PID 1 it is the parent of every orphan. Their ends interrupt its `read` (in dash always),
// which then fails as at the end of its input: only the trap tells one from the other. `jobs` reaps
// them and starts no process, which could fail where a limit of processes is reached.
namespace orch::sandbox {

// Signals the processes that are of the run whose mark is $mark. Environments and the files of
// /proc are read by the shell itself, which leaves out their NULs; it is slow at that, so that an
// environment is read only where nothing is known of the parent. KILL is sent until nobody is left,
// since what forks meanwhile would come away; a process that cannot die keeps nobody.
constexpr std::string_view kEndOwn = R"(
whose() {
  at=$1
  while [ "$at" -gt 1 ]; do
    parent=gone state=
    while read -r key value rest; do
      case $key in
        State:) [ "$at" = "$1" ] && state=$value ;;
        PPid:) parent=$value; break ;;
      esac
    done <"/proc/$at/status"
    if [ "$state" = Z ] || [ "$at$parent" = "$1gone" ]; then whose=nobodys; return; fi
    case "$own " in *" $parent "*) whose=own; return ;; esac
    case "$others " in *" $parent "*) whose=others; return ;; esac
    while IFS= read -r line || [ "$line" ]; do
      case $line in
        *ORCH_MARK="$mark"*) whose=own; return ;;
        *ORCH_MARK=*) whose=others; return ;;
      esac
    done <"/proc/$at/environ"
    case $parent in gone) at=$1 ;; *) at=$parent ;; esac
  done
  whose=others
  [ "$at" = 1 ] && whose=anybodys
} 2>/dev/null
end_own() {
  passes=0
  while [ $passes -lt 20 ]; do
    passes=$((passes + 1)) own= others= anybodys=
    for d in /proc/[0-9]*; do
      p=${d#/proc/}
      [ "$p" = 1 ] || [ "$p" = $$ ] && continue
      whose "$p"
      case $whose in
        own) own="$own $p" ;;
        others) others="$others $p" ;;
        anybodys) anybodys="$anybodys $p" ;;
      esac
    done
    [ "$others" ] || own=$own$anybodys
    [ "$own" ] || break
    kill -$1 $own 2>/dev/null
    [ "$1" = KILL ] || break
  done
}
)";

// Its words: a program that must be there; the mark of a run that joins, "" for PID 1; then pairs
// of a file and the name that it is to have.
inline std::string leash_script() {
  return std::string(kEndOwn) + R"(program=$1 mark=$2; shift 2
end() { if [ "$mark" ]; then end_own $1; else kill -$1 -1 2>/dev/null; fi; }
while [ $# -gt 1 ]; do mkdir -p "${2%/*}" && ln -sf "$1" "$2"; shift 2; done
chld=
trap 'chld=1' CHLD
trap '' HUP INT QUIT TERM PIPE
if command -v "$program" >/dev/null 2>&1; then echo up; else echo missing; fi
while :; do
  if read -r word; then
    case $word in TERM|KILL) end $word; echo "did $word" ;; esac
  elif [ "$chld" ]; then
    chld=; jobs >/dev/null 2>&1
  else
    break
  fi
done
end KILL
exit 0)";
}

constexpr std::string_view kUp = "up", kMissing = "missing", kDid = "did ";

}  // namespace orch::sandbox

#pragma once

#include <string>
#include <string_view>

// The leash, orch's first process in a container, and its protocol with orch. Pure.
//
// The leash is a shell that reads from a pipe of orch's. It is PID 1 of a container that a run or a
// task owns, or an exec in a container that a run joins. It starts no program, so it only needs a
// shell and works even where no further process can be started. When it reads "TERM" or "KILL" it
// signals every process in the container except for PID 1 and itself - in a joined container only
// those of its run - and then answers. When its input ends, because orch has closed it or is dead,
// it kills all of them and exits; when PID 1 exits the kernel ends the container, and the engine
// removes it. No process in a container can kill the container's PID 1.
//
// Several runs may join one container. A process belongs to a run if the run's mark is in its
// environment (ORCH_MARK begins with it), or if one of its ancestors belongs to the run. It belongs
// to somebody else if it has another mark, or if it descends from a process that was brought in
// from outside: that process has its parent outside of the container, where it appears as 0. A
// process that has no mark and has lost its parent cannot be attributed: it ends with the last run
// that joined.
//
// As PID 1 the leash is the parent of every orphan. The end of an orphan interrupts the leash's
// `read` (in dash always), which then fails as it does at the end of input; only the CHLD trap
// distinguishes the two. `jobs` reaps the orphans without starting a process, which could fail at a
// limit of processes.
namespace orch::sandbox {

// Shell functions that signal the processes of the run whose mark is $mark. The shell itself reads
// environments and other files in /proc, and drops their NULs. It does so slowly, so an environment
// is read only if the parent's owner is unknown. KILL is repeated until no process is left, because
// processes that fork at that moment would escape, but only up to 20 times, because a process that
// cannot die must not keep the leash.
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

// The leash. Its arguments: a program that must exist in the container; the mark of a run that
// joins, or "" for PID 1; then pairs of a file and the name of a link to make to it.
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

// The words that the leash writes, each in a line of its own; a signal's name follows kDid.
constexpr std::string_view kUp = "up", kMissing = "missing", kDid = "did ";

}  // namespace orch::sandbox

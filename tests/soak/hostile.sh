#!/usr/bin/env bash
# hostile.sh ORCH CLOCK_BACK: what surrounds a session and is against it: its socket's place, its
# peers, the clock. Each is refused by name or survived, as docs/internals/faults.md says. 77 without perl, with
# which the peers are made.
# shellcheck disable=SC2016  # the variables in quotes are perl's
set -euo pipefail
orch=$(realpath "${1:?usage: hostile.sh ORCH CLOCK_BACK}")
clock_back=$(realpath "${2:?usage: hostile.sh ORCH CLOCK_BACK}")
if ! perl -MIO::Socket::UNIX -e 1 2>/dev/null; then
  echo "skipped: needs perl with IO::Socket::UNIX"
  exit 77
fi

folder=$(mktemp -d)
trap '"$orch" kill --all-repositories --now >/dev/null 2>&1 || true; rm -rf "$folder"' EXIT
export HOME=$folder ORCH_STATE_DIR=$folder/state
unset XDG_RUNTIME_DIR XDG_CONFIG_HOME
mkdir -p "$folder/project/.git"
cd "$folder/project"
failed=0
verdict() { # WHAT WHETHER DETAIL
  printf '%-46s %s %s\n' "$1" "$2" "$3"
  if [[ $2 != ok ]]; then failed=1; fi
}
answers() { "$orch" status x >/dev/null 2>&1; }
member() { "$orch" sessions --json | sed -n "s/^ *\"$1\": \"\?\([^\",]*\).*/\1/p" | head -n 1; }
begin() { "$orch" run x -d --agent command -- sleep 1000 >/dev/null 2>"$folder/errors"; }
end() { "$orch" kill x --now >/dev/null 2>&1 || true; }

# A session starts and answers.
reachable() { # WHAT
  local good=ok
  begin && answers || good=FAILED
  verdict "$1" "$good" "socket in $(member socket | sed "s|$folder|.|; s|/[^/]*\$||" | cut -c1-40)"
  end
}
# A session starts, says what is wrong with its socket, and leaves alone what is there.
unreachable() { # WHAT PATH
  local good=ok before after
  before=$(stat -c '%F %i %U' "$2")
  begin || good=FAILED
  after=$(stat -c '%F %i %U' "$2")
  grep -qF "$2" "$folder/errors" || good=FAILED
  [[ $(member agent) == command && $before == "$after" ]] || good=FAILED
  verdict "$1" "$good" "$(sed "s|$folder|.|g; s/.*by other commands: //" "$folder/errors" | cut -c1-110)"
  end
}

reachable "XDG_RUNTIME_DIR unset"
XDG_RUNTIME_DIR=some/where reachable "XDG_RUNTIME_DIR relative"
XDG_RUNTIME_DIR=$folder/none reachable "XDG_RUNTIME_DIR does not exist"
begin
socket=$(member socket)
end
ORCH_STATE_DIR=$folder/$(printf '%0200d' 0) reachable "a state path of 200 characters more"

listen_once='IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 1) or die "$!"'
(cd "${socket%/*}" && perl -MIO::Socket::UNIX -e "$listen_once" "${socket##*/}")
reachable "a stale socket"
while [[ -e $socket ]]; do sleep 0.01; done # it goes a moment after its session
echo precious >"$socket"
unreachable "a file in the socket's place" "$socket"
[[ $(<"$socket") == precious ]] || verdict "the file's content" FAILED ""
rm "$socket"
ln -s "$folder/elsewhere" "$socket"
unreachable "a symbolic link in the socket's place" "$socket"
[[ ! -e $folder/elsewhere ]] || verdict "the link's target" FAILED ""
rm "$socket"
mv "${socket%/*}" "$folder/moved"
ln -s "$folder/moved" "${socket%/*}"
unreachable "a symbolic link as the sockets' folder" "${socket%/*}"
rm "${socket%/*}"
mv "$folder/moved" "${socket%/*}"
if [[ $EUID == 0 ]]; then
  (cd "${socket%/*}" && perl -MIO::Socket::UNIX -e "$listen_once" "${socket##*/}")
  chown nobody "$socket"
  unreachable "another user's socket" "$socket"
  rm "$socket"
  chown nobody "${socket%/*}"
  unreachable "another user's folder" "${socket%/*}"
  chown root "${socket%/*}"
else
  echo "another user's socket and folder: only root can make them"
fi

# Peers of a living session. Each stays connected until it is cut off, or for half a second.
begin
host=$(member pid)
peer() { # WHAT, then the bytes as a perl expression
  local good=ok
  (cd "${socket%/*}" && timeout 10 perl -MIO::Socket::UNIX -MIO::Select -e '
    my $peer = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die "$!";
    $SIG{PIPE} = "IGNORE";
    $peer->blocking(0); # some of what is written may never be read
    $peer->syswrite(eval $ARGV[1]);
    my $read = IO::Select->new($peer)->can_read(0.5) ? $peer->sysread(my $answer, 65536) : -1;
    print $read < 0 ? "waited for" : $read ? "answered: " . substr($answer, 5, 70) : "cut off";
  ' "${socket##*/}" "$2") >"$folder/peer" 2>&1 || good=FAILED
  answers && [[ $(member pid) == "$host" ]] || good=FAILED
  [[ $(<"$folder/peer") == "$3"* ]] || good=FAILED
  verdict "$1" "$good" "$(<"$folder/peer")"
}
frame='sub frame { pack("V", length $_[1]) . $_[0] . $_[1] }'
{
  peer "garbage" 'join "", map { chr(int rand 256) } 1 .. 100000' ""
  peer "a length of 4 GB" '"\xff" x 5' "cut off"
  peer "a length just over the limit" 'pack("V", (1 << 20) + 1)' "cut off"
  peer "an unknown type" "$frame"' frame("Z", "{}")' "cut off"
  peer "a frame that hosts send" "$frame"' frame("e", "{}")' "cut off"
  peer "no JSON" "$frame"' frame("q", "{")' "cut off"
  peer "JSON nested 100,000 deep" "$frame"' frame("q", "[" x 100000)' "cut off"
  peer "a request without an id" "$frame"' frame("q", "{}")' "cut off"
  peer "an unknown verb" "$frame"' frame("q", q({"v":1,"id":7,"verb":"dance"}))' "answered"
  peer "another version" "$frame"' frame("q", q({"v":99,"id":7,"verb":"status"}))' "answered"
  peer "a truncated frame" "$frame"' substr(frame("q", "x" x 99), 0, 50)' "waited for"
  peer "a header's first byte" '"\x05"' "waited for"
  peer "nothing" '""' "waited for"
  peer "20,000 questions at once" "$frame"' frame("q", q({"v":1,"id":1,"verb":"status"})) x 20000' "answered"
}
good=ok
(cd "${socket%/*}" && perl -MIO::Socket::UNIX -e '
  my @peers = map { IO::Socket::UNIX->new(Peer => $ARGV[0]) } 1 .. 300;
  $_->syswrite("\x05\x00") for grep { defined } @peers;
' "${socket##*/}") || true
answers || good=FAILED
verdict "300 peers that begin a frame and go" "$good" ""
end

# The wall clock goes back a minute with every look at it; a run's own times do not.
start=$(date +%s%3N)
code=0
LD_PRELOAD=$clock_back ASAN_OPTIONS=verify_asan_link_order=0 timeout 60 "$orch" run demo --output json \
  >"$folder/events" 2>"$folder/errors" || code=$?
took=$(($(date +%s%3N) - start))
good=ok
[[ $code == 0 ]] || good=FAILED
[[ $(wc -l <"$folder/events") -gt 5 && $(grep -c '"started":' "$folder/events") == 1 ]] || good=FAILED
stamps=$(sed 's/.*"ms":\([0-9-]*\),.*/\1/' "$folder/events")
[[ $stamps == "$(sort -n <<<"$stamps")" && $(tail -n 1 <<<"$stamps") -le $took ]] || good=FAILED
verdict "the clock is set back" "$good" "exit $code after $took ms; ms up to ${stamps##*$'\n'}"
exit "$failed"

"""late.py SECONDS PROGRAM [WORD...]: a terminal far away. What is typed reaches the program at once; what it draws is
passed on SECONDS later. Where the standard input is no terminal the program is started as it is."""

import collections
import fcntl
import os
import pty
import select
import signal
import sys
import termios
import time
import tty

PIECE = 65536


def take_size(ours: int) -> None:
    fcntl.ioctl(ours, termios.TIOCSWINSZ, fcntl.ioctl(0, termios.TIOCGWINSZ, bytes(8)))


def pass_on(ours: int, late_s: float) -> None:
    """Until the program's terminal is closed and all of it is drawn."""
    drawn: collections.deque[tuple[float, bytes]] = collections.deque()  # by when it is due
    reads = [0, ours]
    while ours in reads or drawn:
        wait = max(0.0, drawn[0][0] - time.monotonic()) if drawn else None
        ready, _, _ = select.select(reads, [], [], wait)
        if ours in ready:
            try:
                piece = os.read(ours, PIECE)
            except OSError:  # EIO: nobody has it open any more
                piece = b""
            if piece:
                drawn.append((time.monotonic() + late_s, piece))
            else:
                reads = []
        elif 0 in ready:
            piece = os.read(0, PIECE)
            if piece:
                os.write(ours, piece)
            else:
                reads.remove(0)
        while drawn and drawn[0][0] <= time.monotonic():
            piece = drawn.popleft()[1]
            while piece:
                piece = piece[os.write(1, piece):]


def main() -> int:
    late_s, program = float(sys.argv[1]), sys.argv[2:]
    if not os.isatty(0):
        os.execvp(program[0], program)
    tty.setraw(0, termios.TCSANOW)  # what was typed by now is kept
    pid, ours = pty.fork()
    if pid == 0:
        os.execvp(program[0], program)
    take_size(ours)
    signal.signal(signal.SIGWINCH, lambda *_: take_size(ours))
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda number, _frame: os.kill(pid, number))
    pass_on(ours, late_s)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) % 256


if __name__ == "__main__":
    sys.exit(main())

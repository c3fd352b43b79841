"""Looks at the hosts of a round while they run: their memory, descriptors and zombies."""

import threading

import processes
from root import Root
from seen import Seen

EVERY_S = 0.1
LOOKS_FOR_HOSTS = 5  # every so manieth look
ZOMBIE_LOOKS = 4  # seen so often one after another, half a second between, a zombie stays


class Sampler:
    """Looks from begin() to end(); what it finds it adds to `seen`."""

    def __init__(self, root: Root, seen: Seen):
        self._root, self._seen = root, seen
        self._hosts: set[int] = set()
        self._zombies: dict[int, int] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def begin(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self._over.set()
        self._thread.join()

    def hosts(self) -> set[int]:
        """That live now."""
        return {p.pid for p in processes.of_round(self._root.token)
                if p.is_orch(str(self._root.orch), "run") and not processes.shares_memory(p.pid, p.parent)}

    def _watch(self) -> None:
        look = 0
        while not self._over.wait(EVERY_S):
            if look % LOOKS_FOR_HOSTS == 0:
                self._hosts = self.hosts()
                self._count_zombies()
            look += 1
            for host in self._hosts:
                self._seen.hwm_kb = max(self._seen.hwm_kb, processes.memory_of(host)[1])
                self._seen.descriptors = max(self._seen.descriptors, processes.descriptors_of(host))

    def _count_zombies(self) -> None:
        running = {host for host in self._hosts if processes.stat_of(host)[0] not in ("T", "t")}
        now = processes.zombies_of(running)
        self._zombies = {pid: self._zombies.get(pid, 0) + 1 for pid in now}
        self._seen.zombies = max(self._seen.zombies, sum(1 for looks in self._zombies.values() if looks >= ZOMBIE_LOOKS))

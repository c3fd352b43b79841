// System calls of 32-bit programs, made by a 64-bit one: a filter that knows one table only does
// not see them.
//   compat chmod | unlink | mptcp | udp
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

static int call(int number, unsigned a, unsigned b, unsigned c) {
  int result;
  __asm__ volatile("int $0x80"
                   : "=a"(result)
                   : "a"(number), "b"(a), "c"(b), "d"(c)
                   : "memory", "r8", "r9", "r10", "r11");
  return result;
}

int main(int count, char** words) {
  char* low = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  const unsigned at = (unsigned)(unsigned long)low;
  if (count != 2 || low == MAP_FAILED) return 2;
  strcpy(low, "/home/agent/docs/plan.txt");
  if (!strcmp(words[1], "chmod")) return call(15, at, 0, 0) < 0;
  if (!strcmp(words[1], "unlink")) return call(10, at, 0, 0) < 0;
  const int datagram = !strcmp(words[1], "udp");
  const int fd = call(359, AF_INET, datagram ? SOCK_DGRAM : SOCK_STREAM, datagram ? 0 : 262);
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(datagram ? 4001 : 4000)};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  memcpy(low + 64, &to, sizeof to);
  if (fd < 0 || call(362, fd, at + 64, sizeof to) < 0) return 1;
  return call(4, fd, at, 5) < 0;
}

#include "pty/proc_file.h"

#include <linux/prctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace orch::pty {
namespace {

constexpr size_t kHuge = size_t{512} << 20;

// The addresses of this process's memory as prctl(2) wants them; its environment is `from`.
prctl_mm_map map_with(char* from) {
  std::ifstream stat("/proc/self/stat");
  std::string text((std::istreambuf_iterator<char>(stat)), {});
  std::istringstream rest(text.substr(text.rfind(')') + 2));
  std::vector<std::string> fields{std::istream_iterator<std::string>(rest), {}};
  const auto at = [&fields](size_t number) {  // as proc(5) numbers them
    return static_cast<__u64>(std::stoull(fields.at(number - 3)));
  };
  prctl_mm_map map{};
  map.start_code = at(26);
  map.end_code = at(27);
  map.start_stack = at(28);
  map.start_data = at(45);
  map.end_data = at(46);
  map.start_brk = at(47);
  map.brk = reinterpret_cast<__u64>(::sbrk(0));
  map.arg_start = at(48);
  map.arg_end = at(49);
  map.env_start = reinterpret_cast<__u64>(from);
  map.env_end = map.env_start + kHuge;
  map.exe_fd = static_cast<__u32>(-1);
  return map;
}

// A child whose environment is half a gigabyte; 0 if this kernel does not let it have that.
pid_t child_with_huge_environment() {
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    void* memory = ::mmap(nullptr, kHuge, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    prctl_mm_map map = map_with(static_cast<char*>(memory));
    const bool done = ::prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof map, 0) == 0;
    if (::write(ready[1], done ? "y" : "n", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char answer = 'n';
  REQUIRE(::read(ready[0], &answer, 1) == 1);
  ::close(ready[0]);
  ::close(ready[1]);
  if (answer == 'y') return pid;
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  return 0;
}

}  // namespace

TEST_CASE("a process that makes its environment half a gigabyte long is read in part") {
  const pid_t child = child_with_huge_environment();
  if (child == 0) {
    WARN("this kernel has no PR_SET_MM_MAP for us");
    return;
  }
  CHECK(read_proc(child, "environ").size() <= (7 << 20));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_CASE("the files of a process that is gone are empty") {
  CHECK(read_proc(::getpid(), "stat").find("pty_test") != std::string::npos);
  CHECK(read_proc(1 << 30, "stat").empty());
  CHECK_FALSE(find_proc(1 << 30, "stat"));
}

}  // namespace orch::pty

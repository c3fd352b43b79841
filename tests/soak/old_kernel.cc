// old_kernel WITHOUT PROGRAM [WORD...]: runs it as on an older kernel: the system calls of WITHOUT
// fail with ENOSYS, for it and for all that it starts. WITHOUT is "4.18", for all calls that Linux
// got since, or names separated by commas.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace {

#ifdef __x86_64__
constexpr uint32_t kProcessor = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kProcessor = AUDIT_ARCH_AARCH64;
#endif

// Of each processor's numbers, those above rseq's are of Linux 4.19 and newer.
constexpr uint32_t kNewestOf418 = __NR_rseq;

// By number where the headers may be older than the call.
const std::map<std::string_view, std::vector<uint32_t>> kCalls{
    {"statx", {__NR_statx}},
    {"pidfd_send_signal", {424}},
    {"io_uring", {425, 426, 427}},
    {"pidfd_open", {434}},
    {"clone3", {435}},
    {"close_range", {436}},
    {"openat2", {437}},
    {"faccessat2", {439}},
    {"landlock", {444, 445, 446}},
};

constexpr sock_filter statement(uint16_t code, uint32_t value) { return {code, 0, 0, value}; }
constexpr sock_filter skip_one_unless(uint16_t comparison, uint32_t value) {
  return {static_cast<uint16_t>(BPF_JMP | comparison | BPF_K), 0, 1, value};
}

constexpr sock_filter kUnknown = statement(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);

// An empty filter: a name is not known.
std::vector<sock_filter> filter_of(std::string_view without) {
  std::vector<sock_filter> filter{
      statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, kProcessor},
      statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
  };
  if (without == "4.18") {
    filter.push_back(skip_one_unless(BPF_JGT, kNewestOf418));
    filter.push_back(kUnknown);
    without = "";
  }
  while (!without.empty()) {
    const size_t comma = without.find(',');
    const auto call = kCalls.find(without.substr(0, comma));
    if (call == kCalls.end()) return {};
    for (const uint32_t number : call->second) {
      filter.push_back(skip_one_unless(BPF_JEQ, number));
      filter.push_back(kUnknown);
    }
    without = comma == std::string_view::npos ? "" : without.substr(comma + 1);
  }
  filter.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  return filter;
}

int fail(const char* what) {
  std::fprintf(stderr, "old_kernel: %s: %s\n", what, std::strerror(errno));
  return 125;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fputs("usage: old_kernel WITHOUT PROGRAM [WORD...]\n", stderr), 2;
  std::vector<sock_filter> filter = filter_of(argv[1]);
  if (filter.empty()) return std::fprintf(stderr, "old_kernel: no call: %s\n", argv[1]), 2;
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  // Without privileges a filter is for those alone that cannot get any.
  if (::geteuid() != 0 && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return fail("prctl");
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return fail("seccomp");
  ::execvp(argv[2], argv + 2);
  return fail(argv[2]);
}

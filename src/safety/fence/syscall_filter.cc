#include "fence/syscall_filter.h"

#include <linux/seccomp.h>
#include <netinet/in.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

namespace orch::fence {
namespace {

constexpr uint32_t kLow = 0xffffffff;  // the kernel takes an int from the lower half only
constexpr uint32_t kSocketType = 0xf;  // the rest of the `type` argument of socket() are flags
constexpr uint32_t kRefuse = SCMP_ACT_ERRNO(EACCES);
constexpr uint32_t kUnknownCall = SCMP_ACT_ERRNO(ENOSYS);
constexpr int kIoprioProcess = 1;  // IOPRIO_WHO_PROCESS of linux/ioprio.h

class Filter {
 public:
  Filter() : context_(::seccomp_init(SCMP_ACT_ALLOW)) {
    // Looked up by a binary tree: some ten comparisons for each call.
    constexpr uint32_t kByTree = 2;
    ::seccomp_attr_set(context_, SCMP_FLTATR_CTL_OPTIMIZE, kByTree);
  }
  ~Filter() { ::seccomp_release(context_); }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  // A call that this kernel or library does not know cannot be made either, so -EDOM does not count
  // as a failure.
  void refuse(int call, std::vector<scmp_arg_cmp> when = {}, uint32_t how = kRefuse) {
    const auto count = static_cast<unsigned>(when.size());
    const int result = ::seccomp_rule_add_array(context_, how, call, count, when.data());
    if (result != 0 && result != -EDOM && error_ == 0) error_ = -result;
  }

  base::Status load() {
    if (error_ == 0) error_ = -::seccomp_load(context_);
    if (error_ != 0) return base::system_error("fence: seccomp", error_);
    return base::Ok{};
  }

 private:
  scmp_filter_ctx context_;
  int error_ = 0;
};

scmp_arg_cmp is(unsigned argument, uint64_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, kLow, value};
}
scmp_arg_cmp is_not(unsigned argument, uint64_t value) { return {argument, SCMP_CMP_NE, value, 0}; }
scmp_arg_cmp has(unsigned argument, uint64_t bits) {
  return {argument, SCMP_CMP_MASKED_EQ, bits, bits};
}

// A process may still change itself: pid 0.
void refuse_other_processes(Filter& filter) {
  for (const int call : {SCMP_SYS(prlimit64), SCMP_SYS(sched_setaffinity),
                         SCMP_SYS(sched_setscheduler), SCMP_SYS(sched_setparam),
                         SCMP_SYS(sched_setattr), SCMP_SYS(migrate_pages), SCMP_SYS(move_pages)}) {
    filter.refuse(call, {is_not(0, 0)});
  }
  filter.refuse(SCMP_SYS(setpriority), {is_not(1, 0)});
  filter.refuse(SCMP_SYS(setpriority), {is(0, PRIO_USER)});
  filter.refuse(SCMP_SYS(ioprio_set), {is_not(1, 0)});
  filter.refuse(SCMP_SYS(ioprio_set), {is_not(0, kIoprioProcess)});
}

void refuse_but_tcp(Filter& filter, const Network& network) {
  const scmp_arg_cmp stream{1, SCMP_CMP_MASKED_EQ, kSocketType, SOCK_STREAM};
  for (int family = 0; family < AF_MAX; ++family) {
    const bool inet = family == AF_INET || family == AF_INET6;
    if (family == AF_UNIX || family == AF_NETLINK) continue;
    if (!inet || network.kind == Network::Kind::kNone) {
      filter.refuse(SCMP_SYS(socket), {is(0, static_cast<uint64_t>(family))});
      continue;
    }
    for (uint32_t type = 0; type <= kSocketType; ++type) {
      if (type == SOCK_STREAM || (type == SOCK_DGRAM && network.datagrams)) continue;
      filter.refuse(SCMP_SYS(socket), {is(0, static_cast<uint64_t>(family)),
                                       {1, SCMP_CMP_MASKED_EQ, kSocketType, type}});
    }
    // Multipath TCP, SCTP and others are streams, too, but not subject to the limit of ports.
    for (uint64_t protocol = 1; protocol < IPPROTO_TCP; ++protocol) {
      filter.refuse(SCMP_SYS(socket),
                    {is(0, static_cast<uint64_t>(family)), stream, is(2, protocol)});
    }
    filter.refuse(SCMP_SYS(socket),
                  {is(0, static_cast<uint64_t>(family)), stream, {2, SCMP_CMP_GT, IPPROTO_TCP, 0}});
  }
  filter.refuse(SCMP_SYS(sendto), {has(3, MSG_FASTOPEN)});
  filter.refuse(SCMP_SYS(sendmsg), {has(2, MSG_FASTOPEN)});
  filter.refuse(SCMP_SYS(sendmmsg), {has(3, MSG_FASTOPEN)});
}

}  // namespace

bool has_syscall_filter() {
  const uint32_t action = SECCOMP_RET_ERRNO;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

base::Status filter_syscalls(const Plan& plan) {
  Filter filter;
  if (!plan.layers.namespaces) refuse_other_processes(filter);
  for (const int call : {SCMP_SYS(keyctl), SCMP_SYS(add_key), SCMP_SYS(request_key)}) {
    filter.refuse(call);
  }
  // open_by_handle_at() opens files in places that are closed. Programs that use these calls can do
  // without them.
  for (const int call :
       {SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register),
        SCMP_SYS(open_by_handle_at), SCMP_SYS(name_to_handle_at)}) {
    filter.refuse(call, {}, kUnknownCall);
  }
  for (const int request : {TIOCSTI, TIOCLINUX}) {
    filter.refuse(SCMP_SYS(ioctl), {is(1, static_cast<uint64_t>(request))});
  }
  if (plan.network.kind != Network::Kind::kOpen) refuse_but_tcp(filter, plan.network);
  return filter.load();
}

}  // namespace orch::fence

// What the kernel enforces, tried in fenced processes. If a kernel lacks a layer, its tests report
// that and check nothing.
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <thread>

#include "base/fd.h"
#include "fence/landlock.h"
#include "fenced.h"
#include "skipped.h"

using namespace orch::fence;
using orch::base::Fd;

namespace {

bool has(int landlock) {
  if (landlock_version() >= landlock) return true;
  orch::say_skipped("this kernel's Landlock is older than version " + std::to_string(landlock));
  return false;
}

long make_file(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
}
long read_file(const std::string& path) { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }

struct Server {
  Fd socket;
  sockaddr_in address{};
};

Server listen_on_loopback() {
  Server server;
  server.socket.reset(::socket(AF_INET, SOCK_STREAM, 0));
  server.address.sin_family = AF_INET;
  server.address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* address = reinterpret_cast<sockaddr*>(&server.address);
  socklen_t size = sizeof server.address;
  REQUIRE(::bind(server.socket.get(), address, size) == 0);
  REQUIRE(::listen(server.socket.get(), 4) == 0);
  REQUIRE(::getsockname(server.socket.get(), address, &size) == 0);
  return server;
}

long connect_to(const Server& server, int protocol = 0) {
  const Fd socket(::socket(AF_INET, SOCK_STREAM, protocol));
  if (!socket.valid()) return -1;
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&server.address),
                   sizeof server.address);
}

}  // namespace

TEST_CASE("files are written in the work directory and the scratch folder alone") {
  if (!has(1)) return;
  const Yard yard;
  const std::string kept = yard.write("out/kept", "kept");
  const Plan plan = yard.plan();
  CHECK(error_inside(plan, [&] { return make_file(yard.path("work/new")); }) == 0);
  CHECK(error_inside(plan, [&] { return make_file(yard.path("scratch/new")); }) == 0);
  CHECK(error_inside(plan, [] { return read_file("/dev/null"); }) == 0);
  CHECK(error_inside(plan, [] { return ::open("/dev/null", O_WRONLY | O_CLOEXEC); }) == 0);

  CHECK(error_inside(plan, [&] { return make_file(yard.path("out/new")); }) == EACCES);
  CHECK(error_inside(plan, [&] { return make_file(kept); }) == EACCES);
  CHECK(error_inside(plan, [&] { return ::unlink(kept.c_str()); }) == EACCES);
  CHECK(error_inside(plan, [&] { return ::mkdir(yard.path("out/d").c_str(), 0700); }) == EACCES);
  CHECK(error_inside(plan, [&] { return ::rmdir(yard.path("out").c_str()); }) != 0);
  CHECK(error_inside(plan, [&] { return ::symlink("/", yard.path("out/l").c_str()); }) == EACCES);
  CHECK(error_inside(plan, [&] { return ::mkfifo(yard.path("out/f").c_str(), 0600); }) == EACCES);
  CHECK(text_of(kept) == "kept");
}

TEST_CASE("nothing crosses the border by another name") {
  if (!has(3)) return;
  const Yard yard;
  const std::string kept = yard.write("out/kept", "kept");
  yard.write("work/mine", "mine");
  std::filesystem::create_symlink(kept, yard.path("work/link"));
  std::filesystem::create_symlink(yard.path("out"), yard.path("work/folder"));
  const Plan plan = yard.plan();
  const auto in_work = [&](const char* name) { return yard.path(std::string("work/") + name); };
  CHECK(error_inside(plan, [&] { return make_file(in_work("link")); }) == EACCES);
  CHECK(error_inside(plan, [&] { return make_file(in_work("folder/new")); }) == EACCES);
  CHECK(error_inside(plan, [&] { return ::truncate(in_work("link").c_str(), 0); }) == EACCES);
  CHECK(error_inside(plan, [&] { return ::link(kept.c_str(), in_work("hard").c_str()); }) != 0);
  CHECK(error_inside(plan, [&] { return ::rename(kept.c_str(), in_work("moved").c_str()); }) != 0);
  CHECK(error_inside(plan, [&] {
          return ::renameat2(AT_FDCWD, kept.c_str(), AT_FDCWD, in_work("mine").c_str(),
                             RENAME_EXCHANGE);
        }) != 0);
  CHECK(error_inside(plan, [&] { return make_file("/proc/self/root" + yard.path("out/new")); }) ==
        EACCES);
  CHECK(text_of(kept) == "kept");
  CHECK(text_of(in_work("mine")) == "mine");
}

TEST_CASE("keys and tokens are not read, what is beside them is") {
  if (!has(1)) return;
  const Yard yard;
  const std::string key = yard.write("home/.ssh/id_ed25519", "key");
  const std::string odd = yard.write("home/.ssh/work-laptop", "key");
  const std::string config = yard.write("home/.ssh/config", "Host *");
  const std::string token = yard.write("home/.npmrc", "//registry/:_authToken=x");
  const std::string netrc = yard.write("home/.netrc", "machine x");
  const std::string notes = yard.write("home/notes", "notes");
  std::filesystem::create_symlink(key, yard.path("work/key"));
  const Plan plan = yard.plan();
  for (const std::string& secret : {key, odd, token, netrc, yard.path("work/key")}) {
    INFO(secret);
    CHECK(error_inside(plan, [&] { return read_file(secret); }) == EACCES);
    CHECK(error_inside(plan, [&] { return read_file("/proc/self/root" + secret); }) == EACCES);
  }
  for (const std::string& open : {config, notes}) {
    INFO(open);
    CHECK(error_inside(plan, [&] { return read_file(open); }) == 0);
  }
  Request opened = yard.request();
  opened.readable = {netrc};
  Offer offer = find_offer();
  offer.bubblewrap.clear();
  const Plan wider = make_plan(offer, opened).value();
  CHECK(error_inside(wider, [&] { return read_file(netrc); }) == 0);
  CHECK(error_inside(wider, [&] { return read_file(key); }) == EACCES);
}

TEST_CASE("a configuration without a token is no secret") {
  if (!has(1)) return;
  const Yard yard;
  const std::string npmrc = yard.write("home/.npmrc", "registry=https://registry/\n");
  CHECK(error_inside(yard.plan(), [&] { return read_file(npmrc); }) == 0);
}

TEST_CASE("what has become a link since the plan was made is not granted") {
  if (!has(1)) return;
  const Yard yard;
  const std::string key = yard.write("home/.ssh/id_ed25519", "key");
  const std::string deep_key = yard.write("home/.gnupg/inner/key", "key");
  const std::string open = yard.write("home/.aws/shared/notes", "notes");
  const std::string deep_open = yard.write("home/.aws/outer/inner/notes", "notes");
  Request request = yard.request();
  request.readable = {yard.path("home/.aws/shared"), yard.path("home/.aws/outer/inner")};
  Offer offer = find_offer();
  offer.bubblewrap.clear();
  const Plan plan = make_plan(offer, request).value();
  for (const std::string& path : {open, deep_open}) {
    INFO(path);
    CHECK(error_inside(plan, [&] { return read_file(path); }) == 0);
  }
  // Replaces a secret place itself, and a folder on the way to one.
  std::filesystem::rename(yard.path("home/.aws/shared"), yard.path("out/shared"));
  std::filesystem::create_symlink("../.ssh", yard.path("home/.aws/shared"));
  std::filesystem::rename(yard.path("home/.aws/outer"), yard.path("out/outer"));
  std::filesystem::create_symlink("../.gnupg", yard.path("home/.aws/outer"));
  for (const std::string& path : {key, deep_key}) {
    INFO(path);
    CHECK(error_inside(plan, [&] { return read_file(path); }) == EACCES);
  }
}

TEST_CASE("a folder that is exchanged for a link while the fence is raised is not granted") {
  if (!has(1)) return;
  const Yard yard;
  const std::string key = yard.write("home/.ssh/id_ed25519", "key");
  const std::string folder = yard.path("home/folder"), link = yard.path("home/link");
  std::filesystem::create_directory(folder);
  std::filesystem::create_symlink(".ssh", link);
  const Plan plan = yard.plan();
  std::atomic<bool> ends = false;
  std::thread agent([&] {
    while (!ends) ::renameat2(AT_FDCWD, folder.c_str(), AT_FDCWD, link.c_str(), RENAME_EXCHANGE);
  });
  int read = 0;
  for (int i = 0; i < 50; ++i) read += error_inside(plan, [&] { return read_file(key); }) == 0;
  ends = true;
  agent.join();
  CHECK(read == 0);
}

TEST_CASE("the run's own folder is writable though links lead to it") {
  if (!has(1)) return;
  const Yard yard;
  std::filesystem::create_directory(yard.path("scratch/tmp"));
  std::filesystem::create_directory_symlink(yard.path(""), yard.path("out/link"));
  Offer offer = find_offer();
  offer.bubblewrap.clear();
  Request request = yard.request();
  request.scratch = yard.path("out/link/scratch/tmp");
  const Plan plan = make_plan(offer, request).value();
  const std::string file = request.scratch + "/new";
  CHECK(error_inside(plan, [&] { return make_file(file); }) == 0);
}

TEST_CASE("processes outside are neither signalled nor looked into nor slowed down") {
  if (!has(6)) return;
  const Yard yard;
  const Plan plan = yard.plan();
  const pid_t other = ::fork();
  if (other == 0) {
    for (;;) ::pause();
  }
  CHECK(error_inside(plan, [&] { return ::kill(other, SIGKILL); }) == EPERM);
  CHECK(error_inside(plan, [&] { return ::ptrace(PTRACE_ATTACH, other, 0, 0); }) == EPERM);
  CHECK(error_inside(
            plan, [&] { return read_file("/proc/" + std::to_string(other) + "/environ"); }) != 0);
  const rlimit64 nothing{1, 1};
  CHECK(error_inside(plan, [&] {
          return ::syscall(SYS_prlimit64, other, RLIMIT_CPU, &nothing, nullptr);
        }) == EACCES);
  const auto who = static_cast<id_t>(other);
  CHECK(error_inside(plan, [&] { return ::setpriority(PRIO_PROCESS, who, 19); }) == EACCES);
  CHECK(error_inside(plan, [] { return ::setpriority(PRIO_USER, 0, 19); }) == EACCES);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  CHECK(error_inside(plan, [&] { return ::sched_setaffinity(other, sizeof one, &one); }) == EACCES);
  CHECK(::kill(other, 0) == 0);
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
}

TEST_CASE("a fenced process has its own children and its own limits") {
  const Yard yard;
  if (!has(1)) return;
  CHECK(inside(yard.plan(), [] {
          const pid_t child = ::fork();
          if (child == 0) {
            for (;;) ::pause();
          }
          int status = 0;
          ::kill(child, SIGKILL);
          ::waitpid(child, &status, 0);
          rlimit limit{};
          const bool limited = ::getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
                               ::setrlimit(RLIMIT_NOFILE, &limit) == 0 &&
                               ::setpriority(PRIO_PROCESS, 0, 19) == 0;
          return WIFSIGNALED(status) && limited ? 0 : 1;
        }) == 0);
}

TEST_CASE("sockets of the abstract name space are closed") {
  if (!has(6)) return;
  const Yard yard;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = std::string("\0orch-fence-", 12) + std::to_string(::getpid());
  std::memcpy(address.sun_path, name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  const auto* where = reinterpret_cast<const sockaddr*>(&address);
  const Fd listening(::socket(AF_UNIX, SOCK_STREAM, 0));
  REQUIRE(::bind(listening.get(), where, size) == 0);
  REQUIRE(::listen(listening.get(), 1) == 0);
  CHECK(error_inside(yard.plan(), [&] {
          const Fd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
          return ::connect(socket.get(), where, size);
        }) == EPERM);
}

TEST_CASE("system calls beside the files are refused") {
  const Yard yard;
  const Plan plan = yard.plan();
  if (!plan.layers.seccomp) return;
  constexpr long kKeyctlGetKeyring = 0, kUserKeyring = -4;
  CHECK(error_inside(plan, [] {
          return ::syscall(SYS_keyctl, kKeyctlGetKeyring, kUserKeyring, 0);
        }) == EACCES);
  CHECK(error_inside(plan, [] {
          io_uring_params parameters{};
          return ::syscall(SYS_io_uring_setup, 1, &parameters);
        }) == ENOSYS);
  CHECK(error_inside(plan, [] { return ::syscall(SYS_open_by_handle_at, AT_FDCWD, 0, 0); }) ==
        ENOSYS);
  CHECK(error_inside(plan, [] {
          return ::syscall(SYS_name_to_handle_at, AT_FDCWD, ".", 0, 0, 0);
        }) == ENOSYS);
  const char typed = 'x';
  CHECK(error_inside(plan, [&] { return ::ioctl(0, TIOCSTI, &typed); }) == EACCES);
  // The kernel takes only the lower half of the number.
  CHECK(error_inside(plan, [&] {
          return ::syscall(SYS_ioctl, 0, 0x1'0000'0000 | TIOCSTI, &typed);
        }) == EACCES);
}

TEST_CASE("ports: TCP to those alone, by no other door") {
  if (!has(4)) return;
  const Yard yard;
  const Server allowed = listen_on_loopback(), other = listen_on_loopback();
  Network network{Network::Kind::kPorts, {ntohs(allowed.address.sin_port)}, false, {}};
  const Plan plan = yard.plan(network);
  CHECK(error_inside(plan, [&] { return connect_to(allowed); }) == 0);
  CHECK(error_inside(plan, [&] { return connect_to(other); }) == EACCES);
  constexpr int kMultipathTcp = 262;
  CHECK(error_inside(plan, [&] { return connect_to(other, kMultipathTcp); }) == EACCES);
  CHECK(error_inside(plan, [] { return ::socket(AF_INET, SOCK_DGRAM, 0); }) == EACCES);
  CHECK(error_inside(plan, [] { return ::socket(AF_INET6, SOCK_DGRAM, 0); }) == EACCES);
  CHECK(error_inside(plan, [] { return ::socket(AF_INET, SOCK_RAW, IPPROTO_TCP); }) == EACCES);
  CHECK(error_inside(plan, [] { return ::socket(AF_PACKET, SOCK_RAW, 0); }) == EACCES);
  CHECK(error_inside(plan, [] { return ::socket(AF_VSOCK, SOCK_STREAM, 0); }) == EACCES);
  CHECK(error_inside(plan, [] { return ::socket(AF_UNIX, SOCK_STREAM, 0); }) == 0);
  CHECK(error_inside(plan, [&] {
          const Fd socket(::socket(AF_INET, SOCK_STREAM, 0));
          return ::sendto(socket.get(), "x", 1, MSG_FASTOPEN,
                          reinterpret_cast<const sockaddr*>(&other.address), sizeof other.address);
        }) == EACCES);
  network.datagrams = true;
  CHECK(error_inside(yard.plan(network), [] { return ::socket(AF_INET, SOCK_DGRAM, 0); }) == 0);

  const Plan none = yard.plan({Network::Kind::kNone, {}, false, {}});
  CHECK(error_inside(none, [&] { return connect_to(allowed); }) == EACCES);
  CHECK(error_inside(none, [] { return ::socket(AF_UNIX, SOCK_STREAM, 0); }) == 0);
}

TEST_CASE("root loses what is not about files") {
  if (::geteuid() != 0) return;
  const Yard yard;
  const Plan plan = yard.plan();
  CHECK(plan.layers.capabilities);
  // Invalid times: the capability is checked before the values, and even with it nothing would be
  // set.
  CHECK(error_inside(plan, [] {
          const timespec never{-1, -1};
          return ::clock_settime(CLOCK_REALTIME, &never);
        }) != 0);
  CHECK(error_inside(plan, [] { return ::sethostname("", 0); }) == EPERM);
  CHECK(error_inside(plan, [&] {
          return ::mknod(yard.path("work/disk").c_str(), S_IFBLK | 0600, makedev(7, 0));
        }) == EPERM);
}

// How fast bytes become a screen: orch against libvterm's screen layer and memchr, on recordings of
// real agents. Thread CPU time, rounds interleaved, medians.
//   term_bench [--size 120x40] FOLDER...     folders with asciicast files, one sub-folder per agent

#include <fmt/core.h>
#include <vterm.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "term/screen.h"

namespace {

using orch::term::Screen;
using orch::term::Size;

constexpr size_t kStreamBytes = 16 << 20;
constexpr size_t kChunk = 4096;  // what one read of a pty master gives
constexpr int kRounds = 7;

using Streams = std::map<std::string, std::string>;  // agent to output

// The output of one recording; empty when it was made at another size.
std::string read_output(const std::filesystem::path& path, Size size) {
  std::ifstream file(path);
  std::string line, output;
  if (!std::getline(file, line)) return {};
  const auto header = nlohmann::json::parse(line);
  if (header["width"] != size.cols || header["height"] != size.rows) return {};
  while (std::getline(file, line)) {
    const auto event = nlohmann::json::parse(line);
    if (event[1] == "o") output += event[2].get<std::string>();
  }
  return output;
}

Streams read_streams(const std::vector<std::string>& folders, Size size) {
  std::map<std::string, std::vector<std::filesystem::path>> files;
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".cast") continue;
      files[entry.path().parent_path().filename()].push_back(entry.path());
    }
  }
  Streams streams;
  for (auto& [agent, paths] : files) {
    std::sort(paths.begin(), paths.end());
    std::string once;
    for (const auto& path : paths) once += read_output(path, size);
    if (once.empty()) continue;
    std::string& stream = streams[agent];
    while (stream.size() < kStreamBytes) stream += once;
  }
  return streams;
}

// The same number of bytes of every agent, one after the other.
std::string mix(const Streams& streams) {
  std::string mixed;
  for (const auto& [agent, stream] : streams) mixed += stream.substr(0, kStreamBytes);
  return mixed;
}

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void run_orch(std::string_view stream, Size size) {
  Screen screen(size);
  for (size_t at = 0; at < stream.size(); at += kChunk) {
    screen.feed(stream.substr(at, kChunk));
    static_cast<void>(screen.take_replies());
  }
}

// libvterm mis-decodes a character split across two writes, so it is given whole ones.
void run_libvterm(std::string_view stream, Size size) {
  const std::unique_ptr<VTerm, decltype(&vterm_free)> terminal(vterm_new(size.rows, size.cols),
                                                               vterm_free);
  vterm_set_utf8(terminal.get(), 1);
  VTermScreen* screen = vterm_obtain_screen(terminal.get());
  vterm_screen_enable_altscreen(screen, 1);
  vterm_screen_set_damage_merge(screen, VTERM_DAMAGE_SCREEN);
  vterm_screen_reset(screen, 1);
  std::vector<char> replies(kChunk);
  for (size_t at = 0; at < stream.size();) {
    std::string_view chunk = stream.substr(at, kChunk);
    if (at + kChunk < stream.size()) chunk.remove_suffix(orch::base::incomplete_utf8_tail(chunk));
    vterm_input_write(terminal.get(), chunk.data(), chunk.size());
    vterm_screen_flush_damage(screen);
    vterm_output_read(terminal.get(), replies.data(), replies.size());
    at += chunk.size();
  }
}

void run_memchr(std::string_view stream, Size) {
  [[maybe_unused]] const void* volatile found = nullptr;
  for (size_t at = 0; at < stream.size(); at += kChunk) {
    const std::string_view chunk = stream.substr(at, kChunk);
    found = std::memchr(chunk.data(), 0x01, chunk.size());
  }
}

struct Contender {
  const char* name;
  void (*run)(std::string_view, Size);
};
constexpr Contender kContenders[] = {
    {"orch", run_orch}, {"libvterm", run_libvterm}, {"memchr", run_memchr}};

// MB/s of each contender.
std::vector<double> measure(std::string_view stream, Size size) {
  std::vector<std::vector<double>> seconds(std::size(kContenders));
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < std::size(kContenders); ++i) {
      const double start = thread_seconds();
      kContenders[i].run(stream, size);
      seconds[i].push_back(thread_seconds() - start);
    }
  }
  std::vector<double> speeds;
  for (auto& times : seconds) {
    std::nth_element(times.begin(), times.begin() + kRounds / 2, times.end());
    speeds.push_back(static_cast<double>(stream.size()) / 1e6 / times[kRounds / 2]);
  }
  return speeds;
}

void print_row(const std::string& name, std::string_view stream, Size size) {
  const std::vector<double> speeds = measure(stream, size);
  fmt::print("{:<12}{:>8.1f} MB", name, static_cast<double>(stream.size()) / 1e6);
  for (const double speed : speeds) fmt::print("{:>12.1f}", speed);
  fmt::print("{:>11.2f}x\n", speeds[0] / speeds[1]);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  Size size{120, 40};
  if (arguments.size() > 1 && arguments[0] == "--size") {
    if (std::sscanf(arguments[1].c_str(), "%dx%d", &size.cols, &size.rows) != 2) return 2;
    arguments.erase(arguments.begin(), arguments.begin() + 2);
  }
  const Streams streams = read_streams(arguments, size);
  if (streams.empty()) {
    fmt::print(stderr,
               "usage: term_bench [--size COLSxROWS] FOLDER...  (asciicasts of that size)\n");
    return 2;
  }
  fmt::print("{}x{}, {} B chunks, MB/s\n{:<12}{:>11}", size.cols, size.rows, kChunk, "", "stream");
  for (const Contender& contender : kContenders) fmt::print("{:>12}", contender.name);
  fmt::print("{:>12}\n", "orch/vterm");
  for (const auto& [agent, stream] : streams) print_row(agent, stream, size);
  if (streams.size() > 1) print_row("mix", mix(streams), size);
  return 0;
}

#include "speed/contenders.h"

#include <re2/re2.h>
#include <vterm.h>

#include <chrono>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "detect/detector.h"
#include "term/simd/scan.h"

namespace orch::speed {
namespace {

// Results are stored here, so that the compiler does not remove the work.
volatile size_t sink = 0;

void run_orch(const Task& task) {
  term::Screen screen(task.size);
  in_chunks(task.stream, [&](std::string_view piece) {
    screen.feed(piece);
    static_cast<void>(screen.take_replies());
  });
}

// Like a session: the screen is looked at when the detector asks for it, by the real clock.
void run_orch_detecting(const Task& task) {
  const auto start = std::chrono::steady_clock::now();
  const auto now = [start] {
    const auto passed = std::chrono::steady_clock::now() - start;
    return std::chrono::duration_cast<std::chrono::milliseconds>(passed).count();
  };
  term::Screen screen(task.size);
  detect::Detector detector(task.rules, 0);
  in_chunks(task.stream, [&](std::string_view piece) {
    const base::TimeMs at = now();
    while (detector.next_deadline() <= at) {
      static_cast<void>(detector.on_timer(detector.next_deadline(), screen));
    }
    screen.feed(piece);
    static_cast<void>(screen.take_replies());
    detector.on_output(at, screen);
  });
}

// libvterm decodes a character wrongly if it is split between two writes, so each piece ends with a
// complete one.
void run_libvterm(const Task& task) {
  const std::unique_ptr<VTerm, decltype(&vterm_free)> terminal(
      vterm_new(task.size.rows, task.size.cols), vterm_free);
  vterm_set_utf8(terminal.get(), 1);
  VTermScreen* screen = vterm_obtain_screen(terminal.get());
  vterm_screen_enable_altscreen(screen, 1);
  vterm_screen_set_damage_merge(screen, VTERM_DAMAGE_SCREEN);
  vterm_screen_reset(screen, 1);
  std::vector<char> replies(kChunk);
  for (size_t at = 0; at < task.stream.size();) {
    std::string_view piece = task.stream.substr(at, kChunk);
    const bool last = at + piece.size() == task.stream.size();
    if (!last) piece.remove_suffix(base::incomplete_utf8_tail(piece));
    vterm_input_write(terminal.get(), piece.data(), piece.size());
    vterm_screen_flush_damage(screen);
    vterm_output_read(terminal.get(), replies.data(), replies.size());
    at += piece.size();
  }
}

// Only finds the control bytes: no reader that takes a single pass can be faster than that.
void run_bare_scan(const Task& task) {
  in_chunks(task.stream, [](std::string_view piece) {
    size_t controls = 0;
    const char* const end = piece.data() + piece.size();
    for (const char* at = piece.data(); at < end; ++at, ++controls) {
      at += term::scan_text(at, end);
    }
    sink = sink + controls;
  });
}

void run_re2_strip(const Task& task) {
  std::string scratch;
  in_chunks(task.stream,
            [&](std::string_view piece) { sink = sink + strip(piece, scratch).size(); });
}

void run_memchr(const Task& task) {
  in_chunks(task.stream, [](std::string_view piece) {
    sink = sink + (std::memchr(piece.data(), 0x01, piece.size()) != nullptr ? 1 : 0);
  });
}

void run_memcpy(const Task& task) {
  std::vector<char> copy(kChunk);
  in_chunks(task.stream, [&](std::string_view piece) {
    std::memcpy(copy.data(), piece.data(), piece.size());
    sink = sink + static_cast<size_t>(copy[piece.size() / 2]);
  });
}

constexpr Contender kContenders[] = {
    {"orch", run_orch},           {"orch+detect", run_orch_detecting}, {"libvterm", run_libvterm},
    {"bare scan", run_bare_scan}, {"RE2 strip", run_re2_strip},        {"memchr", run_memchr},
    {"memcpy", run_memcpy}};

}  // namespace

std::span<const Contender> contenders() { return kContenders; }

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string_view strip(std::string_view bytes, std::string& scratch) {
  static const RE2 kEscapes(
      R"(\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]|)"
      R"([\x00-\x09\x0b-\x1f\x7f])",
      RE2::Latin1);
  scratch.assign(bytes);
  RE2::GlobalReplace(&scratch, kEscapes, "");
  return scratch;
}

}  // namespace orch::speed

// A whole session that the input controls: the agent's output, typed keys, resizes, time. The view
// must keep its promises (watched_view.h), and report the same however the output is cut, but for
// the lines of an alternate screen that is drawn without frames.
//
// The input: one byte selects the agent, two the size of the screen, one the size of the pieces;
// then output follows. 0xFF, which is never part of text, ends a run of bytes; the two bytes after
// it say what comes next, and how much.

#include <cstdint>
#include <string_view>

#include "agents.h"
#include "base/check.h"
#include "watched_view.h"

namespace {

class Steps {
 public:
  explicit Steps(std::string_view bytes) : rest_(bytes) {}
  bool done() const { return rest_.empty(); }

  uint8_t number() {
    if (done()) return 0;
    const auto value = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }

  // The bytes before the next 0xFF, or before the end.
  std::string_view run() {
    const std::string_view text = rest_.substr(0, rest_.find('\xFF'));
    rest_.remove_prefix(text.size());
    number();
    return text;
  }

 private:
  std::string_view rest_;
};

orch::term::Size size_of(uint8_t cols, uint8_t rows) { return {1 + cols % 80, 1 + rows % 24}; }

void play_step(WatchedView& view, Steps& steps, size_t piece) {
  const uint8_t verb = steps.number();
  const uint8_t measure = steps.number();
  switch (verb % 7) {
    case 0:
      view.wait(measure);
      break;
    case 1:
      view.wait(measure * 50);
      break;
    case 2:
      view.sleep(measure * 10);
      break;
    case 3:
      view.wait(measure);
      return view.input(steps.run());
    case 6:
      view.wait(measure);
      return view.notice(steps.run());
    case 4:
      view.resize(size_of(measure, static_cast<uint8_t>(measure * 7)));
      break;
    case 5:
      view.close_transcript();
      break;
  }
  view.output(steps.run(), piece);
}

WatchedView::Told play(std::string_view bytes, bool cut) {
  Steps steps(bytes);
  const FuzzAgent& agent = fuzz_agent(steps.number());
  const uint8_t cols = steps.number();
  WatchedView view(agent.manifest, agent.rules, size_of(cols, steps.number()));
  const size_t piece = 1 + steps.number() % 32;
  view.output(steps.run(), cut ? piece : 0);
  while (!steps.done()) play_step(view, steps, cut ? piece : 0);
  view.exit();
  return view.told();
}

bool told_alike(const WatchedView::Told& a, const WatchedView::Told& b) {
  return a.changes == b.changes && (a.by_piece || b.by_piece || a.lines == b.lines);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  ORCH_CHECK(told_alike(play(bytes, false), play(bytes, true)));
  return 0;
}

// Feeds any bytes, in two pieces, to a small screen that is resized between them: nothing may go
// wrong, and a redraw of the screen must show the same text.

#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "term/render.h"
#include "term/screen.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace orch::term;
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  Screen screen({1 + data[0] % 40, 1 + data[1] % 12});
  screen.feed(bytes.substr(0, bytes.size() / 2));
  screen.resize({1 + data[1] % 40, 1 + data[0] % 12});
  screen.feed(bytes.substr(bytes.size() / 2));
  ORCH_CHECK(screen.take_replies().size() <= 4096);
  Screen drawn(screen.size());
  drawn.feed(render_ansi(screen));
  ORCH_CHECK(render_text(drawn) == render_text(screen));
  return 0;
}

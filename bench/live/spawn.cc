#include "live/spawn.h"

#include <string>

#include "live/counters.h"
#include "loop/loop.h"
#include "pty/pty.h"

namespace orch::live {
namespace {

class UntilEnd final : public pty::Observer {
 public:
  explicit UntilEnd(loop::Loop& loop) : loop_(loop) {}
  void on_output(std::string_view) override {}
  void on_end(pty::ExitStatus) override { loop_.stop(); }

 private:
  loop::Loop& loop_;
};

base::Result<std::vector<double>> spawn_all(int times) {
  loop::Loop loop;
  UntilEnd observer(loop);
  std::vector<double> took;
  for (int i = 0; i < times; ++i) {
    const double start = monotonic_ms();
    const auto terminal =
        pty::Pty::spawn(loop, {.argv = {"/bin/true"}, .cwd = "", .env = {}}, observer);
    if (!terminal) return terminal.error();
    took.push_back(monotonic_ms() - start);
    loop.run();
  }
  return took;
}

}  // namespace

base::Result<std::vector<Figure>> measure_spawn(int times) {
  std::vector<Figure> figures;
  for (const size_t megabytes : {size_t{16}, size_t{512}}) {
    const std::string resident(megabytes << 20, 'x');
    const auto took = spawn_all(times);
    if (!took) return took.error();
    for (Figure& figure : distribution("spawn." + std::to_string(megabytes) + "mb", *took, "ms")) {
      figures.push_back(std::move(figure));
    }
    // Read, so that the compiler does not remove the memory before.
    if (resident.back() != 'x') figures.clear();
  }
  return figures;
}

}  // namespace orch::live

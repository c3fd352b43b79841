#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "loop/timer.h"
#include "session/source.h"

namespace orch::session {

// A source without a process: a function of the test takes what is written and returns the output.
class ToySource final : public Source {
 public:
  // Called from the loop with every write, and once with "" at the start; returns what the agent
  // says to it.
  using Peer = std::function<std::string(std::string_view written)>;
  // Makes the factory for a session; `made` is set to the source that it makes.
  static SourceFactory factory(Peer peer, ToySource** made = nullptr);

  ToySource(loop::Loop& loop, Peer peer, SourceObserver& observer);

  void write(std::string bytes) override;
  void resize(int cols, int rows) override { cols_ = cols, rows_ = rows; }
  void pause() override {}
  void resume() override {}
  void stop(StopOrder order) override;
  bool answers_queries() const override { return true; }

  void end(int code);  // the agent exits by itself
  const std::string& quit_bytes() const { return quit_bytes_; }
  const std::string& written() const { return written_; }

 private:
  void step();

  Peer peer_;
  SourceObserver& observer_;
  loop::Timer timer_;
  std::string pending_{}, written_{}, quit_bytes_{};
  bool begun_ = false, ending_ = false;
  int code_ = 0, cols_ = 0, rows_ = 0;
};

}  // namespace orch::session

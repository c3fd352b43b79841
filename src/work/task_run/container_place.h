#pragma once

#include <memory>
#include <string>
#include <vector>

#include "loop/loop.h"
#include "sandbox/container.h"
#include "sandbox/container_request.h"
#include "sandbox/engine.h"
#include "task_run/place.h"

namespace orch::task_run {

// One container for all runs of a task; each run joins it. The container ends with this object, and
// also when this process dies, in whatever way.
class ContainerPlace final : public Place, private sandbox::ContainerObserver {
 public:
  ContainerPlace(loop::Loop& loop, sandbox::Engine engine, sandbox::ContainerRequest wanted,
                 std::string task);
  ~ContainerPlace() override;
  void open(Told told) override;
  std::vector<std::string> run_words() const override;
  void close(std::function<void()> on_closed) override;

 private:
  void on_up() override;
  void on_lost(const std::string& why) override;

  loop::Loop& loop_;
  sandbox::Engine engine_;
  sandbox::ContainerRequest wanted_;
  std::string task_;
  Told told_;
  bool up_ = false;
  std::unique_ptr<sandbox::Container> container_;
};

}  // namespace orch::task_run

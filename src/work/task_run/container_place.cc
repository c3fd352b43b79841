#include "task_run/container_place.h"

#include <utility>

#include "sandbox/task_container.h"

namespace orch::task_run {

ContainerPlace::ContainerPlace(loop::Loop& loop, sandbox::Engine engine,
                               sandbox::ContainerRequest wanted, std::string task)
    : loop_(loop), engine_(std::move(engine)), wanted_(std::move(wanted)), task_(std::move(task)) {}

ContainerPlace::~ContainerPlace() {
  if (container_) container_->observe(nullptr);
}

void ContainerPlace::open(Told told) {
  told_ = std::move(told);
  container_ = sandbox::begin_for_task(loop_, engine_, wanted_, task_);
  container_->observe(this);
}

std::vector<std::string> ContainerPlace::run_words() const {
  return {"--sandbox", std::string(name(engine_.kind)), "--container", container_->name()};
}

void ContainerPlace::on_up() {
  up_ = true;
  told_.on_open(base::Ok{});
}

void ContainerPlace::on_lost(const std::string& why) {
  if (up_) return told_.on_lost(why);
  told_.on_open(base::Error{base::ErrorCode::kSystem, why});
}

void ContainerPlace::close(std::function<void()> on_closed) {
  container_->observe(nullptr);
  container_->close(std::move(on_closed));
}

}  // namespace orch::task_run

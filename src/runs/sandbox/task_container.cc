#include "sandbox/task_container.h"

#include <unistd.h>

#include "pty/process_identity.h"
#include "sandbox/labels.h"
#include "sandbox/run_container.h"

namespace orch::sandbox {

std::unique_ptr<Container> begin_for_task(loop::Loop& loop, const Engine& engine,
                                          ContainerRequest wanted, const std::string& task) {
  const std::string shell = "sh";  // each run looks for the program that it needs
  const std::string name = new_container_name("task-" + task);
  wanted.labels.emplace(kTaskLabel, task);
  wanted.labels.emplace(kUserLabel, std::to_string(::getuid()));
  auto container =
      std::make_unique<Container>(loop, Container::Plan{.engine = engine,
                                                        .name = name,
                                                        .ownership = Container::Ownership::kOwned,
                                                        .what = "a container of " + wanted.image,
                                                        .program = shell});
  container->start(
      run_words(engine, wanted, {name, pty::identity_text(pty::own_identity()), shell}));
  return container;
}

}  // namespace orch::sandbox

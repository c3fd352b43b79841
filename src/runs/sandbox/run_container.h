#pragma once

#include <memory>
#include <optional>
#include <string>

#include "loop/loop.h"
#include "sandbox/container.h"
#include "sandbox/container_request.h"
#include "sandbox/container_source.h"
#include "session/enclosure.h"
#include "session/source.h"

namespace orch::sandbox {

// The container of one run's agent: its own, or one that a task owns and the run joins.
class RunContainer final : public session::Enclosure {
 public:
  struct Plan {
    Engine engine;
    std::string name;  // of the container
    // of a container to be made; of one to be joined only `work` and `network` are used
    ContainerRequest wanted;
    bool joins = false;       // the container exists already
    std::string session;      // "orch-42"
    std::string run_program;  // the agent's program, which must be in the container
  };
  explicit RunContainer(Plan plan) : plan_(std::move(plan)) {}

  // A source that starts its agents in the container; the first agent starts the container. `self`
  // is this object; `client` says how to run the client.
  static session::SourceFactory source(std::shared_ptr<RunContainer> self,
                                       ContainerSource::Client client);

  void enter(const Entry& entry, std::vector<std::string>& argv,
             std::vector<std::string>& env) const override;
  void end_marked(const std::string& mark) override;
  void find_life_signs(const std::string& mark,
                       std::function<void(std::optional<pty::LifeSigns>)> found) override;
  void close(std::function<void()> on_closed) override;
  Shown show(const std::string& folder, const std::string& id_file) override;
  bool holds(pid_t pid) const override;
  std::string_view kind() const override { return name(plan_.engine.kind); }
  std::string_view network() const override { return plan_.wanted.network; }

  // The path in the container of a folder of this machine; nullopt if the container does not have
  // it.
  static std::optional<std::string> place_of(const std::string& path, const std::string& work);

 private:
  Container& begin(loop::Loop& loop, const std::string& run);

  Plan plan_;
  std::string id_file_;  // "" before show()
  std::unique_ptr<Container> container_;
};

// Makes a name "orch-<for>-<random>" that cannot be guessed and that no other container has.
std::string new_container_name(const std::string& what_for);

}  // namespace orch::sandbox

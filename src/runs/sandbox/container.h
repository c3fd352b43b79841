#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/line_cutter.h"
#include "base/result.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "pty/life_signs.h"
#include "pty/tool_queue.h"
#include "sandbox/container_request.h"
#include "sandbox/engine.h"
#include "session/source.h"

namespace orch::sandbox {

// Receives the state of a container. Calls come from the loop, never from inside a call to the
// container; none of them may destroy it.
class ContainerObserver {
 public:
  virtual ~ContainerObserver() = default;
  virtual void on_up() = 0;
  // The container could not be started, or is gone, or does not answer any more; `why` is one line.
  virtual void on_lost(const std::string& why) = 0;
  // A signal of end_inside() has been sent in the container; called once for each end_inside().
  virtual void on_signalled() {}
};

enum class Signal : uint8_t { kTerm, kKill };

// A container held on a leash (leash.h). An owned container lives as long as this object. In a
// joined one, which another process owns, the processes started from here live as long as this
// object. The leash is a pipe, so even the death of this process ends the container. No call waits.
class Container final : private session::SourceObserver {
 public:
  enum class Ownership : uint8_t { kOwned, kJoined };
  struct Plan {
    Engine engine;
    std::string name;
    Ownership ownership = Ownership::kOwned;
    std::string what;       // for messages: "a container of debian:12"
    std::string program;    // a program that must be in the container
    std::string mark = {};  // kJoined: the beginning of the marks of the run that joins
  };
  explicit Container(loop::Loop& loop, Plan plan);
  ~Container() override;  // ends the container, without waiting for its end
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;

  // Begins to start the container by the command `words` (run_words, join_words), which takes some
  // 0.6 s.
  void start(const std::vector<std::string>& words);

  // Only the observer that was set last is called. A late one gets the events so far; on_up() comes
  // only when every earlier end_inside() is done, which may take some seconds.
  void observe(ContainerObserver* observer);
  void forget(const ContainerObserver* observer);  // no effect after a later observe()

  const std::string& name() const { return plan_.name; }
  const Engine& engine() const { return plan_.engine; }

  // Signals every process in the container except for PID 1; in a joined container, those of the
  // run that joined.
  void end_inside(Signal signal);
  // Kills every process in the container that has this mark in its environment.
  void end_marked(const std::string& mark);
  // See session::Enclosure::find_life_signs().
  void find_life_signs(const std::string& mark,
                       std::function<void(std::optional<pty::LifeSigns>)> found);

  // Ends the container and waits until it is removed; for a joined container, until everything that
  // the run started in it has ended. on_closed is called once. If that takes more than 10 s it is
  // forced, which may take 15 s more.
  void close(std::function<void()> on_closed);

 private:
  enum class Phase : uint8_t { kNew, kStarting, kUp, kLost, kClosing, kClosed };

  void on_output(std::string_view bytes) override;
  void on_error_output(std::string_view bytes) override;
  void on_end(pty::ExitStatus status) override;
  void hear(std::string_view line);
  void find_out_why(pty::ExitStatus status);
  void lose(std::string why);
  void await_answer();
  void tell_up();
  void remove();
  void on_removed();

  loop::Loop& loop_;
  Plan plan_;
  Phase phase_ = Phase::kNew;
  ContainerObserver* observer_ = nullptr;
  bool told_up_ = false;  // on_up() was called for this observer
  std::string why_;       // why the container is lost
  std::unique_ptr<session::Source> leash_;
  bool leash_ended_ = false;
  base::LineCutter lines_;
  size_t before_ = 0;  // bytes that came before the leash was up
  std::string errors_;
  int unanswered_ = 0;
  std::function<void()> on_closed_;
  loop::Timer patience_, soon_;
  pty::ToolQueue tools_;
};

}  // namespace orch::sandbox

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "pty/life_signs.h"
#include "pty/tool_queue.h"
#include "sandbox/container_wish.h"
#include "sandbox/engine.h"
#include "session/source.h"

namespace orch::sandbox {

// Told what becomes of a container. Calls come from the loop, never from inside a call to the
// container; none may destroy it.
class ContainerObserver {
 public:
  virtual ~ContainerObserver() = default;
  virtual void on_up() = 0;
  // It could not be started, or is gone, or does not answer any more; one line says why.
  virtual void on_lost(const std::string& why) = 0;
  // What end_inside() was called for has been sent; as often as that.
  virtual void on_signalled() {}
};

enum class Signal : uint8_t { kTerm, kKill };

// A container held on a leash (leash.h): it lives as long as this does, or, when another one owns
// it, what was started in it from here does. The leash is a pipe: whatever becomes of this process,
// its end ends the container. No call waits.
class Container final : private session::SourceObserver {
 public:
  enum class Ownership : uint8_t { kOwned, kJoined };
  struct Plan {
    Engine engine;
    std::string name;
    Ownership ownership = Ownership::kOwned;
    std::string what;       // for people: "a container of debian:12"
    std::string program;    // that must be in it
    std::string mark = {};  // kJoined: what the marks of the run that joins begin with
  };
  explicit Container(loop::Loop& loop, Plan plan);
  ~Container() override;  // ends it, without looking whether that is done
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;

  // Begins to start it by `words` (run_words, join_words): some 0.6 s.
  void start(const std::vector<std::string>& words);

  // One at a time, the last. Who comes late is told what has happened; that it is up once every
  // end_inside() before is done, which has some seconds.
  void observe(ContainerObserver* observer);
  void forget(const ContainerObserver* observer);  // another one may have come since

  const std::string& name() const { return plan_.name; }
  const Engine& engine() const { return plan_.engine; }
  bool is_up() const { return phase_ == Phase::kUp; }

  // Signals every process in it, but for its first; of a joined one those of the run that joins.
  void end_inside(Signal signal);
  void end_marked(const std::string& mark);
  // As session::Enclosure has it.
  void find_life_signs(const std::string& mark,
                       std::function<void(std::optional<pty::LifeSigns>)> found);

  // Ends it and waits until it is removed; of a joined one until all that ran is ended. on_closed
  // is called once. What does not end in 10 s is removed by force, which has 15 s more.
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
  bool told_up_ = false;  // the observer
  std::string why_;       // it is lost
  std::unique_ptr<session::Source> leash_;
  bool leash_ended_ = false;
  std::string line_, errors_;
  int unanswered_ = 0;
  std::function<void()> on_closed_;
  loop::Timer patience_, soon_;
  pty::ToolQueue tools_;
};

}  // namespace orch::sandbox

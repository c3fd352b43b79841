#pragma once

namespace orch::loop {

// Lets a member function find out whether a callback that it called has destroyed its object:
//   const Life::Watch self(life_);
//   on_data(bytes);
//   if (self.ended()) return;
// where life_ is a member of the object. Watches nest.
class Life {
 public:
  class Watch {
   public:
    explicit Watch(Life& life);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    bool ended() const { return life_ == nullptr; }

   private:
    friend class Life;
    Life* life_;
    Watch* outer_;
  };

  Life() = default;
  ~Life();
  Life(const Life&) = delete;
  Life& operator=(const Life&) = delete;

 private:
  Watch* innermost_ = nullptr;
};

}  // namespace orch::loop

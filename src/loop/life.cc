#include "loop/life.h"

namespace orch::loop {

// Not inline: g++ 12 warns that the address of a local is kept, and does not see that it is removed
// again.
Life::Watch::Watch(Life& life) : life_(&life), outer_(life.innermost_) { life.innermost_ = this; }

Life::Watch::~Watch() {
  if (life_ != nullptr) life_->innermost_ = outer_;
}

Life::~Life() {
  for (Watch* watch = innermost_; watch != nullptr; watch = watch->outer_) watch->life_ = nullptr;
}

}  // namespace orch::loop

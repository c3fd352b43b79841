#include "loop/life.h"

namespace orch::loop {

// Not inline: g++ 12 warns of the address of a local that is kept, and does not see it go again.
Life::Watch::Watch(Life& life) : life_(&life), outer_(life.innermost_) { life.innermost_ = this; }

Life::Watch::~Watch() {
  if (life_ != nullptr) life_->innermost_ = outer_;
}

Life::~Life() {
  for (Watch* watch = innermost_; watch != nullptr; watch = watch->outer_) watch->life_ = nullptr;
}

}  // namespace orch::loop

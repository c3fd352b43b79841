#include "repo/checksum.h"

#define XXH_INLINE_ALL  // header-only: no library is needed at run time
#include <xxhash.h>

namespace orch::repo {

struct Checksum::State {
  XXH64_state_t sum;
};

Checksum::Checksum() : state_(std::make_unique<State>()) { XXH64_reset(&state_->sum, 0); }
Checksum::~Checksum() = default;

void Checksum::add(std::string_view bytes) {
  XXH64_update(&state_->sum, bytes.data(), bytes.size());
}

uint64_t Checksum::value() const { return XXH64_digest(&state_->sum); }

}  // namespace orch::repo

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "mask/marker.h"

namespace orch::mask {

// Covers the secrets of a stream of a terminal: as many bytes, as wide. What may be the beginning
// of one is held back until it is known, which is never more than a few hundred visible characters,
// but for a web token.
class StreamMasker {
 public:
  explicit StreamMasker(std::shared_ptr<const Secrets> secrets) : marker_(std::move(secrets)) {}

  // What can be passed on now, in order: the beginning of what is held with `bytes` behind it.
  std::string pass(std::string_view bytes);
  // All that is held: nobody waits for it any longer. Of a secret that goes on in later bytes those
  // are still covered.
  std::string release();
  size_t held() const { return held_.size(); }

 private:
  void cover_found();

  Marker marker_;
  std::string held_;
  uint64_t begin_ = 0;  // of held_ in the stream
};

}  // namespace orch::mask

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "mask/marker.h"

namespace orch::mask {

// Covers the secrets in a terminal's output with as many bytes, and as many columns. Bytes that may
// be the beginning of a secret are held back until this is decided: never more than a few hundred
// visible characters, except for a web token.
class StreamMasker {
 public:
  explicit StreamMasker(std::shared_ptr<const Secrets> secrets) : marker_(std::move(secrets)) {}

  // Takes further bytes, and returns the masked bytes that can be passed on now, in order.
  std::string pass(std::string_view bytes);
  // Returns everything held back, for a reader that should wait no longer. If a secret has begun in
  // it, its later bytes are still covered.
  std::string release();
  size_t held() const { return held_.size(); }

 private:
  void cover_found();

  Marker marker_;
  std::string held_;
  uint64_t begin_ = 0;  // offset of held_ in the stream
};

}  // namespace orch::mask

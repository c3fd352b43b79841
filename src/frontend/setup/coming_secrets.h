#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "mask/screen.h"
#include "mask/secrets.h"
#include "store/cast_reader.h"
#include "term/screen.h"

namespace orch::setup {

// The secrets that a recording will show. They are found by playing it in advance, so that a part
// of a secret can be masked on the screen before the rest of it has been drawn.
class ComingSecrets {
 public:
  explicit ComingSecrets(std::shared_ptr<const mask::Secrets> secrets)
      : secrets_(std::move(secrets)) {}

  // Notes the secrets on the screen at `ms`; call it in the order of time. `covered` are cells that
  // a marker of the recording is about to cover (mask::read_cover_marker).
  void note(int64_t ms, const term::Screen& screen, const std::vector<mask::Cells>& covered = {});

  // The cells of the screen at `ms` that show a part of a secret that is complete within
  // mask::kMostApartMs.
  std::vector<mask::Cells> parts_on(int64_t ms, const term::Screen& screen) const;

 private:
  struct Noted {
    int64_t ms = 0;
    std::vector<mask::Standing> secrets;
  };
  static constexpr size_t kMostNoted = 10'000;  // a limit for recordings that are full of secrets

  std::shared_ptr<const mask::Secrets> secrets_;
  std::vector<Noted> noted_;  // each differs from the one before
};

// Plays a recording once, and notes the secrets on its screen from `from_ms` to `to_ms`.
ComingSecrets coming_secrets(store::CastReader& cast, int64_t from_ms, int64_t to_ms,
                             const std::shared_ptr<const mask::Secrets>& secrets);

}  // namespace orch::setup

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

// The secrets that stand on the screen of a recording at some time: found by playing it beforehand,
// so that a part of one is known where it stands before the rest has come.
class ComingSecrets {
 public:
  explicit ComingSecrets(std::shared_ptr<const mask::Secrets> secrets)
      : secrets_(std::move(secrets)) {}

  // What the screen shows at `ms`, forwards in time; `covered` are the cells that a marker of the
  // recording covers now (mask::read_cover_marker), before they are.
  void note(int64_t ms, const term::Screen& screen, const std::vector<mask::Cells>& covered = {});

  // The cells of the screen at `ms` that show a part of what comes within mask::kMostApartMs.
  std::vector<mask::Cells> parts_on(int64_t ms, const term::Screen& screen) const;

 private:
  struct Noted {
    int64_t ms = 0;
    std::vector<mask::Standing> secrets;
  };
  static constexpr size_t kMostNoted = 10'000;  // of a recording that is made of secrets

  std::shared_ptr<const mask::Secrets> secrets_;
  std::vector<Noted> noted_;  // each another than the one before
};

// Plays a recording once, and notes what stands there from `from_ms` to `to_ms`.
ComingSecrets coming_secrets(store::CastReader& cast, int64_t from_ms, int64_t to_ms,
                             const std::shared_ptr<const mask::Secrets>& secrets);

}  // namespace orch::setup

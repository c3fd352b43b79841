#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mask/screen.h"
#include "mask/secrets.h"
#include "term/painted.h"
#include "term/screen.h"

namespace orch::report {

// The rows of a screen that hold a part of a secret, by number, painted with it covered; also where
// it goes on in the next row, with a frame and margins between. Mostly there is none. `also` are
// further cells that are to be covered.
std::map<int, std::vector<term::PaintedRun>> hidden_rows(
    const term::Screen& screen, const std::shared_ptr<const mask::Secrets>& secrets,
    const std::vector<mask::Cells>& also = {});

// The screen as SVG (term/svg.h) without secrets.
std::string masked_svg(const term::Screen& screen,
                       const std::shared_ptr<const mask::Secrets>& secrets);

}  // namespace orch::report

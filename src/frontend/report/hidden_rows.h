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

// The rows of a screen that show a part of a secret, by row number, painted with the secret
// covered; including secrets that continue in the next row with a frame and margins between.
// Usually the result is empty. `also` are further cells to cover.
std::map<int, std::vector<term::PaintedRun>> hidden_rows(
    const term::Screen& screen, const std::shared_ptr<const mask::Secrets>& secrets,
    const std::vector<mask::Cells>& also = {});

// The screen as SVG (term/svg.h), with its secrets covered.
std::string masked_svg(const term::Screen& screen,
                       const std::shared_ptr<const mask::Secrets>& secrets);

}  // namespace orch::report

#include "cli/run_color.h"

namespace orch::cli {

ui::Color color_of(store::RunStatus state) {
  switch (state) {
    case store::RunStatus::kStarting:
    case store::RunStatus::kRunning:
      return ui::Color::kYellow;
    case store::RunStatus::kCompleted:
      return ui::Color::kGreen;
    case store::RunStatus::kFailed:
      return ui::Color::kRed;
    case store::RunStatus::kCancelled:
      return ui::Color::kDim;
  }
  return ui::Color::kPlain;
}

}  // namespace orch::cli

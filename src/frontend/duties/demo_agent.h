#pragma once

#include "demo/demo.h"

namespace orch::duties {

// `orch demo-agent`, which orch starts as the agent of `orch run demo`.
using demo::run_demo_agent;

}  // namespace orch::duties

#pragma once

#include <cstdint>

#include "adapters/manifest.h"
#include "detect/rules.h"

// An agent to be fuzzed, with its rules compiled once.
struct FuzzAgent {
  orch::adapters::Manifest manifest;
  orch::detect::RuleSet rules;
};

// Numbers below 64 stand for small rule sets that are made up from the number, others for the
// agents in the binary. The agent exists until the program ends.
const FuzzAgent& fuzz_agent(uint8_t number);

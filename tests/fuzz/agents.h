#pragma once

#include <cstdint>

#include "adapters/manifest.h"
#include "detect/rules.h"

// An agent to be fuzzed, its rules compiled once.
struct FuzzAgent {
  orch::adapters::Manifest manifest;
  orch::detect::RuleSet rules;
};

// The numbers below 64 are small rule sets made up from the number itself, those above the agents
// that are part of the binary. Kept for the life of the program.
const FuzzAgent& fuzz_agent(uint8_t number);

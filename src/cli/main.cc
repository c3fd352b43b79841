#include "cli/app.h"

int main(int argc, char** argv) { return orch::cli::run_app(argc, argv); }

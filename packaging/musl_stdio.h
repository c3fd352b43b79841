// Included before each source of orch in the static program. musl's stdout and stderr are constant,
// but orch replaces them by streams of its own (ui/standard_streams.h), so these take their names,
// and the names of what writes to stdout.
#pragma once

#include <cstdio>

extern "C" std::FILE *orch_stdout, *orch_stderr;

#undef stdout
#undef stderr
#define stdout orch_stdout
#define stderr orch_stderr
#define printf(...) fprintf(orch_stdout, __VA_ARGS__)
#define puts(line) fprintf(orch_stdout, "%s\n", line)
#define putchar(c) fputc(c, orch_stdout)

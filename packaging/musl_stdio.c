/* What packaging/musl_stdio.h declares. */
#include <stdio.h>

FILE *orch_stdout, *orch_stderr;

/* Before the constructors of orch's own objects. */
__attribute__((constructor(101))) static void begin_with_those_of_musl(void) {
  orch_stdout = stdout;
  orch_stderr = stderr;
}

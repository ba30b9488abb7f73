/* SPDX-License-Identifier: Apache-2.0
 *
 * A C program of someone else that uses an installed orrery: prints the answer of
 * `orrery estimate llama-3-8b…`, and asks the other commands. Argument: a directory of configs, or
 * nothing for those built in. */
#include <orrery/orrery.h>
#include <stdio.h>
#include <string.h>

#define RUN                                                                          \
  "\"model\": \"llama-3-8b\", \"node\": \"dgx-h100\", \"gpus\": 64, "                \
  "\"sequence_length\": 8192, \"global_batch\": 256"

static int calls = 0;

static int count(void* user, long long done, long long total) {
  (void)done;
  (void)total;
  ++*(int*)user;
  return 0;
}

/* 0: the answer has code 0 and the number is above 0. */
static int ask(orrery_engine* engine, const char* command, const char* request, const char* path) {
  double value = 0;
  orrery_answer* a = orrery_call(engine, command, request);
  const int good = orrery_code(a) == 0 && orrery_number(a, path, &value) && value > 0;
  if (!good) fprintf(stderr, "%s: code %d, %s\n", command, orrery_code(a), orrery_error(a));
  orrery_answer_free(a);
  return good ? 0 : 1;
}

static int refused(orrery_engine* engine) {
  orrery_answer* a = orrery_call(engine, "estimate", "{\"modle\": \"x\"}");
  const int good = orrery_code(a) == 2 && strstr(orrery_error(a), "did you mean \"model\"") != NULL;
  if (!good) fprintf(stderr, "not refused: %s\n", orrery_error(a));
  orrery_answer_free(a);
  return good ? 0 : 1;
}

int main(int argc, char** argv) {
  char options[4096];
  orrery_engine* engine;
  orrery_answer* a;
  int failed = 0;
  snprintf(options, sizeof options, "{\"config_dir\": \"%s\"}", argc > 1 ? argv[1] : "");
  engine = argc > 1 ? orrery_new(options) : orrery_new_builtin();
  orrery_watch(engine, count, &calls);
  a = orrery_call(engine, "estimate", "{" RUN "}");
  fputs(orrery_text(a, NULL), stdout);
  failed += orrery_code(a) != 0;
  orrery_answer_free(a);
  failed += ask(engine, "search", "{" RUN ", \"top\": 1, \"tp\": 1}", "best.0.step_time_s");
  failed += ask(engine, "simulate", "{" RUN "}", "step_time_s");
  failed += ask(engine, "capacity", "{" RUN ", \"tokens\": 1e12}", "options.0.gpus");
  failed += ask(engine, "explain", "{" RUN ", \"metric\": \"memory.peak_gib\"}", "value");
  failed += refused(engine);
  orrery_free(engine);
  if (calls == 0) fprintf(stderr, "nobody told of progress\n");
  return failed + (calls == 0);
}

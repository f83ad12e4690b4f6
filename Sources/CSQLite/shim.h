#ifndef HOLDFAST_CSQLITE_SHIM_H
#define HOLDFAST_CSQLITE_SHIM_H
#include <sqlite3.h>

/* sqlite3_db_config takes a variable number of arguments, which Swift cannot call. */
static inline int holdfast_sqlite3_keep_log_at_close(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/* Turns off what a database from elsewhere must not do, and what the core does itself: a double-quoted
   name that is unknown is no text, functions in the schema are not trusted, references are not
   enforced, and a renamed table is renamed everywhere. */
static inline int holdfast_sqlite3_restrict(sqlite3 *database) {
  const int options[] = {
    SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_DQS_DDL, SQLITE_DBCONFIG_TRUSTED_SCHEMA,
    SQLITE_DBCONFIG_ENABLE_FKEY, SQLITE_DBCONFIG_LEGACY_ALTER_TABLE
  };
  for (unsigned i = 0; i < sizeof options / sizeof options[0]; i++) {
    int status = sqlite3_db_config(database, options[i], 0, (int *)0);
    if (status != SQLITE_OK) { return status; }
  }
  return SQLITE_OK;
}
#endif

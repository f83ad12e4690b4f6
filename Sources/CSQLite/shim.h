#ifndef HOLDFAST_CSQLITE_SHIM_H
#define HOLDFAST_CSQLITE_SHIM_H
#include <sqlite3.h>

/* sqlite3_db_config takes a variable number of arguments, which Swift cannot call. */
static inline int holdfast_sqlite3_keep_log_at_close(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/* SQLite takes a double-quoted name that it does not know for a text, unless it is told not to. */
static inline int holdfast_sqlite3_refuse_quoted_text(sqlite3 *database) {
  int status = sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
  return status != SQLITE_OK
    ? status : sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
}
#endif

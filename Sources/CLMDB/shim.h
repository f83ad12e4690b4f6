#ifndef HOLDFAST_CLMDB_SHIM_H
#define HOLDFAST_CLMDB_SHIM_H
#include <lmdb.h>
#endif

import CSQLite
import Foundation
import Testing

/// Databases of other programs, made by SQLite itself.
enum ForeignSample {
  /// Tables, keys, references and rows as a shop of music has them.
  static let shop = """
    CREATE TABLE [Artist] ([ArtistId] INTEGER NOT NULL, [Name] NVARCHAR(120),
      CONSTRAINT [PK_Artist] PRIMARY KEY ([ArtistId]));
    CREATE TABLE [Album] ([AlbumId] INTEGER NOT NULL, [Title] NVARCHAR(160) NOT NULL,
      [ArtistId] INTEGER NOT NULL, CONSTRAINT [PK_Album] PRIMARY KEY ([AlbumId]),
      FOREIGN KEY ([ArtistId]) REFERENCES [Artist] ([ArtistId]) ON DELETE NO ACTION);
    CREATE TABLE [Track] ([TrackId] INTEGER NOT NULL, [Name] NVARCHAR(200) NOT NULL,
      [AlbumId] INTEGER, [Milliseconds] INTEGER NOT NULL, [UnitPrice] NUMERIC(10,2) NOT NULL,
      CONSTRAINT [PK_Track] PRIMARY KEY ([TrackId]),
      FOREIGN KEY ([AlbumId]) REFERENCES [Album] ([AlbumId]) ON DELETE SET NULL);
    CREATE INDEX [IFK_TrackAlbumId] ON [Track] ([AlbumId]);
    CREATE TABLE [Playlist] ([PlaylistId] INTEGER PRIMARY KEY AUTOINCREMENT, [Name] TEXT UNIQUE);
    CREATE TABLE [PlaylistTrack] ([PlaylistId] INTEGER NOT NULL, [TrackId] INTEGER NOT NULL,
      CONSTRAINT [PK_PlaylistTrack] PRIMARY KEY ([PlaylistId], [TrackId]),
      FOREIGN KEY ([PlaylistId]) REFERENCES [Playlist] ON DELETE CASCADE,
      FOREIGN KEY ([TrackId]) REFERENCES [Track] ([TrackId]) ON DELETE CASCADE);
    CREATE TABLE [Employee] ([EmployeeId] INTEGER NOT NULL, [LastName] NVARCHAR(20) NOT NULL,
      [ReportsTo] INTEGER, [BirthDate] DATETIME, [Active] BOOLEAN DEFAULT 1,
      [Photo] BLOB, CONSTRAINT [PK_Employee] PRIMARY KEY ([EmployeeId]),
      FOREIGN KEY ([ReportsTo]) REFERENCES [Employee] ([EmployeeId]));
    INSERT INTO Artist VALUES (1, 'AC/DC'), (2, 'Björk'), (3, NULL);
    INSERT INTO Album VALUES (1, 'For Those About To Rock', 1), (2, 'Début', 2);
    INSERT INTO Track VALUES (1, 'Rock', 1, 343719, 0.99), (2, 'Venus', 2, 285000, 1),
      (3, 'Loose', NULL, 1, 1.99);
    INSERT INTO Playlist (Name) VALUES ('Music'), ('Nothing'), ('Gone');
    DELETE FROM Playlist WHERE Name = 'Gone';
    INSERT INTO PlaylistTrack VALUES (1, 2), (1, 1), (2, 3);
    INSERT INTO Employee VALUES (1, 'Adams', NULL, '1962-02-18 00:00:00', 1, x'00FF'),
      (2, 'Edwards', 1, '1958-12-08 10:30:00', 0, NULL), (3, 'Peacock', 2, NULL, 1, x'');
    """

  /// What the collections of ``shop`` are, as `collections --format jsonl` prints them.
  static let shopCollections = """
    {"collection":"Artist","records":3,"fields":"ArtistId integer, Name text?","key":"ArtistId (automatic)","indexes":""}
    {"collection":"Album","records":2,"fields":"AlbumId integer, Title text, ArtistId integer","key":"AlbumId (automatic)","indexes":"ArtistId (ArtistId)"}
    {"collection":"Track","records":3,"fields":"TrackId integer, Name text, AlbumId integer?, Milliseconds integer, UnitPrice real","key":"TrackId (automatic)","indexes":"IFK_TrackAlbumId (AlbumId)"}
    {"collection":"Playlist","records":2,"fields":"PlaylistId integer, Name text?","key":"PlaylistId (automatic)","indexes":"Name (Name) unique"}
    {"collection":"PlaylistTrack","records":3,"fields":"PlaylistId integer, TrackId integer","key":"PlaylistId, TrackId","indexes":"TrackId (TrackId)"}
    {"collection":"Employee","records":3,"fields":"EmployeeId integer, LastName text, ReportsTo integer?, BirthDate date?, Active bool?, Photo blob?","key":"EmployeeId (automatic)","indexes":"ReportsTo (ReportsTo)"}

    """

  /// Tables that no schema of ours would have.
  static let odd = """
    CREATE TABLE without_rowid (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
    INSERT INTO without_rowid VALUES ('a', 1), ('b' || char(0) || 'c', NULL), ('', 2);
    CREATE TABLE no_key (a, b REAL);
    INSERT INTO no_key VALUES (1, 2), (NULL, 1.5), ('x', NULL), (x'00', 3);
    CREATE TABLE has_rowid (rowid TEXT, id INTEGER);
    INSERT INTO has_rowid VALUES ('r', 7), (NULL, 8);
    CREATE TABLE all_rowids (rowid, _rowid_, oid);
    INSERT INTO all_rowids VALUES (1, 2, 3);
    CREATE TABLE null_key (k TEXT PRIMARY KEY, v INTEGER);
    INSERT INTO null_key VALUES (NULL, 1), (NULL, 2), ('a', 3);
    CREATE TABLE mixed_key (k PRIMARY KEY);
    INSERT INTO mixed_key VALUES (1), ('1'), (x'31'), (1.5);
    CREATE TABLE blob_key (k BLOB PRIMARY KEY);
    INSERT INTO blob_key VALUES (x''), (x'00'), (x'0000');
    CREATE TABLE nocase (k TEXT PRIMARY KEY COLLATE NOCASE, v TEXT);
    INSERT INTO nocase VALUES ('Abc', 'x'), ('b', 'X');
    CREATE TABLE nocase_child (id INTEGER PRIMARY KEY, k TEXT REFERENCES nocase);
    INSERT INTO nocase_child VALUES (1, 'ABC');
    CREATE TABLE long_key (k TEXT PRIMARY KEY);
    INSERT INTO long_key VALUES (hex(zeroblob(300))), ('short');
    CREATE TABLE computed (a INTEGER, b AS (a * 2), c TEXT GENERATED ALWAYS AS (a || 'x') STORED,
      d DEFAULT CURRENT_TIMESTAMP, e TEXT DEFAULT 'it''s', f DEFAULT (1 + 1), g REAL DEFAULT -1);
    INSERT INTO computed (a) VALUES (1), (2);
    UPDATE computed SET d = 'now';
    CREATE TABLE parent (id INTEGER PRIMARY KEY, code TEXT UNIQUE DEFAULT 'it''s CHECK');
    INSERT INTO parent VALUES (1, 'one');
    CREATE TABLE child (id INTEGER PRIMARY KEY, p INTEGER REFERENCES parent ON DELETE SET NULL,
      c TEXT REFERENCES parent (code), n INTEGER REFERENCES nowhere);
    INSERT INTO child VALUES (1, 1, 'one', 5), (2, 99, NULL, NULL);
    CREATE INDEX partial ON child (c) WHERE c IS NOT NULL;
    CREATE INDEX expression ON child (lower(c));
    CREATE INDEX down ON child (n DESC, c);
    CREATE TABLE big (i INTEGER PRIMARY KEY, r NUMERIC Check (r > 0));
    INSERT INTO big VALUES (-9223372036854775808, 9007199254740993), (9223372036854775807, 0.5);
    CREATE TABLE "../x" ("a b" TEXT /* CHECK */, "c""d" INT, "select" REAL);
    INSERT INTO "../x" VALUES ('NUL ' || char(0) || ' inside', 1, 9e999);
    CREATE TABLE catalog (id INTEGER PRIMARY KEY);
    CREATE TABLE holdfast_catalog (id INTEGER PRIMARY KEY, journal TEXT);
    INSERT INTO holdfast_catalog VALUES (3, 'x');
    CREATE VIEW seen AS SELECT * FROM parent;
    CREATE TRIGGER fired AFTER INSERT ON parent BEGIN SELECT 1; END;
    """

  /// Makes a database in a tool's folder.
  static func make(_ name: String, in tool: ToolRunner, _ sql: String) throws {
    var database: OpaquePointer?
    let path = tool.folder.appendingPathComponent(name).path
    #expect(sqlite3_open(path, &database) == SQLITE_OK)
    defer { sqlite3_close(database) }
    let status = sqlite3_exec(database, sql, nil, nil, nil)
    #expect(status == SQLITE_OK, "\(String(cString: sqlite3_errmsg(database)))")
  }
}

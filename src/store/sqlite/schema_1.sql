-- The record. Rows are only ever added to `message`.
CREATE TABLE conversation (
    key           INTEGER PRIMARY KEY,
    id            TEXT    NOT NULL UNIQUE,
    agent         TEXT,
    targets       TEXT    NOT NULL,            -- JSON list of names
    created_at    INTEGER NOT NULL,            -- Unix ms
    head          INTEGER NOT NULL DEFAULT 0,  -- last seq
    accounted     INTEGER NOT NULL DEFAULT 0,  -- last seq that derived rows cover
    version       INTEGER NOT NULL DEFAULT 0,  -- counts commits of derived rows
    last_activity INTEGER NOT NULL             -- Unix ms
) STRICT;
CREATE TABLE message (
    key          INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    seq          INTEGER NOT NULL,
    id           TEXT    NOT NULL,
    at           INTEGER NOT NULL,             -- Unix ms, when it was appended
    body         TEXT    NOT NULL,             -- as it was given
    UNIQUE (conversation, seq),
    UNIQUE (conversation, id)
) STRICT;

-- Derived rows: all of them can be made again from messages and epochs.
CREATE TABLE turn_state (
    conversation INTEGER PRIMARY KEY REFERENCES conversation (key) ON DELETE CASCADE,
    data         TEXT    NOT NULL              -- JSON of the turn engine
) STRICT;
CREATE TABLE weight (
    conversation  INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    seq           INTEGER NOT NULL,
    images_before INTEGER NOT NULL,
    data          TEXT    NOT NULL,            -- JSON
    PRIMARY KEY (conversation, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE call (
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    seq          INTEGER NOT NULL,
    block        INTEGER NOT NULL,
    call_id      TEXT    NOT NULL,
    occurrence   INTEGER NOT NULL,
    answer_seq   INTEGER,
    answer_block INTEGER,
    PRIMARY KEY (conversation, seq, block)
) STRICT, WITHOUT ROWID;
CREATE INDEX call_by_id ON call (conversation, call_id, seq, block);
CREATE INDEX call_open ON call (conversation, call_id, seq, block) WHERE answer_seq IS NULL;
CREATE INDEX call_by_answer ON call (conversation, answer_seq) WHERE answer_seq IS NOT NULL;
CREATE TABLE live (
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    seq          INTEGER NOT NULL,
    block        INTEGER NOT NULL,
    data         TEXT    NOT NULL,             -- JSON
    PRIMARY KEY (conversation, seq, block)
) STRICT, WITHOUT ROWID;
-- One row a live result: its lines are looked through, not looked up. An index of single
-- lines would write a page for each.
CREATE TABLE line (
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    seq          INTEGER NOT NULL,
    block        INTEGER NOT NULL,
    hashes       BLOB    NOT NULL,             -- 8 bytes each, little-endian
    PRIMARY KEY (conversation, seq, block)
) STRICT, WITHOUT ROWID;
CREATE TABLE epoch (
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    number       INTEGER NOT NULL,
    data         TEXT    NOT NULL,             -- JSON
    realised     INTEGER,                      -- tokens, from the next reported usage
    PRIMARY KEY (conversation, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE clearing (
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    call_seq     INTEGER NOT NULL,
    call_block   INTEGER NOT NULL,
    seq          INTEGER NOT NULL,
    block        INTEGER NOT NULL,
    marker       TEXT    NOT NULL,             -- the exact text that crosses
    PRIMARY KEY (conversation, call_seq, call_block)
) STRICT, WITHOUT ROWID;
CREATE TABLE segment (
    key          INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    target       TEXT    NOT NULL,
    first        INTEGER NOT NULL,
    last         INTEGER NOT NULL,
    bytes        TEXT    NOT NULL,
    repairs      TEXT    NOT NULL,             -- JSON
    UNIQUE (conversation, target, first)
) STRICT;

-- The embedded queue: what is due, and what was given up.
CREATE TABLE due (
    conversation INTEGER PRIMARY KEY REFERENCES conversation (key) ON DELETE CASCADE,
    why          TEXT    NOT NULL,
    generation   INTEGER NOT NULL,             -- grows with every message for it
    not_before   INTEGER NOT NULL,             -- Unix ms
    attempts     INTEGER NOT NULL DEFAULT 0,
    lease        INTEGER,                      -- token of who works on it
    lease_until  INTEGER,                      -- Unix ms
    first_at     INTEGER NOT NULL,             -- Unix ms
    last_error   TEXT
) STRICT;
CREATE INDEX due_by_time ON due (not_before);
CREATE TABLE dead (
    key          INTEGER PRIMARY KEY,
    conversation TEXT    NOT NULL,
    body         TEXT    NOT NULL,             -- the turn message
    reason       TEXT    NOT NULL,
    attempts     INTEGER NOT NULL,
    first_at     INTEGER NOT NULL,             -- Unix ms
    last_at      INTEGER NOT NULL              -- Unix ms
) STRICT;

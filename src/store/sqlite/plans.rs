//! How SQLite finds the rows of each statement that a turn runs.

use rusqlite::Connection;

use super::{append, rows, turn};

/// Work must not grow with the conversation: no statement may walk all of its rows.
#[test]
fn no_statement_of_a_turn_walks_the_whole_conversation() {
    let connection = Connection::open_in_memory().expect("a database in memory");
    connection.execute_batch(include_str!("schema_1.sql")).expect("our own schema");
    let statements = [
        turn::DECLARED,
        turn::OPEN,
        turn::NEW,
        rows::DECLARED,
        rows::ANSWERED,
        rows::BY_ID,
        rows::CLEARINGS,
        rows::MESSAGES,
        rows::SEGMENTS,
        rows::LAST_SEGMENT,
        append::KNOWN,
        append::MESSAGES,
    ];
    for sql in statements {
        let mut statement =
            connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("it is SQL");
        let unbound = rusqlite::params_from_iter(vec![1; statement.parameter_count()]);
        let steps: Vec<String> = statement
            .query_map(unbound, |row| row.get(3))
            .expect("it is explained")
            .collect::<Result<_, _>>()
            .expect("text");
        for step in steps.iter().filter(|step| !step.starts_with("SCALAR SUBQUERY")) {
            assert!(
                step.starts_with("SEARCH") && !step.ends_with("(conversation=?)"),
                "{sql}: {step}"
            );
        }
    }
}

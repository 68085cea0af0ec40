//! The embedded queue and the worker over it: at least once, one at a time, nothing lost.

use std::sync::Arc;
use std::time::Duration;

use afterturn::compaction::Policy;
use afterturn::queue::{Backoff, EmbeddedQueue, LeaseOptions, Queue, Verdict, now};
use afterturn::record::{Block, ConversationId, Message, Role, Seq};
use afterturn::store::{
    NewConversation, NewMessage, Options, SqliteStore, Store, StoreError, Wake,
};
use afterturn::target::{Catalog, TargetName};
use afterturn::worker::{Pool, PoolOptions, Setup, Turns, shutdown};

struct House {
    _dir: tempfile::TempDir,
    store: Arc<SqliteStore>,
    queue: Arc<EmbeddedQueue>,
}

const LEASE: Duration = Duration::from_millis(150);

fn house() -> House {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let store = SqliteStore::open(&dir.path().join("q.db"), Options::default()).expect("it opens");
    let store = Arc::new(store);
    let options = LeaseOptions { lease: LEASE, poll: Duration::from_millis(10) };
    let queue = Arc::new(EmbeddedQueue::new(Arc::clone(&store), options));
    House { _dir: dir, store, queue }
}

impl House {
    fn create(&self, id: &str, target: &str) -> ConversationId {
        let id = ConversationId::from(id);
        let targets = vec![TargetName::new(target)];
        let new = NewConversation { id: id.clone(), agent: None, targets, created_at: now() };
        self.store.create(&new).expect("it is made");
        id
    }

    fn say(&self, id: &ConversationId, message: &str) {
        let body = Message::new(message, Role::User, vec![Block::text(message)]).to_json();
        let new = NewMessage { id: message.into(), body };
        self.store.append(id, &[new], now(), Wake::Turn).expect("it is appended");
        self.queue.nudge();
    }

    fn turns(&self) -> Arc<Turns<SqliteStore>> {
        let setup =
            Setup { catalog: Catalog::builtin(), policy: Policy::default(), measure: false };
        Arc::new(Turns::new(Arc::clone(&self.store), setup))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_messages_are_one_turns_work_and_what_comes_meanwhile_is_not_lost() {
    let house = house();
    let id = house.create("c", "openai");
    for n in 0..10 {
        house.say(&id, &format!("m{n}"));
    }
    let first = house.queue.receive().await.expect("it works").expect("it is due");
    assert_eq!((first.message.conversation.clone(), first.attempt), (id.clone(), 1));
    house.say(&id, "meanwhile");
    house.queue.settle(first, Verdict::Done).await.expect("settled");
    let again = house.queue.receive().await.expect("it works").expect("due again");
    house.queue.settle(again, Verdict::Done).await.expect("settled");
    let depth = house.queue.depth().await.expect("counted");
    assert_eq!((depth.ready, depth.leased, depth.delayed, depth.dead), (0, 0, 0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_holds_others_off_until_it_expires() {
    let house = house();
    let id = house.create("c", "openai");
    house.say(&id, "m");
    let held = house.queue.receive().await.expect("it works").expect("it is due");
    let other = tokio::time::timeout(LEASE / 3, house.queue.receive()).await;
    assert!(other.is_err(), "nobody else gets it while it is held");
    assert!(house.queue.renew(&held).await.expect("asked"), "it is still ours");
    let taken = tokio::time::timeout(LEASE * 4, house.queue.receive()).await;
    let taken = taken.expect("it expires").expect("it works").expect("it is due");
    assert_eq!(taken.attempt, 2);
    assert!(!house.queue.renew(&held).await.expect("asked"), "it is somebody else's now");
    // The one that was overtaken settles late: that takes nothing from the other.
    house.queue.settle(held, Verdict::Done).await.expect("settled");
    assert_eq!(house.queue.depth().await.expect("counted").leased, 1);
    house.queue.settle(taken, Verdict::Done).await.expect("settled");
    assert_eq!(house.queue.depth().await.expect("counted").leased, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retry_waits_and_a_dead_one_keeps_its_reason_and_can_come_back() {
    let house = house();
    let id = house.create("c", "openai");
    house.say(&id, "m");
    let first = house.queue.receive().await.expect("it works").expect("it is due");
    let after = Duration::from_millis(60);
    let retry = Verdict::Retry { after, reason: "not yet".into() };
    house.queue.settle(first, retry).await.expect("settled");
    assert_eq!(house.queue.depth().await.expect("counted").delayed, 1);
    let second = house.queue.receive().await.expect("it works").expect("it is due");
    assert_eq!(second.attempt, 2);
    house.queue.settle(second, Verdict::Dead { reason: "never".into() }).await.expect("settled");
    let dead = house.store.dead_turns().expect("listed");
    assert_eq!((dead[0].reason.as_str(), dead[0].attempts), ("never", 2));
    assert!(dead[0].body.contains("\"conversation\":\"c\""));
    assert!(house.store.requeue_dead(dead[0].key, now()).expect("asked"));
    assert!(house.queue.receive().await.expect("it works").is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_queue_stops_every_waiter() {
    let house = house();
    let waiters: Vec<_> = (0..4)
        .map(|_| {
            let queue = Arc::clone(&house.queue);
            tokio::spawn(async move { queue.receive().await.expect("it works").is_none() })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(30)).await;
    house.queue.close();
    for waiter in waiters {
        assert!(waiter.await.expect("it ends"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_bring_every_conversation_up_to_date_and_bury_what_cannot_work() {
    let house = house();
    let good: Vec<_> = (0..8).map(|n| house.create(&format!("c{n}"), "openai")).collect();
    let bad = house.create("bad", "no-such-target");
    let options = PoolOptions {
        workers: 3,
        attempts: 3,
        backoff: Backoff { base: Duration::from_millis(1), limit: Duration::from_millis(5) },
        ..PoolOptions::default()
    };
    let (stop, stopped) = shutdown();
    let pool = Pool::new(Arc::clone(&house.queue), house.turns(), options);
    let pool = tokio::spawn(pool.run(stopped));
    house.say(&bad, "m");
    for n in 0..20 {
        for id in &good {
            house.say(id, &format!("m{n}"));
        }
    }
    for _ in 0..400 {
        let depth = house.queue.depth().await.expect("counted");
        if depth.ready + depth.leased + depth.delayed == 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    stop.request();
    pool.await.expect("it ends").expect("it worked");
    for id in &good {
        let row = house.store.conversation(id).expect("read").expect("there");
        assert_eq!((row.head, row.accounted), (Seq::new(20), Seq::new(20)));
    }
    let dead = house.store.dead_turns().expect("listed");
    assert_eq!(dead.len(), 1);
    assert!(dead[0].reason.contains("no-such-target"), "{}", dead[0].reason);
    // What cannot be projected keeps its record, and says how far its projection goes.
    let row = house.store.conversation(&bad).expect("read").expect("there");
    assert_eq!((row.head, row.accounted), (Seq::new(1), Seq::ZERO));
}

#[test]
fn an_append_is_idempotent_and_a_conflict_writes_nothing() {
    let house = house();
    let id = house.create("c", "openai");
    let message = |id: &str, text: &str| NewMessage {
        id: id.into(),
        body: Message::new(id, Role::User, vec![Block::text(text)]).to_json(),
    };
    let batch = [message("a", "1"), message("b", "2")];
    let first = house.store.append(&id, &batch, now(), Wake::Turn).expect("appended");
    let again = house.store.append(&id, &batch, now(), Wake::Turn).expect("appended");
    assert_eq!((first.seqs.clone(), first.new, again.new), (again.seqs, 2, 0));
    let conflict = [message("c", "3"), message("a", "other")];
    let error = house.store.append(&id, &conflict, now(), Wake::Turn).expect_err("a conflict");
    assert!(matches!(error, StoreError::Conflict { seq, .. } if seq == Seq::new(1)), "{error}");
    let row = house.store.conversation(&id).expect("read").expect("there");
    assert_eq!(row.head, Seq::new(2), "nothing of the batch was written");
    let missing = house.store.append(&"nobody".into(), &batch, now(), Wake::Turn);
    assert!(matches!(missing, Err(StoreError::NotFound(_))));
}

#[test]
fn many_producers_at_once_leave_no_gap_and_no_double() {
    let house = house();
    let id = house.create("c", "openai");
    std::thread::scope(|scope| {
        for producer in 0..8 {
            let (house, id) = (&house, &id);
            scope.spawn(move || {
                for n in 0..25 {
                    house.say(id, &format!("p{producer}-{n}"));
                }
            });
        }
    });
    let all = afterturn::replay::SeqRange::from(Seq::FIRST);
    let messages = house.store.messages(&id, all).expect("read");
    let seqs: Vec<u64> = messages.iter().map(|message| message.seq.get()).collect();
    assert_eq!(seqs, (1..=200).collect::<Vec<_>>());
}

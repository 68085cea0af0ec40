//! Ids and tool names that a wire takes (C2, C5): mapped deterministically, injective within a
//! request.
//!
//! What a wire allows passes unchanged, unless it looks like a name of our making; everything
//! else gets such a name, with a digest of all that tells it apart. So a name that was passed
//! never meets one that was made, and two made ones meet only where SHA-256 does.

use sha2::{Digest, Sha256};

use super::item::Call;
use super::repairs::{Repair, Repairs};

/// What made ids begin with.
const ID_PREFIX: &str = "at_";
/// How many hexadecimal digits of the digest a made id holds: 128 bits.
const ID_DIGITS: usize = 32;
/// What stands between the readable part of a made name and its digest.
const NAME_MARK: &str = "_at";
/// How many hexadecimal digits of the digest a made name holds.
const NAME_DIGITS: usize = 12;

/// Which characters a wire takes, and how many.
#[derive(Debug, Clone, Copy)]
pub(super) struct Alphabet {
    /// The most characters.
    pub longest: usize,
    /// Beside letters and digits.
    pub also: &'static [char],
}

impl Alphabet {
    /// `^[a-zA-Z0-9_-]{1,longest}$`: OC2, AN2.
    pub(super) const fn word(longest: usize) -> Self {
        Self { longest, also: &['_', '-'] }
    }

    fn takes(self, name: &str) -> bool {
        !name.is_empty() && name.len() <= self.longest && name.chars().all(|c| self.has(c))
    }

    fn has(self, c: char) -> bool {
        c.is_ascii_alphanumeric() || self.also.contains(&c)
    }
}

/// The id under which a call crosses, and its result with it.
pub(super) fn wire_id(call: &Call<'_>, alphabet: Alphabet, repairs: &mut Repairs) -> String {
    let id = call.id.as_str();
    if call.occurrence == 0 && alphabet.takes(id) && !is_made_id(id) {
        return id.to_owned();
    }
    repairs.count(Repair::IdRenamed);
    let digest = digest(&[id.as_bytes(), &call.occurrence.to_le_bytes()]);
    format!("{ID_PREFIX}{}", &digest[..ID_DIGITS])
}

fn is_made_id(id: &str) -> bool {
    id.strip_prefix(ID_PREFIX).is_some_and(|rest| is_hex(rest, ID_DIGITS))
}

/// The name under which a tool crosses.
pub(super) fn wire_name(name: &str, alphabet: Alphabet, repairs: &mut Repairs) -> String {
    if alphabet.takes(name) && !is_made_name(name) {
        return name.to_owned();
    }
    repairs.count(Repair::NameMapped);
    let room = alphabet.longest - NAME_MARK.len() - NAME_DIGITS;
    let readable = name.chars().map(|c| if alphabet.has(c) { c } else { '_' }).take(room);
    let stem: String = readable.collect();
    let stem = if stem.is_empty() { "tool" } else { &stem };
    format!("{stem}{NAME_MARK}{}", &digest(&[name.as_bytes()])[..NAME_DIGITS])
}

fn is_made_name(name: &str) -> bool {
    name.rsplit_once(NAME_MARK).is_some_and(|(_, rest)| is_hex(rest, NAME_DIGITS))
}

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn digest(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().fold(String::with_capacity(64), |mut hex, byte| {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        hex.push(char::from(HEX[usize::from(byte >> 4)]));
        hex.push(char::from(HEX[usize::from(byte & 15)]));
        hex
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Arguments, BlockRef, CallForm, CallId, Seq, ToolName};

    fn id(id: &str, occurrence: u32) -> String {
        let (id, name) = (CallId::from(id), ToolName::from("t"));
        let call = Call {
            at: BlockRef::new(Seq::FIRST, 0),
            id: &id,
            occurrence,
            name: &name,
            arguments: &Arguments::Broken(String::new()),
            form: CallForm::Function,
            proof: None,
        };
        wire_id(&call, Alphabet::word(40), &mut Repairs::default())
    }

    fn name(name: &str) -> String {
        wire_name(name, Alphabet::word(64), &mut Repairs::default())
    }

    #[test]
    fn a_legal_id_passes_the_first_time_and_is_renamed_when_it_repeats() {
        assert_eq!(id("call_1", 0), "call_1");
        let again = id("call_1", 1);
        assert_eq!(again.len(), 35);
        assert_ne!(again, id("call_1", 2));
    }

    #[test]
    fn empty_odd_and_long_ids_are_renamed_apart() {
        let long = "x".repeat(41);
        let made = [id("", 0), id("a b", 0), id("a.b", 0), id(&long, 0), id("a\0b", 0)];
        for (index, one) in made.iter().enumerate() {
            assert!(is_made_id(one), "{one}");
            assert!(!made[index + 1..].contains(one));
        }
    }

    #[test]
    fn an_id_that_looks_made_is_made_again() {
        let made = id("", 0);
        assert_ne!(id(&made, 0), made);
        let mapped = name("mcp.search");
        assert_ne!(name(&mapped), mapped);
    }

    #[test]
    fn names_stay_readable_and_within_the_limit() {
        assert_eq!(name("bash"), "bash");
        assert!(name("mcp.search").starts_with("mcp_search_at"));
        assert!(name("").starts_with("tool_at"));
        assert_ne!(name("mcp.search"), name("mcp search"));
        assert_eq!(name(&"é".repeat(100)).len(), 64);
    }
}

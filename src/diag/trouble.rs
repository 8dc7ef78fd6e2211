//! What can be wrong with input. The list is complete: `docs/damaged-input.md` says of each what is done.

use std::cmp::Ordering;
use std::fmt;

use serde::{Serialize, Serializer};

macro_rules! troubles {
    ($($name:ident $word:literal $about:literal;)*) => {
        /// A kind of trouble with input.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Trouble {
            $(#[doc = $about] $name,)*
        }

        impl Trouble {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Kebab-case id, as it is printed and stands in table `warnings`.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }
        }
    };
}

troubles! {
    Truncated "truncated" "A file that ends inside a record.";
    Cut "cut" "A document that ends too early.";
    Torn "torn" "Half of a record, before a whole one.";
    BadJson "bad-json" "Text that is no JSON.";
    NotARecord "not-a-record" "Text or a value between records.";
    Joined "joined" "Several records on one line.";
    Multiline "multiline" "One record over several lines of a line file.";
    Control "control" "Control characters that are not escaped.";
    Nul "nul" "NUL bytes.";
    Surrogate "surrogate" "Half a surrogate pair.";
    InvalidUtf8 "invalid-utf8" "Bytes that are no UTF-8.";
    Utf16 "utf16" "UTF-16 with a byte order mark.";
    OwnNumbersIgnored "own-numbers-ignored" "Numbers of messages that do not rise.";
    TextBefore "text-before" "Text before a document.";
    TextAfter "text-after" "Text behind a document.";
    Depth "depth" "JSON that is too deep.";
    PartUnreadable "part-unreadable" "A part of a message that cannot be read.";
    LineTooLong "line-too-long" "A line over the limit.";
    Number "number" "A number that cannot be held.";
    Time "time" "A time that cannot be read.";
    TimeZone "time-zone" "A time without a zone.";
    Status "status" "A status that is not known.";
    Role "role" "A role that is not known.";
    OddType "odd-type" "A field of another type.";
    WrongType "wrong-type" "A value of another type where a record is due.";
    DuplicateKey "duplicate-key" "A key twice in one object.";
    Duplicate "duplicate" "A record again.";
    SeveralSessions "several-sessions" "Lines of several sessions in one file.";
    DuplicateFile "duplicate-file" "A file again.";
    CompactionCopy "compaction-copy" "A file that repeats a conversation for its compaction.";
    OlderState "older-state" "An earlier state of a record.";
    OlderStore "older-store" "Rows of an earlier store beside newer ones.";
    ShorterExport "shorter-export" "An export of a session of which a longer one is there.";
    IdReused "id-reused" "Another record with an id that is taken.";
    IdTwice "id-twice" "Two records of one id that differ.";
    CallIdReused "call-id-reused" "Another call with an id that is taken.";
    NoId "no-id" "A call or result without an id.";
    ParentCycle "parent-cycle" "Parents that lead round in a circle.";
    DanglingParent "dangling-parent" "A parent that stands nowhere.";
    Orphan "orphan" "Records without the one that they belong to.";
    StraySubagent "stray-subagent" "A subagent whose caller is not known.";
    ForkWithoutOriginal "fork-without-original" "A fork whose origin is not there.";
    RevertWithoutMessage "revert-without-message" "An undoing of a message that stands nowhere.";
    ClockBack "clock-back" "A time before that of the message before it.";
    OrphanResult "orphan-result" "A result without its call.";
    SecondResult "second-result" "Another result of one call.";
    NoResult "no-result" "A call without a result.";
    Arguments "arguments" "Arguments that are no JSON.";
    ExitUnknown "exit-unknown" "An exit code that cannot be one.";
    TodoType "todo-type" "A list of a todo tool that is no list.";
    TodoItem "todo-item" "An item of such a list in another form.";
    UnknownStatus "unknown-status" "A state of an item that is not known.";
    UnknownType "unknown-type" "A record of a type that is not known.";
    UnknownBlock "unknown-block" "A part of a type that is not known.";
    UnknownMember "unknown-member" "A member of a document that is not known.";
    ThinkingUndivided "thinking-undivided" "Reasoning whose end is not marked.";
    FenceUnclear "fence-unclear" "A block of output whose end is not clear.";
    Empty "empty" "A file or session that holds nothing.";
    NotATranscript "not-a-transcript" "A file of no known format.";
    NameLies "name-lies" "A file that holds something other than its name says.";
    SpecialFile "special-file" "A pipe, socket or device.";
    DanglingLink "dangling-link" "A link that leads nowhere.";
    LinkLoop "link-loop" "A link that leads back to itself.";
    LinkOutside "link-outside" "A link that leads out of the folder.";
    LinkToFolder "link-to-folder" "A link to a folder that is walked by itself.";
    Unreadable "unreadable" "What the system refuses to read.";
    FolderLimit "folder-limit" "A folder over the limits.";
    BadDatabase "bad-database" "A damaged page of a database.";
    Checksum "checksum" "Packed data whose checksum does not fit.";
    TrailingBytes "trailing-bytes" "Bytes behind packed data.";
    PackedData "packed-data" "Packed data that is damaged.";
    UnpackLimit "unpack-limit" "Packed data that unpacks to too much.";
    ZipDirectory "zip-directory" "An archive whose list of entries cannot be read.";
    ZipEntry "zip-entry" "An entry that cannot be read.";
    ZipMethod "zip-method" "An entry packed in a way that is not known.";
    Encrypted "encrypted" "An entry that is encrypted.";
    EntryRepeated "entry-repeated" "A name that stands twice in an archive.";
    EntryLimit "entry-limit" "An archive with too many entries.";
    NestedArchive "nested-archive" "An archive inside an archive.";
}

/// Lists are in the order of the words.
impl Ord for Trouble {
    fn cmp(&self, other: &Self) -> Ordering {
        self.word().cmp(other.word())
    }
}

impl PartialOrd for Trouble {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl Serialize for Trouble {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

/// Tests name kinds by their words.
impl PartialEq<&str> for Trouble {
    fn eq(&self, word: &&str) -> bool {
        self.word() == *word
    }
}

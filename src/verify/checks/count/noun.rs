//! Nouns that name what can be counted.

/// What can be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::verify::checks) enum Noun {
    Message,
    PlanChange,
    Prompt,
    Reply,
    Call,
    FailedCall,
    InterruptedCall,
    UnansweredCall,
    Command,
    FileChange,
    Search,
    Write,
    File,
    Agent,
    Item,
    Finding,
    OkPoint,
    Option,
    Directive,
    Figure,
    Word,
    Sentence,
    Prose,
    Discrepancy,
    Thread,
    Left,
    Heading,
    Table,
    ListLine,
    CodeBlock,
}

impl Noun {
    /// Reads a noun in lower case.
    pub(in crate::verify::checks) fn of(word: &str) -> Option<Self> {
        Some(match word {
            "message" | "messages" => Self::Message,
            "prompt" | "prompts" => Self::Prompt,
            "reply" | "replies" => Self::Reply,
            "call" | "calls" | "invocation" | "invocations" => Self::Call,
            "command" | "commands" => Self::Command,
            "edit" | "edits" => Self::FileChange,
            "writes" => Self::Write,
            "search" | "searches" => Self::Search,
            "agent" | "agents" | "subagent" | "subagents" => Self::Agent,
            "item" | "items" | "todo" | "todos" | "task" | "tasks" | "entries" => Self::Item,
            "finding" | "findings" => Self::Finding,
            "option" | "options" => Self::Option,
            "directive" | "directives" | "thing" | "things" => Self::Directive,
            "figure" | "figures" => Self::Figure,
            "points" | "point" => Self::OkPoint,
            "word" | "words" => Self::Word,
            "sentence" | "sentences" => Self::Sentence,
            "file" | "files" => Self::File,
            "prose" => Self::Prose,
            "discrepancies" | "disagreements" => Self::Discrepancy,
            "thread" | "threads" => Self::Thread,
            "heading" | "headings" => Self::Heading,
            "table" | "tables" => Self::Table,
            "line" | "lines" => Self::ListLine,
            "block" | "blocks" => Self::CodeBlock,
            _ => return None,
        })
    }

    /// Reads the heading of a column that holds counts.
    pub(in crate::verify::checks) fn of_head(head: &str) -> Option<Self> {
        Some(match head {
            "plan changes" => Self::PlanChange,
            "files changed" => Self::File,
            "failed" => Self::FailedCall,
            "interrupted" => Self::InterruptedCall,
            "no result" => Self::UnansweredCall,
            _ => return None,
        })
    }

    /// Whether it is counted over the session where no message is named.
    pub(in crate::verify::checks) fn is_of_the_session(self) -> bool {
        !matches!(
            self,
            Self::Prompt
                | Self::Reply
                | Self::Figure
                | Self::Word
                | Self::Directive
                | Self::File
                | Self::Option
                | Self::Message
        )
    }

    /// Whether an agent does it: a user's message holds none, what follows it may.
    pub(in crate::verify::checks) fn is_made_by_the_agent(self) -> bool {
        matches!(
            self,
            Self::Call
                | Self::FailedCall
                | Self::InterruptedCall
                | Self::UnansweredCall
                | Self::Command
                | Self::FileChange
                | Self::Search
                | Self::Write
                | Self::File
                | Self::Agent
                | Self::Reply
        )
    }

    /// Whether it is read from free text, where some may be overlooked.
    pub(in crate::verify::checks) fn is_read_from_prose(self) -> bool {
        matches!(self, Self::Finding | Self::OkPoint | Self::Option | Self::Directive | Self::Figure)
    }

    /// Whether it may be one that a text or an output tells of, and none of the session itself.
    pub(in crate::verify::checks) fn may_be_told_of(self, shown: &str) -> bool {
        let entries = self == Self::Item && shown.contains("entr");
        entries || matches!(self, Self::File | Self::Agent | Self::Prompt | Self::Option | Self::Message | Self::Search)
    }

    /// The noun with what is said around it.
    pub(in crate::verify::checks) fn with(self, before: &[&str], after: &[&str]) -> Self {
        let says = |words: &[&str], what: &str| words.iter().any(|w| w.eq_ignore_ascii_case(what));
        match self {
            Self::Message if says(after, "lies") || says(after, "lie") => Self::Left,
            Self::Message if says(after, "changed") || says(after, "change") => Self::PlanChange,
            Self::Call if says(before, "failed") || says(before, "failing") => Self::FailedCall,
            _ => self,
        }
    }
}

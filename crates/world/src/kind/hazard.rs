//! What can break about a service. Kinds say what they have; faults say what they need. So neither
//! knows the other, and a new one of either fits those that are there.

/// Something that a kind's physics has, and that a fault can get hold of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hazard {
    /// Workers that can die one by one.
    Workers,
    /// Memory that can leak.
    Memory,
    /// File descriptors that can run out.
    Descriptors,
    /// Code of its own, which a build can spoil.
    Code,
    /// Work worth speaking of, which a slow build or machine slows down.
    Work,
    /// Reads that it may send again while the first still runs.
    Repeats,
    /// Connections to others that it borrows and gives back.
    Borrows,
    /// A limit on what it takes from users.
    Admission,
    /// Credentials that a wrong clock makes look invalid.
    Clock,
    /// A canary that may get traffic.
    Canary,
    /// A certificate that it serves.
    Certificate,
    /// Sessions that others hold.
    Sessions,
    /// A disk that can be slow or fill up.
    Disk,
    /// Tables with indexes and dead rows.
    Tables,
    /// A replica that can lag or be lost.
    Replica,
    /// Entries that can be lost.
    Entries,
    /// Consumers that work off messages.
    Consumers,
}

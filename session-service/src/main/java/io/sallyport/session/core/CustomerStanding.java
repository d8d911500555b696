package io.sallyport.session.core;

/** What this node knows of a customer. */
public enum CustomerStanding {
    ACTIVE,
    /** Does not exist, or is suspended. */
    INACTIVE,
    /** Nobody has answered yet, and no earlier answer is kept. */
    UNDECIDED
}

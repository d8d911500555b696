package io.sallyport.session.core;

import java.util.Optional;

/** This node's view of the control topics. Reads are local and never block. */
public interface ControlData {

    /** The topics have been read to their end once; before that the node is not ready. */
    boolean isLoaded();

    /** Whether the customer exists and is not suspended, as far as is known. */
    CustomerStanding standing(String customerId);

    /** What the customer's record allows; {@link CustomerTerms#NONE} where it says nothing. */
    CustomerTerms terms(String customerId);

    /** What customers brought in today, on all nodes. */
    DailyUsage usage();

    /** What customers want to bring in, on all nodes. */
    CellDemand demand();

    /** {@code host:port} of the cell that the customer lives in, where that is another cell. */
    Optional<String> movedTo(String customerId);
}

package io.sallyport.normalizer.requeue;

/**
 * What a run did.
 *
 * @param matched quarantined records that the filter named
 * @param requeued of these, put back into `raw`, durably
 * @param lacking of these, left where they are, since nothing tells whose they are or no bytes were kept
 */
public record RequeueReport(long matched, long requeued, long lacking) {}

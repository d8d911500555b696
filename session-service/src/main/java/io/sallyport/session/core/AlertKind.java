package io.sallyport.session.core;

/** What a person should look at; each is counted as {@code sallyport_alerts_total} by its name and logged once. */
public enum AlertKind {
    /** A sensor could not apply a message. */
    MESSAGE_NACKED,
    /** A push names a session of another sensor. */
    PUSH_IDENTITY_MISMATCH,
    /** The normalizer is behind by more than half of the retention of a raw partition. */
    RAW_LAG,
    /** It cannot be looked up how far the normalizer is behind; telemetry is slowed until it can. */
    RAW_LAG_UNKNOWN,
    /** A sensor brings in a hundred times what half of its fleet does. */
    SENSOR_OUTLIER,
    /** A sensor says that it holds very much that is not acknowledged. */
    SPOOL_DEEP,
    /** A customer used its daily quota up. */
    QUOTA_REACHED,
    /** The log refused a record that passed the gateway's own limits. */
    RECORD_REFUSED_FOR_SIZE,
    /** The files of a listener's certificate, key or CA changed and cannot be used; those before are served on. */
    CERTIFICATE_NOT_LOADED
}

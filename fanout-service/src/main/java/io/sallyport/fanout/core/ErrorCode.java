package io.sallyport.fanout.core;

import java.util.Optional;

/**
 * Every error of the publishing API. Names and numbers are stable: callers compare them, and they stand in decisions.
 */
public enum ErrorCode {
    MALFORMED_REQUEST(1, ErrorCategory.INVALID, "The request cannot be read"),
    UNKNOWN_KEY(2, ErrorCategory.INVALID, "The request, or its selector, has a key that does not exist"),
    BAD_MSG_ID(3, ErrorCategory.INVALID, "msg_id must be 1 to 128 bytes of [A-Za-z0-9._:-]"),
    BAD_TTL(4, ErrorCategory.INVALID, "The time to live must be positive and at most 30 days"),
    BAD_SENSOR_ID(5, ErrorCategory.INVALID, "A sensor id breaks the syntax"),
    BAD_SEGMENT(6, ErrorCategory.INVALID, "A segment's name or membership list breaks a rule"),
    BAD_FIELD(7, ErrorCategory.INVALID, "A field of the request is out of range"),
    BAD_PAGE(8, ErrorCategory.INVALID, "page_size or page_token is not valid"),
    BAD_PREVIEW_TOKEN(9, ErrorCategory.INVALID, "The preview token is none"),
    EMPTY_SELECTOR(10, ErrorCategory.INVALID, "No target is given; a whole fleet is its own kind of target"),
    SELECTOR_SYNTAX(11, ErrorCategory.INVALID, "The selector cannot be parsed"),
    SELECTOR_TYPE(12, ErrorCategory.INVALID, "The selector compares a field with what it cannot be compared with"),
    UNKNOWN_TYPE(13, ErrorCategory.INVALID, "No such message type is registered"),
    MISSING_PAYLOAD(14, ErrorCategory.INVALID, "The request has no payload; an empty one is written as empty"),
    PAYLOAD_TOO_LARGE(20, ErrorCategory.TOO_LARGE, "The payload is larger than a frame can carry"),
    REQUEST_TOO_LARGE(21, ErrorCategory.TOO_LARGE, "The request is larger than this service reads"),
    UNAUTHENTICATED(30, ErrorCategory.UNAUTHENTICATED, "A valid bearer token is needed"),
    MISSING_SCOPE(31, ErrorCategory.FORBIDDEN, "The token lacks a scope"),
    CROSS_TENANT(32, ErrorCategory.FORBIDDEN, "The token does not speak for this customer"),
    CUSTOMER_REQUIRED(33, ErrorCategory.INVALID, "The token speaks for several customers; name one"),
    UNKNOWN_CUSTOMER(34, ErrorCategory.FORBIDDEN, "The customer does not exist here, or is suspended"),
    UNKNOWN_MESSAGE(40, ErrorCategory.NOT_FOUND, "The customer has no message with this msg_id"),
    UNKNOWN_SENSOR(41, ErrorCategory.REFUSED, "The customer has no such sensor, nor is it registered"),
    UNKNOWN_SEGMENT(42, ErrorCategory.REFUSED, "The customer has no such segment"),
    SEGMENT_NOT_FOUND(43, ErrorCategory.NOT_FOUND, "The customer has no such segment"),
    NO_SUCH_ROUTE(44, ErrorCategory.NOT_FOUND, "The API has no such route"),
    MSG_ID_CONFLICT(50, ErrorCategory.CONFLICT, "Other content was published under this msg_id"),
    THRESHOLD(60, ErrorCategory.REFUSED, "More targets than allowed; name a bound at or above the count"),
    PREVIEW_STALE(61, ErrorCategory.REFUSED, "The target no longer resolves to what was previewed"),
    TOO_MANY_SEGMENTS(62, ErrorCategory.REFUSED, "The customer has as many segments as it may have"),
    OVERLOADED(70, ErrorCategory.OVERLOADED, "Too many requests wait for a decision"),
    LOG_UNAVAILABLE(80, ErrorCategory.TRANSIENT, "The request could not be made durable"),
    DECISION_TIMEOUT(81, ErrorCategory.TRANSIENT, "The request is durable and its decision is not there yet"),
    STATUS_LAGGING(82, ErrorCategory.TRANSIENT, "This node has not read yet what is asked for"),
    INTERNAL(90, ErrorCategory.INTERNAL, "This service failed");

    private final int number;
    private final ErrorCategory category;
    private final String title;

    ErrorCode(int number, ErrorCategory category, String title) {
        this.number = number;
        this.category = category;
        this.title = title;
    }

    public int number() {
        return number;
    }

    public ErrorCategory category() {
        return category;
    }

    /** One sentence that is the same for every occurrence. */
    public String title() {
        return title;
    }

    /** Empty for a name that this version does not know. */
    public static Optional<ErrorCode> named(String name) {
        for (ErrorCode code : values()) {
            if (code.name().equals(name)) {
                return Optional.of(code);
            }
        }
        return Optional.empty();
    }

    public Refusal because(String detail) {
        return new Refusal(this, detail, 0);
    }

    /** @param position in the selector, from 1 */
    public Refusal at(int position, String detail) {
        return new Refusal(this, detail + " (position " + position + ")", position);
    }
}

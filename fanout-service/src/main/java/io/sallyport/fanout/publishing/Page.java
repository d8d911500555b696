package io.sallyport.fanout.publishing;

import io.sallyport.fanout.core.Answer;
import io.sallyport.fanout.core.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Which part of a list is asked for. A token is opaque to callers; it names where the last page ended.
 *
 * @param size most items of the page
 * @param after where the last page ended; empty for the first page
 */
public record Page(int size, String after) {
    public static final int DEFAULT_SIZE = 100;
    public static final int MAX_SIZE = 1_000;

    /**
     * @param size 0: the default
     * @param token empty for the first page
     */
    public static Answer<Page> of(int size, String token) {
        if (size < 0 || size > MAX_SIZE) {
            return Answer.refused(ErrorCode.BAD_PAGE.because("page_size must be 1 to " + MAX_SIZE));
        }
        try {
            return Answer.of(new Page(
                    size == 0 ? DEFAULT_SIZE : size,
                    new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8)));
        } catch (IllegalArgumentException e) {
            return Answer.refused(ErrorCode.BAD_PAGE.because("page_token is not from this list"));
        }
    }

    /** The token of the page that follows one that ended at {@code last}. */
    public static String token(String last) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(last.getBytes(StandardCharsets.UTF_8));
    }
}

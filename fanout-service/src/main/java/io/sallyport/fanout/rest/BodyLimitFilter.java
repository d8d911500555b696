package io.sallyport.fanout.rest;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.filter.OncePerRequestFilter;

/** Ends the reading of a body beyond a limit, whatever length it claims to have. */
public final class BodyLimitFilter extends OncePerRequestFilter {
    private final long maxBytes;

    public BodyLimitFilter(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** The body is larger than is read here. */
    static final class TooLargeException extends IOException {
        private static final long serialVersionUID = 1L;

        TooLargeException() {
            super("the body is too large");
        }
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        chain.doFilter(
                new HttpServletRequestWrapper(request) {
                    @Override
                    public ServletInputStream getInputStream() throws IOException {
                        return new Counted(super.getInputStream(), maxBytes);
                    }
                },
                response);
    }

    private static final class Counted extends ServletInputStream {
        private final ServletInputStream body;
        private long left;

        Counted(ServletInputStream body, long left) {
            this.body = body;
            this.left = left;
        }

        @Override
        public int read() throws IOException {
            int value = body.read();
            return value < 0 ? value : counted(1, value);
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            int count = body.read(bytes, from, length);
            return count < 0 ? count : counted(count, count);
        }

        private int counted(int count, int result) throws IOException {
            left -= count;
            if (left < 0) {
                throw new TooLargeException();
            }
            return result;
        }

        @Override
        public boolean isFinished() {
            return body.isFinished();
        }

        @Override
        public boolean isReady() {
            return body.isReady();
        }

        @Override
        public void setReadListener(ReadListener listener) {
            body.setReadListener(listener);
        }
    }
}

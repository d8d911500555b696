package io.sallyport.local.cli;

import io.sallyport.envelope.identity.MessageKey;
import io.sallyport.envelope.identity.SensorKey;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How options with a meaning of their own are written. */
final class Values {
    private Values() {}

    /** {@code 90}, {@code 0.5}, {@code 90s}, {@code 15m}, {@code 24h} or {@code 7d}; a bare number is seconds. */
    static final class Time implements ITypeConverter<Duration> {
        private static final Pattern SYNTAX = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,3})?)(ms|s|m|h|d)?");

        @Override
        public Duration convert(String text) {
            Matcher matcher = SYNTAX.matcher(text);
            if (!matcher.matches()) {
                throw new TypeConversionException("'" + text + "' is not a time such as 90, 90s, 15m, 24h or 7d");
            }
            String unit = matcher.group(2) == null ? "s" : matcher.group(2);
            double unitMs = switch (unit) {
                case "ms" -> 1;
                case "m" -> 60_000;
                case "h" -> 3_600_000;
                case "d" -> 86_400_000;
                default -> 1_000;
            };
            return Duration.ofMillis(Math.round(Double.parseDouble(matcher.group(1)) * unitMs));
        }
    }

    /** Of a customer, a sensor or a segment. */
    static final class Id implements ITypeConverter<String> {
        static final String SYNTAX =
                "an id is 1 to 64 of A-Z a-z 0-9 . _ -, begins with a letter or digit and has no '..'";

        @Override
        public String convert(String text) {
            if (!SensorKey.isValidId(text)) {
                throw new TypeConversionException(SYNTAX);
            }
            return text;
        }
    }

    /** Of a message. */
    static final class MsgId implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            if (!MessageKey.isValidMsgId(text)) {
                throw new TypeConversionException("a msg-id is 1 to 128 of A-Z a-z 0-9 . _ : -");
            }
            return text;
        }
    }

    /** One {@code host:port} or several, separated by commas. */
    static final class Brokers implements ITypeConverter<String> {
        private static final Pattern SYNTAX = Pattern.compile("[^\\s,:]+:\\d{1,5}(?:,[^\\s,:]+:\\d{1,5})*");

        @Override
        public String convert(String text) {
            if (!SYNTAX.matcher(text).matches()) {
                throw new TypeConversionException("'" + text + "' is not HOST:PORT, or several with commas between");
            }
            return text;
        }
    }

    /** {@code host:port}, an IPv6 address in brackets. */
    static final class Address implements ITypeConverter<InetSocketAddress> {
        private static final Pattern SYNTAX = Pattern.compile("(?:\\[([0-9A-Fa-f:.]+)]|([^\\[\\]:]+)):(\\d{1,5})");

        @Override
        public InetSocketAddress convert(String text) {
            Matcher matcher = SYNTAX.matcher(text);
            int port = matcher.matches() ? Integer.parseInt(matcher.group(3)) : 0;
            if (port < 1 || port > 0xFFFF) {
                throw new TypeConversionException("'" + text + "' is not HOST:PORT");
            }
            String host = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
            var address = new InetSocketAddress(host, port);
            if (address.isUnresolved()) {
                throw new TypeConversionException("the host of '" + text + "' is not known");
            }
            // Looked up again at each connect: behind a name may be several gateways, and others after a while.
            return InetSocketAddress.createUnresolved(host, port);
        }
    }
}

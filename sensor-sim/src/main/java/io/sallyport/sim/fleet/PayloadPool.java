package io.sallyport.sim.fleet;

import io.sallyport.envelope.registry.EventTypes;
import io.sallyport.sim.core.SensorEvent;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Payloads made once and shared by all events, so that the load costs next to nothing to generate: JSON documents of
 * repetitive text, about as compressible as recorded endpoint events. Events differ by their numbers and times.
 */
final class PayloadPool {
    private static final int MIN_BYTES = 1_024;
    private static final int MAX_BYTES = 63 * 1_024;
    private static final int DOCUMENTS_PER_TYPE = 32;

    /** Type and its share in thousandths, as in a recording of Windows endpoints. */
    private static final int[][] MIX = {
        {EventTypes.FILE_WRITTEN, 430},
        {EventTypes.NETWORK_CONNECT_OUT, 160},
        {EventTypes.FILE_DELETED, 145},
        {EventTypes.PROCESS_START, 100},
        {EventTypes.PROCESS_END, 85},
        {EventTypes.FILE_MODIFIED, 40},
        {EventTypes.NETWORK_CONNECT_IN, 30},
        {EventTypes.SENSOR_HEARTBEAT, 10}
    };

    private static final Map<Integer, String> NAMES = Map.of(
            EventTypes.FILE_WRITTEN, "FileWritten",
            EventTypes.NETWORK_CONNECT_OUT, "NetworkConnectOut",
            EventTypes.FILE_DELETED, "FileDeleted",
            EventTypes.PROCESS_START, "ProcessStart",
            EventTypes.PROCESS_END, "ProcessEnd",
            EventTypes.FILE_MODIFIED, "FileModified",
            EventTypes.NETWORK_CONNECT_IN, "NetworkConnectIn",
            EventTypes.SENSOR_HEARTBEAT, "SensorHeartbeat");

    private static final String[] WORDS = {
        "C:\\\\Windows\\\\System32\\\\",
        "svchost.exe",
        "NT AUTHORITY\\\\SYSTEM",
        "powershell.exe",
        "Microsoft-Windows-",
        "S-1-5-18",
        "HKLM\\\\Software\\\\",
        "explorer.exe",
        "10.0.",
        "tcp",
        "443",
        "ParentImage",
        "CommandLine",
        "-NoProfile"
    };

    private final byte[][][] documents = new byte[MIX.length][DOCUMENTS_PER_TYPE][];
    private final byte[] typeOfDraw = new byte[1_000];

    /** @param payloadBytes of each event; 0 = 1 to 63 KB, 32 KB on average */
    PayloadPool(int payloadBytes) {
        var random = new SplittableRandom(payloadBytes);
        int draw = 0;
        for (int type = 0; type < MIX.length; type++) {
            for (int i = 0; i < MIX[type][1]; i++) {
                typeOfDraw[draw++] = (byte) type;
            }
            for (int i = 0; i < DOCUMENTS_PER_TYPE; i++) {
                int bytes = payloadBytes > 0 ? payloadBytes : random.nextInt(MIN_BYTES, MAX_BYTES + 1);
                documents[type][i] = document(MIX[type][0], bytes, random);
            }
        }
    }

    SensorEvent next(long eventTsUs, SplittableRandom random) {
        int draw = random.nextInt(1 << 20);
        int type = typeOfDraw[draw % typeOfDraw.length];
        byte[] payload = documents[type][(draw / typeOfDraw.length) % DOCUMENTS_PER_TYPE];
        return new SensorEvent(eventTsUs, MIX[type][0], 1, payload);
    }

    private static byte[] document(int type, int bytes, SplittableRandom random) {
        String start = "{\"type\":\"" + NAMES.get(type) + "\",\"detail\":\"";
        String end = "\"}";
        int room = bytes - start.length() - end.length();
        if (room < 0) {
            // Too short for an object: digits are JSON too.
            return "1".repeat(bytes).getBytes(StandardCharsets.US_ASCII);
        }
        var detail = new StringBuilder(room + 64);
        while (detail.length() < room) {
            detail.append(WORDS[random.nextInt(WORDS.length)]).append(Integer.toHexString(random.nextInt(1 << 16)));
        }
        detail.setLength(room);
        if (trailingBackslashes(detail) % 2 != 0) {
            // A cut escape would end the string too late.
            detail.setCharAt(room - 1, '.');
        }
        return (start + detail + end).getBytes(StandardCharsets.US_ASCII);
    }

    private static int trailingBackslashes(CharSequence text) {
        int count = 0;
        while (count < text.length() && text.charAt(text.length() - 1 - count) == '\\') {
            count++;
        }
        return count;
    }
}

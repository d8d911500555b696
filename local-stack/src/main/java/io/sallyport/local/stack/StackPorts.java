package io.sallyport.local.stack;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/**
 * The ports of a stack on 127.0.0.1.
 *
 * @param kafka client listener of the broker
 * @param mtls sensor link with client certificates
 * @param token sensor link with tokens
 * @param rest publishing over HTTP
 * @param grpc publishing over gRPC
 * @param management of the first service; the others follow, one port each. 0 in any place takes free ports
 */
public record StackPorts(int kafka, int mtls, int token, int rest, int grpc, int management) {
    public static final StackPorts DEFAULTS = new StackPorts(9092, 7443, 7444, 8080, 9090, 8101);
    /** All chosen by the operating system. */
    public static final StackPorts FREE = new StackPorts(0, 0, 0, 0, 0, 0);

    private static final String HOST = "127.0.0.1";

    /** Takes free ports where 0 was asked for, and checks the others. The result names every port. */
    Endpoints resolve(boolean processes) throws IOException {
        var held = new ArrayList<ServerSocket>();
        try {
            // All are held until the last one is chosen, so that none is given twice.
            String kafkaAt = at(hold(held, kafka, "kafka", "--kafka-port"));
            String mtlsAt = at(hold(held, mtls, "mtls", "--mtls-port"));
            String tokenAt = at(hold(held, token, "token", "--token-port"));
            String restAt = at(hold(held, rest, "rest", "--rest-port"));
            String grpcAt = at(hold(held, grpc, "grpc", "--grpc-port"));
            var managementAt = new java.util.TreeMap<String, String>();
            for (int i = 0; i < Endpoints.SERVICES.size(); i++) {
                int wanted = management == 0 ? 0 : management + i;
                managementAt.put(Endpoints.SERVICES.get(i), at(hold(held, wanted, "management", "--management-port")));
            }
            return new Endpoints(
                    kafkaAt,
                    mtlsAt,
                    tokenAt,
                    new Endpoints.Publishing(restAt, grpcAt),
                    managementAt,
                    processes,
                    ProcessHandle.current().pid());
        } finally {
            for (ServerSocket socket : held) {
                socket.close();
            }
        }
    }

    /** One more gateway on free ports. */
    static Gateway gateway(int node) throws IOException {
        var held = new ArrayList<ServerSocket>();
        try {
            String mtlsAt = at(hold(held, 0, "mtls", ""));
            String tokenAt = at(hold(held, 0, "token", ""));
            String managementAt = at(hold(held, 0, "management", ""));
            return new Gateway(Endpoints.SESSION_SERVICE + "-" + node, node, mtlsAt, tokenAt, managementAt);
        } finally {
            for (ServerSocket socket : held) {
                socket.close();
            }
        }
    }

    private static int hold(List<ServerSocket> held, int port, String what, String flag) throws IOException {
        try {
            var socket = new ServerSocket(port, 1, InetAddress.getByName(HOST));
            held.add(socket);
            return socket.getLocalPort();
        } catch (java.net.BindException e) {
            throw new StackException(
                    "port %d (%s) is in use; choose another with %s, 0 takes a free one".formatted(port, what, flag),
                    e);
        }
    }

    private static String at(int port) {
        return HOST + ":" + port;
    }
}

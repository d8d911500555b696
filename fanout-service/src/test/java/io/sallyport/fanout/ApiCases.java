package io.sallyport.fanout;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A request for each answer of each route of the HTTP edge that can be had without breaking something. {@link #prepare}
 * makes what they speak of.
 */
final class ApiCases {
    /** Stands for a body that is made when it is sent: test reports hold on to what a case holds. */
    private static final String OVERSIZE = "oversize";

    private static final String SELECTOR = "/v1/sensors?selector=";

    /** Who calls. */
    enum Caller {
        OPERATOR,
        NOBODY,
        WITHOUT_SCOPE,
        OF_NO_KNOWN_CUSTOMER,
        OF_TWO_CUSTOMERS
    }

    /**
     * @param operation as the OpenAPI document calls the route
     * @param code null where the answer is no refusal
     */
    record Case(
            String operation,
            Caller caller,
            String method,
            String path,
            String body,
            int status,
            String code,
            List<String> headers) {
        @Override
        public String toString() {
            return operation + " " + status + " " + code;
        }
    }

    private record Route(String operation, String method, String path, String body) {
        Case answers(int status, String code) {
            return as(Caller.OPERATOR, path, body, status, code);
        }

        Case with(String otherBody, int status, String code) {
            return as(Caller.OPERATOR, path, otherBody, status, code);
        }

        Case at(String otherPath, int status, String code) {
            return as(Caller.OPERATOR, otherPath, body, status, code);
        }

        Case as(Caller caller, String usedPath, String usedBody, int status, String code, String... headers) {
            return new Case(operation, caller, method, usedPath, usedBody, status, code, Arrays.asList(headers));
        }
    }

    private static final Route PUBLISH = new Route("publish", "POST", "/v1/messages", publish("'msg_id':'api-new'"));
    private static final Route PREVIEW =
            new Route("preview", "POST", "/v1/messages:preview", json("{'target':{'sensor_id':'api-0'}}"));
    private static final Route MESSAGE = new Route("getMessage", "GET", "/v1/messages/api-known", null);
    private static final Route TARGETS = new Route("listTargets", "GET", "/v1/messages/api-known/targets", null);
    private static final Route CANCEL = new Route("cancelMessage", "POST", "/v1/messages/api-known:cancel", null);
    private static final Route SENSORS = new Route("listSensors", "GET", "/v1/sensors", null);
    private static final Route REGISTER = new Route("registerSensor", "PUT", "/v1/sensors/api-1", null);
    private static final Route PUT_SEGMENT =
            new Route("putSegment", "PUT", "/v1/segments/api-put", json("{'sensor_ids':['api-0','api-1']}"));
    private static final Route GET_SEGMENT = new Route("getSegment", "GET", "/v1/segments/api-segment", null);
    private static final Route DELETE_SEGMENT = new Route("deleteSegment", "DELETE", "/v1/segments/api-delete", null);

    private static final List<Route> ROUTES = List.of(
            PUBLISH, PREVIEW, MESSAGE, TARGETS, CANCEL, SENSORS, REGISTER, PUT_SEGMENT, GET_SEGMENT, DELETE_SEGMENT);

    private ApiCases() {}

    static void prepare(RunningFanout fanout, CommandLog log) {
        String acme = fanout.tokens.all("acme");
        log.fleet("acme", "api-", 60, "api");
        fanout.awaitSensors(acme, "tag.suite = api", 60);
        fanout.post(acme, "/v1/messages", publish("'msg_id':'api-known'")).ok();
        fanout.send(acme, "PUT", "/v1/segments/api-segment", json("{'sensor_ids':['api-0']}"))
                .ok();
        fanout.send(acme, "PUT", "/v1/segments/api-delete", json("{'sensor_ids':['api-0']}"))
                .ok();
    }

    static List<Case> all() {
        var cases = new ArrayList<Case>();
        for (Route route : ROUTES) {
            everywhere(cases, route);
        }
        cases.addAll(publishing());
        cases.addAll(reading());
        cases.addAll(segments());
        for (Route route : List.of(
                MESSAGE, TARGETS, CANCEL, SENSORS, REGISTER, PUT_SEGMENT, GET_SEGMENT, PREVIEW, DELETE_SEGMENT)) {
            cases.add(route.answers(200, null));
        }
        return cases;
    }

    private static void everywhere(List<Case> cases, Route route) {
        String other = route.path + "?customer_id=globex";
        cases.add(route.as(Caller.NOBODY, route.path, route.body, 401, "UNAUTHENTICATED"));
        cases.add(route.as(Caller.WITHOUT_SCOPE, route.path, route.body, 403, "MISSING_SCOPE"));
        cases.add(route.as(Caller.OPERATOR, other, route.body, 403, "CROSS_TENANT"));
        cases.add(route.as(Caller.OF_NO_KNOWN_CUSTOMER, route.path, route.body, 403, "UNKNOWN_CUSTOMER"));
        cases.add(route.as(Caller.OF_TWO_CUSTOMERS, route.path, route.body, 400, "CUSTOMER_REQUIRED"));
        cases.add(route.as(Caller.OPERATOR, route.path, route.body, 406, "MALFORMED_REQUEST", "Accept", "text/plain"));
        if (route.body != null) {
            cases.add(route.with("[", 400, "MALFORMED_REQUEST"));
            cases.add(route.with("{\"nonsense\":1}", 400, "UNKNOWN_KEY"));
            cases.add(route.with(OVERSIZE, 413, "REQUEST_TOO_LARGE"));
            cases.add(route.as(
                    Caller.OPERATOR, route.path, route.body, 415, "MALFORMED_REQUEST", "Content-Type", "text/plain"));
        }
    }

    private static List<Case> publishing() {
        return List.of(
                PUBLISH.answers(202, null),
                PUBLISH.with(publish("'msg_id':'api-known'"), 200, null),
                PUBLISH.with(publish("'msg_id':'a b'"), 400, "BAD_MSG_ID"),
                PUBLISH.with(publish("'msg_id':'x','ttl_ms':0"), 400, "BAD_TTL"),
                PUBLISH.with(publish("'msg_id':'x','priority':-1"), 400, "BAD_FIELD"),
                PUBLISH.with(publish("'msg_id':'x','max_targets':0"), 400, "BAD_FIELD"),
                PUBLISH.with(publish("'msg_id':'x','preview_token':'x'"), 400, "BAD_PREVIEW_TOKEN"),
                PUBLISH.with(to("'sensor_id':'../x'"), 400, "BAD_SENSOR_ID"),
                PUBLISH.with(to("'sensor_id':'api-none'"), 422, "UNKNOWN_SENSOR"),
                PUBLISH.with(to("'segment':'a b'"), 400, "BAD_SEGMENT"),
                PUBLISH.with(to("'segment':'api-none'"), 422, "UNKNOWN_SEGMENT"),
                PUBLISH.with(to("'selector':'('"), 400, "SELECTOR_SYNTAX"),
                PUBLISH.with(to("'selector':'connected > 1'"), 400, "SELECTOR_TYPE"),
                PUBLISH.with(to("'selector':' '"), 400, "EMPTY_SELECTOR"),
                PUBLISH.with(
                        json("{'msg_id':'x','payload':'','target':{'sensor_id':'api-0'},'type':'NONE'}"),
                        400,
                        "UNKNOWN_TYPE"),
                PUBLISH.with(publish("'msg_id':'x','payload':null"), 400, "MISSING_PAYLOAD"),
                PUBLISH.with(
                        publish("'msg_id':'x','payload':'" + "AAAA".repeat(327_681) + "'"), 413, "PAYLOAD_TOO_LARGE"),
                PUBLISH.with(publish("'msg_id':'api-known','priority':9"), 409, "MSG_ID_CONFLICT"),
                PUBLISH.with(
                        json(
                                "{'msg_id':'x','target':{'selector':'tag.suite = api'},'payload':'','type':'CONFIG_UPDATE','max_targets':59}"),
                        422,
                        "THRESHOLD"),
                PUBLISH.with(
                        publish(
                                "'msg_id':'x','preview_token':'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'"),
                        422,
                        "PREVIEW_STALE"),
                PREVIEW.with(json("{'target':{'sensor_id':'a b'}}"), 400, "BAD_SENSOR_ID"),
                PREVIEW.with(json("{'target':{'segment':'a b'}}"), 400, "BAD_SEGMENT"),
                PREVIEW.with(json("{'target':{}}"), 400, "EMPTY_SELECTOR"),
                PREVIEW.with(json("{'target':{'selector':'or'}}"), 400, "SELECTOR_SYNTAX"),
                PREVIEW.with(json("{'target':{'selector':'connected = 1'}}"), 400, "SELECTOR_TYPE"),
                PREVIEW.with(json("{'target':{'sensor_id':'api-none'}}"), 422, "UNKNOWN_SENSOR"),
                PREVIEW.with(json("{'target':{'segment':'api-none'}}"), 422, "UNKNOWN_SEGMENT"),
                CANCEL.at("/v1/messages/a%20b:cancel", 400, "BAD_MSG_ID"),
                CANCEL.at("/v1/messages/api-none:cancel", 404, "UNKNOWN_MESSAGE"));
    }

    private static List<Case> reading() {
        return List.of(
                MESSAGE.at("/v1/messages/a%20b", 400, "BAD_MSG_ID"),
                MESSAGE.at("/v1/messages/api-none", 404, "UNKNOWN_MESSAGE"),
                TARGETS.at("/v1/messages/a%20b/targets", 400, "BAD_MSG_ID"),
                TARGETS.at("/v1/messages/api-none/targets", 404, "UNKNOWN_MESSAGE"),
                TARGETS.at("/v1/messages/api-known/targets?page_size=x", 400, "MALFORMED_REQUEST"),
                TARGETS.at("/v1/messages/api-known/targets?page_size=1001", 400, "BAD_PAGE"),
                TARGETS.at("/v1/messages/api-known/targets?page_token=!", 400, "BAD_PAGE"),
                TARGETS.at("/v1/messages/api-known/targets?page_token=LTE", 400, "BAD_PAGE"),
                SENSORS.at("/v1/sensors?page_size=1.5", 400, "MALFORMED_REQUEST"),
                SENSORS.at("/v1/sensors?page_size=-1", 400, "BAD_PAGE"),
                SENSORS.at(SELECTOR, 400, "EMPTY_SELECTOR"),
                SENSORS.at(SELECTOR + "%28", 400, "SELECTOR_SYNTAX"),
                SENSORS.at(SELECTOR + "connected%3Dx", 400, "SELECTOR_TYPE"),
                SENSORS.at(SELECTOR + "osfamily%3Dx", 400, "UNKNOWN_KEY"),
                REGISTER.at("/v1/sensors/s-*", 400, "BAD_SENSOR_ID"));
    }

    private static List<Case> segments() {
        return List.of(
                PUT_SEGMENT.at("/v1/segments/a%20b", 400, "BAD_SEGMENT"),
                PUT_SEGMENT.with("{}", 400, "MALFORMED_REQUEST"),
                PUT_SEGMENT.with(json("{'sensor_ids':null}"), 400, "MALFORMED_REQUEST"),
                PUT_SEGMENT.with(json("{'sensor_ids':[null]}"), 400, "MALFORMED_REQUEST"),
                PUT_SEGMENT.with(json("{'sensor_ids':['*']}"), 400, "BAD_SENSOR_ID"),
                PUT_SEGMENT.with(json("{'sensor_ids':['api-none']}"), 422, "UNKNOWN_SENSOR"),
                GET_SEGMENT.at("/v1/segments/a%20b", 400, "BAD_SEGMENT"),
                GET_SEGMENT.at("/v1/segments/api-none", 404, "SEGMENT_NOT_FOUND"),
                GET_SEGMENT.at("/v1/segments/api-segment?page_size=x", 400, "MALFORMED_REQUEST"),
                GET_SEGMENT.at("/v1/segments/api-segment?page_size=1001", 400, "BAD_PAGE"),
                DELETE_SEGMENT.at("/v1/segments/a%20b", 400, "BAD_SEGMENT"),
                DELETE_SEGMENT.at("/v1/segments/api-none", 404, "SEGMENT_NOT_FOUND"));
    }

    static RunningFanout.Reply send(RunningFanout fanout, Case one) {
        var tokens = Map.of(
                Caller.OPERATOR, fanout.tokens.all("acme"),
                Caller.WITHOUT_SCOPE, fanout.tokens.scoped("other", "acme"),
                Caller.OF_NO_KNOWN_CUSTOMER, fanout.tokens.all("no-such-customer"),
                Caller.OF_TWO_CUSTOMERS, fanout.tokens.all("acme", "globex"));
        String body = OVERSIZE.equals(one.body()) ? json("{'x':'" + "x".repeat(9 << 20) + "'}") : one.body();
        return fanout.send(
                tokens.get(one.caller()),
                one.method(),
                one.path(),
                body,
                one.headers().toArray(String[]::new));
    }

    /** JSON with single quotes, to be read. */
    static String json(String text) {
        return text.replace('\'', '"');
    }

    private static String publish(String fields) {
        String payload = fields.contains("'payload'") ? "" : ",'payload':''";
        return json("{" + fields + payload + ",'target':{'sensor_id':'api-0'},'type':'CONFIG_UPDATE'}");
    }

    private static String to(String target) {
        return json("{'msg_id':'api-refused','payload':'','target':{" + target + "},'type':'CONFIG_UPDATE'}");
    }
}

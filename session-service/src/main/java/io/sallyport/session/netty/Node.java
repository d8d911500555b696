package io.sallyport.session.netty;

import io.sallyport.envelope.epoch.SessionId;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.session.core.Note;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** What the connections of a node share: who is connected, how much memory is left, and whether the node goes away. */
final class Node {
    private final GatewayParts parts;
    private final MemoryLimits memoryLimits;
    private final AdmissionLimits admissionLimits;
    private final SessionRegistry sessions = new SessionRegistry();
    private final Set<LinkHandler> links = ConcurrentHashMap.newKeySet();
    private final MemoryBudget memory;
    private final UnfinishedFrames unfinished;
    private final AddressLimiter addresses;
    private final Handshakes handshakes;
    private final CustomerAdmission customers;
    private final SharedBounds shared;
    private final CustomerQuotas quotas;
    private final SensorVolumes volumes;
    private final AtomicInteger sessionCounter = new AtomicInteger();
    private final AtomicBoolean draining = new AtomicBoolean();

    Node(GatewayParts parts, MemoryLimits memoryLimits, AdmissionLimits admissionLimits, FlowLimits flow) {
        this.parts = parts;
        this.memoryLimits = memoryLimits;
        this.admissionLimits = admissionLimits;
        this.memory = new MemoryBudget(
                memoryLimits.nodeBytes(), parts.rules().limits().maxFrameBytes());
        this.shared = new SharedBounds(memoryLimits, parts.rules().limits().maxFrameBytes());
        this.volumes = new SensorVolumes(parts.metrics());
        this.quotas = new CustomerQuotas(flow, parts.rules().limits(), parts.control(), parts.metrics());
        this.unfinished = new UnfinishedFrames(memoryLimits.unfinishedBytes());
        this.handshakes = new Handshakes(admissionLimits.handshakes());
        this.customers = new CustomerAdmission(admissionLimits, sessions);
        this.addresses = new AddressLimiter(admissionLimits.handshakesPerSecond(), admissionLimits.maxAddresses());
        parts.authority().onChange((sensor, newestEpoch, newestSessionId) -> {
            SessionRegistry.Link link = sessions.ofSensor(sensor);
            if (link != null) {
                link.changed(newestEpoch, newestSessionId);
            }
        });
        parts.commands().onPush(push -> {
            SessionRegistry.Link link = sessions.ofSession(push.getSessionId());
            if (link == null) {
                parts.metrics().noted(Note.PUSH_WITHOUT_SESSION);
            } else {
                link.push(push);
            }
        });
        parts.metrics().gauge("sallyport.sessions", sessions::size);
        parts.metrics().gauge("sallyport.handshakes", handshakes::open);
        parts.metrics().gauge("sallyport.connections.silent", handshakes::silent);
        parts.metrics().gauge("sallyport.memory.inflight", memory::usedBytes);
        parts.metrics().gauge("sallyport.memory.unfinished", unfinished::totalBytes);
    }

    GatewayParts parts() {
        return parts;
    }

    MemoryLimits memoryLimits() {
        return memoryLimits;
    }

    AdmissionLimits admissionLimits() {
        return admissionLimits;
    }

    SessionRegistry sessions() {
        return sessions;
    }

    Set<LinkHandler> links() {
        return links;
    }

    /** Some connection has said its last word and is not closed yet. */
    boolean hasEndedLinks() {
        return links.stream().anyMatch(link -> link.machine().isEnded());
    }

    MemoryBudget memory() {
        return memory;
    }

    UnfinishedFrames unfinished() {
        return unfinished;
    }

    AddressLimiter addresses() {
        return addresses;
    }

    /** Connections that have no session yet. */
    Handshakes handshakes() {
        return handshakes;
    }

    SharedBounds shared() {
        return shared;
    }

    SensorVolumes volumes() {
        return volumes;
    }

    CustomerQuotas quotas() {
        return quotas;
    }

    CustomerAdmission customers() {
        return customers;
    }

    boolean isDraining() {
        return draining.get();
    }

    /** False where the node drains already. */
    boolean drain() {
        return draining.compareAndSet(false, true);
    }

    /** An id above every session that this node knows of the sensor, and different from those of all its sessions. */
    long mintSessionId(SensorKey sensor, long lastSessionId, long aboveSessionId, long nowMs) {
        long known = SessionId.newest(parts.authority().newestSessionId(sensor), aboveSessionId);
        SessionRegistry.Link live = sessions.ofSensor(sensor);
        if (live != null) {
            known = SessionId.newest(known, live.sessionId());
        }
        long id;
        do {
            id = SessionId.mint(nowMs, parts.rules().node(), sessionCounter.getAndIncrement(), known, lastSessionId);
        } while (sessions.ofSession(id) != null);
        return id;
    }
}

package io.sallyport.session.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.ScheduledFuture;
import io.sallyport.edge.alerts.LogText;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.proto.log.v1.SessionPush;
import io.sallyport.session.core.Authenticator;
import io.sallyport.session.core.BatchAdmission;
import io.sallyport.session.core.Credential;
import io.sallyport.session.core.CredentialCheck;
import io.sallyport.session.core.CustomerStanding;
import io.sallyport.session.core.Effect;
import io.sallyport.session.core.Inbound;
import io.sallyport.session.core.LinkMachine;
import io.sallyport.session.core.LiveSession;
import io.sallyport.session.core.Note;
import io.sallyport.session.core.Now;
import io.sallyport.session.core.Refusal;
import io.sallyport.session.core.StartFacts;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection: brings what happens to its {@link LinkMachine} and has {@link LinkEffects} do what the machine
 * decides. Everything runs on the connection's event loop; calls from other threads are brought there.
 */
final class LinkHandler extends ChannelInboundHandlerAdapter implements StartFacts, UnfinishedFrames.Holder {
    private static final Logger LOG = LoggerFactory.getLogger(LinkHandler.class);
    private static final int CUSTOMER_RECHECK_MS = 5_000;
    private static final int RETRY_LIMITED_MS = 5_000;

    private final Node node;
    private final Authenticator authenticator;
    private final FrameDecoder decoder;
    private final LinkMachine machine;
    private @Nullable ChannelHandlerContext context;
    private @Nullable LinkEffects effects;
    private @Nullable LinkOutput output;
    private @Nullable ReadGate gate;
    private @Nullable PushInbox pushes;
    private @Nullable ScheduledFuture<?> timer;
    private long timerAtMs = Long.MAX_VALUE;
    private long nextCredentialCheckMs;
    private boolean inRead;
    private boolean ackScheduled;
    private final Handshakes.Handshake handshake;
    private boolean handshaking = true;
    private boolean limited;
    /** Customer of a session that was admitted and is not open yet. */
    private @Nullable String openingOf;

    /** @param handshake that was begun for the client */
    LinkHandler(Node node, Authenticator authenticator, BatchAdmission admission, Handshakes.Handshake handshake) {
        this.handshake = handshake;
        this.node = node;
        this.authenticator = authenticator;
        this.decoder = new FrameDecoder(node.parts().rules().limits(), node.unfinished(), this);
        this.machine = new LinkMachine(node.parts().rules(), admission, now());
    }

    FrameDecoder decoder() {
        return decoder;
    }

    LinkMachine machine() {
        return machine;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        output = new LinkOutput(ctx);
        gate = new ReadGate(
                ctx.channel(),
                decoder,
                node.memory(),
                node.memoryLimits().connectionBytes(),
                reads -> machine.reading(reads, now()));
        pushes = new PushInbox(this, ctx.channel());
        effects = new LinkEffects(node, this, ctx, output, gate);
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        node.links().add(this);
        // Decided once per connection, told as soon as the sensor can be told.
        limited = !node.addresses().tryAcquire(handshake.address());
        turn(out -> {});
        ctx.fireChannelActive();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslHandshakeCompletionEvent tls) {
            tlsDone(tls.isSuccess());
        }
        ctx.fireUserEventTriggered(event);
    }

    private void tlsDone(boolean succeeded) {
        if (!succeeded) {
            count(Note.TLS_FAILED);
            return;
        }
        machine.secured();
        if (limited) {
            turn(out -> machine.end(
                    Refusal.retry(
                            RejectCode.ADMISSION_LIMITED, "too many connections of this address", RETRY_LIMITED_MS),
                    out));
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        inRead = true;
        List<Effect> out = new ArrayList<>(4);
        lookAtLog();
        if (message instanceof Inbound.Frame frame) {
            Objects.requireNonNull(effects).share().charge(frame.body().length, 0);
        }
        machine.received((Inbound) message, this, now(), out);
        perform(out);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        inRead = false;
        machine.bytesReceived(now());
        Objects.requireNonNull(output).flush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        boolean writable = ctx.channel().isWritable();
        turn(out -> machine.writable(writable, now()));
        Objects.requireNonNull(gate).writable(writable);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        node.links().remove(this);
        decoder.discard();
        turn(machine::disconnected);
        if (timer != null) {
            timer.cancel(false);
        }
        Objects.requireNonNull(effects).closed();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof java.io.IOException || cause.getCause() instanceof java.io.IOException) {
            LOG.debug("connection of {} lost: {}", ctx.channel().remoteAddress(), LogText.escape(cause.toString()));
        } else {
            LOG.warn("connection of {} ended by a failure here", ctx.channel().remoteAddress(), cause);
        }
        ctx.channel().unsafe().close(ctx.voidPromise());
    }

    /** Lets the machine decide, and does what it decided. */
    void turn(java.util.function.Consumer<List<Effect>> decision) {
        try {
            List<Effect> out = new ArrayList<>(4);
            decision.accept(out);
            perform(out);
        } catch (RuntimeException e) {
            // A broken invariant ends this session and no other; from a task, nobody else would notice.
            exceptionCaught(Objects.requireNonNull(context), e);
        }
    }

    private void perform(List<Effect> out) {
        LinkEffects doing = Objects.requireNonNull(effects);
        for (int i = 0; i < out.size(); i++) {
            doing.perform(out.get(i));
        }
        scheduleAck();
        scheduleTick();
        if (!inRead) {
            Objects.requireNonNull(output).flush();
        }
    }

    /** ACKs are cumulative: one for all outcomes that this turn of the loop brings. */
    private void scheduleAck() {
        LiveSession live = machine.live();
        if (!ackScheduled && live != null && live.wantsAck() && channel().isWritable()) {
            ackScheduled = true;
            channel().eventLoop().execute(() -> {
                ackScheduled = false;
                machine.slowed(Objects.requireNonNull(effects).share().waitMs());
                turn(machine::ack);
            });
        }
    }

    private void scheduleTick() {
        long next = machine.nextTickMs();
        if (next >= timerAtMs || next == Long.MAX_VALUE || !channel().isActive()) {
            return;
        }
        if (timer != null) {
            timer.cancel(false);
        }
        timerAtMs = next;
        long delayMs = Math.max(0, next - now().monotonicMs());
        timer = channel().eventLoop().schedule(this::tick, delayMs, TimeUnit.MILLISECONDS);
    }

    private void tick() {
        timer = null;
        timerAtMs = Long.MAX_VALUE;
        lookAtLog();
        turn(out -> machine.tick(now(), out));
    }

    private void lookAtLog() {
        LiveSession live = machine.live();
        if (live != null) {
            machine.pressed(node.parts().rawLog().pressure(live.route()), now());
        }
    }

    /** The session is open: from now on its customer and its credential are looked at again and again. */
    void opened() {
        handshakeOver();
        nextCredentialCheckMs = now().monotonicMs() + node.admissionLimits().credentialRecheckMs();
        recheckLater();
    }

    private void recheckLater() {
        int delayMs = Math.min(CUSTOMER_RECHECK_MS, node.admissionLimits().credentialRecheckMs());
        channel().eventLoop().schedule(this::recheck, delayMs, TimeUnit.MILLISECONDS);
    }

    private void recheck() {
        LiveSession live = machine.live();
        Credential credential = machine.credential();
        if (live == null || credential == null || !channel().isActive()) {
            return;
        }
        String customerId = live.route().sensor().customerId();
        Now now = now();
        Optional<Refusal> over = standing(customerId) == CustomerStanding.INACTIVE
                ? Optional.of(Refusal.of(RejectCode.UNKNOWN_CUSTOMER, "the customer is not active here"))
                : node.quotas().refusal(customerId, now);
        if (over.isPresent()) {
            turn(out -> machine.end(over.get(), out));
            return;
        }
        if (now.monotonicMs() >= nextCredentialCheckMs) {
            nextCredentialCheckMs = now.monotonicMs() + node.admissionLimits().credentialRecheckMs();
            Optional<String> ended = authenticator.endOf(credential, now.wallMs());
            if (ended.isPresent()) {
                turn(out -> machine.end(Refusal.of(RejectCode.UNAUTHENTICATED, ended.get()), out));
                return;
            }
        }
        recheckLater();
    }

    /** The node goes away. Called on any thread. */
    void drain(int deadlineMs, int jitterMs) {
        LoopTasks.execute(channel(), () -> turn(out -> machine.drain(deadlineMs, jitterMs, now(), out)));
    }

    void superseded() {
        LoopTasks.execute(channel(), () -> turn(machine::superseded));
    }

    void changed(long newestEpoch, long newestSessionId) {
        LoopTasks.execute(channel(), () -> turn(out -> machine.changed(newestEpoch, newestSessionId, out)));
    }

    void push(SessionPush push) {
        Objects.requireNonNull(pushes).offer(push);
    }

    void count(Note note) {
        node.parts().metrics().noted(note);
    }

    @Override
    public void endForMemory() {
        LoopTasks.execute(
                channel(),
                () -> turn(out -> machine.end(
                        Refusal.retry(
                                RejectCode.ADMISSION_LIMITED, "no memory for an unfinished frame", RETRY_LIMITED_MS),
                        out)));
    }

    /** The connection has a session now, or ended without one. */
    void handshakeOver() {
        if (handshaking) {
            handshaking = false;
            handshake.end();
            if (openingOf != null) {
                node.customers().openingOver(openingOf);
            }
        }
    }

    private Channel channel() {
        return Objects.requireNonNull(context).channel();
    }

    Now now() {
        return node.parts().clock().now();
    }

    @Override
    public CredentialCheck credential(String token) {
        return authenticator.check(token, peerChain(), now().wallMs());
    }

    private List<X509Certificate> peerChain() {
        SslHandler tls = channel().pipeline().get(SslHandler.class);
        if (tls == null) {
            return List.of();
        }
        try {
            var chain = new ArrayList<X509Certificate>();
            for (Certificate certificate : tls.engine().getSession().getPeerCertificates()) {
                chain.add((X509Certificate) certificate);
            }
            return chain;
        } catch (SSLPeerUnverifiedException e) {
            return List.of();
        }
    }

    @Override
    public boolean isControlDataLoaded() {
        return node.parts().control().isLoaded();
    }

    @Override
    public CustomerStanding standing(String customerId) {
        return node.parts().control().standing(customerId);
    }

    @Override
    public boolean isDraining() {
        return node.isDraining();
    }

    @Override
    public Optional<String> movedTo(String customerId) {
        return node.parts().control().movedTo(customerId);
    }

    @Override
    public Optional<Refusal> admission(SensorKey sensor) {
        Optional<Refusal> quota = node.quotas().refusal(sensor.customerId(), now());
        if (quota.isPresent()) {
            return quota;
        }
        Optional<Refusal> refusal = node.customers().refusal(sensor, now().monotonicMs());
        openingOf = refusal.isPresent() ? null : sensor.customerId();
        return refusal;
    }

    /** Names the session for other threads. */
    SessionRegistry.Link link(SensorKey sensor, long sessionId) {
        return new LiveLink(this, sensor, sessionId);
    }
}

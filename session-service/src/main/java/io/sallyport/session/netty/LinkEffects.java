package io.sallyport.session.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.sallyport.edge.alerts.LogText;
import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.envelope.link.FrameType;
import io.sallyport.proto.link.v1.HostMetadata;
import io.sallyport.proto.link.v1.RejectCode;
import io.sallyport.proto.log.v1.EndpointMetadata;
import io.sallyport.proto.log.v1.EpochAnswer;
import io.sallyport.proto.log.v1.EpochClaim;
import io.sallyport.proto.log.v1.ReportKind;
import io.sallyport.session.core.DailyUsage;
import io.sallyport.session.core.Effect;
import io.sallyport.session.core.LinkMachine;
import io.sallyport.session.core.LiveSession;
import io.sallyport.session.core.Now;
import io.sallyport.session.core.RawLog;
import io.sallyport.session.core.Refusal;
import io.sallyport.session.metrics.CustomerMeters;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does what a connection's machine decides. Belongs to the connection's event loop. */
final class LinkEffects {
    private static final Logger LOG = LoggerFactory.getLogger(LinkEffects.class);
    /** What a record costs beyond its bytes while it waits. */
    private static final int RECORD_OVERHEAD_BYTES = 512;
    /** What thousands of sensors are told within a second, of which the counter by code says enough. */
    private static final Set<RejectCode> OF_MANY =
            EnumSet.of(RejectCode.ADMISSION_LIMITED, RejectCode.DRAINING, RejectCode.AUTHORITY_UNAVAILABLE);

    private final Node node;
    private final LinkHandler handler;
    private final Channel channel;
    private final LinkOutput output;
    private final ReadGate gate;
    private final SensorShare share;
    /** The session that is asked for, or open. */
    private SessionRegistry.@Nullable Link registered;

    private @Nullable CustomerMeters meters;
    private DailyUsage.@Nullable Counter usage;
    private @Nullable SensorVolume volume;
    /** When the oldest batch came whose outcome is known and not told yet; 0 = none. */
    private long ackWaitsSinceNanos;

    LinkEffects(Node node, LinkHandler handler, ChannelHandlerContext ctx, LinkOutput output, ReadGate gate) {
        this.node = node;
        this.handler = handler;
        this.channel = ctx.channel();
        this.output = output;
        this.gate = gate;
        this.share = new SensorShare(channel, gate, () -> handler.now().monotonicMs());
    }

    SensorShare share() {
        return share;
    }

    private LinkMachine machine() {
        return handler.machine();
    }

    void perform(Effect effect) {
        if (effect instanceof Effect.Append append) {
            append(append);
        } else if (effect instanceof Effect.SendAck ack) {
            sendAck(ack);
        } else if (effect instanceof Effect.Admitted admitted) {
            // What was received is charged already.
            share.charge(Math.max(0, admitted.decodedBytes() - admitted.bytes()), admitted.events());
            if (volume != null && usage != null) {
                volume.add(admitted.decodedBytes());
                usage.add(
                        admitted.decodedBytes(), DailyUsage.dayOf(handler.now().wallMs()));
            }
            if (meters != null) {
                meters.admitted(admitted.events(), admitted.dropped(), admitted.bytes());
            }
        } else if (effect instanceof Effect.SendBytes bytes) {
            output.bytes(bytes.type(), bytes.body());
        } else if (effect instanceof Effect.SendMessage message) {
            output.message(message.type(), message.body());
        } else if (effect instanceof Effect.Refuse refuse) {
            node.parts().metrics().rejected(refuse.refusal().code());
            output.message(FrameType.REJECT, refuse.refusal().toFrame(drawn(refuse.refusal())));
        } else if (effect instanceof Effect.Claim claim) {
            claim(claim);
        } else if (effect instanceof Effect.Open open) {
            open(open);
        } else if (effect instanceof Effect.Report report) {
            report(report);
        } else if (effect instanceof Effect.End end) {
            end(end);
        } else if (effect instanceof Effect.Close close) {
            LOG.debug("closing {}: {}", channel.remoteAddress(), close.why());
            finish(null);
        } else {
            performRare(effect);
        }
    }

    private void performRare(Effect effect) {
        if (effect instanceof Effect.Result result) {
            node.parts().commands().result(result.sensor(), result.result());
        } else if (effect instanceof Effect.HandedOver handed) {
            node.parts().commands().handedOver(handed.push(), handler.now().wallUs());
        } else if (effect instanceof Effect.Alert alert) {
            node.parts().metrics().alert(alert.kind(), alert.sensor(), alert.detail());
        } else if (effect instanceof Effect.Count count) {
            node.parts().metrics().noted(count.note());
        } else if (effect instanceof Effect.SpoolDepth depth && meters != null) {
            meters.spool(depth.events(), depth.bytes());
        }
    }

    private void claim(Effect.Claim claim) {
        var start = claim.start();
        Now now = handler.now();
        long sessionId =
                node.mintSessionId(claim.sensor(), start.getLastSessionId(), claim.aboveSessionId(), now.wallMs());
        unregisterLink();
        registered = handler.link(claim.sensor(), sessionId);
        node.sessions().opening(registered);
        EpochClaim.Builder asked = EpochClaim.newBuilder()
                .setClaimId(UUID.randomUUID().toString())
                .setSessionId(sessionId)
                .setNode(node.parts().rules().node())
                .setWatermark(start.getWatermark())
                .setNextSeq(start.getNextSeq())
                .setLastSessionId(start.getLastSessionId())
                .setPeer(peer());
        if (start.hasEpoch()) {
            asked.setPresentedEpoch(start.getEpoch());
        }
        CompletionStage<EpochAnswer> answered = node.parts()
                .commands()
                .listening()
                .thenCompose(nothing -> node.parts().authority().claim(claim.sensor(), asked.build()));
        answered.whenComplete((answer, failure) -> {
            if (failure != null) {
                LOG.debug("claim of {} failed: {}", claim.sensor(), failure.toString());
            }
            LoopTasks.execute(
                    channel,
                    () -> handler.turn(out -> {
                        if (failure == null) {
                            machine().claimAnswered(sessionId, answer, handler.now(), out);
                        } else {
                            machine().claimFailed(out);
                        }
                    }));
        });
    }

    private String peer() {
        return channel.remoteAddress() instanceof InetSocketAddress remote
                ? remote.getAddress().getHostAddress() + ":" + remote.getPort()
                : "";
    }

    private void open(Effect.Open open) {
        LiveSession session = open.session();
        SensorKey sensor = session.route().sensor();
        if (!node.sessions().register(Objects.requireNonNull(registered))) {
            handler.turn(machine()::superseded);
            return;
        }
        volume = node.volumes().begin(sensor);
        // The table may have shown a newer session before this one could be found.
        long newest = node.parts().authority().newestSessionId(sensor);
        long newestEpoch = node.parts().authority().newestEpoch(sensor);
        handler.turn(out -> machine().changed(newestEpoch, newest, out));
        if (machine().isEnded()) {
            return;
        }
        meters = node.parts().metrics().customer(sensor.customerId());
        share.begin(node.quotas().join(sensor, handler.now()));
        usage = node.quotas().usage(sensor.customerId());
        gate.share(
                node.shared().customer(sensor.customerId()),
                node.shared().shard(node.parts().rawLog().shard(session.route())));
        node.parts().metrics().accepted();
        handler.decoder().accepted();
        output.message(FrameType.ACCEPT, open.accept());
        handler.opened();
        if (!open.host().equals(HostMetadata.getDefaultInstance())) {
            node.parts()
                    .commands()
                    .metadata(
                            sensor,
                            EndpointMetadata.newBuilder()
                                    .setCustomerId(sensor.customerId())
                                    .setSensorId(sensor.sensorId())
                                    .setVersion(session.sessionId())
                                    .setHost(open.host())
                                    .setAtUs(handler.now().wallUs())
                                    .build());
        }
    }

    private void append(Effect.Append append) {
        long bytes = append.value().length + RECORD_OVERHEAD_BYTES;
        List<MemoryBudget> charged = gate.charge(bytes);
        long startedNanos = System.nanoTime();
        node.parts().rawLog().append(append.route(), append.kind(), append.value(), append.stamp(), result -> {
            // On the log's thread; the node's memory is free whether or not the connection still is.
            charged.forEach(budget -> budget.release(bytes));
            node.parts().metrics().appended(System.nanoTime() - startedNanos);
            LoopTasks.execute(channel, () -> {
                if (ackWaitsSinceNanos == 0 && result == RawLog.Result.DURABLE) {
                    ackWaitsSinceNanos = startedNanos;
                }
                handler.turn(out -> machine().appended(append.pending(), result, handler.now(), out));
                gate.settled(bytes);
            });
        });
    }

    private void sendAck(Effect.SendAck ack) {
        output.ack(ack.epoch(), ack.watermark(), ack.throttleMs());
        if (ackWaitsSinceNanos != 0 && ack.throttleMs() == 0) {
            node.parts().metrics().acknowledged(System.nanoTime() - ackWaitsSinceNanos);
            ackWaitsSinceNanos = 0;
        }
    }

    private void report(Effect.Report report) {
        ReportKind kind = report.report().getKind();
        node.parts().authority().report(report.sensor(), report.report()).whenComplete((done, failure) -> {
            if (kind != ReportKind.REPORT_DISCONNECTED) {
                LoopTasks.execute(
                        channel,
                        () -> handler.turn(out -> machine().reported(kind, failure == null, handler.now(), out)));
            }
        });
    }

    private void end(Effect.End end) {
        Refusal refusal = end.refusal();
        node.parts().metrics().rejected(refusal.code());
        String about = end.audit().isEmpty() ? "" : " (" + LogText.escape(end.audit()) + ")";
        if (refusal.code() == RejectCode.IDENTITY_MISMATCH) {
            LOG.warn("{} {}: {}{}", refusal.code(), channel.remoteAddress(), LogText.escape(refusal.detail()), about);
        } else if (OF_MANY.contains(refusal.code())) {
            LOG.debug("{} {}: {}{}", refusal.code(), channel.remoteAddress(), refusal.detail(), about);
        } else {
            LOG.info("{} {}: {}{}", refusal.code(), channel.remoteAddress(), LogText.escape(refusal.detail()), about);
        }
        finish(refusal);
    }

    private void finish(@Nullable Refusal refusal) {
        unregister();
        handler.decoder().discard();
        gate.over();
        output.finish(
                refusal == null ? null : refusal.toFrame(drawn(refusal)),
                machine().isSecured());
    }

    /** The connection is gone. */
    void closed() {
        unregister();
    }

    private void unregister() {
        share.end();
        if (volume != null) {
            node.volumes().end(volume);
            volume = null;
        }
        unregisterLink();
    }

    private void unregisterLink() {
        if (registered != null) {
            node.sessions().unregister(registered);
            registered = null;
        }
    }

    /** Spreads those who come back: evenly over half to one and a half of the asked time. */
    private static int drawn(Refusal refusal) {
        int middle = refusal.retryAfterMs();
        return middle == 0 ? 0 : middle / 2 + ThreadLocalRandom.current().nextInt(middle);
    }
}

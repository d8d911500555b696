package io.sallyport.router.core;

import io.sallyport.proto.log.v1.CommandOutcome;
import io.sallyport.proto.log.v1.CommandResult;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * A gateway and the sensor behind it, as the sensor link describes them: pushes for a session that is gone are dropped,
 * some are lost before the gateway sees them, a sensor that does not read is not written to, a message goes only behind
 * the one that its push names, a repeat is acknowledged and not applied again.
 */
final class SimulatedSensor {
    final Deque<Effect.Push> wire = new ArrayDeque<>();
    final List<CommandResult> answers = new ArrayList<>();
    /** What it applied or refused, each once, in order. */
    final List<Effect.Push> received = new ArrayList<>();

    final Map<String, CommandOutcome> outcomes = new HashMap<>();
    private final Random random;
    private final QueueBench queue;
    private final Map<Integer, Long> handedOver = new HashMap<>();
    private final Set<String> remembered = new HashSet<>();
    long sessionId;
    boolean connected;
    /** It reads what it is sent, and answers. */
    boolean reliable;
    /** Nothing is lost between router and gateway. */
    boolean lossless;

    SimulatedSensor(Random random, QueueBench queue) {
        this.random = random;
        this.queue = queue;
    }

    void start(long newSessionId) {
        sessionId = newSessionId;
        connected = true;
        handedOver.clear();
    }

    /** The next push reaches the node. */
    void deliver(long nowUs) {
        Effect.Push push = wire.poll();
        if (push == null || !connected || push.session().sessionId() != sessionId) {
            return;
        }
        if (!lossless && random.nextInt(6) == 0) {
            return;
        }
        int type = push.entry().message().getType();
        boolean expired = push.entry().message().getExpiresAtUs() <= nowUs;
        boolean inOrder = push.previous().isEmpty()
                || push.previous().getAsLong() <= handedOver.getOrDefault(type, Long.MIN_VALUE);
        boolean reads = reliable || random.nextInt(8) > 0;
        if (inOrder && (expired || reads)) {
            handedOver.merge(type, push.entry().message().getRevision(), Math::max);
        }
        if (expired) {
            answer(push, CommandOutcome.COMMAND_NOT_DELIVERED, Answers.EXPIRED);
        } else if (inOrder && reads) {
            receive(push);
        }
    }

    private void receive(Effect.Push push) {
        String msgId = push.entry().msgId();
        if (remembered.add(msgId)) {
            received.add(push);
            outcomes.put(
                    msgId,
                    !reliable && random.nextInt(12) == 0
                            ? CommandOutcome.COMMAND_NACKED
                            : CommandOutcome.COMMAND_ACKED);
        }
        answer(push, outcomes.get(msgId), "");
    }

    private void answer(Effect.Push push, CommandOutcome outcome, String detail) {
        CommandResult result = CommandResult.newBuilder()
                .setCustomerId(queue.sensor.customerId())
                .setSensorId(queue.sensor.sensorId())
                .setSessionId(sessionId)
                .setMsgId(push.entry().msgId())
                .setOutcome(outcome)
                .setDetail(detail)
                .build();
        int copies = reliable ? 1 : random.nextInt(6) == 0 ? 0 : random.nextInt(6) == 0 ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            answers.add(random.nextInt(answers.size() + 1), result);
        }
    }
}

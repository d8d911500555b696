package io.sallyport.session.link;

import io.sallyport.envelope.identity.SensorKey;
import io.sallyport.proto.log.v1.CommandResult;
import io.sallyport.proto.log.v1.EndpointMetadata;
import io.sallyport.proto.log.v1.SessionPush;
import io.sallyport.session.core.CommandLink;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps what the gateway publishes, and pushes what a test wants pushed. */
final class FakeCommands implements CommandLink {
    final List<CommandResult> results = new CopyOnWriteArrayList<>();
    final List<EndpointMetadata> metadata = new CopyOnWriteArrayList<>();
    final List<SessionPush> handedOver = new CopyOnWriteArrayList<>();
    volatile CompletionStage<Void> listening = CompletableFuture.completedFuture(null);
    private final List<Receiver> receivers = new CopyOnWriteArrayList<>();

    @Override
    public void result(SensorKey sensor, CommandResult result) {
        results.add(result);
    }

    @Override
    public void handedOver(SessionPush push, long nowUs) {
        handedOver.add(push);
    }

    @Override
    public void metadata(SensorKey sensor, EndpointMetadata said) {
        metadata.add(said);
    }

    @Override
    public CompletionStage<Void> listening() {
        return listening;
    }

    @Override
    public void onPush(Receiver receiver) {
        receivers.add(receiver);
    }

    void push(SessionPush push) {
        receivers.forEach(receiver -> receiver.push(push));
    }
}

package io.sallyport.fanout.core;

import io.sallyport.envelope.registry.MessageTypes;
import io.sallyport.proto.log.v1.MessageTypeSpec;
import java.util.Optional;

/** The types that every deployment has; every customer is active. */
public final class SeededRegistry implements Registry {
    @Override
    public Optional<MessageTypeSpec> messageType(int number) {
        return MessageTypes.seeded().stream()
                .filter(type -> type.getNumber() == number)
                .findFirst();
    }

    @Override
    public Optional<MessageTypeSpec> messageType(String name) {
        return MessageTypes.seeded().stream()
                .filter(type -> type.getName().equals(name))
                .findFirst();
    }

    @Override
    public boolean isActive(String customerId) {
        return true;
    }
}

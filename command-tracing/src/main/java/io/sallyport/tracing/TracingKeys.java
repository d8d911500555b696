package io.sallyport.tracing;

import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;

/** The keys {@code sallyport.tracing.endpoint} and {@code sallyport.tracing.share}, the same for every service. */
public final class TracingKeys {
    private TracingKeys() {}

    /** Unknown keys under the prefix are refused. */
    public static TracingSettings read(Environment environment) {
        return Binder.get(environment)
                .bindOrCreate(
                        "sallyport.tracing",
                        Bindable.of(TracingSettings.class),
                        new NoUnboundElementsBindHandler(BindHandler.DEFAULT, new UnboundElementsSourceFilter()));
    }
}

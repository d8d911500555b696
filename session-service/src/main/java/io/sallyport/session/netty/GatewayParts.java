package io.sallyport.session.netty;

import io.sallyport.session.core.CommandLink;
import io.sallyport.session.core.ControlData;
import io.sallyport.session.core.EpochAuthority;
import io.sallyport.session.core.LinkRules;
import io.sallyport.session.core.RawLog;
import io.sallyport.session.metrics.GatewayMetrics;

/** What the gateway stands on; the same for all its connections. */
public record GatewayParts(
        RawLog rawLog,
        EpochAuthority authority,
        ControlData control,
        CommandLink commands,
        GatewayMetrics metrics,
        LinkRules rules,
        NodeClock clock) {}

package io.sallyport.local.cli;

import io.sallyport.export.s3.S3Store;
import io.sallyport.export.store.LocalStore;
import io.sallyport.export.store.ObjectStore;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where an export lies that is not the local stack's. Credentials of a bucket come from the environment, as AWS tools have them. */
class StoreOptions {
    @Option(
            names = "--bucket",
            paramLabel = "NAME",
            description = "S3 bucket with the export (default: the stack's folder)")
    private String bucket = "";

    @Option(names = "--prefix", paramLabel = "PREFIX", description = "of every key in the bucket; ends with a slash")
    private String prefix = "";

    @Option(
            names = "--region",
            paramLabel = "REGION",
            defaultValue = "us-east-1",
            description = "of the bucket (default: ${DEFAULT-VALUE})")
    private String region = "us-east-1";

    @Option(names = "--endpoint", paramLabel = "URL", description = "of a store that is not AWS")
    private @Nullable URI endpoint;

    /** Empty where the export lies in a folder. */
    Optional<S3Store.Location> location() {
        return bucket.isEmpty()
                ? Optional.empty()
                : Optional.of(new S3Store.Location(bucket, prefix, region, endpoint, "", ""));
    }

    /** @param folder where no bucket is named */
    ObjectStore open(Path folder) throws IOException {
        Optional<S3Store.Location> location = location();
        return location.isPresent() ? new S3Store(location.get()) : new LocalStore(folder);
    }

    /** Of who looks at the copied checkpoints, too. */
    static final class WithCheckpoints extends StoreOptions {
        @Option(
                names = "--checkpoints",
                paramLabel = "DIR",
                description = "folder with the copied checkpoints (default: the stack's)")
        private @Nullable Path checkpoints;

        /** @param folder where none is named, and the export is the stack's */
        Optional<Path> checkpoints(Path folder) {
            return Optional.ofNullable(checkpoints)
                    .or(() -> location().isEmpty() ? Optional.of(folder) : Optional.empty());
        }
    }
}

package io.sallyport.export.s3;

import java.net.URI;
import java.util.UUID;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.nio2blob.TransientNio2BlobStore;

/** A real S3 server in this JVM, over memory. */
public final class S3Server implements AutoCloseable {
    private final TransientNio2BlobStore blobs = new TransientNio2BlobStore();
    private final S3Proxy proxy;

    public S3Server() throws Exception {
        proxy = S3Proxy.builder()
                .blobStore(blobs)
                .endpoint(URI.create("http://127.0.0.1:0"))
                .awsAuthentication(AuthenticationType.AWS_V2_OR_V4, "key", "secret")
                .ignoreUnknownHeaders(true)
                .build();
        proxy.start();
    }

    /** A new bucket. */
    public S3Store.Location bucket() {
        String name = "b-" + UUID.randomUUID();
        blobs.createContainer(name);
        return new S3Store.Location(
                name, "some/prefix/", "us-east-1", URI.create("http://127.0.0.1:" + proxy.getPort()), "key", "secret");
    }

    @Override
    public void close() throws Exception {
        proxy.stop();
        blobs.close();
    }
}

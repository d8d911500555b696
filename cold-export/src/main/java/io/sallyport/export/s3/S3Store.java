package io.sallyport.export.s3;

import io.sallyport.export.store.ObjectStore;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * A bucket. An object is created by one PUT with {@code If-None-Match: *}, which S3 and the stores that follow it decide
 * atomically; so the bucket must support that, and a file stays below the 5 GB of one PUT.
 */
public final class S3Store implements ObjectStore {
    private static final Duration CONNECT = Duration.ofSeconds(10);
    /** Silence on the connection, not the whole transfer. */
    private static final Duration SILENCE = Duration.ofSeconds(60);

    private static final int EXISTS = 412;
    /** Metadata of an object: which call created it. */
    private static final String CREATED_BY = "created-by";

    private static final int ANOTHER_IS_AT_IT = 409;
    private static final int ATTEMPTS = 5;

    private final S3Client client;
    private final String bucket;
    private final String prefix;

    /**
     * Where the bucket is.
     *
     * @param prefix of every key; empty, or ends with a slash
     * @param endpoint null for AWS
     * @param accessKey empty for the environment's credentials
     */
    public record Location(
            String bucket,
            String prefix,
            String region,
            @Nullable URI endpoint,
            String accessKey,
            String secretKey) {
        @Override
        public String toString() {
            return "s3://" + bucket + "/" + prefix;
        }
    }

    public S3Store(Location location) {
        var builder = S3Client.builder()
                .region(Region.of(location.region()))
                .httpClientBuilder(UrlConnectionHttpClient.builder()
                        .connectionTimeout(CONNECT)
                        .socketTimeout(SILENCE))
                // Newer checksums are refused by stores that are not AWS; what a file is, its manifest says.
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                .credentialsProvider(
                        location.accessKey().isEmpty()
                                ? DefaultCredentialsProvider.builder().build()
                                : StaticCredentialsProvider.create(
                                        AwsBasicCredentials.create(location.accessKey(), location.secretKey())));
        if (location.endpoint() != null) {
            builder.endpointOverride(location.endpoint()).forcePathStyle(true);
        }
        this.client = builder.build();
        this.bucket = location.bucket();
        this.prefix = location.prefix();
    }

    @Override
    public boolean create(String key, byte[] content) throws IOException {
        return create(key, RequestBody.fromBytes(content));
    }

    @Override
    public boolean create(String key, Path content) throws IOException {
        return create(key, RequestBody.fromFile(content));
    }

    private boolean create(String key, RequestBody content) throws IOException {
        String call = UUID.randomUUID().toString();
        var request = PutObjectRequest.builder()
                .bucket(bucket)
                .key(prefix + key)
                .ifNoneMatch("*")
                .metadata(Map.of(CREATED_BY, call))
                .build();
        for (int attempt = 1; ; attempt++) {
            try {
                client.putObject(request, content);
                return true;
            } catch (S3Exception e) {
                if (e.statusCode() == EXISTS) {
                    return isOf(call, key);
                }
                // Somebody else creates it right now: the next answer tells who was first.
                if (e.statusCode() != ANOTHER_IS_AT_IT || attempt == ATTEMPTS) {
                    throw failure(key, e);
                }
            } catch (SdkException e) {
                throw failure(key, e);
            }
        }
    }

    /** Whether an object is this call's own: an answer was lost below, and the request was sent again. */
    private boolean isOf(String call, String key) throws IOException {
        try {
            return call.equals(
                    client.headObject(request -> request.bucket(bucket).key(prefix + key))
                            .metadata()
                            .get(CREATED_BY));
        } catch (NoSuchKeyException e) {
            return false;
        } catch (SdkException e) {
            throw failure(key, e);
        }
    }

    @Override
    public Optional<byte[]> read(String key) throws IOException {
        try {
            return Optional.of(
                    client.getObject(get(key), ResponseTransformer.toBytes()).asByteArray());
        } catch (NoSuchKeyException e) {
            return Optional.empty();
        } catch (SdkException e) {
            throw failure(key, e);
        }
    }

    @Override
    public boolean download(String key, Path to) throws IOException {
        try {
            Files.deleteIfExists(to);
            client.getObject(get(key), ResponseTransformer.toFile(to));
            return true;
        } catch (NoSuchKeyException e) {
            return false;
        } catch (SdkException e) {
            throw failure(key, e);
        }
    }

    private GetObjectRequest get(String key) {
        return GetObjectRequest.builder().bucket(bucket).key(prefix + key).build();
    }

    @Override
    public List<String> list(String folder, String after) throws IOException {
        try {
            var keys = new ArrayList<String>();
            var pages = client.listObjectsV2Paginator(list -> {
                list.bucket(bucket).prefix(prefix + folder);
                if (!after.isEmpty()) {
                    list.startAfter(prefix + after);
                }
            });
            for (S3Object object : pages.contents()) {
                keys.add(object.key().substring(prefix.length()));
            }
            return keys;
        } catch (SdkException e) {
            throw failure(folder, e);
        }
    }

    @Override
    public void delete(String key) throws IOException {
        try {
            client.deleteObject(delete -> delete.bucket(bucket).key(prefix + key));
        } catch (SdkException e) {
            throw failure(key, e);
        }
    }

    private static IOException failure(String key, SdkException cause) {
        return new IOException("s3 " + key + ": " + cause.getMessage(), cause);
    }

    @Override
    public void close() {
        client.close();
    }
}

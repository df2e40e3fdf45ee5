package io.thalweg.google.pubsub;

import com.google.api.gax.grpc.InstantiatingGrpcChannelProvider;
import com.google.cloud.pubsub.v1.Publisher;
import com.google.cloud.pubsub.v1.stub.GrpcPublisherStub;
import com.google.cloud.pubsub.v1.stub.GrpcSubscriberStub;
import com.google.cloud.pubsub.v1.stub.PublisherStub;
import com.google.cloud.pubsub.v1.stub.PublisherStubSettings;
import com.google.cloud.pubsub.v1.stub.SubscriberStub;
import com.google.cloud.pubsub.v1.stub.SubscriberStubSettings;
import io.thalweg.google.GoogleAccess;
import io.thalweg.warehouse.WarehouseException;
import java.io.IOException;
import java.time.Duration;

/** Google's own clients of Pub/Sub, configured for one kind of access. */
final class PubSubClients {
    private static final String SCOPE = "https://www.googleapis.com/auth/pubsub";

    /** A response contains several messages of at most 10 MB each; Google's own subscriber uses this limit. */
    private static final int LARGEST_RESPONSE = 20 << 20;

    /** The service refuses clients that send keep-alives more often. */
    private static final Duration KEEP_ALIVE = Duration.ofMinutes(5);

    private PubSubClients() {}

    /** Creates a client; this reads files. */
    private interface Client<T> {
        T create() throws IOException;
    }

    private static <T> T connected(Client<T> client) {
        try {
            return client.create();
        } catch (IOException e) {
            throw new WarehouseException("Pub/Sub cannot be reached: " + e.getMessage(), e);
        }
    }

    static SubscriberStub subscriber(GoogleAccess access) {
        return connected(() -> {
            SubscriberStubSettings.Builder settings = SubscriberStubSettings.newBuilder();
            settings.setCredentialsProvider(access.credentials(SCOPE, settings.getCredentialsProvider()))
                    .setTransportChannelProvider(
                            channel(access, SubscriberStubSettings.defaultGrpcTransportProviderBuilder()));
            return GrpcSubscriberStub.create(settings.build());
        });
    }

    static PublisherStub topics(GoogleAccess access) {
        return connected(() -> {
            PublisherStubSettings.Builder settings = PublisherStubSettings.newBuilder();
            settings.setCredentialsProvider(access.credentials(SCOPE, settings.getCredentialsProvider()))
                    .setTransportChannelProvider(
                            channel(access, PublisherStubSettings.defaultGrpcTransportProviderBuilder()));
            return GrpcPublisherStub.create(settings.build());
        });
    }

    static Publisher publisher(GoogleAccess access, Publisher.Builder settings) {
        return connected(() -> settings.setCredentialsProvider(access.credentials(
                        SCOPE,
                        PublisherStubSettings.defaultCredentialsProviderBuilder()
                                .build()))
                .setChannelProvider(channel(access, PublisherStubSettings.defaultGrpcTransportProviderBuilder()))
                .build());
    }

    private static InstantiatingGrpcChannelProvider channel(
            GoogleAccess access, InstantiatingGrpcChannelProvider.Builder channel) {
        channel.setMaxInboundMessageSize(LARGEST_RESPONSE).setKeepAliveTimeDuration(KEEP_ALIVE);
        String endpoint = access.endpoint();
        if (endpoint != null) {
            channel.setEndpoint(endpoint);
        }
        if (access.isEmulator()) {
            channel.setChannelConfigurator(builder -> builder.usePlaintext());
        }
        return channel.build();
    }
}

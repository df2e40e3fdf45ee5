package io.thalweg.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class ListeningSocketsTest {
    @Test
    void of_loopbackAndWildcard_areTellableApart() throws IOException {
        try (ServerSocket loopback = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket wildcard = new ServerSocket(0)) {
            List<InetSocketAddress> sockets = ListeningSockets.of(ProcessHandle.current());

            assertThat(sockets)
                    .anyMatch(socket -> socket.getPort() == loopback.getLocalPort()
                            && socket.getAddress().isLoopbackAddress())
                    .anyMatch(socket -> socket.getPort() == wildcard.getLocalPort()
                            && socket.getAddress().isAnyLocalAddress());
        }
    }

    @Test
    void of_closedSocket_isNotReported() throws IOException {
        ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        int port = socket.getLocalPort();
        socket.close();
        assertThat(ListeningSockets.of(ProcessHandle.current())).noneMatch(each -> each.getPort() == port);
    }
}

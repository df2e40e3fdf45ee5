package io.thalweg.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The TCP sockets on which a process and its descendants listen, as Linux reports them in {@code /proc}.
 *
 * <p><b>Errors.</b> {@link UncheckedIOException} without {@code /proc}. A process that ends in the meantime has no sockets.
 */
public final class ListeningSockets {
    private static final String LISTEN = "0A";
    private static final Path PROC = Path.of("/proc");

    private ListeningSockets() {}

    /** Returns the local addresses of all listening sockets of a process tree. */
    public static List<InetSocketAddress> of(ProcessHandle process) {
        try {
            Map<String, InetSocketAddress> byInode = new HashMap<>();
            read(PROC.resolve("net/tcp"), byInode);
            read(PROC.resolve("net/tcp6"), byInode);
            List<InetSocketAddress> sockets = new ArrayList<>();
            for (ProcessHandle each :
                    Stream.concat(Stream.of(process), process.descendants()).toList()) {
                for (String inode : inodes(each.pid())) {
                    InetSocketAddress socket = byInode.get(inode);
                    if (socket != null) {
                        sockets.add(socket);
                    }
                }
            }
            return sockets;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the listening sockets of process " + process.pid(), e);
        }
    }

    /** Reads {@code sl local_address rem_address st … inode}; addresses are hexadecimal, in words of the host's byte order. */
    private static void read(Path table, Map<String, InetSocketAddress> into) throws IOException {
        if (!Files.exists(table)) {
            return; // no IPv6
        }
        for (String line : Files.readAllLines(table)) {
            String[] fields = line.strip().split("\\s+");
            if (fields.length > 9 && fields[3].equals(LISTEN)) {
                into.put(fields[9], address(fields[1]));
            }
        }
    }

    private static InetSocketAddress address(String field) throws IOException {
        int colon = field.indexOf(':');
        ByteBuffer words = ByteBuffer.wrap(HexFormat.of().parseHex(field, 0, colon));
        ByteBuffer bytes = ByteBuffer.allocate(words.capacity()).order(ByteOrder.nativeOrder());
        while (words.hasRemaining()) {
            bytes.putInt(words.getInt());
        }
        return new InetSocketAddress(
                InetAddress.getByAddress(bytes.array()), Integer.parseInt(field.substring(colon + 1), 16));
    }

    private static List<String> inodes(long pid) throws IOException {
        List<String> inodes = new ArrayList<>();
        try (Stream<Path> descriptors = Files.list(PROC.resolve(pid + "/fd"))) {
            for (Path descriptor : descriptors.toList()) {
                String target = target(descriptor);
                if (target.startsWith("socket:[")) {
                    inodes.add(target.substring("socket:[".length(), target.length() - 1));
                }
            }
        } catch (NoSuchFileException e) {
            return inodes; // it has ended
        }
        return inodes;
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return ""; // closed in the meantime
        }
    }
}

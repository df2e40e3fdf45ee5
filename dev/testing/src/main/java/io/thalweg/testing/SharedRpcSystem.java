package io.thalweg.testing;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.rpc.RpcSystem;
import org.apache.flink.runtime.rpc.RpcSystemLoader;
import org.apache.flink.runtime.rpc.pekko.PekkoRpcSystemLoader;
import org.jspecify.annotations.Nullable;

/**
 * Shares the classes of Flink's RPC system among all jobs that tests run in one process.
 *
 * <p><b>Why.</b> Flink unpacks a jar of 24 MB for each cluster, and loads Pekko and Scala from it with a separate class loader. A
 * program does so once; in tests it took a quarter of the processor time of each job. Flink finds this class as a service.
 *
 * <p><b>Threads.</b> Safe to share. The classes stay loaded until the process ends.
 */
public final class SharedRpcSystem implements RpcSystemLoader {
    private static @Nullable RpcSystem shared;

    /** Precedes Flink's own loader, whose priority is 0; the lowest is tried first. */
    @Override
    public int getLoadPriority() {
        return -1;
    }

    @Override
    public RpcSystem loadRpcSystem(Configuration config) {
        RpcSystem system = shared(config);
        return (RpcSystem) Proxy.newProxyInstance(
                RpcSystem.class.getClassLoader(),
                new Class<?>[] {RpcSystem.class},
                (proxy, method, arguments) ->
                        method.getName().equals("close") ? null : call(system, method, arguments));
    }

    private static synchronized RpcSystem shared(Configuration config) {
        RpcSystem system = shared;
        if (system == null) {
            system = new PekkoRpcSystemLoader().loadRpcSystem(config);
            Runtime.getRuntime().addShutdownHook(new Thread(system::close)); // deletes the jar
            shared = system;
        }
        return system;
    }

    private static Object call(RpcSystem system, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(system, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}

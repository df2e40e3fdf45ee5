package io.thalweg.cli.run;

import io.thalweg.model.Surroundings;
import io.thalweg.qalm.Mode;
import io.thalweg.server.ServerConfig;

/** The server that {@code thalweg.yaml} describes. */
final class ConfiguredServer {
    private ConfiguredServer() {}

    /** Listens on {@code port}, whatever the file says. */
    static ServerConfig on(int port, Surroundings.Server said) {
        Surroundings.Qalm qalm = said.qalm();
        return ServerConfig.loopback(port)
                .withBind(said.bind())
                .withAdminPort(said.adminPort())
                .withReadyMaxAge(
                        said.readyMaxAge() == null ? null : said.readyMaxAge().duration())
                .withQalm(new ServerConfig.Qalm(
                        Mode.valueOf(qalm.mode().name()), qalm.rules(), qalm.control(), qalm.dir()));
    }
}

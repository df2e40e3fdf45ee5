package io.thalweg.runner;

import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.records.registry.RegistryAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/** The schema registries of {@code thalweg.yaml}. */
public final class Registries {
    private Registries() {}

    /** Returns their addresses by name. */
    public static Map<String, RegistryAddress> of(DeploymentConfig deploymentConfig) {
        Map<String, RegistryAddress> registries = new LinkedHashMap<>();
        deploymentConfig
                .schemaRegistries()
                .forEach((name, registry) -> registries.put(
                        name, new RegistryAddress(name, registry.url().toString(), authorization(registry))));
        return registries;
    }

    private static String authorization(DeploymentConfig.SchemaRegistry registry) {
        if (registry.token() != null) {
            return RegistryAddress.bearer(registry.token());
        }
        return registry.user() == null || registry.password() == null
                ? ""
                : RegistryAddress.basic(registry.user(), registry.password());
    }
}

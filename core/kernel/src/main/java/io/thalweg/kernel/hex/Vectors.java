package io.thalweg.kernel.hex;

import java.lang.reflect.InvocationTargetException;

/** Creates the classes that use the Vector API. They are loaded by name because they need a module that may be absent. */
final class Vectors {
    private Vectors() {}

    /** Whether the Vector API and wide enough registers are available; without such registers each vector would be an object. */
    static boolean areFast() {
        return ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent()
                && LatticeKernel.vector().fits();
    }

    /**
     * Creates an object.
     *
     * @param name the name of a class of this package, which has one constructor
     */
    static <T> T make(Class<T> type, String name, Object... arguments) {
        try {
            Class<?> found = Class.forName(Vectors.class.getPackageName() + "." + name);
            return type.cast(found.getDeclaredConstructors()[0].newInstance(arguments));
        } catch (ClassNotFoundException
                | InstantiationException
                | IllegalAccessException
                | InvocationTargetException e) {
            throw new IllegalStateException(name + " does not load; remove --add-modules jdk.incubator.vector", e);
        }
    }
}

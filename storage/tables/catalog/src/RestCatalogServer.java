import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.rest.RESTCatalogAdapter;
import org.apache.iceberg.rest.RESTCatalogServlet;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;

/**
 * Iceberg's own REST catalog, on a port of the loopback interface, with its state in a database in its folder. Tests start it as a
 * source file, with the jars that this module collects: {@code java -cp 'target/lib/*' RestCatalogServer.java PORT FOLDER}.
 */
public final class RestCatalogServer {
    private RestCatalogServer() {}

    public static void main(String[] arguments) throws Exception {
        String folder = arguments[1];
        Map<String, String> database = Map.of(
                "catalog-impl", "org.apache.iceberg.jdbc.JdbcCatalog",
                "uri", "jdbc:sqlite:" + folder + "/catalog.db",
                "jdbc.schema-version", "V1",
                "warehouse", "file://" + folder);
        RESTCatalogAdapter catalog =
                new RESTCatalogAdapter(CatalogUtil.buildIcebergCatalog("tests", database, new Configuration()));
        ServletContextHandler context = new ServletContextHandler();
        context.addServlet(new ServletHolder(new RESTCatalogServlet(catalog)), "/*");
        int port = Integer.parseInt(arguments[0]);
        Server server = new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        server.setHandler(context);
        server.start();
        System.out.println("listening");
        server.join();
    }
}

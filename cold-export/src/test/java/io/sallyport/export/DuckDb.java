package io.sallyport.export;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;

/** Reads an export as an analyst does, who knows nothing of manifests: all files, partitions by their path. */
final class DuckDb implements AutoCloseable {
    private final Connection connection;

    DuckDb(Path lake) throws SQLException {
        connection = DriverManager.getConnection("jdbc:duckdb:");
        String files = "'" + lake + "/structured/**/*.parquet'";
        try (Statement statement = connection.createStatement()) {
            statement.execute("create view rows as select * from read_parquet(" + files
                    + ", hive_partitioning = true, hive_types_autocast = false)");
            statement.execute("create view meta as select * from parquet_metadata(" + files + ")");
        }
    }

    long number(String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            result.next();
            return result.getLong(1);
        }
    }

    String text(String query) throws SQLException {
        var text = new StringBuilder();
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            int columns = result.getMetaData().getColumnCount();
            while (result.next()) {
                for (int column = 1; column <= columns; column++) {
                    text.append(result.getString(column)).append('\n');
                }
            }
        }
        return text.toString();
    }

    Map<String, byte[]> bytes(String query) throws SQLException {
        var bytes = new HashMap<String, byte[]>();
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            while (result.next()) {
                bytes.put(result.getString(1), result.getBytes(2));
            }
        }
        return bytes;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}

package io.sallyport.local.stack;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;

/**
 * One part of the stack as a process of its own. Its command is kept in {@code run/NAME.command}, its process id in
 * {@code run/NAME.pid}, what it prints in {@code logs/NAME.out}. It outlives the process that started it.
 *
 * @param data folder of the stack
 * @param name of the part
 */
record ServiceProcess(DataFolder data, String name) {
    private static final int LOOKS_WHILE_EMPTY = 10_000;
    private static final int FORCE_MS = 10_000;
    private static final int LOOK_MS = 50;
    private static final JsonMapper JSON = new JsonMapper();
    /** Stands in front of the command line of every part, so that a process id which was given anew is told apart. */
    private static final String MARK = "-Dsallyport.part=";

    /** The broker, the gateways that were started beyond the first, and the services, as far as they were started here. */
    static List<ServiceProcess> all(DataFolder data) throws IOException {
        var parts = new ArrayList<ServiceProcess>();
        parts.add(new ServiceProcess(data, Endpoints.BROKER));
        if (Files.isDirectory(data.run())) {
            try (var gateways = Files.newDirectoryStream(data.run(), Endpoints.SESSION_SERVICE + "-*.pid")) {
                gateways.forEach(file -> parts.add(
                        new ServiceProcess(data, file.getFileName().toString().replace(".pid", ""))));
            }
        }
        Endpoints.SERVICES.forEach(name -> parts.add(new ServiceProcess(data, name)));
        return parts;
    }

    /** The system property by which {@link #running()} knows the process; the first argument of its command. */
    String mark() {
        return MARK + name + "@" + data.root();
    }

    /** Keeps the command and starts the process. */
    Process start(List<String> command) throws IOException {
        Files.createDirectories(data.run());
        replace(commandFile(), JSON.writeValueAsString(command));
        return launch(command);
    }

    /** Starts it as it was started before. */
    Process startAgain() throws IOException {
        if (!Files.exists(commandFile())) {
            throw new StackException("%s was never started in %s; it is a part of: ./sallyport up --processes"
                    .formatted(name, data.root()));
        }
        return launch(List.of(JSON.readValue(Files.readString(commandFile()), String[].class)));
    }

    private Process launch(List<String> command) throws IOException {
        Files.createDirectories(data.logs());
        var whole = new ArrayList<String>();
        // In a session of its own: a Ctrl-C at the terminal reaches the supervisor only, which stops the parts in
        // order.
        setsid().ifPresent(whole::add);
        whole.addAll(command);
        File out = data.logs().resolve(name + ".out").toFile();
        Process process = new ProcessBuilder(whole)
                .directory(data.root().toFile())
                .redirectInput(new File("/dev/null"))
                .redirectOutput(ProcessBuilder.Redirect.to(out))
                .redirectErrorStream(true)
                .start();
        replace(pidFile(), process.pid() + "\n");
        return process;
    }

    /** The process where it lives; empty where it ended or its id belongs to another one by now. */
    Optional<ProcessHandle> running() throws IOException {
        if (!Files.exists(pidFile())) {
            return Optional.empty();
        }
        String text = Files.readString(pidFile()).strip();
        try {
            return ProcessHandle.of(Long.parseLong(text))
                    .filter(ProcessHandle::isAlive)
                    .filter(this::isThisPart);
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private boolean isThisPart(ProcessHandle process) {
        Path commandLine = Path.of("/proc", Long.toString(process.pid()), "cmdline");
        try {
            String arguments = Files.readString(commandLine);
            // Empty for a moment while one program takes the place of another in the same process, and for a zombie.
            for (int look = 0; arguments.isEmpty() && look < LOOKS_WHILE_EMPTY && !isGone(process); look++) {
                Thread.onSpinWait();
                arguments = Files.readString(commandLine);
            }
            return List.of(arguments.split("\0")).contains(mark());
        } catch (IOException e) {
            // Not Linux, or gone in between.
            return process.info().commandLine().orElse("").contains(mark());
        }
    }

    /** Asks it to end, and ends it by force after the grace; returns when it is gone, and its pid file with it. */
    void stop(int graceMs) throws IOException, InterruptedException {
        Optional<ProcessHandle> running = running();
        if (running.isPresent()) {
            running.get().destroy();
            if (!endsWithin(running.get(), graceMs)) {
                kill();
            }
        }
        Files.deleteIfExists(pidFile());
    }

    /** Ends it as {@code kill -9} does; returns when it is gone. */
    void kill() throws IOException, InterruptedException {
        Optional<ProcessHandle> running = running();
        if (running.isPresent()) {
            running.get().destroyForcibly();
            endsWithin(running.get(), FORCE_MS);
        }
    }

    private static boolean endsWithin(ProcessHandle process, int limitMs) throws InterruptedException {
        long deadline = System.nanoTime() + Duration.ofMillis(limitMs).toNanos();
        while (!isGone(process)) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            Thread.sleep(LOOK_MS);
        }
        return true;
    }

    /** Dead counts as gone: whose parent went before it may stay in the table of processes for ever. */
    private static boolean isGone(ProcessHandle process) {
        if (!process.isAlive()) {
            return true;
        }
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
            // PID (NAME) STATE …; its files and ports are free once it is a zombie.
            return "ZX".indexOf(stat.charAt(stat.lastIndexOf(')') + 2)) >= 0;
        } catch (IOException e) {
            return !process.isAlive();
        }
    }

    Path pidFile() {
        return data.run().resolve(name + ".pid");
    }

    private Path commandFile() {
        return data.run().resolve(name + ".command");
    }

    private static Optional<String> setsid() {
        return List.of("/usr/bin/setsid", "/bin/setsid").stream()
                .filter(path -> Files.isExecutable(Path.of(path)))
                .findFirst();
    }

    private static void replace(Path file, String text) throws IOException {
        Path part = file.resolveSibling(file.getFileName() + ".part");
        Files.writeString(part, text);
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}

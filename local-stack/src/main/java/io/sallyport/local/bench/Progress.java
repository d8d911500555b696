package io.sallyport.local.bench;

import java.io.PrintWriter;

/** What a benchmark tells whoever waits for it. */
record Progress(PrintWriter out) {
    void say(String text) {
        out.println("bench: " + text);
        out.flush();
    }
}

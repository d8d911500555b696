package io.sallyport.local.cli;

import picocli.CommandLine.Command;

@Command(name = "requeue", description = "Puts quarantined content back in after its cause is fixed.")
final class RequeueCommand extends Action {
    @Override
    int execute() throws Exception {
        return FAILED;
    }
}

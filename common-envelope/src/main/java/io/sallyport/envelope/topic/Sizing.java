package io.sallyport.envelope.topic;

/** Which sizing of the topic catalogue a deployment was created with, as settings name it. */
public enum Sizing {
    LOCAL(TopicSizing.LOCAL),
    CELL(TopicSizing.CELL);

    private final TopicSizing topics;

    Sizing(TopicSizing topics) {
        this.topics = topics;
    }

    public TopicSizing topics() {
        return topics;
    }
}

package io.sallyport.export.parquet;

import com.github.luben.zstd.Zstd;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;

/** Zstandard without Hadoop's codecs. Other compressions are refused: no file of the export has one. */
final class ZstdCodecs implements CompressionCodecFactory {
    private static final int LEVEL = 3;

    @Override
    public BytesInputCompressor getCompressor(CompressionCodecName codec) {
        return switch (codec) {
            case ZSTD -> new Compressor();
            case UNCOMPRESSED -> new Uncompressed();
            default -> throw new IllegalArgumentException("not a compression of the export: " + codec);
        };
    }

    @Override
    public BytesInputDecompressor getDecompressor(CompressionCodecName codec) {
        return switch (codec) {
            case ZSTD -> new Decompressor();
            case UNCOMPRESSED -> new Uncompressed();
            default -> throw new IllegalArgumentException("not a compression of the export: " + codec);
        };
    }

    @Override
    public void release() {
        // Nothing is held between pages.
    }

    private static final class Compressor implements BytesInputCompressor {
        @Override
        public BytesInput compress(BytesInput bytes) throws IOException {
            return BytesInput.from(Zstd.compress(bytes.toByteArray(), LEVEL));
        }

        @Override
        public CompressionCodecName getCodecName() {
            return CompressionCodecName.ZSTD;
        }

        @Override
        public void release() {
            // Nothing is held between pages.
        }
    }

    private static final class Decompressor implements BytesInputDecompressor {
        @Override
        public BytesInput decompress(BytesInput bytes, int decompressedSize) throws IOException {
            var out = new byte[decompressedSize];
            byte[] in = bytes.toByteArray();
            long size = Zstd.decompressByteArray(out, 0, out.length, in, 0, in.length);
            if (Zstd.isError(size) || size != decompressedSize) {
                throw new IOException("a page is damaged");
            }
            return BytesInput.from(out);
        }

        @Override
        public void decompress(ByteBuffer input, int compressedSize, ByteBuffer output, int decompressedSize)
                throws IOException {
            var in = new byte[compressedSize];
            input.get(in);
            output.put(decompress(BytesInput.from(in), decompressedSize).toByteBuffer());
        }

        @Override
        public void release() {
            // Nothing is held between pages.
        }
    }

    private static final class Uncompressed implements BytesInputCompressor, BytesInputDecompressor {
        @Override
        public BytesInput compress(BytesInput bytes) {
            return bytes;
        }

        @Override
        public CompressionCodecName getCodecName() {
            return CompressionCodecName.UNCOMPRESSED;
        }

        @Override
        public BytesInput decompress(BytesInput bytes, int decompressedSize) {
            return bytes;
        }

        @Override
        public void decompress(ByteBuffer input, int compressedSize, ByteBuffer output, int decompressedSize) {
            ByteBuffer part = input.duplicate();
            part.limit(part.position() + compressedSize);
            output.put(part);
            input.position(input.position() + compressedSize);
        }

        @Override
        public void release() {
            // Nothing is held.
        }
    }
}

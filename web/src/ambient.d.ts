// SPDX-License-Identifier: Apache-2.0
declare class CompressionStream implements ReadableWritablePair<Uint8Array, BufferSource> {
  constructor(format: string);
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<BufferSource>;
}
declare class DecompressionStream extends CompressionStream {}
